//! Columns of texts and of tokens without annotation.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, LargeStringBuilder};
use arrow_array::{ArrayRef, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};

use lexpool::tokens::Doc;

pub(super) fn fields() -> Vec<Field> {
    vec![
        Field::new("start", DataType::UInt32, false),
        Field::new("end", DataType::UInt32, false),
        Field::new("orth", DataType::UInt64, false),
        Field::new("word", DataType::LargeUtf8, false),
        Field::new("space", DataType::Boolean, false),
    ]
}

/// Returns the columns of [`fields`] for the tokens of all documents.
pub(super) fn columns(docs: &[&Doc]) -> Vec<ArrayRef> {
    let len = docs.iter().map(|doc| doc.len()).sum();
    let bytes = docs.iter().map(|doc| doc.text().len()).sum();
    let (mut starts, mut ends) = (Vec::with_capacity(len), Vec::with_capacity(len));
    let mut orths = Vec::with_capacity(len);
    let mut words = LargeStringBuilder::with_capacity(len, bytes);
    let mut spaces = BooleanBuilder::with_capacity(len);
    for token in docs.iter().flat_map(|doc| doc.iter()) {
        let record = token.record();
        starts.push(record.idx);
        ends.push(u32::try_from(token.end_char()).expect("a text has fewer than 2^30 characters"));
        orths.push(token.lex().orth().get());
        words.append_value(token.text());
        spaces.append_value(record.spacy());
    }
    vec![
        Arc::new(UInt32Array::from(starts)),
        Arc::new(UInt32Array::from(ends)),
        Arc::new(UInt64Array::from(orths)),
        Arc::new(words.finish()),
        Arc::new(spaces.finish()),
    ]
}

pub(super) fn texts(docs: &[&Doc]) -> ArrayRef {
    let bytes = docs.iter().map(|doc| doc.text().len()).sum();
    let mut texts = LargeStringBuilder::with_capacity(docs.len(), bytes);
    for doc in docs {
        texts.append_value(doc.text());
    }
    Arc::new(texts.finish())
}
