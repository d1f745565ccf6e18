//! The labels of a component, one for each column of its network's result.

use std::sync::Arc;

use crate::codes;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Labels with their ids.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    texts: Vec<Arc<str>>,
    ids: Vec<StrId>,
}

impl Labels {
    pub(super) fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Labels {
        let texts: Vec<Arc<str>> = texts.into_iter().map(|text| text.as_ref().into()).collect();
        let ids = texts.iter().map(|text| StrId::of(text)).collect();
        Labels { texts, ids }
    }

    /// Checks that each column of a network has a label.
    ///
    /// # Errors
    ///
    /// `model-labels` if the numbers differ.
    pub(super) fn check(&self, columns: usize) -> Result<()> {
        check_count(self.texts.len(), columns)
    }

    pub(super) fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// Returns the id of a label, whose string the document's vocab then has.
    pub(super) fn id(&self, doc: &Doc, label: usize) -> Result<StrId> {
        let id = self.ids[label];
        if id != StrId::EMPTY && doc.snapshot().string(id).is_none() {
            doc.snapshot().add(&self.texts[label])?;
        }
        Ok(id)
    }
}

/// Checks that a component has as many labels as its network has columns.
///
/// # Errors
///
/// `model-labels` if the numbers differ.
pub(super) fn check_count(labels: usize, columns: usize) -> Result<()> {
    if labels == columns {
        return Ok(());
    }
    let text = format!("the component has {labels} labels; its network has {columns} outputs");
    Err(Error::value(codes::MODEL_LABELS, text))
}

/// Returns the position of the largest number, the first of equals.
pub(super) fn arg_max(row: &[f32]) -> usize {
    let mut best = 0;
    for (at, number) in row.iter().enumerate() {
        if *number > row[best] {
            best = at;
        }
    }
    best
}
