//! Untrusted text in messages: characters that a terminal interprets are escaped.
//!
//! Control characters (C0, DEL, C1) move the cursor or change colours; bidirectional ones reorder
//! the text that is shown. Both become `\u{...}`. File names enter messages through [`shown`]
//! alone; `disallowed-methods` in `clippy.toml` rejects `Path::display`.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::path::Path;

/// Returns whether a terminal may interpret a character instead of showing it.
pub fn is_interpreted(c: char) -> bool {
    c.is_control() || is_bidirectional(c)
}

fn is_bidirectional(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Escapes a file name, onto one line.
pub fn shown(path: &Path) -> Escaped<'_> {
    Escaped { text: path.to_string_lossy(), unescaped: &[] }
}

/// Escapes a text, onto one line.
pub fn one_line(text: &str) -> Escaped<'_> {
    Escaped { text: text.into(), unescaped: &[] }
}

/// Escapes a text, except for its line breaks and tabs.
pub fn lines(text: &str) -> Escaped<'_> {
    Escaped { text: text.into(), unescaped: &['\n', '\t'] }
}

/// A text that is displayed with control characters escaped, as in `\u{202e}`.
///
/// ```
/// use lexpool_error::escape::one_line;
/// assert_eq!(one_line("a\u{9b}31m\n").to_string(), r"a\u{9b}31m\u{a}");
/// assert_eq!(one_line("caf\u{e9}").to_string(), "caf\u{e9}");
/// ```
#[derive(Clone, Debug)]
pub struct Escaped<'a> {
    text: Cow<'a, str>,
    /// Control characters that are not escaped.
    unescaped: &'static [char],
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = &*self.text;
        while let Some(at) = rest.find(|c| is_interpreted(c) && !self.unescaped.contains(&c)) {
            let (before, from) = rest.split_at(at);
            f.write_str(before)?;
            let mut chars = from.chars();
            for c in chars.next().into_iter().flat_map(char::escape_unicode) {
                f.write_char(c)?;
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out_and_nothing_else() {
        let controls = (0..0x20).chain(0x7f..0xa0).chain([0x61c, 0x200e, 0x200f]);
        let obeyed: Vec<u32> = controls.chain(0x202a..0x202f).chain(0x2066..0x206a).collect();
        for c in (0..0x3000).filter_map(char::from_u32) {
            let expected = if obeyed.contains(&u32::from(c)) {
                format!("\\u{{{:x}}}", u32::from(c))
            } else {
                c.to_string()
            };
            assert_eq!(one_line(c.encode_utf8(&mut [0; 4])).to_string(), expected);
        }
    }

    #[test]
    fn lines_keep_their_ends_and_tabs() {
        assert_eq!(lines("a\tb\r\n\u{1b}[1m").to_string(), "a\tb\\u{d}\n\\u{1b}[1m");
    }

    #[test]
    fn the_name_of_a_file_stays_on_its_line() {
        assert_eq!(shown(Path::new("a\nb\u{202e}.txt")).to_string(), r"a\u{a}b\u{202e}.txt");
    }
}
