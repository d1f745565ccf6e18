//! Lists of strings as JSON, the format of spaCy's `strings.json`.

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
pub(super) fn write(strings: &[String], layout: JsonLayout) -> String {
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

/// Parses a list of strings.
///
/// # Errors
///
/// `strings-json`.
pub(super) fn read(json: &[u8]) -> Result<Vec<String>> {
    serde_json::from_slice(json).map_err(|error| {
        let text = format!("expected a JSON list of strings: {error}");
        Error::value(codes::STRINGS_JSON, text).caused_by(error)
    })
}

/// Appends a string in quotes, with JSON's escapes.
pub(crate) fn push(out: &mut String, string: &str) {
    out.push('"');
    for c in string.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='\u{7f}' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_list_is_ascii_and_is_parsed_back() {
        let strings = ["", "caf\u{e9}", "a/b\"\\", "\0\u{1f}\u{7f}\n", "\u{1f600}\u{2028}"];
        let strings = strings.map(str::to_owned);
        for layout in [JsonLayout::Compact, JsonLayout::Lines] {
            let json = write(&strings, layout);
            assert!(json.is_ascii());
            assert_eq!(read(json.as_bytes()).unwrap(), strings);
        }
        let expected = "[\"\\u00e9\",\"\\ud83d\\ude00\"]";
        assert_eq!(write(&["\u{e9}".into(), "\u{1f600}".into()], JsonLayout::Compact), expected);
        assert_eq!(write(&["a".into(), "b".into()], JsonLayout::Lines), "[\n  \"a\",\n  \"b\"\n]");
    }

    #[test]
    fn json_other_than_a_list_of_strings_is_rejected() {
        for json in ["", "{}", "[1]", "[\"a\"", "[\"a\"] x", "[\"\\ud800\"]", "\u{feff}[]"] {
            assert_eq!(read(json.as_bytes()).unwrap_err().code(), "strings-json", "{json}");
        }
    }
}
