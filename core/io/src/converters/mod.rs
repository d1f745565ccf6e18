//! Converters of annotated files into documents to train with, as `spacy convert` makes them.
//!
//! | function | reads |
//! | --- | --- |
//! | [`conllu_to_docs`] | treebanks in CoNLL-U, with entities in the column `MISC` |
//! | [`conll_ner_to_docs`] | columns with entities in the last one, as of CoNLL-2003 |
//! | [`iob_to_docs`] | a sentence a line, of words with their tags between bars |
//! | [`json_to_docs`] | the JSON that spaCy 2 trained with |
//!
//! [`docs_to_json`] writes that JSON. The documents are those of spaCy, attribute by attribute:
//! multiword tokens become their words, and `_` may be a value. (The reader of
//! [`corpus`](crate::corpus::Conllu) keeps the text of a treebank instead.) What spaCy cannot read,
//! or loses without a word, is an error here that names the file and the line.

#![forbid(unsafe_code)]

mod columns;
mod conllu;
mod detect;
mod grouping;
mod iob;
mod json_read;
mod json_write;
mod python_text;
mod spans;

pub use columns::{ColumnSettings, Segmenter, conll_ner_to_docs};
pub use conllu::{ConlluSettings, NerMap, conllu_to_docs};
pub use detect::{NerFormat, detect_ner_format};
pub use iob::iob_to_docs;
pub use json_read::{TrainingDoc, json_to_docs};
pub use json_write::docs_to_json;

#[cfg(test)]
mod tests;
