//! Pipelines: components that annotate documents one after another, on any thread.
//!
//! A [`Component`] sets one kind of annotation. A [`Pipeline`] takes texts through a tokenizer and
//! a list of components on several threads; [`annotate_all`] takes existing documents through them.
#![forbid(unsafe_code)]

mod annotation_kind;
mod attribute_ruler;
mod component;
mod extras;
mod group;
mod lemmatizer;
mod merge;
mod notes;
mod rules;
mod run;
mod sentencizer;
mod source;

pub use annotation_kind::AnnotationKind;
pub use attribute_ruler::{AttributeRule, AttributeRuler};
pub use component::{Annotation, Component, Groups, Step};
pub use group::PipelineDoc;
pub use lemmatizer::{
    BaseForms, LanguageRules, LemmaLanguage, LemmaMode, LemmaTables, Lemmatizer, RuleGroup,
    TokenForm,
};
pub(crate) use merge::apply_plan;
pub use merge::{
    MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter, merge_entities,
    merge_noun_chunks, merge_subtokens, split_tokens,
};
pub use notes::{Notes, SpanScores};
pub use rules::{EntityRuler, RuleHit, RuleName, RuleNames, SpanFilter, SpanRuler, SpanRules};
pub use run::{AnnotatedDoc, AnnotationResult, FailedDoc, Pipeline, annotate_all};
pub use sentencizer::Sentencizer;
pub(crate) use source::json_object;
pub use source::{ComponentLoader, ComponentSource};
