//! Trained components: taggers, parsers, categorizers, whose predictions are spaCy's.
//!
//! A component joins a network (`lexpool-nn`) with the annotation that its results mean.
//! [`component`] makes one from what spaCy has saved: its settings, and its files `model`, `cfg`,
//! `moves` and `trees`. A prediction depends on the document alone: not on its batch, its
//! neighbours, or threads.
//!
//! | module | contains |
//! | --- | --- |
//! | `saved` | [`SavedComponent`]: the settings and files of a component; [`component`] |
//! | `settings`, `cfg` | the readers of settings and of the file `cfg` |
//! | `doc_tokens` | a document as the input of a network; [`VectorSource`] |
//! | `encoder`, `states`, `model` | [`Model`]: a network with the vectors that it reads |
//! | `tok2vec`, `tagger`, `morphologizer`, `senter`, `edit_tree_lemmatizer` | results for tokens |
//! | `row_annotator` | the component that these are |
//! | `parser` | dependency parsers and entity recognizers, greedy and by beams |
//! | `entity_linker` | contexts of entities, encoded |
//! | `textcat` | categories of documents |
//! | `suggester`, `spancat`, `span_finder` | categories of spans |
#![forbid(unsafe_code)]

mod cfg;
mod doc_tokens;
mod edit_tree_lemmatizer;
mod encoder;
mod entity_linker;
mod labels;
mod model;
mod morphologizer;
mod parser;
mod row_annotator;
mod saved;
mod senter;
mod settings;
mod span_finder;
mod spancat;
mod states;
mod suggester;
mod tagger;
mod textcat;
mod tok2vec;

pub use doc_tokens::VectorSource;
pub use edit_tree_lemmatizer::{EditTreeLemmatizer, EditTreeSettings};
pub use encoder::Encoder;
pub use encoder::with_sources;
pub use entity_linker::ContextNetwork;
pub use model::Model;
pub use morphologizer::{MorphLabel, Morphologizer};
pub use parser::{BeamSettings, DependencyParser, EntityRecognizer};
pub use saved::{Moves, read_moves};
pub use saved::{SavedComponent, component, component_of, is_made_here};
pub use senter::SentenceRecognizer;
pub use settings::model_settings;
pub use span_finder::{SpanFinder, SpanFinderSettings};
pub use spancat::{SpanCategorizer, SpanCategorizerSettings};
pub use states::{StateModel, StateScorer};
pub use suggester::Suggester;
pub use tagger::Tagger;
pub use textcat::TextCategorizer;
pub use tok2vec::Tok2Vec;
