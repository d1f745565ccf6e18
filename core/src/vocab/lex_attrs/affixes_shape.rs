//! Prefix, suffix and shape of a word.

use crate::strings::chars::{Class, class};

/// Returns the first character, spaCy's `PREFIX`; empty for the empty word.
pub fn prefix(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    &text[..text.len() - chars.as_str().len()]
}

/// Returns the last three characters, or all if there are fewer, spaCy's `SUFFIX`.
pub fn suffix(text: &str) -> &str {
    let start = text.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The minimum length in characters of words with the shape `LONG`.
const LONG: usize = 100;

/// The maximum length of a run of one kind in a shape.
const RUN: usize = 4;

/// Appends the shape of a word, spaCy's `SHAPE`.
///
/// Upper-case letters become `X`, other letters `x`, digits `d`; other characters stay. A run of
/// one kind is cut to four. A word of a hundred characters or more has the shape `LONG`.
///
/// ```
/// use lexpool::vocab::lex_attrs::shape;
///
/// let mut out = String::new();
/// shape("McDonalds-2000", &mut out);
/// assert_eq!(out, "XxXxxxx-dddd");
/// ```
pub fn shape(text: &str, out: &mut String) {
    if text.len() >= LONG && text.chars().count() >= LONG {
        out.push_str("LONG");
        return;
    }
    let (mut last, mut run) = (None, 0);
    for c in text.chars() {
        let class = class(c);
        let kind = if class.any(Class::ALPHA) {
            if class.any(Class::UPPER) { 'X' } else { 'x' }
        } else if class.any(Class::DIGIT) {
            'd'
        } else {
            c
        };
        run = if last == Some(kind) { run + 1 } else { 1 };
        last = Some(kind);
        if run <= RUN {
            out.push(kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shape_of(text: &str) -> String {
        let mut out = String::new();
        shape(text, &mut out);
        out
    }

    #[test]
    fn a_shape_shows_kinds_and_cuts_runs_at_four() {
        for (text, expected) in [
            ("", ""),
            ("Nasa", "Xxxx"),
            ("capitalized", "xxxx"),
            ("999999999", "dddd"),
            ("C3PO", "XdXX"),
            ("//////", "////"),
            ("''''''ab", "''''xx"),
            ("\u{c9}\u{e9}\u{4e00}", "Xxx"),
            ("\u{1c5}a", "xx"),
            ("\u{2160}\u{b2}\u{bd}", "\u{2160}d\u{bd}"),
            ("a\u{301}a", "x\u{301}x"),
            ("xXdD", "xXxX"),
        ] {
            assert_eq!(shape_of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_is_long_from_a_hundred_characters_not_bytes() {
        assert_eq!(shape_of(&"a".repeat(99)), "xxxx");
        assert_eq!(shape_of(&"a".repeat(100)), "LONG");
        assert_eq!(shape_of(&"\u{e9}".repeat(99)), "xxxx");
        assert_eq!(shape_of(&"\u{e9}".repeat(100)), "LONG");
    }

    proptest! {
        #[test]
        fn affixes_are_counted_in_characters(text in "\\PC{0,6}") {
            let chars: Vec<char> = text.chars().collect();
            prop_assert_eq!(prefix(&text), chars.iter().take(1).collect::<String>());
            let skip = chars.len().saturating_sub(3);
            prop_assert_eq!(suffix(&text), chars.iter().skip(skip).collect::<String>());
        }
    }
}
