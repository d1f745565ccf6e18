//! One field of each line of a file of JSON lines.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::plain::Plain;
use super::{Per, Reading, SourceText};
use crate::{Error, Result};

/// A file of JSON objects, one a line; blank lines are passed over.
pub(super) struct Field {
    lines: Plain,
    name: Box<str>,
}

impl Field {
    pub(super) fn open(path: &Path, name: &str) -> Result<Field> {
        Ok(Field { lines: Plain::file(path)?, name: name.into() })
    }

    /// The next text, or none at the end. `null` is an empty one.
    pub(super) fn read(&mut self, reading: Reading) -> Result<Option<SourceText>> {
        let mut passed = 0;
        loop {
            let read = self.lines.read(Reading { per: Per::Line, ..reading })?;
            let Some(SourceText { text: line, place, bytes }) = read else { return Ok(None) };
            passed += bytes;
            if line.trim().is_empty() {
                continue;
            }
            let text = text_of(&line, &self.name).map_err(|error| error.context(&place))?;
            return Ok(Some(SourceText { text, place, bytes: passed }));
        }
    }
}

/// The string that an object has under a name.
fn text_of(line: &str, name: &str) -> Result<String> {
    let mut json = serde_json::Deserializer::from_str(line);
    let found = Wanted(name).deserialize(&mut json).and_then(|found| json.end().map(|()| found));
    match found {
        Ok(Found::Text(text)) => Ok(text),
        Ok(Found::Other(fields)) => {
            let text = format!("there is no field {name:?}; there {}", listed(&fields));
            Err(Error::value("no-field", text))
        }
        Err(error) => Err(json_fault(&error)),
    }
}

/// What is wrong with a line. Which one it is, its place says; the parser says line 1.
pub(in crate::corpus) fn json_fault(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    Error::value("json-syntax", format!("column {}: {text}", error.column()))
}

fn listed(fields: &[String]) -> String {
    const MOST: usize = 10;
    match fields {
        [] => "is none".to_owned(),
        [one] => format!("is {one:?}"),
        fields => {
            let shown: Vec<_> = fields.iter().take(MOST).map(|name| format!("{name:?}")).collect();
            let more = if fields.len() > MOST { " and more" } else { "" };
            format!("are {}{more}", shown.join(", "))
        }
    }
}

/// What an object has.
enum Found {
    Text(String),
    /// Not the field, but these.
    Other(Vec<String>),
}

/// Reads an object for the sake of one field.
struct Wanted<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a string under {:?}", self.0)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Found, M::Error> {
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
        Ok(text.map_or(Found::Other(others), Found::Text))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::LINES;
    use super::super::{Source, Texts};
    use super::*;

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
                "line 2: there is no field \"text\"; there are \"body\", \"id\"",
            ),
            ("{}", "line 2: there is no field \"text\"; there is none"),
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
