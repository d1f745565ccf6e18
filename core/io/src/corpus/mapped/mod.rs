//! Memory-mapped corpora: one file that is an Arrow file for other tools, and whose documents need
//! no decoding, since their records are stored as they are in memory.
//!
//! The site's page `files/corpus.mdx` shows the bytes. [`MappedWriter`] writes such a file,
//! [`Corpus`] opens it.

mod batch;
mod batch_docs;
mod corpus;
mod count;
mod doc_parts;
mod errors;
mod extras;
mod file;
mod manifest;
mod merge;
mod normalize;
mod packing;
mod piece;
mod runs;
mod schema;
mod streams;
mod validate;
mod values;
mod writer;

pub use self::corpus::Corpus;
pub use self::merge::merge;
pub use self::piece::Piece;
pub use self::values::{Cell, Column};
pub use self::writer::{MappedWriter, WriteOptions};

#[cfg(test)]
mod tests;
