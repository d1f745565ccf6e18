//! References to other values: `${section.key}` and `${section}`.

use std::ops::Range;

use super::json::{Fault, read_json};
use super::limits::{MAX_LEVELS, NESTED};
use super::value::{Section, Value};
use crate::codes;
use crate::strings::chars::is_word;
use crate::{Error, Result};

/// The maximum length of a chain of references; longer ones are treated as circular.
const MAX_CHAIN: usize = 10;
/// The maximum number of characters and values that references refer to and insert, together.
/// Without it a few lines that refer to each other several times would fill the memory.
const BUDGET: usize = 1 << 20;

/// Returns the byte ranges of the first reference of a text and of the name in it.
pub(super) fn find(text: &str, from: usize) -> Option<(Range<usize>, Range<usize>)> {
    let mut at = from;
    loop {
        let start = at + text[at..].find("${")?;
        let name = &text[start + 2..];
        let len = name.find(|c: char| !is_word(c) && c != '.' && c != ':').unwrap_or(name.len());
        if len > 0 && name[len..].starts_with('}') {
            return Some((start..start + len + 3, start + 2..start + 2 + len));
        }
        at = start + 2;
    }
}

/// Returns a text without references as it is written: with each dollar sign that does not stand
/// before a brace doubled. One with references is written as it is.
pub(super) fn escaped(text: &str) -> String {
    if find(text, 0).is_some() {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        written.push(character);
        if character == '$' && !text[at + 1..].starts_with('{') {
            written.push('$');
        }
    }
    written
}

/// Undoes [`escaped`].
fn unescaped(text: &str) -> String {
    if find(text, 0).is_some() { text.to_owned() } else { text.replace("$$", "$") }
}

/// A text that is read as a value.
pub(super) enum ReadValue {
    Value(Value),
    /// The value is nested in too many levels.
    Nested,
    /// The value cannot be represented, with the reason.
    Unrepresentable(String),
}

/// Reads the text of a value: JSON, or else the text itself. A text with references is returned
/// unchanged, until they are replaced.
pub(super) fn load(text: &str, levels: usize) -> ReadValue {
    let refers = find(text, 0).is_some();
    let plain = unescaped(text);
    match read_json(&plain, levels) {
        Ok(Value::Text(_)) if refers => ReadValue::Value(text.into()),
        // Each of its strings has references or not.
        Ok(value) if refers => ReadValue::Value(value.with_texts(&unescaped)),
        Ok(value) => ReadValue::Value(value),
        Err(error) => match error.fault {
            Fault::Levels => ReadValue::Nested,
            Fault::Unrepresentable(_) => ReadValue::Unrepresentable(error.to_string()),
            // spaCy accepts Python's names too.
            Fault::Syntax(_) => ReadValue::Value(match plain.as_str() {
                "True" => Value::Bool(true),
                "False" => Value::Bool(false),
                "None" => Value::Null,
                _ => Value::Text(plain),
            }),
        },
    }
}

/// Replaces references by their values.
///
/// Every value that a reference refers to is counted against the budget before it is read, and
/// every text before it is inserted into another. So a configuration of n characters takes time
/// proportional to n + `BUDGET`, however its references are nested.
pub(super) struct Resolver<'a> {
    root: &'a Section,
    left: usize,
    /// The keys that lead to the current value.
    path: Vec<String>,
    /// The references that led to the current value.
    trail: Vec<String>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(root: &'a Section) -> Resolver<'a> {
        Resolver { root, left: BUDGET, path: Vec::new(), trail: Vec::new() }
    }

    /// Returns a section with all references replaced.
    pub(super) fn section(&mut self, section: &Section) -> Result<Section> {
        let value =
            |(name, value): (&str, &Value)| Ok((name.to_owned(), self.within(value, name)?));
        section.iter().map(value).collect()
    }

    fn within(&mut self, value: &Value, key: &str) -> Result<Value> {
        self.path.push(key.to_owned());
        let made = self.value(value)?;
        self.path.pop();
        Ok(made)
    }

    fn value(&mut self, value: &Value) -> Result<Value> {
        if let Some(last) = self.trail.last().cloned() {
            self.pay(size(value), &last)?;
        }
        if self.path.len() > MAX_LEVELS && matches!(value, Value::Section(_) | Value::List(_)) {
            return Err(self.error(NESTED));
        }
        match value {
            Value::Section(section) => self.section(section).map(Value::Section),
            Value::List(items) => {
                let item = |(i, item): (usize, &Value)| self.within(item, &i.to_string());
                items.iter().enumerate().map(item).collect::<Result<_>>().map(Value::List)
            }
            Value::Text(text) => self.text(text),
            other => Ok(other.clone()),
        }
    }

    fn text(&mut self, text: &str) -> Result<Value> {
        let Some((first, name)) = find(text, 0) else { return Ok(text.into()) };
        if first == (0..text.len()) {
            return self.referred(&text[name]);
        }
        let (mut replaced, mut done) = (String::new(), 0);
        let mut next = Some((first, name));
        while let Some((found, name)) = next {
            replaced.push_str(&text[done..found.start]);
            replaced.push_str(&self.inserted(&text[name])?);
            done = found.end;
            next = find(text, done);
        }
        replaced.push_str(&text[done..]);
        if replaced == text {
            return Ok(replaced.into());
        }
        match load(&replaced, (MAX_LEVELS + 1).saturating_sub(self.path.len())) {
            ReadValue::Value(value) => Ok(value),
            ReadValue::Nested => Err(self.error(NESTED)),
            ReadValue::Unrepresentable(why) => Err(self.error(&why)),
        }
    }

    /// Returns the text that replaces a reference within a text.
    fn inserted(&mut self, to: &str) -> Result<String> {
        let text = match self.referred(to)? {
            Value::Section(_) => {
                let text = format!("${{{to}}} is a section, which cannot be part of a text");
                return Err(self.error(&text));
            }
            Value::Text(text) => text,
            other => other.to_json(),
        };
        self.pay(text.chars().count(), to)?;
        Ok(text)
    }

    fn referred(&mut self, to: &str) -> Result<Value> {
        if self.trail.len() >= MAX_CHAIN {
            return Err(self.error(&format!("${{{to}}} refers back to itself")));
        }
        let mut node = None;
        for part in to.split(['.', ':']) {
            let section = match node {
                None => Some(self.root),
                Some(node) => Value::as_section(node),
            };
            node = section.and_then(|section| section.get(part));
            if node.is_none() {
                let text = format!("${{{to}}} refers to {part:?}, which is missing");
                return Err(self.error(&text));
            }
        }
        self.trail.push(to.to_owned());
        let found = self.value(node.unwrap_or(&Value::Null))?;
        self.trail.pop();
        Ok(found)
    }

    fn pay(&mut self, size: usize, to: &str) -> Result<()> {
        match self.left.checked_sub(size) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.error(&format!(
                "with ${{{to}}}, references insert more than {BUDGET} characters and values, the \
                 limit for a configuration; write the values out"
            ))),
        }
    }

    fn error(&self, text: &str) -> Error {
        Error::value(codes::CONFIG_REFERENCE, format!("{}: {text}", self.path.join(".")))
    }
}

/// Returns the number of characters of a value plus one, without the values in it.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Section(section) => section.keys().map(|name| name.chars().count()).sum(),
        Value::Text(text) => text.chars().count(),
        _ => 0,
    }
}
