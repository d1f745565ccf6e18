//! Training of pipelines from a configuration of spaCy's and corpora, without Python.
//!
//! [`TrainingPlan::read`] reads a configuration and refuses all that is wrong or that lexpool does
//! not have; [`train`] reads the corpora, makes labels and weights, runs the loop and writes
//! folders that spaCy and lexpool load.
//!
//! ```
//! use lexpool_training::{Goal, TrainingPlan, starter_config};
//!
//! let mut config = starter_config("en", &["tagger"], Goal::Efficiency)?;
//! config.set("paths.train", "train.spacy".into())?;
//! config.set("paths.dev", "dev.spacy".into())?;
//! let plan = TrainingPlan::read(&config)?; // for `train`, which reads the corpora
//! assert_eq!(plan.component_names().collect::<Vec<_>>(), ["tok2vec", "tagger"]);
//! # Ok::<(), lexpool::Error>(())
//! ```
//!
//! `examples/train_tagger.rs` is a whole training. The modules:
//!
//! | module | contains |
//! | --- | --- |
//! | `example` | [`Example`]: a document beside its [`Reference`] |
//! | `update` | [`UpdateBatch`]: the examples of a step, with what networks see of them |
//! | `component` | [`TrainableComponent`]: what the loop asks of a component |
//! | `fields` | the reader of sections, which notes all problems |
//! | `settings`, `schedule_settings`, `initialize_settings`, `defaults` | sections as values |
//! | `batcher`, `batches` | batches of examples |
//! | `corpus_reader`, `text_lines`, `example_stream`, `example_maker` | examples of files, one after another |
//! | `epoch_examples` | the examples of an epoch: all of them, or a window |
//! | `functions`, `python_check` | [`python_functions`]: what a configuration names that only Python has; the check of the rest |
//! | `fill`, `starter` | [`fill_config`], [`starter_config`]: configurations by defaults |
//! | `components` | the components by their factories: losses, labels, files |
//! | [`scoring`] | figures of evaluation, as spaCy computes them |
//! | `scorers`, `sources` | scorers of components; components of other pipelines |
//! | `knowledge` | the knowledge bases that linkers of entities learn from |
//! | `learner` | [`Learner`]: a component that learns batch by batch |
//! | `plan`, `pipeline`, `evaluation` | what is trained, and how well |
//! | `labels_file` | [`find_labels`]: the labels of a corpus as files |
//! | `data_report` | [`report_data`]: counts over the corpora, and what is odd in them |
//! | `saved_weights` | weights of an earlier training to begin with |
//! | `memory`, `available_memory` | [`MemoryPlan`]: the memory of a training, and what there is |
//! | `pretraining` | [`pretrain`]: shared networks that learn from texts without annotation |
//! | `progress`, `origin`, `state` | a training between two steps, in a file |
//! | `training_loop`, `console`, `output`, `train` | steps, the table, folders, all of it |
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

mod augmenter;
mod available_memory;
mod batcher;
mod batches;
mod component;
mod components;
mod console;
mod corpus_reader;
mod data_report;
mod defaults;
mod epoch_examples;
mod evaluation;
mod example;
mod example_maker;
mod example_stream;
mod fields;
mod fill;
mod functions;
mod initialize_settings;
mod knowledge;
mod labels_file;
mod learner;
mod memory;
mod origin;
mod orth_variants;
mod output;
mod pipeline;
mod plan;
mod pretraining;
mod progress;
mod python_check;
mod saved_weights;
mod schedule_settings;
mod scorers;
pub mod scoring;
mod settings;
mod sources;
mod starter;
mod state;
mod text_lines;
mod train;
mod training_loop;
mod update;

pub use augmenter::{Augmenter, read_augmenter};
pub use batcher::{Batcher, read_batcher};
pub use batches::{Batches, subdivide};
pub use component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
pub use console::EvaluationTable;
pub use corpus_reader::CorpusReader;
pub use data_report::{ComponentFigures, CorpusFigures, DataReport, Oddity, report_data};
pub use evaluation::{StepScorer, evaluate};
pub use example::{Example, Reference};
pub use example_stream::ReadExamples;
pub use fill::{fill_config, fill_pretraining};
pub use functions::python_functions;
pub use labels_file::{FoundLabels, find_labels, write_labels};
pub use learner::{Learner, LearnerBatch, SharedRows};
pub use memory::MemoryPlan;
pub use output::{MODEL_BEST, MODEL_LAST};
pub use plan::TrainingPlan;
pub use pretraining::{
    PretrainingEnd, PretrainingOptions, PretrainingPlan, PretrainingReport, PretrainingStart,
    PretrainingWatcher, pretrain,
};
pub use python_check::check_python_training;
pub use schedule_settings::read_schedule;
pub use settings::{LoggerSettings, LoopSettings};
pub use starter::{Goal, starter_config};
pub use state::STATE;
pub use train::{TrainingResult, TrainingStart, TrainingWatcher, restart, resume, train};
pub use training_loop::{Ending, Evaluation, StepReport};
pub use update::UpdateBatch;
