//! Configurations in spaCy's format: sections with dots, one JSON value a key, `${...}` for
//! references.
//!
//! ```text
//! [nlp]
//! lang = "en"
//! batch_size = 1000
//!
//! [nlp.tokenizer]
//! @tokenizers = "spacy.Tokenizer.v1"
//!
//! [training]
//! seed = ${system.seed}
//! ```
//!
//! A [`Config`] is read into nested [`Section`]s (`sections`), then its references are replaced
//! (`references`); `write` makes the text again. A key "@..." names a function of spaCy's; its
//! value is kept unchanged. `json` reads values as Python does, and [`Value::from_json`] any JSON
//! whose order of fields matters.
#![forbid(unsafe_code)]

mod difference;
mod json;
mod limits;
mod references;
mod sections;
#[cfg(test)]
mod tests;
mod value;
mod write;

use std::path::Path;

pub use difference::{Difference, differences};
pub use json::JsonError;
pub use value::{Section, Value};

use crate::codes;
use crate::escape::shown;
use crate::{Error, Result};
use references::Resolver;

/// A configuration, and where it comes from.
///
/// ```
/// use lexpool::config::{Config, Value};
///
/// let text = "[system]\nseed = 3\n\n[training]\nseed = ${system.seed}\npath = ${system.seed}.bin";
/// let mut config = Config::parse(text, "some.cfg")?;
/// config.set("system.seed", Value::Int(5))?;
/// let training = config.interpolate()?;
/// let training = training.section("training").unwrap();
/// assert_eq!(training.get("seed"), Some(&Value::Int(5)));
/// assert_eq!(training.get("path"), Some(&Value::from("5.bin")));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    root: Section,
    origin: String,
}

impl Config {
    /// Reads a text; references are kept. `origin` is the name of the file, for errors.
    ///
    /// # Errors
    ///
    /// `config-syntax`, with the origin and the line, also for more than 100 levels.
    pub fn parse(text: &str, origin: &str) -> Result<Config> {
        let root = sections::read(text, origin)?;
        Ok(Config { root, origin: origin.to_owned() })
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](Config::parse); `config-syntax` for bytes that are not UTF-8;
    /// `file-not-found`, `file-permission`, `file-io`.
    pub fn read(path: &Path) -> Result<Config> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
        Config::parse_bytes(&bytes, &shown(path).to_string())
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](Config::parse); `config-syntax` for bytes that are not UTF-8.
    pub fn parse_bytes(bytes: &[u8], origin: &str) -> Result<Config> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let text = format!("{origin}: byte {} is not valid UTF-8", error.valid_up_to());
            Error::value(codes::CONFIG_SYNTAX, text).caused_by(error)
        })?;
        Config::parse(text, origin)
    }

    /// Makes a configuration of its sections, which may have references.
    pub fn from_section(root: Section, origin: &str) -> Config {
        Config { root, origin: origin.to_owned() }
    }

    /// Returns the error `config-value` of a setting, which names what is expected instead.
    pub fn value_error(&self, section: &str, key: &str, value: &Value, expected: &str) -> Error {
        let text =
            format!("{}, [{section}]: {key:?} is {value}; expected {expected}", self.origin());
        Error::value(codes::CONFIG_VALUE, text)
    }

    /// Returns the name of the file, for errors.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns all sections.
    pub fn root(&self) -> &Section {
        &self.root
    }

    /// Returns a section by its dotted name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        name.split('.').try_fold(&self.root, |section, part| section.get(part)?.as_section())
    }

    /// Returns the text of a file, with references unchanged; a value that is a section is written
    /// as one.
    ///
    /// ```
    /// use lexpool::config::Config;
    ///
    /// let text = "[a]\nx = ${b.y}\n\n[b]\ny = [1, \"$$2\"]";
    /// assert_eq!(Config::parse(text, "some.cfg")?.to_text(), text);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn to_text(&self) -> String {
        write::write(&self.root)
    }

    /// Sets a value by its dotted name, such as `nlp.batch_size`, in an existing section.
    ///
    /// # Errors
    ///
    /// `config-syntax` if the section is missing.
    pub fn set(&mut self, name: &str, value: Value) -> Result<()> {
        sections::set_dotted(&mut self.root, name, value, &self.origin)
    }

    /// Sets the values of nested sections or dotted names, in existing sections. A section that
    /// names a function ("@...") is one value.
    ///
    /// # Errors
    ///
    /// `config-syntax` if a section is missing.
    pub fn update(&mut self, values: &Section) -> Result<()> {
        self.update_under("", values)
    }

    fn update_under(&mut self, outer: &str, values: &Section) -> Result<()> {
        for (key, value) in values.iter() {
            let name = format!("{outer}{key}");
            match value.as_section() {
                Some(inner) if !inner.keys().any(|key| key.starts_with('@')) => {
                    self.update_under(&format!("{name}."), inner)?;
                }
                _ => self.set(&name, value.clone())?,
            }
        }
        Ok(())
    }

    /// Returns the configuration updated with the values of another one, whose origin it takes.
    ///
    /// A section that names a different function ("@...") replaces the present section completely.
    #[must_use]
    pub fn merge(&self, updates: &Config) -> Config {
        Config { root: merged(&self.root, &updates.root), origin: updates.origin.clone() }
    }

    /// Returns the configuration with all references replaced by their values.
    ///
    /// # Errors
    ///
    /// `config-reference`, with the origin and the key, for a reference that is unknown or
    /// circular, or to a section within a text, and if references insert more than 2^20 characters
    /// and values in total.
    pub fn interpolate(&self) -> Result<Config> {
        let root = Resolver::new(&self.root).section(&self.root);
        let root = root.map_err(|error| error.context(&self.origin))?;
        Ok(Config { root, origin: self.origin.clone() })
    }
}

/// Returns the values of defaults and updates, in the order of the defaults.
fn merged(defaults: &Section, updates: &Section) -> Section {
    let default = |(name, default): (&str, &Value)| {
        let value = match (default, updates.get(name)) {
            (Value::Section(default), Some(Value::Section(update)))
                if is_same_function(default, update) =>
            {
                merged(default, update).into()
            }
            (_, Some(update)) => update.clone(),
            (_, None) => default.clone(),
        };
        (name.to_owned(), value)
    };
    let new = updates.iter().filter(|(name, _)| !defaults.contains(name));
    let new = new.map(|(name, value)| (name.to_owned(), value.clone()));
    defaults.iter().map(default).chain(new).collect()
}

/// Returns whether an update has the same registered function as the default, or none.
fn is_same_function(default: &Section, update: &Section) -> bool {
    let mut functions = update.iter().filter(|(name, _)| name.starts_with('@'));
    functions.all(|(name, function)| default.get(name) == Some(function))
}
