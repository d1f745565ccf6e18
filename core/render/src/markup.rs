//! Writing markup: everything that comes from outside passes through here and is escaped.

use std::fmt::{self, Write};

use super::{Frame, Link};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// Markup that is being written.
pub(super) struct Markup {
    out: String,
    minify: bool,
}

impl Markup {
    pub(super) fn new(minify: bool) -> Markup {
        Markup { out: String::new(), minify }
    }

    /// Markup of our own, as it stands.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Markup {
        self.out.push_str(markup);
        self
    }

    /// Markup of our own with numbers or escaped values in it.
    pub(super) fn put(&mut self, markup: fmt::Arguments<'_>) -> &mut Markup {
        self.out.write_fmt(markup).expect("a string takes what is written");
        self
    }

    /// Text from outside.
    pub(super) fn text(&mut self, text: &str) -> &mut Markup {
        escape_to(&mut self.out, text);
        self
    }

    /// An attribute with a value from outside.
    pub(super) fn attr(&mut self, name: &str, value: &str) -> &mut Markup {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// Ends a line, where that does not show.
    pub(super) fn line(&mut self) -> &mut Markup {
        if !self.minify {
            self.out.push('\n');
        }
        self
    }

    /// The heading of a picture, if it has one.
    pub(super) fn heading(&mut self, frame: &Frame) -> &mut Markup {
        let Some(title) = &frame.title else { return self };
        self.raw("<h2 class=\"lexpool-title\"");
        self.attr("dir", frame.direction.name());
        self.raw(" style=\"margin:0 0 .5em;font-size:1.25em\">").text(title).raw("</h2>").line()
    }

    /// Says how many tokens are left out, if any.
    pub(super) fn footing(&mut self, frame: &Frame) -> &mut Markup {
        if frame.left_out == 0 {
            return self;
        }
        let left_out = frame.left_out;
        self.put(format_args!(
            "<div style=\"opacity:.7;font-size:.85em\">\u{2026} and {left_out} more tokens</div>"
        ));
        self.line()
    }

    /// The attributes that say how text runs.
    pub(super) fn running(&mut self, frame: &Frame) -> &mut Markup {
        self.attr("dir", frame.direction.name());
        match &frame.lang {
            Some(lang) => self.attr("lang", lang),
            None => self,
        }
    }

    /// A label on its chip, with what it links to.
    pub(super) fn label(&mut self, label: &str, link: Option<&Link<'_>>) -> &mut Markup {
        self.raw("<bdi>").text(label).raw("</bdi>");
        let Some(link) = link.filter(|link| !link.id.is_empty()) else { return self };
        self.raw(" ");
        if may_link(link.url) {
            self.raw("<a style=\"color:inherit;font-weight:400\" rel=\"noopener\"");
            self.attr("href", link.url).raw("><bdi>").text(link.id).raw("</bdi></a>")
        } else {
            self.raw("<bdi style=\"font-weight:400\">").text(link.id).raw("</bdi>")
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// A number of pixels, with one decimal at most; shortest form.
pub(super) struct Px(pub(super) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round();
        // Adding zero turns the negative one into the positive.
        write!(f, "{}", tenths / 10.0 + 0.0)
    }
}

/// Escapes for text and quoted attributes of HTML and XML.
fn escape_to(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Parsers would make a line feed of it.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            // Characters that XML forbids, and that HTML drops or reports as errors.
            '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
}

/// Returns whether an address is allowed in `href`: a known scheme, or relative.
fn may_link(url: &str) -> bool {
    // Browsers drop control characters and spaces before they look for the scheme.
    let bare: String = url.chars().filter(|&c| c > ' ').collect();
    match bare.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        }
        _ => true,
    }
}

/// A colour or font from outside, found fit for a `style` attribute.
///
/// It must be one value: it cannot end its declaration, fetch anything or hide in escapes.
pub(super) fn css_value<'a>(option: &str, value: &'a str) -> Result<&'a str> {
    let lower = value.to_ascii_lowercase();
    let fetches = ["url(", "image(", "image-set(", "src(", "attr(", "/*"];
    let breaks = |c: char| matches!(c, ';' | '{' | '}' | '\\' | '<' | '>' | '@' | '!') || c < ' ';
    let opened = value.matches('(').count();
    let bad = value.trim().is_empty()
        || value.contains(breaks)
        || fetches.iter().any(|what| lower.contains(what))
        || opened != value.matches(')').count()
        || value.matches('"').count() % 2 != 0
        || value.matches('\'').count() % 2 != 0;
    if bad {
        let text = format!("option {option}: {value:?} is not a single CSS value");
        return Err(Error::value(codes::RENDER_CSS, text));
    }
    Ok(value)
}

/// A piece of whitespace made visible; other text stays as it is.
pub(super) fn visible(text: &str) -> String {
    if !text.chars().all(char::is_whitespace) {
        return text.to_owned();
    }
    let chars = text.chars().map(|c| match c {
        '\n' | '\r' => '\u{21b5}',
        '\t' => '\u{21e5}',
        _ => '\u{2423}',
    });
    chars.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        escape_to(&mut out, text);
        out
    }

    #[test]
    fn text_is_escaped_for_html_and_xml() {
        assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
        assert_eq!(escaped("\0\x1b\u{ffff}\r\n"), "\u{fffd}\u{fffd}\u{fffd}&#13;\n");
    }

    #[test]
    fn only_harmless_addresses_are_linked() {
        for url in ["https://x.org/Q1", "#", "", "/wiki/a:b", "HTTP://x", "?q=a:b", "mailto:a@b"] {
            assert!(may_link(url), "{url}");
        }
        for url in
            ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "\u{1}vbscript:x"]
        {
            assert!(!may_link(url), "{url:?}");
        }
    }

    #[test]
    fn css_values_cannot_leave_their_declaration() {
        for value in
            ["#aa9cfc", "linear-gradient(90deg, #aa9cfc, #fc9ce7)", "'Source Sans 3', Arial"]
        {
            assert_eq!(css_value("bg", value).unwrap(), value);
        }
        for value in ["", "red;x:y", "url(//x)", "red}", "a\\b", "rgb(1,2", "'a", "image-set('a')"]
        {
            assert_eq!(css_value("bg", value).unwrap_err().code(), "render-css", "{value}");
        }
    }

    #[test]
    fn pixels_are_short() {
        let shown = [0.0, -0.0, -0.01, 1.25, 100.0, 0.04].map(|n| Px(n).to_string());
        assert_eq!(shown, ["0", "0", "0", "1.3", "100", "0"]);
    }
}
