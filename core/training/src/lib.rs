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
//! `examples/train_tagger.rs` is a whole training. Each module uses only modules above it in this
//! table; a test (`tests/workspace/test_modules.py`) reads the order from here.
//!
//! | module | contains |
//! | --- | --- |
//! | [`scoring`] | figures of evaluation, as spaCy computes them |
//! | `settings` | sections of a configuration as values, [`fill_config`], [`starter_config`] |
//! | `corpora` | [`Example`]: a document beside its [`Reference`]; corpora, [`Batcher`] |
//! | `components` | [`TrainableComponent`], the components by their factories, [`Learner`] |
//! | `run` | [`TrainingPlan`], [`train`], [`evaluate`], [`find_labels`], [`report_data`] |
//! | `pretraining` | [`pretrain`]: shared networks that learn from texts without annotation |
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

mod components;
mod corpora;
mod pretraining;
mod run;
pub mod scoring;
mod settings;

pub use components::component::{
    ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory,
};
pub use components::learner::{Learner, LearnerBatch, SharedRows};
pub use components::update::UpdateBatch;
pub use corpora::augmenter::{Augmenter, read_augmenter};
pub use corpora::batcher::Batcher;
pub use corpora::corpus_reader::CorpusReader;
pub use corpora::epoch_examples::Window;
pub use corpora::example::{Example, Reference};
pub use corpora::example_stream::ReadExamples;
pub use pretraining::{
    PretrainingEnd, PretrainingOptions, PretrainingPlan, PretrainingReport, PretrainingStart,
    PretrainingWatcher, pretrain,
};
pub use run::console::EvaluationTable;
pub use run::data_report::{ComponentFigures, CorpusFigures, DataReport, Oddity, report_data};
pub use run::evaluation::{StepScorer, evaluate};
pub use run::labels_file::{FoundLabels, find_labels, write_labels};
pub use run::memory::MemoryPlan;
pub use run::output::{MODEL_BEST, MODEL_LAST};
pub use run::plan::TrainingPlan;
pub use run::progress::{Losses, Progress};
pub use run::python_check::{check_python_training, read_loop};
pub use run::state::STATE;
pub use run::train::{TrainingResult, restart, resume, train};
pub use run::training_loop::{Ending, Trainee, TrainingLoop};
pub use run::watcher::{Evaluation, StepReport, TrainingStart, TrainingWatcher};
pub use settings::fill::{fill_config, fill_pretraining, united_score_weights};
pub use settings::functions::python_functions;
pub use settings::loop_settings::{LoggerSettings, LoopSettings};
pub use settings::schedule_settings::read_schedule;
pub use settings::starter::{Goal, starter_config};
