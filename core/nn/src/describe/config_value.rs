//! Values of a configuration, which architectures read through a trait.

use std::fmt;

/// A value of a configuration.
///
/// The crate has no configurations of its own. A value shows its form by [`view`](Self::view) and
/// is written as JSON in errors.
pub trait ConfigValue: fmt::Display {
    /// Returns the value by its type. Cost: the number of entries of a section.
    fn view(&self) -> ConfigView<'_>;
}

/// A value of a configuration by its type.
pub enum ConfigView<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number from 0 on.
    Count(u64),
    /// Another number.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// Values in order.
    List(Vec<&'a dyn ConfigValue>),
    /// Values by name, in the order of the file, which is that of a layer's positional arguments.
    Section(Vec<(&'a str, &'a dyn ConfigValue)>),
    /// A value that no setting of a network has.
    Other,
}

/// Sections of `serde_json` have the order of their names, and not that of a file.
impl ConfigValue for serde_json::Value {
    fn view(&self) -> ConfigView<'_> {
        use serde_json::Value;
        match self {
            Value::Null => ConfigView::Null,
            Value::Bool(value) => ConfigView::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(count), _) => ConfigView::Count(count),
                (None, Some(number)) => ConfigView::Float(number),
                (None, None) => ConfigView::Other,
            },
            Value::String(text) => ConfigView::Text(text),
            Value::Array(items) => {
                ConfigView::List(items.iter().map(|item| item as &dyn ConfigValue).collect())
            }
            Value::Object(fields) => {
                let field = |(name, value)| (String::as_str(name), value as &dyn ConfigValue);
                ConfigView::Section(fields.iter().map(field).collect())
            }
        }
    }
}
