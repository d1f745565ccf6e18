//! Lists of strings as JSON, the format of spaCy's `strings.json`.

use std::borrow::Cow;
use std::fmt::Write;

use crate::codes;
use crate::{Error, Result};

/// The layout of a JSON list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// One line.
    Compact,
    /// One string per line, indented by two spaces.
    Lines,
}

/// Returns a list in ASCII, byte for byte as spaCy writes it.
pub(super) fn write(strings: &[&str], layout: JsonLayout) -> String {
    if strings.is_empty() && layout == JsonLayout::Lines {
        // As `json.dumps([], indent=2)` of spaCy's `srsly`.
        return "[\n\n]".to_owned();
    }
    let mut out = String::from("[");
    for (i, string) in strings.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        if layout == JsonLayout::Lines {
            out.push_str("\n  ");
        }
        push(&mut out, string);
    }
    if layout == JsonLayout::Lines {
        out.push('\n');
    }
    out.push(']');
    out
}

/// Parses a list of strings. Those without escapes are parts of `json`.
///
/// # Errors
///
/// `strings-json`.
pub(super) fn read(json: &[u8]) -> Result<Vec<Cow<'_, str>>> {
    if let Some(strings) = std::str::from_utf8(json).ok().and_then(read_list) {
        return Ok(strings);
    }
    // Again, for the error with its position.
    let strings = serde_json::from_slice::<Vec<String>>(json).map_err(|error| {
        let text = format!("expected a JSON list of strings: {error}");
        Error::value(codes::STRINGS_JSON, text).caused_by(error)
    })?;
    Ok(strings.into_iter().map(Cow::Owned).collect())
}

/// Parses a list of strings. Returns `None` for any other text.
fn read_list(json: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut strings = Vec::new();
    let mut rest = after_space(json).strip_prefix('[').map(after_space)?;
    if let Some(rest) = rest.strip_prefix(']') {
        return after_space(rest).is_empty().then_some(strings);
    }
    loop {
        let body = rest.strip_prefix('"')?;
        let mut end = plain_len(body.as_bytes());
        if body[end..].starts_with('"') {
            strings.push(Cow::Borrowed(&body[..end]));
        } else {
            while body[end..].starts_with('\\') {
                // An escape has two bytes or more, all in ASCII, of which only the second can be
                // a quote or another backslash.
                end += 2;
                end += plain_len(body.as_bytes().get(end..)?);
            }
            strings.push(Cow::Owned(serde_json::from_str(rest.get(..end + 2)?).ok()?));
        }
        rest = after_space(body[end..].strip_prefix('"')?);
        match rest.as_bytes() {
            [b',', ..] => rest = after_space(&rest[1..]),
            [b']', ..] => return after_space(&rest[1..]).is_empty().then_some(strings),
            _ => return None,
        }
    }
}

/// Returns a text without JSON's spaces at its start.
fn after_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\n', '\r', '\t'])
}

/// Returns the number of bytes before the first quote, backslash or control character, eight at a
/// time.
fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    let mut len = 0;
    for word in bytes.chunks_exact(8) {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        // The high bit of each byte that is less than a bound below 128 is set, and perhaps those
        // of bytes after it (Mycroft's test).
        let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGH;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let ends = below(word, u64::from(b' ')) | equal(b'"') | equal(b'\\');
        if ends != 0 {
            return len + ends.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + bytes[len..].iter().take_while(|byte| is_plain(**byte)).count()
}

/// Appends a string in quotes, with JSON's escapes.
pub(crate) fn push(out: &mut String, string: &str) {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'\x7f') && !matches!(byte, b'"' | b'\\');
    out.push('"');
    let mut rest = string;
    loop {
        let (plain, after) = rest.split_at(rest.bytes().take_while(is_plain).count());
        out.push_str(plain);
        let mut chars = after.chars();
        match chars.next() {
            None => break,
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
                }
            }
        }
        rest = chars.as_str();
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_written_list_is_ascii_and_is_parsed_back() {
        let strings = ["", "caf\u{e9}", "a/b\"\\", "\0\u{1f}\u{7f}\n", "\u{1f600}\u{2028}"];
        for layout in [JsonLayout::Compact, JsonLayout::Lines] {
            let json = write(&strings, layout);
            assert!(json.is_ascii());
            assert_eq!(read(json.as_bytes()).unwrap(), strings);
        }
        let expected = "[\"\\u00e9\",\"\\ud83d\\ude00\"]";
        assert_eq!(write(&["\u{e9}", "\u{1f600}"], JsonLayout::Compact), expected);
        assert_eq!(write(&["a", "b"], JsonLayout::Lines), "[\n  \"a\",\n  \"b\"\n]");
    }

    #[test]
    fn json_other_than_a_list_of_strings_is_rejected() {
        for json in ["", "{}", "[1]", "[\"a\"", "[\"a\"] x", "[\"\\ud800\"]", "\u{feff}[]"] {
            assert_eq!(read(json.as_bytes()).unwrap_err().code(), "strings-json", "{json}");
        }
        let error = read(b"[\"a\",\n \"\\ud800\"]").unwrap_err();
        assert!(error.message().contains("line 2 column 9"), "{error}");
    }

    #[test]
    fn spaces_and_escapes_are_read_at_every_place() {
        for (json, expected) in [
            (" [\n\t] ", vec![]),
            ("[ \"a\" ,\r\n\"b\"]\n", vec!["a", "b"]),
            (r#"["\\","\\\"",""]"#, vec!["\\", "\\\"", ""]),
            (
                r#"["0123456\n","01234567\t89abcdef\u0041"]"#,
                vec!["0123456\n", "01234567\t89abcdefA"],
            ),
        ] {
            assert_eq!(read(json.as_bytes()).unwrap(), expected, "{json}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_as_serde_json_reads_them(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "[", "]", "\"", "\\", ",", " ", "\n", "n", "u00e9", "\u{e9}", "\u{1f600}", "\u{1f}",
                    "abcdefgh", "\\\"", "\\\\", "\",\"",
                ]),
                0..12,
            ),
            is_list: bool,
        ) {
            let mut json = parts.concat();
            if is_list {
                json = format!("[\"{json}\"]");
            }
            let expected = serde_json::from_str::<Vec<String>>(&json).ok();
            let read = read(json.as_bytes()).ok();
            prop_assert_eq!(read.map(|list| list.into_iter().map(Cow::into_owned).collect()), expected);
        }
    }
}
