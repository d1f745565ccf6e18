//! Many documents as bytes, compatible with spaCy's `DocBin`.
//!
//! The bytes are a zlib stream of a msgpack map of columns, each with the values of all documents:
//! attributes of tokens, trailing spaces, lengths, and the values of whole documents. The map also
//! has every string that the ids stand for, once.

mod bin;
mod deflate;
mod file;
mod huffman;
mod read;
mod row_deflate;

pub use bin::Strings;
pub use bin::{DocBin, DocExtras};
pub use deflate::{DeflatedColumn, DeflatedPiece};
pub use file::{Columns, write_file};
pub use read::DocReader;

#[cfg(test)]
mod tests;
