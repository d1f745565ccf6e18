//! Labels given by `[initialize.components.NAME]`, and labels that are not known.

use std::path::Path;

use ahash::AHashSet;
use lexpool::config::{Section, Value};
use lexpool::escape::shown;
use lexpool::strings::StrId;
use lexpool::{Error, Result, codes};
use lexpool_nn::Rows;

use super::component::{ComponentFiles, Initialization};
use crate::corpora::example::Example;

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

/// Returns the file "cfg" of a component as a section; an empty one if it is missing.
///
/// # Errors
///
/// `model-cfg` for another file than a JSON object.
pub(super) fn cfg_of(files: &ComponentFiles) -> Result<Section> {
    let Some(file) = file_of(files, "cfg") else { return Ok(Section::default()) };
    let cfg = std::str::from_utf8(file).ok().and_then(|text| Value::from_json(text).ok());
    cfg.as_ref().and_then(Value::as_section).cloned().ok_or_else(|| wrong_cfg("it is no object"))
}

/// Returns the bytes of a file by its name.
pub(super) fn file_of<'f>(files: &'f ComponentFiles, name: &str) -> Option<&'f [u8]> {
    files.iter().find(|(own, _)| own == name).map(|(_, bytes)| &**bytes)
}

/// Returns the labels of a file "cfg"; none if it has none.
///
/// # Errors
///
/// `model-cfg` for another value than a list of texts.
pub(super) fn labels_of(cfg: &Section) -> Result<Vec<String>> {
    let Some(labels) = cfg.get("labels") else { return Ok(Vec::new()) };
    let labels = labels.as_texts().ok_or_else(|| wrong_cfg("\"labels\" are not texts"))?;
    Ok(labels.into_iter().map(str::to_owned).collect())
}

/// Returns the error for a file "cfg".
pub(super) fn wrong_cfg(text: &str) -> Error {
    Error::value(codes::MODEL_CFG, format!("file \"cfg\": {text}"))
}

/// Appends the labels that are not known yet.
pub(super) fn add_labels(known: &mut Vec<String>, labels: impl IntoIterator<Item = String>) {
    let mut seen: AHashSet<String> = known.iter().cloned().collect();
    for label in labels {
        if seen.insert(label.clone()) {
            known.push(label);
        }
    }
}

/// Returns the error for scores that do not fit the examples or the labels.
pub(super) fn wrong_scores(scores: &Rows, rows: usize, width: usize) -> Error {
    let text = format!(
        "{} rows of {} scores; expected {rows} rows of {width}",
        scores.len(),
        scores.width()
    );
    Error::value(codes::GRADIENT_SHAPE, text)
}

/// Returns the error for a component without labels.
pub(crate) fn no_labels(name: &str) -> Error {
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
