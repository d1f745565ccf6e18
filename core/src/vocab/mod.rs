//! Word types: lexemes with their attributes, shared by all documents of a vocab.
//!
//! A [`Vocab`] owns the strings and the lexemes; the tokenizer, its workers and every document
//! share it by reference count. A [`VocabSnapshot`] is a vocab together with the zone that was open
//! when the snapshot was taken; each document has one, so the data that it refers to outlive the
//! end of the zone. Uses [`strings`](crate::strings), [`morphology`](crate::morphology) and
//! [`vectors`](crate::vectors).

mod file;
mod folder;
mod getters;
pub mod image;
pub mod lex_attrs;
mod lexeme;
mod lexeme_table;
mod norm_table;
mod snapshot;
#[expect(clippy::module_inception, reason = "the file of the type `Vocab`")]
mod vocab;

pub use folder::FolderParts;
pub use getters::{AttrValue, Getter, GetterFn, Getters};
pub use image::{MappedVocab, OpenOptions, Verify};
pub(crate) use lexeme::lexeme_edits;
pub use lexeme::{LexIx, LexemeCell, LexemeField, OOV_RANK};
pub use snapshot::{Lexeme, VocabSnapshot};
pub use snapshot::{SnapshotId, unknown_id};
pub use vocab::{RankFn, Vocab, Zone};

#[cfg(test)]
mod tests;
