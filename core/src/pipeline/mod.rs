//! Pipelines: components that annotate documents one after another, on any thread.
//!
//! A [`Component`] sets one kind of annotation. A [`Pipeline`] takes texts through a tokenizer and
//! a list of components on several threads; [`annotate_all`] takes existing documents through them.
#![forbid(unsafe_code)]

mod attribute_ruler;
mod component;
mod lemmatizer;
mod merge;
mod op;
mod rules;
mod run;
mod sentencizer;

pub use attribute_ruler::{AttributeRule, AttributeRuler};
pub use component::{Component, Groups, Notes, Step};
pub use lemmatizer::{BaseForms, LemmaMode, LemmaTables, Lemmatizer};
pub use merge::{
    MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter, merge_entities,
    merge_noun_chunks, merge_subtokens, split_tokens,
};
pub use op::OpComponent;
pub use rules::{EntityRuler, RuleHit, RuleName, RuleNames, SpanFilter, SpanRuler, SpanRules};
pub use run::{AnnotatedDoc, AnnotationResult, FailedDoc, Pipeline, PipelineDoc, annotate_all};
pub use sentencizer::Sentencizer;
