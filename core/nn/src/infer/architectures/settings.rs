//! A section of a configuration, with its name for errors.

use lexpool_error::limits::Limit;
use lexpool_error::{Error, Result, codes};

use super::config_value::{ConfigValue, ConfigView};

/// A section of settings.
pub(super) struct Settings<'a> {
    entries: Vec<(&'a str, &'a dyn ConfigValue)>,
    section: String,
}

impl<'a> Settings<'a> {
    pub(super) fn new(value: &'a dyn ConfigValue, section: String) -> Result<Settings<'a>> {
        let view = value.view();
        let mut settings = Settings { entries: Vec::new(), section };
        match view {
            ConfigView::Section(entries) => settings.entries = entries,
            _ => return Err(settings.error("it is not a section")),
        }
        Ok(settings)
    }

    /// Returns the name of the section.
    pub(super) fn section(&self) -> &str {
        &self.section
    }

    /// Returns the registry and the name of the function that the section calls: "@layers",
    /// "chain.v1".
    pub(super) fn registered(&self) -> Result<(&'a str, &'a str)> {
        let mut registered = self.entries.iter().filter(|(key, _)| key.starts_with('@'));
        let (first, second) = (registered.next(), registered.next());
        match first.map(|(registry, value)| (*registry, value.view())) {
            Some((registry, ConfigView::Text(name)))
                if second.is_none() && ["@architectures", "@layers"].contains(&registry) =>
            {
                Ok((registry, name))
            }
            _ => Err(self.error("it names no architecture; expected \"@architectures\"")),
        }
    }

    /// Returns a section within this one.
    pub(super) fn inner(&self, key: &str) -> Result<Settings<'a>> {
        let value = self.get(key);
        let value = value.filter(|value| matches!(value.view(), ConfigView::Section(_)));
        let value = value.ok_or_else(|| self.error(&format!("the section {key:?} is missing")))?;
        Settings::new(value, self.place(key))
    }

    /// Returns the sections within the section `*`, in the order of the file: the positional
    /// arguments of a layer.
    pub(super) fn arguments(&self) -> Result<Vec<Settings<'a>>> {
        let inner = self.inner("*")?;
        let argument =
            |(key, value): &(&str, &'a dyn ConfigValue)| Settings::new(*value, inner.place(key));
        inner.entries.iter().map(argument).collect()
    }

    /// Returns the value of a key; `None` if it is missing or null.
    pub(super) fn get(&self, key: &str) -> Option<&'a dyn ConfigValue> {
        let (_, value) = self.entries.iter().find(|(name, _)| *name == key)?;
        Some(*value).filter(|value| !matches!(value.view(), ConfigView::Null))
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool> {
        let Some(value) = self.get(key) else { return Ok(default) };
        match value.view() {
            ConfigView::Bool(flag) => Ok(flag),
            _ => Err(self.wrong(key, value, "true or false")),
        }
    }

    /// Returns a whole number up to a limit.
    pub(super) fn count(&self, key: &str, default: usize, limit: Limit) -> Result<usize> {
        let Some(value) = self.get(key) else { return Ok(default) };
        match value.view() {
            ConfigView::Count(count) => {
                limit.check(count, format_args!("[{}]: {key:?}", self.section))
            }
            _ => Err(self.wrong(key, value, "a whole number")),
        }
    }

    /// Returns the number of items of a list.
    pub(super) fn list_len(&self, key: &str) -> Result<usize> {
        let value = self.get(key);
        let value = value.ok_or_else(|| self.error(&format!("the setting {key:?} is missing")))?;
        match value.view() {
            ConfigView::List(items) => Ok(items.len()),
            _ => Err(self.wrong(key, value, "a list")),
        }
    }

    pub(super) fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_SETTINGS, format!("[{}]: {text}", self.section))
    }

    fn wrong(&self, key: &str, value: &dyn ConfigValue, expected: &str) -> Error {
        self.error(&format!("{key:?} is {value}; expected {expected}"))
    }

    /// Returns the name of a section within this one.
    fn place(&self, key: &str) -> String {
        format!("{}.{key}", self.section)
    }
}
