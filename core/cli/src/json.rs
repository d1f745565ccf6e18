//! JSON values of summaries.

use std::fmt;

use lexpool_io::corpus::push_json_string;

/// A JSON value.
pub(super) enum Json {
    Integer(u64),
    /// A number with this many decimal digits.
    Float(f64, usize),
    Text(String),
    Bool(bool),
    List(Vec<Json>),
    /// Printed in this order.
    Map(Vec<(&'static str, Json)>),
    Null,
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Integer(number as u64)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Integer(number)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Json {
        Json::Bool(truth)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Integer(number) => write!(f, "{number}"),
            Json::Float(number, digits) if number.is_finite() => write!(f, "{number:.digits$}"),
            Json::Float(..) | Json::Null => f.write_str("null"),
            Json::Text(text) => write_text(f, text),
            Json::Bool(truth) => write!(f, "{truth}"),
            Json::List(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Json::Map(fields) => {
                f.write_str("{")?;
                for (i, (key, value)) in fields.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    write_text(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    push_json_string(&mut bytes, text);
    f.write_str(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_nest_and_keep_their_order() {
        let list =
            Json::List(vec![Json::Integer(1), Json::Float(0.25, 1), Json::Float(f64::NAN, 1)]);
        let map = Json::Map(vec![
            ("z", "a\"b".into()),
            ("a", list),
            ("n", Json::Null),
            ("t", true.into()),
        ]);
        let text = r#"{"z": "a\"b", "a": [1, 0.2, null], "n": null, "t": true}"#;
        assert_eq!(map.to_string(), text);
    }
}
