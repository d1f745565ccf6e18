//! Tokens as they were cut, and tokens found again in their text.

use super::Frame;
use super::markup::{Markup, visible};

/// A token with what separates it from the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownToken<'a> {
    /// The token.
    pub text: &'a str,
    /// The whitespace after it, if any.
    pub whitespace: &'a str,
}

/// Tokens in outlined boxes, as a `div`.
pub fn tokens(tokens: &[ShownToken<'_>], frame: &Frame) -> String {
    let mut out = Markup::new(frame.minify);
    out.heading(frame).raw("<div class=\"lexpool-tokens\"").running(frame);
    out.raw(" style=\"line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere\">");
    for token in tokens {
        // The outline takes no room, so that the text runs as it would without.
        out.raw(
            "<span style=\"box-shadow:0 0 0 1px rgba(127,127,127,.5);border-radius:.2em;\
             padding:.1em .06em;margin:0 .1em;-webkit-box-decoration-break:clone;\
             box-decoration-break:clone\">",
        );
        out.text(&visible(token.text)).raw("</span>");
        if token.text.contains('\n') {
            out.raw("<br>");
        }
        out.text(token.whitespace);
    }
    out.raw("</div>").line().footing(frame);
    out.finish()
}

/// Finds words in the text that they were cut from; only whitespace may lie between them.
///
/// Gives `None` if the text is not made of the words.
pub fn align<'a>(text: &'a str, words: &[&str]) -> Option<Vec<ShownToken<'a>>> {
    let mut rest = text;
    let mut tokens = Vec::with_capacity(words.len());
    for (i, word) in words.iter().enumerate() {
        let at = rest;
        rest = rest.strip_prefix(word)?;
        let next = words.get(i + 1);
        // A word may be whitespace itself: it takes its own first.
        let mut space = rest.len() - rest.trim_start().len();
        if let Some(next) = next {
            let starts = |&end: &usize| rest.is_char_boundary(end) && rest[end..].starts_with(next);
            space = (0..=space).find(starts)?;
        }
        tokens.push(ShownToken { text: &at[..word.len()], whitespace: &rest[..space] });
        rest = &rest[space..];
    }
    rest.is_empty().then_some(tokens)
}
