//! Values of configurations, whose sections keep the order of their keys.

use std::fmt;

use ahash::AHashMap;

/// A value of a configuration or of a JSON file, as Python's `json` reads it.
///
/// The fields of an object keep their order, which for some files is that of classes.
///
/// ```
/// use lexpool::config::Value;
///
/// let labels = Value::from_json(r#"{"NOUN": 1, "ADJ": [0.5, null]}"#)?;
/// let section = labels.as_section().unwrap();
/// assert_eq!(section.keys().collect::<Vec<_>>(), ["NOUN", "ADJ"]);
/// assert_eq!(section.get("NOUN").and_then(Value::as_int), Some(1));
/// assert_eq!(labels.to_json(), r#"{"NOUN": 1, "ADJ": [0.5, null]}"#);
/// # Ok::<(), lexpool::config::JsonError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without point and exponent.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object, or a section.
    Section(Section),
}

impl Value {
    /// Returns the boolean, or `None` for a value of another type.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the integer, or `None` for a value of another type.
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(value) = self { Some(*value) } else { None }
    }

    /// Returns the number as a float, or `None` for a value of another type.
    #[expect(clippy::cast_precision_loss, reason = "as Python's `float`")]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(value) => Some(*value),
            Value::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the string, or `None` for a value of another type.
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the list, or `None` for a value of another type.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Value::List(items) = self { Some(items) } else { None }
    }

    /// Returns the list if all its items are strings.
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        self.as_list()?.iter().map(Value::as_text).collect()
    }

    /// Returns the section, or `None` for a value of another type.
    pub fn as_section(&self) -> Option<&Section> {
        if let Value::Section(section) = self { Some(section) } else { None }
    }

    /// Returns the value with its strings and names, on all levels, as a function changes them.
    pub(super) fn with_texts(&self, change: &impl Fn(&str) -> String) -> Value {
        match self {
            Value::Text(text) => Value::Text(change(text)),
            Value::List(items) => {
                Value::List(items.iter().map(|item| item.with_texts(change)).collect())
            }
            Value::Section(section) => {
                let changed =
                    |(name, value): (&str, &Value)| (change(name), value.with_texts(change));
                Value::Section(section.iter().map(changed).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        *self == Value::Null
    }
}

macro_rules! from {
    ($($given:ty => $make:expr;)*) => {$(
        impl From<$given> for Value {
            fn from(given: $given) -> Value {
                $make(given)
            }
        }
    )*};
}

from! {
    bool => Value::Bool;
    i64 => Value::Int;
    f64 => Value::Float;
    &str => |text: &str| Value::Text(text.to_owned());
    String => Value::Text;
    Vec<Value> => Value::List;
    Section => Value::Section;
}

/// Values by name, in the order in which the names were first set.
///
/// Two sections are equal if they have equal values in the same order.
#[derive(Clone, Default)]
pub struct Section {
    entries: Vec<(String, Value)>,
    /// The position of each name in `entries`.
    positions: AHashMap<String, usize>,
}

impl Section {
    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.positions.get(name).map(|at| &self.entries[*at].1)
    }

    /// Returns the value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.positions.get(name).map(|at| &mut self.entries[*at].1)
    }

    /// Returns whether the section has a name.
    pub fn contains(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// Sets the value of a name. An existing name keeps its place.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        if let Some(present) = self.get_mut(name) {
            *present = value;
        } else {
            self.positions.insert(name.to_owned(), self.entries.len());
            self.entries.push((name.to_owned(), value));
        }
    }

    /// Returns the section of a name, which is added if it is missing; `None` if the name has a
    /// value of another type.
    pub(super) fn enter(&mut self, name: &str) -> Option<&mut Section> {
        if !self.contains(name) {
            self.set(name, Section::default());
        }
        if let Some(Value::Section(section)) = self.get_mut(name) { Some(section) } else { None }
    }

    /// Returns the names with their values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the section has no names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl PartialEq for Section {
    fn eq(&self, other: &Section) -> bool {
        self.entries == other.entries
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl FromIterator<(String, Value)> for Section {
    /// Collects names with their values; of a repeated name the last value counts.
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Section {
        let mut section = Section::default();
        entries.into_iter().for_each(|(name, value)| section.set(&name, value));
        section
    }
}
