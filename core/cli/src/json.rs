//! The few values that summaries are made of, printed as JSON.

use std::fmt;

use lexpool::corpus::push_json_string;

/// A value of JSON.
pub(super) enum Json {
    Whole(u64),
    /// With this many digits after the point.
    Real(f64, usize),
    Text(String),
    Truth(bool),
    List(Vec<Json>),
    /// In the order in which it is to be printed.
    Map(Vec<(&'static str, Json)>),
    Null,
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Whole(number as u64)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Whole(number)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Json {
        Json::Truth(truth)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Whole(number) => write!(f, "{number}"),
            Json::Real(number, digits) if number.is_finite() => write!(f, "{number:.digits$}"),
            Json::Real(..) | Json::Null => f.write_str("null"),
            Json::Text(text) => write_text(f, text),
            Json::Truth(truth) => write!(f, "{truth}"),
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
        let list = Json::List(vec![Json::Whole(1), Json::Real(0.25, 1), Json::Real(f64::NAN, 1)]);
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
