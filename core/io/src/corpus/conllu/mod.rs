//! Treebanks in CoNLL-U: documents with gold-standard words, lemmas, tags, features and trees.
//!
//! Kept are `FORM`, `LEMMA`, `UPOS`, `XPOS`, `FEATS`, `HEAD`, `DEPREL`, the spaces around words
//! (`SpaceAfter=No`, `SpacesAfter=`, `SpacesBefore=`), sentences, and the ids of documents and
//! sentences. Ignored are empty nodes (`8.1`), `DEPS`, other values of `MISC` and other comments.
//!
//! - The relation `root` becomes spaCy's `ROOT`. `_` stands for a missing value, which is not
//!   replaced: a word without `XPOS` has no tag.
//! - A multiword token (`1-2`) whose form is the concatenation of its words, as `don't` of `do` and
//!   `n't`, becomes these words. One whose form differs (`del`, of `de` and `el`) becomes one
//!   token, since the text must be that of the file. It has the head, relation and `UPOS` of the
//!   word whose head is outside of it, all lemmas joined by spaces, all tags joined by `_`, and all
//!   features.
//! - A document begins at `# newdoc`. Before the first such line each sentence is a document.
//!   Alternatively, the caller sets a number of sentences per document; sentences of two documents
//!   are never joined.
//! - Whitespace in `SpacesAfter` beyond one space becomes a token, as a tokenizer would make it.
//!   Other text there, such as markup that a tool keeps, becomes a token without annotation.

#![forbid(unsafe_code)]

mod fields;
mod read;
mod sentence;
mod write;

pub use read::{Conllu, GoldDoc};
pub use write::{ConlluWriter, push_conllu};

#[cfg(test)]
mod tests;
