//! A list of strings as JSON: the form in which spaCy keeps a string store.

use std::fmt::Write;

use crate::{Error, Result};

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// On one line.
    Compact,
    /// One string a line, indented by two spaces.
    Lines,
}

/// Writes a list in ASCII, byte for byte as spaCy does.
pub(super) fn write(strings: &[String], layout: JsonLayout) -> String {
    if strings.is_empty() && layout == JsonLayout::Lines {
        // Two lines with nothing between them.
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

/// Reads a list of strings.
pub(super) fn read(json: &[u8]) -> Result<Vec<String>> {
    serde_json::from_slice(json).map_err(|error| {
        let text = format!("expected a JSON list of strings: {error}");
        Error::value("strings-json", text).caused_by(error)
    })
}

/// Appends one string, quoted.
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
                    write!(out, "\\u{unit:04x}").expect("a string takes all that is written");
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
    fn what_is_written_is_ascii_and_is_read_back() {
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
    fn what_is_no_list_of_strings_is_refused() {
        for json in ["", "{}", "[1]", "[\"a\"", "[\"a\"] x", "[\"\\ud800\"]", "\u{feff}[]"] {
            assert_eq!(read(json.as_bytes()).unwrap_err().code(), "strings-json", "{json}");
        }
    }
}
