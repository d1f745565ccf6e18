//! Parts of a pipeline that lexpool cannot run, collected so that they are reported at once.

use super::plan::LoadingPlan;
use super::tokenizer_choice::TokenizerChoice;
use crate::codes;
use crate::config::{Config, Value};
use crate::{Code, Error, Result};

/// The callbacks of `[nlp]`.
const CALLBACKS: [&str; 3] = ["before_creation", "after_creation", "after_pipeline_creation"];

/// spaCy's class of vectors.
const VECTORS: &str = "spacy.Vectors.v1";

/// The codes of errors that say that lexpool cannot run a component.
const REFUSING: [Code; 3] =
    [codes::PIPELINE_UNSUPPORTED, codes::MODEL_ARCHITECTURE, codes::MODEL_LAYER];

/// The parts of a pipeline that lexpool cannot run, each with its section and a way out.
#[derive(Default)]
pub(super) struct Refusals {
    reasons: Vec<String>,
    /// The names of the refused components.
    components: Vec<String>,
}

impl Refusals {
    /// Adds a component.
    pub(super) fn add_component(&mut self, name: &str, reason: &str) {
        self.reasons.push(format!("[components.{name}] {reason}"));
        if !self.has(name) {
            self.components.push(name.to_owned());
        }
    }

    /// Adds the error of a component if it says that lexpool cannot run the component; returns any
    /// other error.
    pub(super) fn add_error(&mut self, name: &str, error: Error) -> Result<()> {
        let is_refusal = REFUSING.iter().any(|code| code.as_str() == error.code());
        if !is_refusal {
            return Err(error);
        }
        self.reasons.push(error.message().to_owned());
        self.components.push(name.to_owned());
        Ok(())
    }

    /// Adds the callbacks, the tokenizer and the vectors of `[nlp]`.
    pub(super) fn add_nlp(&mut self, plan: &LoadingPlan) {
        let Some(nlp) = plan.resolved.section("nlp") else { return };
        for key in CALLBACKS {
            if let Some(value) = nlp.get(key).filter(|value| !value.is_null()) {
                self.reasons.push(format!(
                    "[nlp] {key:?} is {value}, a function in Python; override 'nlp.{key}' with null"
                ));
            }
        }
        if let TokenizerChoice::Unknown(reason) = &plan.tokenizer {
            self.reasons.push(format!("[nlp.tokenizer] {reason}"));
        }
        let vectors = nlp.get("vectors").and_then(Value::as_section);
        let vectors = vectors.and_then(|own| own.get("@vectors"));
        if vectors.and_then(Value::as_text) != Some(VECTORS) {
            let name = vectors.unwrap_or(&Value::Null);
            self.reasons.push(format!(
                "[nlp.vectors] @vectors = {name}, which lexpool does not have; it has {VECTORS:?}"
            ));
        }
    }

    /// Returns whether a component is refused.
    pub(super) fn has(&self, name: &str) -> bool {
        self.components.iter().any(|own| own == name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Returns all refusals as one error.
    ///
    /// # Errors
    ///
    /// `pipeline-unsupported` if there are any.
    pub(super) fn into_result(self, config: &Config) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let mut text = format!("{}: lexpool cannot run", config.origin());
        for reason in &self.reasons {
            text.push_str("\n  ");
            text.push_str(reason);
        }
        if !self.components.is_empty() {
            let names: Vec<String> =
                self.components.iter().map(|name| Value::from(name.as_str()).to_json()).collect();
            text.push_str("\nexclude components that are not needed (exclude: ");
            text.push_str(&names.join(", "));
            text.push_str("), or run the pipeline with spaCy");
        }
        Err(Error::value(codes::PIPELINE_UNSUPPORTED, text))
    }
}
