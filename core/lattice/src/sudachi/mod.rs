//! Japanese words by the dictionaries of Sudachi.
//!
//! A text is normalized (`input`), the words of the dictionary and unknown words are put into a
//! lattice, the path of least cost is taken from it, numerals and runs of katakana on the path are
//! joined (`join`), and long words are split into the units of a [`Mode`]. This is what Sudachi
//! does with the plugins of its default configuration, version 0.7.
//!
//! Takaoka and others (2018), "Sudachi: a Japanese Tokenizer for Business", describe the method.
//! The file format and the algorithms are those of `sudachi.rs` by Works Applications.

mod analyzer;
mod categories;
mod dictionary;
mod file;
mod input;
mod join;
mod lexicon;
mod normalize;
mod numeral;
mod part_of_speech;
mod path;
mod unknown;
mod word_ref;

pub use analyzer::{Analyzer, MAX_BYTES, Morpheme};
pub use dictionary::Dictionary;
pub use lexicon::WordId;
pub use part_of_speech::PartOfSpeech;
pub use path::Mode;
