//! Pipelines: components that annotate documents one after another, on any thread.
//!
//! A [`Component`] knows one kind of annotation. It may call whatever lies before this folder on a
//! text's journey, and nothing of it knows who drives it: a worker that has just tokenized a text,
//! or a caller with a document of its own.

mod attribute_ruler;
mod lemmatizer;
mod merge;
mod rules;
mod sentencizer;

use std::collections::BTreeMap;
use std::sync::Arc;

use lexpool_structs::SpanC;

use crate::Result;
use crate::tokens::Doc;

pub use attribute_ruler::{AttributeRule, AttributeRuler};
pub use lemmatizer::{BaseForms, LemmaMode, LemmaTables, Lemmatizer};
pub use merge::{
    MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter, merge_entities,
    merge_noun_chunks, merge_subtokens, split_tokens,
};
pub use rules::{EntityRuler, Hit, RuleName, RuleNames, SpanFilter, SpanRuler, SpanRules};
pub use sentencizer::Sentencizer;

/// The named groups of spans that travel with a document: what is `doc.spans` in Python.
pub type Groups = BTreeMap<String, Vec<SpanC>>;

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
