//! A training as a whole: its plan, its pipeline, its steps and its files.
//!
//! | module | contains |
//! | --- | --- |
//! | `plan`, `python_check` | a configuration, read and checked as a whole |
//! | `pipeline`, `evaluation` | what is trained, and how well |
//! | `labels_file` | the labels of a corpus as files |
//! | `data_report` | counts over the corpora, and what is odd in them |
//! | `saved_weights` | weights of an earlier training to begin with |
//! | `memory`, `available_memory` | the memory of a training, and what there is |
//! | `progress`, `origin`, `state` | a training between two steps, in a file |
//! | `watcher`, `training_loop` | who is told of steps, and the loop over them |
//! | `console`, `output` | the table, folders |
//! | `native`, `train` | a pipeline without Python as the loop trains it, all of a training |

pub(crate) mod available_memory;
pub(crate) mod console;
pub(crate) mod data_report;
pub(crate) mod evaluation;
pub(crate) mod labels_file;
pub(crate) mod memory;
pub(crate) mod native;
pub(crate) mod origin;
pub(crate) mod output;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod python_check;
pub(crate) mod saved_weights;
pub(crate) mod state;
pub(crate) mod train;
pub(crate) mod training_loop;
pub(crate) mod watcher;
