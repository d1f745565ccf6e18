//! Pretraining of a shared network on texts without annotation: spaCy's `spacy pretrain`.
//!
//! Some words of a text are masked, and the network learns to predict the vectors or the characters
//! of those words from what is around them. [`PretrainingPlan::read`] reads a configuration,
//! [`pretrain`] writes the weights, which `init_tok2vec` of `[initialize]` names in a training.
//!
//! | module | contains |
//! | --- | --- |
//! | `settings` | [`PretrainingPlan`]: the section `[pretraining]` as values |
//! | `corpus` | `PretrainingCorpus`: the documents, those of a batch in memory |
//! | `masking` | `MaskedDocs`: documents some of whose words were replaced |
//! | `objective` | `Objective`: what is predicted, its loss and gradient |
//! | `network` | `PretrainedNetwork`: the shared network below that of the objective |
//! | `run` | [`pretrain`]: epochs, files, resumption |

mod corpus;
mod masking;
mod network;
mod objective;
mod run;
mod settings;

pub use run::{
    PretrainingEnd, PretrainingOptions, PretrainingReport, PretrainingStart, PretrainingWatcher,
    pretrain,
};
pub use settings::PretrainingPlan;
