//! A row a document.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields, Schema};

use super::rows::{plain_columns, plain_fields};
use super::texts::Texts;
use super::{Columns, Table, unfit};
use crate::Result;
use crate::tokens::Doc;

/// The most documents of a batch, each of which may have a buffer of its own.
const MOST_DOCS: usize = 1024;

/// A batch takes no further document when it has so many tokens: offsets in lists have 31 bits, and
/// a document has fewer than 2^30 tokens.
const ENOUGH_TOKENS: usize = 1 << 24;

/// Documents, a row each.
///
/// | column | type | holds |
/// | --- | --- | --- |
/// | `text` | utf8 view | the text, in the document's memory |
/// | `n_tokens` | uint32 | how many tokens there are |
/// | `tokens` | list of struct | `start`, `end`, `orth`, `space`, as [`tokens`](super::tokens) has them |
///
/// Nothing is null. Batches have up to 1024 documents. Cost: one pass over the tokens; 16 bytes a
/// token, 100 or so a document, and none for its text.
///
/// # Errors
///
/// `arrow-too-long` for a text of more than 2^31 - 1 bytes.
pub fn docs(docs: &[&Doc]) -> Result<Table> {
    let mut batches = Vec::new();
    let mut rest = docs;
    while !rest.is_empty() {
        let mut tokens = 0;
        let fits = |doc: &&&Doc| {
            let fits = tokens < ENOUGH_TOKENS;
            tokens += doc.len();
            fits
        };
        let n = rest.iter().take(MOST_DOCS).take_while(fits).count();
        let (now, later) = rest.split_at(n);
        batches.push(columns(now)?);
        rest = later;
    }
    let fields = vec![
        Field::new("text", DataType::Utf8View, false),
        Field::new("n_tokens", DataType::UInt32, false),
        Field::new("tokens", DataType::List(item()), false),
    ];
    Table::new(Schema::new(fields), batches)
}

fn item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(Fields::from(plain_fields().to_vec())), false))
}

fn columns(docs: &[&Doc]) -> Result<Columns> {
    let mut texts = Texts::with_capacity(docs.len());
    for doc in docs {
        let source = texts.source(doc);
        texts.push(&source, doc.text(), 0)?;
    }
    let counts = docs.iter().map(|doc| u32::try_from(doc.len()).expect("fewer than 2^30 tokens"));
    let counts = UInt32Array::from_iter_values(counts);
    let len = docs.iter().map(|doc| doc.len()).sum();
    let rows = plain_columns(docs.iter().flat_map(|doc| doc.iter()), len);
    let fields = Fields::from(plain_fields().to_vec());
    let rows = StructArray::try_new(fields, rows.to_vec(), None).map_err(|error| unfit(&error))?;
    let offsets = OffsetBuffer::from_lengths(docs.iter().map(|doc| doc.len()));
    let lists = ListArray::try_new(item(), offsets, Arc::new(rows), None);
    let lists: ArrayRef = Arc::new(lists.map_err(|error| unfit(&error))?);
    Ok(vec![texts.finish(), Arc::new(counts), lists])
}
