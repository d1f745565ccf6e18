//! The interface of pipeline components.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::annotation_kind::AnnotationKind;
use super::notes::Notes;
use crate::Result;
use crate::tokens::{Doc, SpanGroup};

/// The span groups of a document by name: `doc.spans` in Python. A pipeline updates them after each
/// component, for tokens that the component has merged or split.
pub type Groups = BTreeMap<String, SpanGroup>;

/// Annotates a document with what a component has predicted for it.
pub type Annotation<'a> = Box<dyn FnOnce(&mut Doc, &mut Groups, &mut Notes) -> Result<()> + 'a>;

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

    /// Returns whether [`predict`](Component::predict) takes less time for several documents at
    /// once than [`apply`](Component::apply) for each.
    fn prefers_groups(&self) -> bool {
        false
    }

    /// Predicts for several documents: returns for each the function that annotates it as
    /// [`apply_noting`](Component::apply_noting) does. Called if the component
    /// [prefers groups](Component::prefers_groups).
    ///
    /// # Errors
    ///
    /// Any reason why one of the documents cannot be annotated. Then each is annotated alone.
    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        let alone = |_: &&Doc| -> Annotation<'a> {
            Box::new(|doc, groups, notes| self.apply_noting(doc, groups, notes))
        };
        Ok(docs.iter().map(alone).collect())
    }

    /// Returns the name of the span group that the component reads and writes.
    fn group(&self) -> Option<&str> {
        None
    }

    /// Returns whether the component may set this kind of annotation. By default it may set all
    /// kinds.
    fn may_set(&self, _kind: AnnotationKind) -> bool {
        true
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
