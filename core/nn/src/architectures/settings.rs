//! A section of a configuration, with its name for errors.

use lexpool_error::{Error, Result, codes};
use serde_json::{Map, Value};

/// A section of settings.
pub(super) struct Settings<'a> {
    value: &'a Value,
    section: String,
}

impl<'a> Settings<'a> {
    pub(super) fn new(value: &'a Value, section: &str) -> Settings<'a> {
        Settings { value, section: section.to_owned() }
    }

    /// Returns the name of the section.
    pub(super) fn section(&self) -> &str {
        &self.section
    }

    /// Returns the registry and the name of the function that the section calls: "@layers",
    /// "chain.v1".
    pub(super) fn registered(&self) -> Result<(&'a str, &'a str)> {
        let entries = self.map()?.iter();
        let mut registered = entries.filter(|(key, _)| key.starts_with('@'));
        match (registered.next(), registered.next()) {
            (Some((registry, Value::String(name))), None)
                if ["@architectures", "@layers"].contains(&registry.as_str()) =>
            {
                Ok((registry, name))
            }
            _ => Err(self.error("it names no architecture; expected \"@architectures\"")),
        }
    }

    /// Returns a section within this one.
    pub(super) fn inner(&self, key: &str) -> Result<Settings<'a>> {
        let value = self.map()?.get(key).filter(|value| value.is_object());
        let value = value.ok_or_else(|| self.error(&format!("the section {key:?} is missing")))?;
        Ok(Settings { value, section: format!("{}.{key}", self.section) })
    }

    /// Returns the sections within a section, by the order of their names in the file: the
    /// positional arguments of a layer.
    pub(super) fn arguments(&self) -> Result<Vec<Settings<'a>>> {
        let inner = self.inner("*")?;
        inner.map()?.keys().map(|key| inner.inner(key)).collect()
    }

    /// Returns the value of a key; `None` if it is missing or null.
    pub(super) fn get(&self, key: &str) -> Result<Option<&'a Value>> {
        Ok(self.map()?.get(key).filter(|value| !value.is_null()))
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool> {
        match self.get(key)? {
            None => Ok(default),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(key, value, "true or false")),
        }
    }

    /// Returns a whole number up to 65,536.
    pub(super) fn count(&self, key: &str, default: usize) -> Result<usize> {
        const MOST: u64 = 1 << 16;
        let Some(value) = self.get(key)? else { return Ok(default) };
        let count = value.as_u64().filter(|count| *count <= MOST);
        let count = count.and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| self.wrong(key, value, "a whole number up to 65,536"))
    }

    /// Returns the number of items of a list.
    pub(super) fn list_len(&self, key: &str) -> Result<usize> {
        match self.get(key)? {
            Some(Value::Array(items)) => Ok(items.len()),
            Some(other) => Err(self.wrong(key, other, "a list")),
            None => Err(self.error(&format!("the setting {key:?} is missing"))),
        }
    }

    pub(super) fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_SETTINGS, format!("[{}]: {text}", self.section))
    }

    fn wrong(&self, key: &str, value: &Value, expected: &str) -> Error {
        self.error(&format!("{key:?} is {value}; expected {expected}"))
    }

    fn map(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.error("it is not a section"))
    }
}
