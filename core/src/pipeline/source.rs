//! The source of a component: its part of a pipeline's folder and configuration.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use lexpool_nn::GemmOrder;

use super::component::{Component, Step};
use crate::codes;
use crate::config::{Config, Section, Value};
use crate::escape::shown;
use crate::limits::Limit;
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::Tokenizer;
use crate::vectors::Vectors;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// A function that makes components from a pipeline's folder. Returns `None` for a factory that it
/// does not have.
///
/// For a component that lexpool cannot run it returns an error of the code `pipeline-unsupported`,
/// `model-architecture` or `model-layer`; such errors of all components are reported together.
pub type ComponentLoader = fn(&ComponentSource<'_>) -> Result<Option<Arc<dyn Component>>>;

/// The parts of a saved pipeline that a component is made of.
pub struct ComponentSource<'a> {
    /// The name of the factory, such as `ner`.
    pub factory: &'a str,
    /// The name of the component, which is also that of its part of the folder.
    pub name: &'a str,
    /// The section `[components.NAME]` without `factory`; its references are replaced.
    pub settings: &'a Section,
    /// The whole configuration; its references are replaced.
    pub config: &'a Config,
    /// The files of the pipeline.
    pub files: &'a PipelineFiles,
    /// The language of the pipeline.
    pub lang: &'a str,
    /// The tokenizer of the pipeline.
    pub tokenizer: &'a Arc<Tokenizer>,
    /// The components before this one that are not disabled.
    pub steps_before: &'a [Step],
    /// The order of additions in the sums of networks.
    pub order: GemmOrder,
}

impl ComponentSource<'_> {
    /// Returns the vocab of the pipeline, with its strings.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.tokenizer.vocab()
    }

    /// Returns the word vectors of the pipeline, if it has any.
    pub fn vectors(&self) -> Option<Arc<Vectors>> {
        self.vocab().vectors()
    }

    /// Returns the name of a file of the component's folder among those of the pipeline.
    pub fn file(&self, file: &str) -> String {
        format!("{}/{file}", self.name)
    }

    /// Returns the path of a file of the component's folder, for messages.
    pub fn path(&self, file: &str) -> PathBuf {
        self.files.path(&self.file(file))
    }

    /// Reads a file of the component's folder.
    ///
    /// # Errors
    ///
    /// `file-not-found` and the others of [`PipelineFiles::read`].
    pub fn read(&self, file: &str) -> Result<Bytes> {
        self.files.read(&self.file(file))
    }

    /// Reads a file of the component's folder; `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Those of [`PipelineFiles::read_optional`].
    pub fn read_optional(&self, file: &str) -> Result<Option<Bytes>> {
        self.files.read_optional(&self.file(file))
    }

    /// Reads a JSON object from a file of the component's folder; its names keep their order.
    ///
    /// # Errors
    ///
    /// Those of [`read`](ComponentSource::read); `json-syntax`, with the path.
    pub fn read_json(&self, file: &str) -> Result<Section> {
        json_object(self.files, &self.file(file))
    }

    /// Returns the file and section of the component's settings, for errors.
    pub fn place(&self) -> String {
        format!("{}, [components.{}]", self.config.origin(), self.name)
    }

    /// Returns the error for a component that lexpool cannot run, for a reason that completes
    /// "the component ...".
    pub fn unsupported(&self, reason: &str) -> Error {
        let text = format!("[components.{}] {reason}", self.name);
        Error::value(codes::PIPELINE_UNSUPPORTED, text)
    }

    /// Checks that the settings have no other keys than these.
    ///
    /// # Errors
    ///
    /// `config-value`, with the first other key.
    pub fn check_keys(&self, names: &[&str]) -> Result<()> {
        match self.settings.keys().find(|key| !names.contains(key)) {
            None => Ok(()),
            Some(key) => {
                let text = format!("{} has {key:?}, which its factory does not take", self.place());
                Err(Error::value(codes::CONFIG_VALUE, text))
            }
        }
    }

    /// Returns a setting that is `true` or `false`.
    ///
    /// # Errors
    ///
    /// `config-value` for another value; this holds for all settings.
    pub fn bool(&self, key: &str, default: bool) -> Result<bool> {
        self.setting(key, "true or false", default, Value::as_bool)
    }

    /// Returns a setting that is an integer of 0 or more.
    ///
    /// # Errors
    ///
    /// As for [`bool`](ComponentSource::bool); that of [`Limit::check`] for one above the limit.
    pub fn count(&self, key: &str, default: usize, limit: Limit) -> Result<usize> {
        let count = |value: &Value| value.as_int().filter(|count| *count >= 0).map(Some);
        match self.setting(key, "an integer of 0 or more", None, count)? {
            Some(count) => limit.check(count, format_args!("{}: {key:?}", self.place())),
            None => Ok(default),
        }
    }

    /// Returns a setting that is a string.
    ///
    /// # Errors
    ///
    /// As for [`bool`](ComponentSource::bool).
    pub fn text(&self, key: &str, default: &str) -> Result<String> {
        let text = |value: &Value| value.as_text().map(str::to_owned);
        self.setting(key, "a string", default.to_owned(), text)
    }

    /// Returns a setting by a function that returns `None` for values of another kind.
    ///
    /// # Errors
    ///
    /// As for [`bool`](ComponentSource::bool), with the description of the kind.
    pub fn setting<T>(
        &self,
        key: &str,
        kind: &str,
        default: T,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T> {
        let Some(value) = self.settings.get(key) else { return Ok(default) };
        read(value).ok_or_else(|| {
            let text = format!("{}: {key:?} is {value}; expected {kind}", self.place());
            Error::value(codes::CONFIG_VALUE, text)
        })
    }
}

/// Reads a file with a JSON object.
pub(crate) fn json_object(files: &PipelineFiles, name: &str) -> Result<Section> {
    let (bytes, path) = (files.read(name)?, files.path(name));
    let failed = |why: &dyn std::fmt::Display| {
        Error::value(codes::JSON_SYNTAX, format!("{}: {why}", shown(&path)))
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| failed(&error))?;
    match Value::from_json(text).map_err(|error| failed(&error))? {
        Value::Section(object) => Ok(object),
        other => Err(failed(&format_args!("expected an object, found {other}"))),
    }
}
