//! A whole HTML document around pictures.

use super::Frame;
use super::markup::Markup;

/// Options of [`page`].
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Title of the document, language and direction.
    pub frame: Frame,
}

/// Pictures in a document that follows the reader's choice of light or dark, and can be printed.
pub fn page<S: AsRef<str>>(parts: &[S], options: &PageOptions) -> String {
    let frame = &options.frame;
    let mut out = Markup::new(frame.minify);
    out.raw("<!DOCTYPE html>").line();
    out.raw("<html").attr("lang", frame.lang.as_deref().unwrap_or("en"));
    out.attr("dir", frame.direction.name()).raw(">").line();
    out.raw("<head>").line();
    out.raw("<meta charset=\"utf-8\">").line();
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">").line();
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">").line();
    out.raw("<title>").text(frame.title.as_deref().unwrap_or("lexpool")).raw("</title>").line();
    out.raw("<style>").raw(STYLE).raw("</style>").line();
    out.raw("</head>").line().raw("<body>").line();
    for part in parts {
        let part = part.as_ref().trim_end_matches('\n');
        // Scrolled by keys as well, where it is wider than the window.
        out.raw("<figure tabindex=\"0\">").line().raw(part).line().raw("</figure>").line();
    }
    out.raw("</body>").line().raw("</html>").line();
    out.finish()
}

const STYLE: &str = ":root{color-scheme:light dark}\
body{max-width:72rem;margin:0 auto;padding:3rem 1.5rem;font:1rem/1.5 system-ui,'Segoe UI',\
Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif;background:Canvas;color:CanvasText}\
figure{margin:0 0 3rem;overflow-x:auto}\
@media (prefers-color-scheme:dark){body{background:#16181d;color:#e4e6eb}}\
@media print{body{max-width:none;padding:0}figure{overflow:visible;break-inside:avoid-page}\
svg{max-width:100%!important;height:auto!important}}";
