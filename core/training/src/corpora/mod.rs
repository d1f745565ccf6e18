//! Examples of files, one after another, and batches of them.
//!
//! | module | contains |
//! | --- | --- |
//! | `example` | a document beside its reference |
//! | `text_lines` | lines of text and of JSON |
//! | `corpus_reader`, `example_stream`, `example_maker` | examples of files |
//! | `augmenter`, `orth_variants` | variants of examples |
//! | `epoch_examples` | the examples of an epoch: all of them, or a window |
//! | `batcher`, `batches` | batches of examples |

pub(crate) mod augmenter;
pub(crate) mod batcher;
pub(crate) mod batches;
pub(crate) mod corpus_reader;
pub(crate) mod epoch_examples;
pub(crate) mod example;
pub(crate) mod example_maker;
pub(crate) mod example_stream;
pub(crate) mod orth_variants;
pub(crate) mod text_lines;
