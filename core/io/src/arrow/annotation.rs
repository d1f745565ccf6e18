//! The annotation of documents as values of columns: null where it is not set.
//!
//! The columns of documents, of annotated tables and of files have these values.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use lexpool::Result;
use lexpool::tokens::{Doc, Token};
use lexpool_structs::{AttrId, Pos};

use super::lists::lists;
use super::packed_strings::PackedStrings;

/// The attributes of tokens that stand for strings, with the names of their columns.
pub(crate) const STRINGS: [(&str, AttrId); 7] = [
    ("lemma", AttrId::LEMMA),
    ("tag", AttrId::TAG),
    ("morph", AttrId::MORPH),
    ("dep", AttrId::DEP),
    ("ent_type", AttrId::ENT_TYPE),
    ("ent_kb_id", AttrId::ENT_KB_ID),
    ("pos", AttrId::POS),
];

/// Returns the string of an attribute of [`STRINGS`].
pub(crate) fn string<'a>(token: &Token<'a>, attr: AttrId) -> Option<&'a str> {
    if attr == AttrId::POS {
        let pos = token.tag_record().and_then(|record| Pos::from_number(record.pos));
        return pos.filter(|pos| pos.number() != 0).map(Pos::name);
    }
    Some(token.text_of(attr)).filter(|text| !text.is_empty())
}

/// Returns the id of an attribute of [`STRINGS`].
pub(crate) fn id(token: &Token<'_>, attr: AttrId) -> Option<u64> {
    string(token, attr).map(|_| token.attr(attr))
}

/// Returns the position of the head in the document; that of the token itself for a root.
pub(crate) fn head(token: &Token<'_>) -> Option<u32> {
    u32::try_from(token.head().i()).ok().filter(|_| token.has_head())
}

/// Returns the place in an entity: 1 inside of one, 2 outside, 3 at the beginning of one.
pub(crate) fn ent_iob(token: &Token<'_>) -> Option<u8> {
    Some(token.record().ent_iob()).filter(|iob| *iob != 0)
}

/// Returns for each token 1 at the beginning of a sentence, and -1 elsewhere.
pub(crate) fn sent_starts(doc: &Doc) -> impl Iterator<Item = Option<i8>> {
    // The first token always starts a sentence, even if no sentence boundaries were set.
    let is_set = doc.attrs().has_annotation(AttrId::SENT_START, false);
    doc.iter()
        .map(move |token| Some(token.record().sent_start()).filter(|start| is_set && *start != 0))
}

/// The categories of documents: a list of labels with scores for each.
#[derive(Default)]
pub(crate) struct CatRows {
    /// The number of categories of each document.
    lens: Vec<u32>,
    labels: PackedStrings,
    scores: Vec<f64>,
}

impl CatRows {
    /// Returns the fields of a category.
    pub(crate) fn fields() -> Fields {
        Fields::from(vec![
            Field::new("label", DataType::LargeUtf8, false),
            Field::new("score", DataType::Float64, false),
        ])
    }

    /// Appends the categories of a document.
    pub(crate) fn push<'a>(&mut self, cats: impl IntoIterator<Item = (&'a str, f64)>) {
        let before = self.scores.len();
        for (label, score) in cats {
            self.labels.push(label);
            self.scores.push(score);
        }
        let len = self.scores.len() - before;
        self.lens.push(u32::try_from(len).expect("no document has 2^32 categories"));
    }

    /// Appends documents without categories up to a number of documents.
    pub(super) fn skip_to(&mut self, len: usize) {
        self.lens.resize(len, 0);
    }

    pub(super) fn append(&mut self, mut other: CatRows) {
        self.lens.append(&mut other.lens);
        self.labels.append(other.labels);
        self.scores.append(&mut other.scores);
    }

    /// Converts the documents to lists of structs.
    ///
    /// # Errors
    ///
    /// `arrow-too-many` for more than 2^31 - 1 categories.
    pub(crate) fn into_lists(self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let columns: Vec<ArrayRef> =
            vec![self.labels.into_large_utf8()?, Arc::new(Float64Array::from(self.scores))];
        let lens = self.lens.iter().map(|len| *len as usize);
        lists("categories", lens, CatRows::fields(), columns, nulls)
    }
}
