//! Reader of one field of each line of a file of JSON lines.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use lexpool::codes;
use lexpool::{Error, Result};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::plain::PlainReader;
use crate::corpus::source::{DocUnit, ReadOptions, SourceText};

/// Reader of a file of JSON objects, one per line. Blank lines are skipped.
pub(super) struct FieldReader {
    lines: PlainReader,
    name: Box<str>,
}

impl FieldReader {
    pub(super) fn open(path: &Path, name: &str) -> Result<FieldReader> {
        Ok(FieldReader { lines: PlainReader::file(path)?, name: name.into() })
    }

    /// Returns the name of the file, which later locations share.
    pub(super) fn name_mut(&mut self) -> &mut Arc<str> {
        self.lines.name_mut()
    }

    /// Returns the next text, or `None` at the end. `null` is an empty text.
    pub(super) fn read(&mut self, options: ReadOptions) -> Result<Option<SourceText>> {
        let mut passed = 0;
        loop {
            let read = self.lines.read(ReadOptions { unit: DocUnit::Line, ..options })?;
            let Some(SourceText { text: line, location, bytes }) = read else { return Ok(None) };
            passed += bytes;
            if line.trim().is_empty() {
                continue;
            }
            let text = text_of(&line, &self.name).map_err(|error| error.context(&location))?;
            return Ok(Some(SourceText { text, location, bytes: passed }));
        }
    }
}

/// Returns the string of a field of an object.
fn text_of(line: &str, name: &str) -> Result<String> {
    let mut json = serde_json::Deserializer::from_str(line);
    let value = FieldSeed(name).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    match value {
        Ok(FieldValue::Text(text)) => Ok(text),
        Ok(FieldValue::Missing(fields)) => {
            let text = format!("no field is named {name:?}; {}", listed(&fields));
            Err(Error::value(codes::NO_FIELD, text))
        }
        Err(error) => Err(json_error(&error)),
    }
}

/// Converts a JSON error. The parser says line 1 for all of them, so only the column is kept.
pub(in crate::corpus) fn json_error(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    Error::value(codes::JSON_SYNTAX, format!("column {}: {text}", error.column()))
}

/// Lists the fields of an object for an error message.
fn listed(fields: &[String]) -> String {
    const MAX_LISTED: usize = 10;
    match fields {
        [] => "the object is empty".to_owned(),
        [one] => format!("the only field is {one:?}"),
        fields => {
            let names: Vec<_> =
                fields.iter().take(MAX_LISTED).map(|name| format!("{name:?}")).collect();
            let more = if fields.len() > MAX_LISTED { " and more" } else { "" };
            format!("the fields are {}{more}", names.join(", "))
        }
    }
}

/// Result of the search for a field.
enum FieldValue {
    Text(String),
    /// The field is missing; these are there.
    Missing(Vec<String>),
}

/// Deserializer of one field of an object.
struct FieldSeed<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = FieldValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FieldValue, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_> {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a string under {:?}", self.0)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<FieldValue, M::Error> {
        let (mut text, mut others) = (None, Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == self.0 {
                if text.is_some() {
                    return Err(M::Error::custom(format_args!("{name:?} is given twice")));
                }
                text = Some(map.next_value::<Option<String>>()?.unwrap_or_default());
            } else {
                map.next_value::<IgnoredAny>()?;
                others.push(name);
            }
        }
        Ok(text.map_or(FieldValue::Missing(others), FieldValue::Text))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Texts;
    use super::super::tests::LINES;
    use super::*;
    use crate::corpus::source::Source;

    fn read(lines: &str) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        fs::write(&path, lines).unwrap();
        let source = Source::Jsonl { path, field: "text".to_owned() };
        Texts::new(vec![source], LINES).map(|read| Ok(read?.text)).collect()
    }

    #[test]
    fn a_field_is_found_wherever_it_stands() {
        let lines =
            "{\"text\":\"a\\n\\u00e9\",\"n\":[1,{\"text\":2}]}\n\n{\"id\":1,\"text\":null}\r\n";
        assert_eq!(read(lines).unwrap(), ["a\n\u{e9}", ""]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (line, expected) in [
            (
                "{\"body\":\"a\",\"id\":3}",
                "line 2: no field is named \"text\"; the fields are \"body\", \"id\"",
            ),
            ("{}", "line 2: no field is named \"text\"; the object is empty"),
            ("[1]", "expected an object with a string under \"text\""),
            ("{\"text\":3}", "line 2: column 9: invalid type: integer `3`, expected a string"),
            ("{\"text\":\"a\"} x", "line 2: column 14: trailing characters"),
            ("{\"text\":\"a\",\"text\":\"b\"}", "\"text\" is given twice"),
            ("{\"text\":\"a", "line 2: column 10: EOF while parsing a string"),
        ] {
            let error = read(&format!("{{\"text\":\"fine\"}}\n{line}\n")).unwrap_err();
            assert!(error.message().contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn a_deep_value_beside_the_text_is_passed_over_and_not_followed() {
        let deep =
            format!("{{\"x\":{}1{},\"text\":\"a\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&deep).unwrap(), ["a"]);
    }
}
