//! Values of JSON with errors that name the expected type.

use serde_json::{Map, Value};

use lexpool::codes;
use lexpool::{Error, Result};

pub(super) fn objects<'a>(what: &str, list: &'a Value) -> Result<Vec<&'a Map<String, Value>>> {
    let Value::Array(items) = list else {
        return Err(mismatch(what, "a list of objects", list));
    };
    let object = |(i, item): (usize, &'a Value)| {
        item.as_object().ok_or_else(|| mismatch(&format!("{what}[{i}]"), "an object", item))
    };
    items.iter().enumerate().map(object).collect()
}

pub(super) fn number(
    of: &Map<String, Value>,
    key: &str,
    name: &dyn Fn() -> String,
) -> Result<usize> {
    let value = of.get(key).unwrap_or(&Value::Null);
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    let expected = "a number of 0 or more";
    number.ok_or_else(|| mismatch(&format!("{}[{key:?}]", name()), expected, value))
}

pub(super) fn string<'a>(
    of: &'a Map<String, Value>,
    key: &str,
    name: &dyn Fn() -> String,
) -> Result<&'a str> {
    let value = of.get(key).unwrap_or(&Value::Null);
    value.as_str().ok_or_else(|| mismatch(&format!("{}[{key:?}]", name()), "a string", value))
}

pub(super) fn mismatch(what: &str, expected: &str, value: &Value) -> Error {
    let description = match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(items) => format!("an object of {}", items.len()),
        plain => plain.to_string(),
    };
    wrong(format!("{what} must be {expected}, not {description}"))
}

pub(super) fn wrong(text: String) -> Error {
    Error::value(codes::JSON_DOC, text)
}
