//! Patterns of components in files: JSON lines and `MessagePack`.

use lexpool_structs::AttrId;

use crate::codes;
use crate::config::{Section, Value};
use crate::escape::shown;
use crate::matcher::Rule;
use crate::msgpack::Value as Message;
use crate::pipeline_files::PipelineFiles;
use crate::{Error, Result};

/// Reads a file of patterns, one rule a line. Fields other than `label`, `pattern` and `id` are
/// ignored.
///
/// # Errors
///
/// `E1023` for a line of invalid JSON, `E097` for other values than objects, `pattern-syntax`, all
/// with the path and the line; `file-not-found`, `file-permission`, `file-io`.
pub(super) fn read_rules(files: &PipelineFiles, name: &str) -> Result<Vec<Rule>> {
    let (bytes, path) = (files.read(name)?, files.path(name));
    let failed = |line: usize, why: &dyn std::fmt::Display, code| {
        Err(Error::value(code, format!("{}, line {line}: {why}", shown(&path))))
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = &bytes[..error.valid_up_to()];
            let line = valid.split(|byte| *byte == b'\n').count();
            return failed(line, &error, codes::E1023);
        }
    };
    let mut lines = String::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        // Lines are kept, so that the errors of patterns have the numbers of the file.
        if !line.trim().is_empty() {
            match Value::from_json(line) {
                Ok(Value::Section(rule)) => {
                    lines.push_str(&Value::from(known_fields(&rule)).to_json());
                }
                Ok(other) => {
                    let why = format!("expected an object with label and pattern, found {other}");
                    return failed(number, &why, codes::E097);
                }
                Err(error) => return failed(number, &error, codes::E1023),
            }
        }
        lines.push('\n');
    }
    Rule::read_jsonl(&lines).map_err(|errors| Error::from(errors).context(shown(&path)))
}

fn known_fields(rule: &Section) -> Section {
    let known = rule.iter().filter(|(field, value)| match *field {
        "label" | "pattern" => true,
        "id" => !value.is_null(),
        _ => false,
    });
    known.map(|(field, value)| (field.to_owned(), value.clone())).collect()
}

/// Returns a token pattern in a message as JSON. Attributes may be given by number.
///
/// # Errors
///
/// The reason, for values that JSON does not have.
pub(super) fn pattern_json(pattern: &Message) -> Result<String, String> {
    json(pattern, 0).map(|value| value.to_json())
}

fn json(message: &Message, depth: usize) -> Result<Value, String> {
    const MAX_DEPTH: usize = 20;
    if depth > MAX_DEPTH {
        return Err("it is nested in too many levels".to_owned());
    }
    Ok(match message {
        Message::Nil => Value::Null,
        Message::Bool(value) => Value::Bool(*value),
        Message::UInt(value) => match i64::try_from(*value) {
            Ok(value) => Value::Int(value),
            Err(_) => return Err(format!("{value} is not the value of an attribute")),
        },
        Message::Int(value) => Value::Int(*value),
        Message::Float(value) => Value::Float(*value),
        Message::Str(text) => Value::Text(text.clone()),
        Message::Bytes(_) => return Err("it contains binary data".to_owned()),
        Message::Array(items) => {
            Value::List(items.iter().map(|item| json(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Message::Map(fields) => {
            let field = |(name, value): &(Message, Message)| {
                let name = match name {
                    Message::Str(name) => name.clone(),
                    Message::UInt(number) => {
                        let attr = u32::try_from(*number).ok().map(AttrId::new);
                        let name = attr.and_then(AttrId::name);
                        name.ok_or_else(|| format!("{number} is not an attribute"))?.to_owned()
                    }
                    _ => return Err("a field is neither text nor a number".to_owned()),
                };
                Ok((name, json(value, depth + 1)?))
            };
            Value::Section(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
    })
}
