//! Pipelines from the folders that spaCy and lexpool write, without Python.
//!
//! A [`LoadingPlan`] is what `config.cfg` asks for. [`load`] reads the vocab, the tokenizer and the
//! components of one, and returns a [`LoadedPipeline`]; Python makes objects of it. `factories` has
//! the components made of rules, `networks` those that were trained. What lexpool cannot run is
//! refused before anything runs, all of it at once (`refusals`). A [`PipelineSummary`] describes a
//! folder without loading it.
//!
//! ```
//! use lexpool::loading::{LoadOptions, load};
//! use lexpool::tokenizer::Text;
//!
//! let folder = tempfile::tempdir().unwrap();
//! let config = r#"
//! [nlp]
//! lang = "en"
//! pipeline = ["sentencizer"]
//!
//! [components]
//!
//! [components.sentencizer]
//! factory = "sentencizer"
//! "#;
//! std::fs::write(folder.path().join("config.cfg"), config).unwrap();
//! std::fs::write(folder.path().join("sentencizer.json"), r#"{"punct_chars": ["!"]}"#).unwrap();
//!
//! let options = LoadOptions { exclude: vec!["tokenizer".to_owned()], ..LoadOptions::default() };
//! let nlp = load(folder.path(), &options)?;
//! let text = Text::Owned("Go! It is late.".to_owned());
//! let annotated = nlp.pipeline.annotate(text, &Default::default());
//! let doc = annotated.map_err(|failed| failed.into_error())?.doc;
//! assert_eq!(doc.sentences().ranges()?.collect::<Vec<_>>(), [0..2, 2..6]);
//! # Ok::<(), lexpool::Error>(())
//! ```
#![forbid(unsafe_code)]

mod attribute_rules;
mod defaults;
mod factories;
mod language;
mod loaded_pipeline;
mod names;
mod networks;
mod packing;
mod patterns;
mod plan;
mod refusals;
mod rulers;
mod selection;
mod summary;
#[cfg(test)]
mod tests;
mod tokenizer_choice;

pub use defaults::default_config;
pub use language::read_tokenizer;
pub use loaded_pipeline::steps_of;
pub use loaded_pipeline::{LoadedPipeline, MAX_LOADS, load, load_files};
pub use names::check_name;
pub use networks::refusals as network_refusals;
pub use packing::pack;
pub use plan::{LoadingPlan, PlannedComponent};
pub use selection::LoadOptions;
pub use summary::{ComponentSummary, PipelineSummary};
pub use tokenizer_choice::{SegmenterChoice, TokenizerChoice};
