//! Parsers and entity recognizers, whose networks score the states of a parse.
//!
//! | file | contents |
//! | --- | --- |
//! | `gold` | the reference of an example as gold annotation |
//! | `steps` | states on their way through the network, with their losses |
//! | `learner` | an update: documents, their pieces, beams, gradients |
//! | `rehearsal` | an update towards the scores of a copy of the network |
//! | `labels` | the labels of moves |
//! | `component` | the components of the loop: settings, files |

mod component;
mod gold;
mod labels;
mod learner;
#[cfg(test)]
mod overfitting;
mod rehearsal;
mod steps;
#[cfg(test)]
mod tests;

pub(super) use component::{read_ner, read_parser};
