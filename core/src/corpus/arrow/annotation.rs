//! Columns of the annotation of tokens.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int8Array, UInt8Array, UInt32Array};
use arrow_schema::{DataType, Field};
use lexpool_structs::{AttrId, Pos};

use crate::tokens::{Doc, Token};

/// Columns of strings whose ids are in the document's records.
const STRINGS: [(&str, AttrId); 6] = [
    ("lemma", AttrId::LEMMA),
    ("tag", AttrId::TAG),
    ("morph", AttrId::MORPH),
    ("dep", AttrId::DEP),
    ("ent_type", AttrId::ENT_TYPE),
    ("ent_kb_id", AttrId::ENT_KB_ID),
];

pub(super) fn fields() -> Vec<Field> {
    let strings = STRINGS.map(|(name, _)| (name, DataType::LargeUtf8));
    let others = [
        ("pos", DataType::LargeUtf8),
        ("head", DataType::UInt32),
        ("ent_iob", DataType::UInt8),
        ("sent_start", DataType::Int8),
    ];
    let fields = strings.into_iter().chain(others);
    fields.map(|(name, kind)| Field::new(name, kind, true)).collect()
}

/// Returns the columns of [`fields`] for the tokens of all documents.
pub(super) fn columns(docs: &[&Doc]) -> Vec<ArrayRef> {
    let tokens = || docs.iter().flat_map(|doc| doc.iter());
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(STRINGS.len() + 4);
    for (_, attr) in STRINGS {
        columns.push(strings(tokens().map(|token| string(&token, attr))));
    }
    columns.push(strings(tokens().map(|token| pos(&token))));
    let heads =
        tokens().map(|token| u32::try_from(token.head().i()).ok().filter(|_| token.has_head()));
    columns.push(Arc::new(heads.collect::<UInt32Array>()));
    let iobs = tokens().map(|token| Some(token.record().ent_iob()).filter(|iob| *iob != 0));
    columns.push(Arc::new(iobs.collect::<UInt8Array>()));
    let starts = docs.iter().flat_map(|doc| {
        // The first token always starts a sentence, even if no sentence boundaries were set.
        let is_set = doc.attrs().has_annotation(AttrId::SENT_START, false);
        doc.iter().map(move |token| {
            Some(token.record().sent_start()).filter(|start| is_set && *start != 0)
        })
    });
    columns.push(Arc::new(starts.collect::<Int8Array>()));
    columns
}

fn string<'a>(token: &Token<'a>, attr: AttrId) -> Option<&'a str> {
    Some(token.text_of(attr)).filter(|text| !text.is_empty())
}

fn pos(token: &Token<'_>) -> Option<&'static str> {
    let pos = token.tag_record().and_then(|record| Pos::from_number(record.pos));
    pos.filter(|pos| pos.number() != 0).map(Pos::name)
}

fn strings<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    let mut out = LargeStringBuilder::new();
    values.for_each(|value| out.append_option(value));
    Arc::new(out.finish())
}
