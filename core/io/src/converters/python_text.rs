//! Lines and words of a text, as Python cuts them.

use lexpool::codes::Code;
use lexpool::escape::one_line;
use lexpool::strings::chars::is_space;
use lexpool::{Error, codes};

/// Returns a text without whitespace at its ends, as `str.strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns the words between whitespace, as `str.split`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// Returns the number of ends of lines.
pub(super) fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// A part of a text without whitespace at its ends, with the number of its first line, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'t> {
    pub(super) text: &'t str,
    pub(super) line: usize,
}

impl<'t> Part<'t> {
    /// Returns a whole text.
    pub(super) fn whole(text: &'t str) -> Part<'t> {
        Part { text, line: 1 }.stripped()
    }

    fn stripped(self) -> Part<'t> {
        let from = self.text.len() - self.text.trim_start_matches(is_space).len();
        let line = self.line + line_ends(&self.text[..from]);
        Part { text: strip(self.text), line }
    }

    /// Returns the parts between separators that are not empty.
    pub(super) fn split(self, separator: &str) -> impl Iterator<Item = Part<'t>> {
        let (mut line, lines) = (self.line, line_ends(separator));
        let parts = self.text.split(separator).map(move |text| {
            let part = Part { text, line };
            line += line_ends(text) + lines;
            part.stripped()
        });
        parts.filter(|part| !part.text.is_empty())
    }

    /// Returns the lines with their numbers.
    pub(super) fn lines(self) -> impl Iterator<Item = (usize, &'t str)> {
        (self.line..).zip(self.text.split('\n'))
    }
}

/// Name of a file, for errors.
#[derive(Clone, Copy)]
pub(super) struct File<'n>(pub(super) &'n str);

impl File<'_> {
    /// Returns an error of a line.
    pub(super) fn invalid(self, code: Code, line: usize, text: impl AsRef<str>) -> Error {
        Error::value(code, format!("{}, line {line}: {}", one_line(self.0), text.as_ref()))
    }

    /// Returns an error of a line that no converter of spaCy reads either.
    pub(super) fn syntax(self, line: usize, text: impl AsRef<str>) -> Error {
        self.invalid(codes::CONVERT_SYNTAX, line, text)
    }

    /// Adds the name and a line to an error.
    pub(super) fn at(self, line: usize) -> impl Fn(Error) -> Error {
        move |error| error.context(format_args!("{}, line {line}", one_line(self.0)))
    }
}

/// Reads an integer as `int` does: with whitespace, a sign and single `_` between its digits.
pub(super) fn int(text: &str) -> Option<i64> {
    let text = strip(text);
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let is_grouped = digits
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    is_grouped.then(|| format!("{sign}{}", digits.replace('_', "")).parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_lines() {
        let part = Part::whole("\n a\nb\n\n\n c \n\n\n\nd\n");
        let parts: Vec<_> = part.split("\n\n").map(|part| (part.line, part.text)).collect();
        assert_eq!(parts, [(2, "a\nb"), (6, "c"), (10, "d")]);
        assert_eq!(part.lines().nth(1), Some((3, "b")));
    }

    #[test]
    fn whitespace_is_that_of_python() {
        assert_eq!(strip("\u{1c}\u{a0}a b\u{85}\u{2003}"), "a b");
        assert_eq!(words("a\u{a0}b\u{1f}c\u{200b}d").collect::<Vec<_>>(), ["a", "b", "c\u{200b}d"]);
    }

    #[test]
    fn integers_are_those_of_python() {
        for (text, value) in [("12", 12), (" -3 ", -3), ("+0_7", 7), ("1_000", 1000)] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        for text in ["", "-", "1__0", "_1", "1_", "1.0", "x", "--1", "99999999999999999999"] {
            assert_eq!(int(text), None, "{text}");
        }
    }
}
