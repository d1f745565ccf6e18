//! The file `cfg` of a component.

use super::parser::BeamSettings;
use crate::codes;
use crate::config::{Section, Value};
use crate::limits::{self, Limit};
use crate::{Error, Result};

/// The file `cfg` of a component above its settings.
pub(super) struct Cfg {
    values: Section,
    name: String,
}

impl Cfg {
    /// Parses the file of the component `name`, whose values count where the settings have the
    /// same keys.
    ///
    /// # Errors
    ///
    /// `model-cfg` for bytes that are not a JSON object. The other methods return it for a value of
    /// another type.
    pub(super) fn parse(bytes: &[u8], settings: &Section, name: &str) -> Result<Cfg> {
        let mut cfg = Cfg { values: settings.clone(), name: name.to_owned() };
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|error| cfg.error(&format!("it is not UTF-8: {error}")))?;
        match Value::from_json(text) {
            Ok(Value::Section(own)) => {
                own.iter().for_each(|(key, value)| cfg.values.set(key, value.clone()));
            }
            Ok(_) => return Err(cfg.error("it is not an object")),
            Err(error) => return Err(cfg.error(&format!("it is not JSON: {error}"))),
        }
        Ok(cfg)
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool> {
        Ok(self.typed(key, "true or false", Value::as_bool)?.unwrap_or(default))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&str>> {
        self.typed(key, "a text", Value::as_text)
    }

    /// Returns a whole number up to a limit.
    ///
    /// # Errors
    ///
    /// That of [`Limit::check`] for a larger one.
    pub(super) fn count(&self, key: &str, limit: Limit) -> Result<Option<usize>> {
        let count = |value: &Value| value.as_int().filter(|count| *count >= 0);
        let count = self.typed(key, "a whole number", count)?;
        let place = || format!("component {:?}, file \"cfg\": {key:?}", self.name);
        count.map(|count| limit.check(count, place())).transpose()
    }

    /// Returns a part of a whole, from 0 to 1.
    pub(super) fn share(&self, key: &str) -> Result<Option<f32>> {
        let share = self.float(key)?;
        match share.filter(|share| !(0.0..=1.0).contains(share)).and_then(|_| self.get(key)) {
            Some(value) => Err(self.wrong(&format!("{key:?}"), value, "a number from 0 to 1")),
            None => Ok(share),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "NumPy compares in single precision")]
    pub(super) fn float(&self, key: &str) -> Result<Option<f32>> {
        self.typed(key, "a number", |value| value.as_float().map(|number| number as f32))
    }

    pub(super) fn labels(&self, key: &str) -> Result<Vec<String>> {
        self.list(key, "a list of texts", |item| item.as_text().map(str::to_owned))
    }

    pub(super) fn numbers(&self, key: &str) -> Result<Vec<u64>> {
        self.list(key, "a list of numbers", |item| item.as_int()?.try_into().ok())
    }

    /// Returns an object, whose entries have the order of the file.
    pub(super) fn object(&self, key: &str) -> Result<&Section> {
        let object = self.get(key).and_then(Value::as_section);
        object.ok_or_else(|| self.error(&format!("{key:?} is not an object")))
    }

    pub(super) fn beam(&self) -> Result<BeamSettings> {
        let width = self.count("beam_width", limits::BEAM_WIDTH)?.unwrap_or(1);
        Ok(BeamSettings { width, density: self.share("beam_density")?.unwrap_or(0.0) })
    }

    /// Returns the error for the value of a key, or of an entry of an object.
    pub(super) fn wrong(&self, key: &str, value: &Value, expected: &str) -> Error {
        self.error(&format!("{key} is {value}; expected {expected}"))
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }

    fn typed<'v, T>(
        &'v self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let read = read(value).map(Some);
        read.ok_or_else(|| self.wrong(&format!("{key:?}"), value, expected))
    }

    fn list<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>> {
        let items = self.get(key).and_then(Value::as_list);
        let items = items.ok_or_else(|| self.error(&format!("{key:?} is not a list")))?;
        let item = |item: &Value| {
            read(item).ok_or_else(|| self.wrong(&format!("an item of {key:?}"), item, expected))
        };
        items.iter().map(item).collect()
    }

    fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_CFG, format!("component {:?}, file \"cfg\": {text}", self.name))
    }
}
