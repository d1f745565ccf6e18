//! Treebanks in CoNLL-U: documents with gold words, lemmas, tags, features and trees.
//!
//! What is kept: `FORM`, `LEMMA`, `UPOS`, `XPOS`, `FEATS`, `HEAD`, `DEPREL`, the spaces after words
//! (`SpaceAfter=No`, `SpacesAfter=`, `SpacesBefore=`), sentences, and the ids of documents and sentences. What is not:
//! empty nodes (`8.1`), `DEPS`, the rest of `MISC` and other comments.
//!
//! * The relation `root` is spaCy's `ROOT`. `_` is nothing, and not replaced by anything: a word
//!   without `XPOS` has no tag.
//! * A multiword token (`1-2`) whose words stand in it one after the other, as `do` and `n't` in
//!   `don't`, is these words. One that is written otherwise than its words (`del`, of `de` and `el`)
//!   is one token, for the text is that of the file: it has the head, relation and `UPOS` of the word
//!   that leads out of it, all lemmas with spaces, all tags with `_` between them, and all features.
//! * A document begins at `# newdoc`. Before the first such line each sentence is one; or there are
//!   so many sentences to a document as was asked for, but never of two.
//! * Whitespace that `SpacesAfter` has beyond one space is a token, as a tokenizer makes it.

mod fields;
mod read;
mod sentence;
mod write;

pub use read::{Conllu, Gold};
pub use write::{ConlluWriter, push_conllu};

#[cfg(test)]
mod tests;
