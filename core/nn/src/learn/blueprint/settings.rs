//! A section of a configuration, with its name for errors.

use crate::infer::architectures::{ConfigValue, ConfigView};
use lexpool_error::limits::{self, Limit};
use lexpool_error::{Error, Result, codes};

use super::nodes::{Blueprint, NodeId};

/// The recursion over sections: builds the network of one.
pub(super) type Build = fn(&mut Blueprint, &Settings<'_>) -> Result<NodeId>;

/// A section of settings.
pub(super) struct Settings<'a> {
    entries: Vec<(&'a str, &'a dyn ConfigValue)>,
    section: String,
}

impl<'a> Settings<'a> {
    pub(super) fn new(value: &'a dyn ConfigValue, section: String) -> Result<Settings<'a>> {
        match value.view() {
            ConfigView::Section(entries) => Ok(Settings { entries, section }),
            _ => Err(Settings { entries: Vec::new(), section }.error("it is not a section")),
        }
    }

    /// Returns the name of the function that the section calls, without the prefix of older ones.
    pub(super) fn registered(&self) -> Result<&'a str> {
        let mut registered = self.entries.iter().filter(|(key, _)| key.starts_with('@'));
        match registered.next().map(|(_, value)| value.view()) {
            Some(ConfigView::Text(name)) => Ok(name.strip_prefix("spacy-legacy.").unwrap_or(name)),
            _ => Err(self.error("it names no architecture")),
        }
    }

    /// Returns a section within this one.
    pub(super) fn inner(&self, key: &str) -> Result<Settings<'a>> {
        let value = self.get(key).ok_or_else(|| self.missing(key))?;
        Settings::new(value, format!("{}.{key}", self.section))
    }

    pub(super) fn flag(&self, key: &str, default: Option<bool>) -> Result<bool> {
        match self.get(key).map(ConfigValue::view) {
            Some(ConfigView::Bool(flag)) => Ok(flag),
            None => default.ok_or_else(|| self.missing(key)),
            Some(_) => Err(self.error(&format!("{key:?} is not true or false"))),
        }
    }

    /// Returns a whole number from 1 to a limit.
    pub(super) fn size(&self, key: &str, limit: Limit) -> Result<usize> {
        self.optional_size(key, limit)?.ok_or_else(|| self.missing(key))
    }

    /// Returns a whole number from 1 to a limit, if it is set.
    pub(super) fn optional_size(&self, key: &str, limit: Limit) -> Result<Option<usize>> {
        match self.get(key).map(ConfigValue::view) {
            None => Ok(None),
            Some(size) => self.checked_size(&size, &format!("{key:?}"), limit).map(Some),
        }
    }

    /// Returns the whole numbers of a list, each from 1 to a limit.
    pub(super) fn sizes(&self, key: &str, limit: Limit) -> Result<Vec<usize>> {
        let place = format!("an item of {key:?}");
        self.list(key)?.iter().map(|size| self.checked_size(size, &place, limit)).collect()
    }

    fn checked_size(&self, size: &ConfigView<'_>, place: &str, limit: Limit) -> Result<usize> {
        match *size {
            ConfigView::Count(size @ 1..) => {
                limit.check(size, format_args!("[{}]: {place}", self.section))
            }
            _ => Err(self.error(&format!("{place} is not a whole number from 1 on"))),
        }
    }

    /// Returns the size of a window and the number of layers of an encoder, by their keys.
    pub(super) fn window_and_depth(&self, (window, depth): (&str, &str)) -> Result<(usize, usize)> {
        let window = self.size(window, limits::NETWORK_WINDOW)?;
        Ok((window, self.size(depth, limits::NETWORK_DEPTH)?))
    }

    /// Returns a number, if it is set.
    pub(super) fn optional_number(&self, key: &str) -> Result<Option<f64>> {
        match self.get(key).map(ConfigValue::view) {
            None => Ok(None),
            Some(ConfigView::Float(number)) if number.is_finite() => Ok(Some(number)),
            #[expect(clippy::cast_precision_loss, reason = "rates are small")]
            Some(ConfigView::Count(number)) => Ok(Some(number as f64)),
            Some(_) => Err(self.error(&format!("{key:?} is not a number or null"))),
        }
    }

    /// Returns a number of outputs, if it is set.
    pub(super) fn outputs(&self) -> Result<Option<usize>> {
        self.optional_size("nO", limits::NETWORK_WIDTH)
    }

    pub(super) fn text(&self, key: &str, default: &'a str) -> Result<&'a str> {
        match self.get(key).map(ConfigValue::view) {
            Some(ConfigView::Text(text)) => Ok(text),
            None => Ok(default),
            Some(_) => Err(self.error(&format!("{key:?} is not a text"))),
        }
    }

    /// Returns the items of a list.
    pub(super) fn list(&self, key: &str) -> Result<Vec<ConfigView<'a>>> {
        match self.get(key).map(ConfigValue::view) {
            Some(ConfigView::List(items)) => Ok(items.into_iter().map(ConfigValue::view).collect()),
            None => Err(self.missing(key)),
            Some(_) => Err(self.error(&format!("{key:?} is not a list"))),
        }
    }

    pub(super) fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_SETTINGS, format!("[{}]: {text}", self.section))
    }

    /// Returns the error for an architecture that cannot be made new.
    pub(super) fn unknown(&self, name: &str) -> Error {
        let text = format!("lexpool makes no new network of {name:?} in [{}]", self.section);
        Error::value(codes::MODEL_ARCHITECTURE, text)
    }

    fn missing(&self, key: &str) -> Error {
        self.error(&format!("the setting {key:?} is missing"))
    }

    fn get(&self, key: &str) -> Option<&'a dyn ConfigValue> {
        let (_, value) = self.entries.iter().find(|(name, _)| *name == key)?;
        Some(*value).filter(|value| !matches!(value.view(), ConfigView::Null))
    }
}
