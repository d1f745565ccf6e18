//! Vocab images: a vocab in a file that is memory-mapped and not parsed.
//!
//! A [`MappedVocab`] has the strings, the lexemes and a finished hash index of a vocab. It does not
//! change, except for attributes of lexemes, which may be set for this process (copy on write); new
//! words and strings go to the tables of the [`Vocab`](super::Vocab). [`VocabImageBuilder`] makes
//! an image, and [`Vocab::open`](super::Vocab::open) opens one. Opening validates the header and
//! the bounds of the sections only, so it takes constant time; later reads check their own bounds.
//! The site's `files/vocab.mdx` describes the bytes.

mod builder;
mod check;
mod hash_index;
mod image_memory;
mod layout;
pub(in crate::vocab) mod mapped;
mod meta;
#[cfg(test)]
mod mutations;
mod open;
mod string_list;
mod symbols;
#[cfg(test)]
mod tests;
mod vectors;
mod views;

pub use builder::VocabImageBuilder;
pub use mapped::MappedVocab;
pub use meta::ImageMeta;
pub use open::{OpenOptions, Verify};
