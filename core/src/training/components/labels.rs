//! Labels given by `[initialize.components.NAME]`, and labels that are not known.

use std::path::Path;

use super::super::component::Initialization;
use super::super::example::Example;
use crate::config::{Section, Value};
use crate::escape::shown;
use crate::strings::StrId;
use crate::{Error, Result, codes};

/// Returns the value of `labels` in the settings of a component: the file that
/// `spacy.read_labels.v1` names, or the value itself; `None` without labels.
///
/// # Errors
///
/// `training-config` for another function or a file of another format; `file-not-found` for a file
/// that is required and missing, `file-permission`, `file-io`.
pub(super) fn given_value(start: &Initialization<'_>) -> Result<Option<Value>> {
    let wrong = |text: String| Error::value(codes::TRAINING_CONFIG, text);
    let Some(value) = start.settings.get("labels").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let Some(function) = value.as_section().filter(|section| section.contains("@readers")) else {
        return Ok(Some(value.clone()));
    };
    let text = |key: &str| function.get(key).and_then(Value::as_text);
    let (Some("spacy.read_labels.v1"), Some(path)) = (text("@readers"), text("path")) else {
        let text = format!("\"labels\" of a component is {value}; expected spacy.read_labels.v1");
        return Err(wrong(text));
    };
    let is_required = function.get("require").and_then(Value::as_bool).unwrap_or(false);
    let path = Path::new(path);
    if !path.exists() && !is_required {
        return Ok(None);
    }
    let json = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    let labels = Value::from_json(&json);
    labels.map(Some).map_err(|error| wrong(format!("{} is not JSON: {error}", shown(path))))
}

/// Returns the labels that are given as a list of texts; `None` without labels.
///
/// # Errors
///
/// Those of [`given_value`]; `training-config` for another value.
pub(super) fn given_labels(start: &Initialization<'_>) -> Result<Option<Vec<String>>> {
    let Some(value) = given_value(start)? else { return Ok(None) };
    let Some(labels) = value.as_texts() else {
        let text = format!("\"labels\" of a component is {value}; expected a list of texts");
        return Err(Error::value(codes::TRAINING_CONFIG, text));
    };
    Ok(Some(labels.into_iter().map(str::to_owned).collect()))
}

/// Returns a part of labels that are given as an object.
///
/// # Errors
///
/// `training-config` for labels, or a part of them, of another type than an object.
pub(super) fn given_part<'v>(labels: &'v Value, key: &str) -> Result<&'v Section> {
    let part = labels.as_section().and_then(|labels| labels.get(key)?.as_section());
    part.ok_or_else(|| {
        let text =
            format!("\"labels\" of a component is {labels}; expected an object {key:?} in it");
        Error::value(codes::TRAINING_CONFIG, text)
    })
}

/// Returns the error for a component without labels.
pub(in super::super) fn no_labels(name: &str) -> Error {
    let text = format!(
        "the component {name:?} has no labels: the training corpus has no annotation for it"
    );
    Error::value(codes::E143, text)
}

/// Returns the error for a label of the corpus that the given labels lack.
pub(super) fn unknown_label(example: &Example, label: StrId) -> Error {
    let reference = example.reference();
    let label = reference.doc.snapshot().string(label).unwrap_or_default();
    let text = format!("{}: the label {label:?} is not among the given labels", reference.place);
    Error::value(codes::TRAINING_CORPUS, text)
}
