//! The interface of pipeline components.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::notes::Notes;
use crate::Result;
use crate::tokens::{Doc, SpanGroup};

/// The span groups of a document by name: `doc.spans` in Python. A pipeline updates them after each
/// component, for tokens that the component has merged or split.
pub type Groups = BTreeMap<String, SpanGroup>;

/// A component of a pipeline: annotates one document at a time, on any thread.
pub trait Component: Send + Sync {
    /// Annotates a document, or leaves it unchanged.
    ///
    /// `groups` has the document's span group named [`group`](Component::group), if it exists.
    ///
    /// # Errors
    ///
    /// Any reason why this document cannot be annotated; other documents are not affected.
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()>;

    /// Annotates a document as [`apply`](Component::apply) does, and appends further results to
    /// `notes`.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Component::apply).
    fn apply_noting(&self, doc: &mut Doc, groups: &mut Groups, _notes: &mut Notes) -> Result<()> {
        self.apply(doc, groups)
    }

    /// Returns the name of the span group that the component reads and writes.
    fn group(&self) -> Option<&str> {
        None
    }

    /// Returns a warning about the documents annotated since the last call, which starts with
    /// spaCy's code in brackets.
    fn take_warning(&self) -> Option<String> {
        None
    }
}

/// A component with its name in a pipeline.
#[derive(Clone)]
pub struct Step {
    /// The name, as errors show it.
    pub name: String,
    /// The component.
    pub component: Arc<dyn Component>,
}
