//! JSON as Python's `json` reads and writes it.
//!
//! Unlike `serde_json`, Python accepts `NaN` and infinities, rounds each float correctly and keeps
//! the order of fields; a configuration must be read in the same way in both languages.

use std::fmt::{self, Write as _};

use super::limits::MAX_LEVELS;
use super::value::{Section, Value};

impl Value {
    /// Reads a JSON text. As in Python, `NaN` and `Infinity` are numbers, and of a repeated name
    /// the last value counts.
    ///
    /// # Errors
    ///
    /// What is wrong, and at which byte: a syntax error, an integer of more than 64 bits, a
    /// surrogate without its pair, more than 100 levels.
    pub fn from_json(text: &str) -> Result<Value, JsonError> {
        read_json(text, MAX_LEVELS)
    }

    /// Returns the value as JSON on one line, in the form of Python's `json.dumps`.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        push_json(&mut out, self);
        out
    }

    /// Returns the value as JSON on one line without spaces, in the form of srsly's `json_dumps`.
    pub fn to_compact_json(&self) -> String {
        let mut out = String::new();
        push_separated(&mut out, self, Separators { items: ",", name: ":" });
        out
    }

    /// Returns the value as JSON on several lines, in the form of the files that spaCy writes.
    ///
    /// ```
    /// use lexpool::config::Value;
    ///
    /// let value = Value::from_json(r#"{"a": [1, "b"], "c": []}"#)?;
    /// let lines = "{\n  \"a\":[\n    1,\n    \"b\"\n  ],\n  \"c\":[\n\n  ]\n}";
    /// assert_eq!(value.to_indented_json(), lines);
    /// # Ok::<(), lexpool::config::JsonError>(())
    /// ```
    pub fn to_indented_json(&self) -> String {
        let mut out = String::new();
        push_indented(&mut out, self, 0);
        out
    }
}

/// Writes JSON, truncated after 80 characters.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 80;
        let text = self.to_json();
        match text.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => write!(f, "{}...", &text[..end]),
            None => f.write_str(&text),
        }
    }
}

impl From<&Value> for serde_json::Value {
    /// Converts a value for readers of `serde_json`, which sorts names; infinities and NaN become
    /// `null`.
    fn from(value: &Value) -> serde_json::Value {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(serde_json::Value::from).collect(),
            Value::Section(section) => {
                let field = |(name, value): (&str, &Value)| (name.to_owned(), value.into());
                serde_json::Value::Object(section.iter().map(field).collect())
            }
        }
    }
}

/// An error of a JSON text, with the byte at which it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The position of the error in bytes.
    pub byte: usize,
    pub(super) fault: Fault,
}

/// The reason for which a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text is not JSON.
    Syntax(&'static str),
    /// The text is JSON, and Python would read it, but a [`Value`] cannot represent it.
    Unrepresentable(&'static str),
    /// The text has too many nested lists and objects.
    Levels,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Syntax(text) | Fault::Unrepresentable(text) => f.write_str(text)?,
            Fault::Levels => f.write_str("too many nested lists and objects")?,
        }
        write!(f, " at byte {}", self.byte)
    }
}

impl std::error::Error for JsonError {}

/// Reads a text with at most `levels` nested lists and objects.
pub(super) fn read_json(text: &str, levels: usize) -> Result<Value, JsonError> {
    let mut reader = JsonReader { text, at: 0 };
    reader.skip_space();
    let value = reader.value(levels)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.syntax("expected the end of the text"));
    }
    Ok(value)
}

struct JsonReader<'a> {
    text: &'a str,
    at: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, fault: Fault) -> JsonError {
        JsonError { byte: self.at, fault }
    }

    fn syntax(&self, text: &'static str) -> JsonError {
        self.error(Fault::Syntax(text))
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips a byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, levels: usize) -> Result<Value, JsonError> {
        const WORDS: [(&str, Value); 6] = [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Float(f64::NAN)),
            ("Infinity", Value::Float(f64::INFINITY)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
        ];
        match self.peek() {
            Some(b'"') => Ok(Value::Text(self.string()?)),
            Some(b'[' | b'{') if levels == 0 => Err(self.error(Fault::Levels)),
            Some(b'[') => self.list(levels - 1),
            Some(b'{') => self.object(levels - 1),
            _ => {
                for (word, value) in WORDS {
                    if self.rest().starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                self.number()
            }
        }
    }

    fn list(&mut self, levels: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value(levels)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.syntax("expected a comma or the end of the list"));
            }
        }
    }

    fn object(&mut self, levels: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut section = Section::default();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Section(section));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.syntax("expected a name in double quotes"));
            }
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.syntax("expected a colon"));
            }
            self.skip_space();
            let value = self.value(levels)?;
            section.set(&name, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Section(section));
            }
            if !self.take(b',') {
                return Err(self.syntax("expected a comma or the end of the object"));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let stop = |c: char| c == '"' || c == '\\' || c < ' ';
            let len = self.rest().find(stop).unwrap_or(self.rest().len());
            text.push_str(&self.rest()[..len]);
            self.at += len;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.syntax("a control character within a string")),
                None => return Err(self.syntax("expected the end of the string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                let is_high = (0xd800..0xdc00).contains(&first);
                let second = if is_high && self.rest().starts_with("\\u") {
                    Some(self.second()?)
                } else {
                    None
                };
                let units = [Some(first), second].into_iter().flatten();
                let read = char::decode_utf16(units).next();
                return read.and_then(Result::ok).ok_or(JsonError {
                    byte: start,
                    fault: Fault::Unrepresentable("a surrogate without its pair"),
                });
            }
            _ => return Err(self.syntax("an unknown escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// Reads the second unit of a pair of surrogates.
    fn second(&mut self) -> Result<u16, JsonError> {
        self.at += 1;
        self.unit()
    }

    /// Reads the four digits after `\u`.
    fn unit(&mut self) -> Result<u16, JsonError> {
        self.at += 1;
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else { return Err(self.syntax("expected four digits")) };
        let digit = |unit: u16, digit: &u8| {
            unit << 4
                | u16::try_from(char::from(*digit).to_digit(16).unwrap_or_default()).unwrap_or(0)
        };
        let unit = digits.iter().fold(0, digit);
        self.at += 4;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let whole = match bytes.get(sign) {
            Some(b'0') => 1,
            Some(b'1'..=b'9') => digits(sign),
            _ => return Err(self.syntax("expected a value")),
        };
        let mut end = sign + whole;
        let mut is_float = false;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            is_float = true;
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if digits(end + 1 + signed) > 0 {
                is_float = true;
                end += 1 + signed + digits(end + 1 + signed);
            }
        }
        let text = &self.rest()[..end];
        let value = if is_float {
            text.parse().map(Value::Float).ok()
        } else {
            text.parse().map(Value::Int).ok()
        };
        let value = value.ok_or_else(|| {
            self.error(Fault::Unrepresentable("an integer that does not fit into 64 bits"))
        })?;
        self.at += end;
        Ok(value)
    }
}

/// Appends a value as JSON on one line, as `json.dumps` writes it.
pub(super) fn push_json(out: &mut String, value: &Value) {
    push_separated(out, value, Separators { items: ", ", name: ": " });
}

/// Text between the items of a list, and between a name and its value.
#[derive(Clone, Copy)]
struct Separators {
    items: &'static str,
    name: &'static str,
}

fn push_separated(out: &mut String, value: &Value, separators: Separators) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => push_display(out, value),
        Value::Float(value) => push_float(out, *value),
        Value::Text(text) => crate::strings::push_json(out, text),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { separators.items });
                push_separated(out, item, separators);
            }
            out.push(']');
        }
        Value::Section(section) => {
            out.push('{');
            for (i, (name, value)) in section.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { separators.items });
                crate::strings::push_json(out, name);
                out.push_str(separators.name);
                push_separated(out, value, separators);
            }
            out.push('}');
        }
    }
}

fn push_indented(out: &mut String, value: &Value, level: usize) {
    let indent = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    };
    let begin = |out: &mut String, at: usize| {
        out.push_str(if at == 0 { "" } else { "," });
        indent(out, level + 1);
    };
    let end = |out: &mut String, is_empty: bool| {
        out.push_str(if is_empty { "\n" } else { "" });
        indent(out, level);
    };
    match value {
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                begin(out, at);
                push_indented(out, item, level + 1);
            }
            end(out, items.is_empty());
            out.push(']');
        }
        Value::Section(section) => {
            out.push('{');
            for (at, (name, value)) in section.iter().enumerate() {
                begin(out, at);
                crate::strings::push_json(out, name);
                out.push(':');
                push_indented(out, value, level + 1);
            }
            end(out, section.is_empty());
            out.push('}');
        }
        other => push_json(out, other),
    }
}

fn push_display(out: &mut String, value: impl fmt::Display) {
    write!(out, "{value}").expect("writing to a string cannot fail");
}

/// Appends a float as Python's `repr`: the shortest digits that are read back as the same number,
/// with an exponent for numbers below 1e-4 and from 1e16 on.
fn push_float(out: &mut String, value: f64) {
    if !value.is_finite() {
        let name = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        return out.push_str(name);
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        // `Debug` writes a point in each number of this range.
        return push_display(out, format_args!("{value:?}"));
    }
    let written = format!("{value:e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    push_display(out, format_args!("{digits}e{sign}{exponent:0>2}"));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Value, JsonError> {
        read_json(text, 3)
    }

    #[test]
    fn values_are_read_as_python_reads_them() {
        let table = [
            ("  12 ", Value::Int(12)),
            ("-0", Value::Int(0)),
            ("-0.0", Value::Float(-0.0)),
            ("1E2", Value::Float(100.0)),
            ("1e400", Value::Float(f64::INFINITY)),
            ("0.1000000000000000055511151231257827", Value::Float(0.1)),
            ("9007199254740993.0", Value::Float(9_007_199_254_740_992.0)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            (r#""\u00e9\ud83d\ude00\/\n""#, Value::from("\u{e9}\u{1f600}/\n")),
            ("[]", Value::List(Vec::new())),
            ("[ 1 , [ ] ]", Value::List(vec![Value::Int(1), Value::List(Vec::new())])),
            ("{}", Section::default().into()),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert!(matches!(read("NaN"), Ok(Value::Float(nan)) if nan.is_nan()));
        let repeated = read(r#"{"b": 1, "a": 2, "b": 3}"#).unwrap();
        assert_eq!(repeated.to_json(), r#"{"b": 3, "a": 2}"#);
        assert_eq!(repeated.to_compact_json(), r#"{"b":3,"a":2}"#);
    }

    #[test]
    fn other_texts_are_refused_with_their_place() {
        let table = [
            ("", 0, "expected a value"),
            ("[1,]", 3, "expected a value"),
            ("01", 1, "expected the end"),
            ("1.", 1, "expected the end"),
            ("-", 0, "expected a value"),
            ("[1 2]", 3, "expected a comma"),
            ("{1: 2}", 1, "expected a name"),
            (r#"{"a" 2}"#, 5, "expected a colon"),
            ("\"a\nb\"", 2, "control character"),
            (r#""\x""#, 2, "unknown escape"),
            (r#""\u12g4""#, 3, "four digits"),
            (r#""\ud800""#, 1, "surrogate"),
            (r#""\ud800\u0041""#, 1, "surrogate"),
            ("9223372036854775808", 0, "64 bits"),
            ("[[[[]]]]", 3, "nested"),
            ("\"\u{e9}", 3, "end of the string"),
            ("\u{e9}", 0, "expected a value"),
        ];
        for (text, byte, said) in table {
            let error = read(text).unwrap_err();
            assert_eq!(error.byte, byte, "{text}");
            assert!(error.to_string().contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        let table = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (9.9e-5, "9.9e-05"),
            (1e-8, "1e-08"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (-1.5e300, "-1.5e+300"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, expected) in table {
            assert_eq!(Value::Float(value).to_json(), expected);
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>()
                .prop_filter("NaN differs from itself", |n| !n.is_nan())
                .prop_map(Value::Float),
            ".{0,8}".prop_map(Value::Text),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|entries| Value::Section(entries.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn a_value_is_converted_for_readers_of_serde_json() {
        let text = r#"{"b": [1, 2.5, "x", null, true], "a": {"c": {}}}"#;
        let expected: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::Value::from(&read(text).unwrap()), expected);
    }

    proptest! {
        #[test]
        fn a_written_value_is_read_back(value in values()) {
            prop_assert_eq!(read(&value.to_json()).unwrap(), value);
        }

        #[test]
        fn any_text_is_read_or_refused(text in r#"[\[\]{}",:0-9.eE+\\u\-a n]{0,24}"#) {
            // Python's reader agrees with `serde_json` on these characters, but for their limits.
            let ours = read_json(&text, 100);
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            if theirs.is_ok() {
                prop_assert!(ours.is_ok() || matches!(ours, Err(JsonError {
                    fault: Fault::Unrepresentable(_), .. })), "{:?}", ours);
            }
        }
    }
}
