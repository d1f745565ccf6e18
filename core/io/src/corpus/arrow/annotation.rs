//! Columns of the annotation of tokens.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int8Array, UInt8Array, UInt32Array};
use arrow_schema::{DataType, Field};
use lexpool::tokens::Doc;

use crate::arrow::annotation::{STRINGS, ent_iob, head, sent_starts, string};

pub(super) fn fields() -> Vec<Field> {
    let strings = STRINGS.map(|(name, _)| (name, DataType::LargeUtf8));
    let others =
        [("head", DataType::UInt32), ("ent_iob", DataType::UInt8), ("sent_start", DataType::Int8)];
    let fields = strings.into_iter().chain(others);
    fields.map(|(name, kind)| Field::new(name, kind, true)).collect()
}

/// Returns the columns of [`fields`] for the tokens of all documents.
pub(super) fn columns(docs: &[&Doc]) -> Vec<ArrayRef> {
    let tokens = || docs.iter().flat_map(|doc| doc.iter());
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(STRINGS.len() + 3);
    for (_, attr) in STRINGS {
        let mut column = LargeStringBuilder::new();
        tokens().for_each(|token| column.append_option(string(&token, attr)));
        columns.push(Arc::new(column.finish()));
    }
    columns.push(Arc::new(tokens().map(|token| head(&token)).collect::<UInt32Array>()));
    columns.push(Arc::new(tokens().map(|token| ent_iob(&token)).collect::<UInt8Array>()));
    let starts = docs.iter().flat_map(|doc| sent_starts(doc));
    columns.push(Arc::new(starts.collect::<Int8Array>()));
    columns
}
