//! Lists of strings as JSON, the format of spaCy's `strings.json`.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::value::RawValue;

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
    let wrong = |error: serde_json::Error| {
        let text = format!("expected a JSON list of strings: {error}");
        Error::value(codes::STRINGS_JSON, text).caused_by(error)
    };
    let items: Vec<&RawValue> = serde_json::from_slice(json).map_err(wrong)?;
    let read = items.into_iter().map(|item| {
        let inner = item.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match inner {
            // A value was validated, so without a backslash its text is the string.
            Some(inner) if !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
            _ => serde_json::from_str(item.get()).map(Cow::Owned),
        }
    });
    // The error of an item has the position in it, that of the whole list in `json`.
    read.collect::<serde_json::Result<_>>().or_else(|_| {
        let strings: Vec<String> = serde_json::from_slice(json).map_err(wrong)?;
        Ok(strings.into_iter().map(Cow::Owned).collect())
    })
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
}
