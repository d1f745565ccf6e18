//! A section of a configuration, with its name for errors.

use lexpool_error::limits::Limit;
use lexpool_error::{Error, Result, codes};

use super::config_value::{ConfigValue, ConfigView};

/// The settings that a description follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// The settings that decide the layers. The file that the description is for has the rest, so
    /// that sizes are not read, and settings that are missing have their defaults.
    Layers,
    /// All settings, for a new network. Those without a default in spaCy must be there.
    All,
}

/// A section of settings.
pub(super) struct Settings<'a> {
    entries: Vec<(&'a str, &'a dyn ConfigValue)>,
    section: String,
    detail: Detail,
}

impl<'a> Settings<'a> {
    pub(super) fn new(
        value: &'a dyn ConfigValue,
        section: String,
        detail: Detail,
    ) -> Result<Settings<'a>> {
        let view = value.view();
        let mut settings = Settings { entries: Vec::new(), section, detail };
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

    /// Returns whether a new network is described.
    pub(super) fn is_for_new(&self) -> bool {
        self.detail == Detail::All
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
        Settings::new(value, self.place(key), self.detail)
    }

    /// Returns the sections within the section `*`, in the order of the file: the positional
    /// arguments of a layer.
    pub(super) fn arguments(&self) -> Result<Vec<Settings<'a>>> {
        let inner = self.inner("*")?;
        let argument = |(key, value): &(&str, &'a dyn ConfigValue)| {
            Settings::new(*value, inner.place(key), self.detail)
        };
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

    /// Returns a flag without a default in spaCy. `default` is for networks of a file.
    pub(super) fn required_flag(&self, key: &str, default: bool) -> Result<bool> {
        if self.is_for_new() && self.get(key).is_none() {
            return Err(self.missing(key));
        }
        self.flag(key, default)
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

    /// Returns a whole number from 1 to a limit; `None` if the file has it.
    pub(super) fn size(&self, key: &str, limit: Limit) -> Result<Option<usize>> {
        if self.is_for_new() && self.get(key).is_none() {
            return Err(self.missing(key));
        }
        self.optional_size(key, limit)
    }

    /// Returns a whole number from 1 to a limit, if it is set; `None` also if the file has it.
    pub(super) fn optional_size(&self, key: &str, limit: Limit) -> Result<Option<usize>> {
        match self.get(key).filter(|_| self.is_for_new()) {
            None => Ok(None),
            Some(size) => self.checked_size(&size.view(), &format!("{key:?}"), limit).map(Some),
        }
    }

    /// Returns the whole numbers of a list, each from 1 to a limit; `None` for those that the file
    /// has.
    pub(super) fn sizes(&self, key: &str, limit: Limit) -> Result<Vec<Option<usize>>> {
        let place = format!("an item of {key:?}");
        let sizes = self.list(key)?.into_iter().map(|size| {
            let checked = self.is_for_new().then(|| self.checked_size(&size, &place, limit));
            checked.transpose()
        });
        sizes.collect()
    }

    fn checked_size(&self, size: &ConfigView<'_>, place: &str, limit: Limit) -> Result<usize> {
        match *size {
            ConfigView::Count(size @ 1..) => {
                limit.check(size, format_args!("[{}]: {place}", self.section))
            }
            _ => Err(self.error(&format!("{place} is not a whole number from 1 on"))),
        }
    }

    /// Returns a number, if it is set and not that of a file.
    pub(super) fn optional_number(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.get(key).filter(|_| self.is_for_new()) else { return Ok(None) };
        match value.view() {
            ConfigView::Float(number) if number.is_finite() => Ok(Some(number)),
            #[expect(clippy::cast_precision_loss, reason = "rates are small")]
            ConfigView::Count(number) => Ok(Some(number as f64)),
            _ => Err(self.wrong(key, value, "a number or null")),
        }
    }

    /// Returns a text. That of a network of a file is the default.
    pub(super) fn text(&self, key: &str, default: &'a str) -> Result<&'a str> {
        let Some(value) = self.get(key).filter(|_| self.is_for_new()) else { return Ok(default) };
        match value.view() {
            ConfigView::Text(text) => Ok(text),
            _ => Err(self.wrong(key, value, "a text")),
        }
    }

    /// Returns the items of a list.
    pub(super) fn list(&self, key: &str) -> Result<Vec<ConfigView<'a>>> {
        let value = self.get(key).ok_or_else(|| self.missing(key))?;
        match value.view() {
            ConfigView::List(items) => Ok(items.into_iter().map(ConfigValue::view).collect()),
            _ => Err(self.wrong(key, value, "a list")),
        }
    }

    pub(super) fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_SETTINGS, format!("[{}]: {text}", self.section))
    }

    /// Returns the error for an architecture that cannot be made new.
    pub(super) fn only_loaded(&self, name: &str) -> Error {
        let text = format!("lexpool makes no new network of {name:?} in [{}]", self.section);
        Error::value(codes::MODEL_ARCHITECTURE, text)
    }

    fn missing(&self, key: &str) -> Error {
        self.error(&format!("the setting {key:?} is missing"))
    }

    fn wrong(&self, key: &str, value: &dyn ConfigValue, expected: &str) -> Error {
        self.error(&format!("{key:?} is {value}; expected {expected}"))
    }

    /// Returns the name of a section within this one.
    fn place(&self, key: &str) -> String {
        format!("{}.{key}", self.section)
    }
}
