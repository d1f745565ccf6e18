//! Columns of categories and span groups.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_schema::{DataType, Field, Fields};
use lexpool::Result;
use lexpool::formats::span_group::read_groups;
use lexpool::formats::{DocExtras, bounds};
use lexpool::strings::StrId;
use lexpool::tokens::Doc;

use crate::arrow::annotation::CatRows;
use crate::arrow::lists::lists;
use crate::corpus::cats::cats_of;

type Rows<'a> = [(&'a Doc, &'a DocExtras)];

/// Returns the categories of each document.
pub(super) fn cats(rows: &Rows<'_>) -> Result<ArrayRef> {
    let mut lists = CatRows::default();
    for (_, extras) in rows {
        let is_empty = extras.cats.is_empty();
        let cats = if is_empty { Vec::new() } else { cats_of(&extras.cats)? };
        lists.push(cats.iter().map(|(label, score)| (&**label, *score)));
    }
    lists.into_lists(None)
}

pub(super) fn span_fields() -> Fields {
    Fields::from(vec![
        Field::new("group", DataType::LargeUtf8, false),
        Field::new("start", DataType::UInt32, false),
        Field::new("end", DataType::UInt32, false),
        Field::new("label", DataType::LargeUtf8, false),
        Field::new("kb_id", DataType::LargeUtf8, false),
    ])
}

/// Returns the spans of the groups of each document.
pub(super) fn spans(rows: &Rows<'_>) -> Result<ArrayRef> {
    let (mut names, mut labels) = (LargeStringBuilder::new(), LargeStringBuilder::new());
    let mut kb_ids = LargeStringBuilder::new();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let mut lens = Vec::with_capacity(rows.len());
    for (doc, extras) in rows {
        let before = starts.len();
        let string = |id| doc.snapshot().string(StrId::new(id)).unwrap_or_default();
        // Reading has compared the offsets with the bounds of the document.
        let offset = |at: i32| u32::try_from(at).unwrap_or_default();
        for (keys, group) in read_groups(&extras.span_groups, bounds(doc))? {
            for key in keys {
                for span in &group.spans {
                    names.append_value(key);
                    starts.push(offset(span.start));
                    ends.push(offset(span.end));
                    labels.append_value(string(span.label));
                    kb_ids.append_value(string(span.kb_id));
                }
            }
        }
        lens.push(starts.len() - before);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(names.finish()),
        Arc::new(UInt32Array::from(starts)),
        Arc::new(UInt32Array::from(ends)),
        Arc::new(labels.finish()),
        Arc::new(kb_ids.finish()),
    ];
    lists("spans", lens.into_iter(), span_fields(), columns, None)
}
