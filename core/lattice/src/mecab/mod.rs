//! Words by the compiled dictionaries of `MeCab`, such as mecab-ko-dic for Korean.
//!
//! The words of the dictionary and unknown words are put into a lattice, from which the path of
//! least cost is taken. Whitespace is skipped in front of words; a dictionary may set a penalty for
//! parts of speech behind it, as the fork for Korean does (`left-space-penalty-factor` in `dicrc`).
//!
//! Kudo, Yamamoto and Matsumoto (2004), "Applying Conditional Random Fields to Japanese
//! Morphological Analysis". The file formats are those of `MeCab` 0.996.

mod analyzer;
mod char_classes;
mod dictionary;
mod words;

pub use analyzer::{Analyzer, Token};
pub use dictionary::{Dictionary, Files};
pub use words::field;
