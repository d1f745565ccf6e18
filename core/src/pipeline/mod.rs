//! Pipelines: components that annotate documents one after another, on any thread.
//!
//! A [`Component`] knows one kind of annotation. It may call whatever lies before this folder on a
//! text's journey, and nothing of it knows who drives it: a worker that has just tokenized a text,
//! or a caller with a document of its own.

mod attribute_ruler;
mod lemmatizer;
mod merge;
mod op;
mod rules;
mod run;
mod sentencizer;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::registry::plugin::Owned;
use crate::tokens::{Doc, SpanGroup};

pub use attribute_ruler::{AttributeRule, AttributeRuler};
pub use lemmatizer::{BaseForms, LemmaMode, LemmaTables, Lemmatizer};
pub use merge::{
    MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter, merge_entities,
    merge_noun_chunks, merge_subtokens, split_tokens,
};
pub use op::OpComponent;
pub use rules::{EntityRuler, Hit, RuleName, RuleNames, SpanFilter, SpanRuler, SpanRules};
pub use run::{Annotated, Failed, Outcome, Pipeline, Subject, annotate_all};
pub use sentencizer::Sentencizer;

/// The named groups of spans that travel with a document: what is `doc.spans` in Python. A pipeline brings
/// them up to date behind each component.
pub type Groups = BTreeMap<String, SpanGroup>;

/// What components have found out that is no annotation, each under a name: what goes to
/// `doc.user_data` in Python.
pub type Notes = Vec<(Arc<str>, Owned<'static>)>;

/// What annotates documents: each on its own, on whichever thread.
pub trait Component: Send + Sync {
    /// Annotates a document, or leaves it as it was.
    ///
    /// `groups` has the document's group of the name [`group`](Component::group), if there is one.
    ///
    /// # Errors
    ///
    /// What stands in the way of annotating this document; it says nothing about the next.
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()>;

    /// The same, for a component that finds something out beside: it goes to `notes`.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Component::apply).
    fn apply_noting(&self, doc: &mut Doc, groups: &mut Groups, _notes: &mut Notes) -> Result<()> {
        self.apply(doc, groups)
    }

    /// The group of spans that this component reads and writes.
    fn group(&self) -> Option<&str> {
        None
    }

    /// What a user should hear of the documents annotated since this was last asked: a text that
    /// begins with spaCy's code in brackets.
    fn take_warning(&self) -> Option<String> {
        None
    }
}

/// A component under the name that it has in a pipeline.
#[derive(Clone)]
pub struct Step {
    /// As errors name it.
    pub name: String,
    /// What it does.
    pub component: Arc<dyn Component>,
}
