//! Documents as rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields, Schema};
use lexpool::Result;
use lexpool::tokens::Doc;

use super::errors::internal;
use super::table::{Columns, Table};
use super::texts::DocTexts;
use super::tokens::{plain_columns, plain_fields};

/// Limit of the documents of a batch, each of which may have a buffer of its own.
const MAX_DOCS: usize = 1024;

/// Number of tokens after which a batch is full. Offsets of lists have 31 bits, and a document has
/// fewer than 2^30 tokens.
const BATCH_TOKENS: usize = 1 << 24;

/// Converts documents to rows.
///
/// | column | type | content |
/// | --- | --- | --- |
/// | `text` | utf8 view | the text, in the document's memory |
/// | `n_tokens` | uint32 | number of tokens |
/// | `tokens` | list of struct | `start`, `end`, `orth`, `space`, as in [`tokens`](super::tokens) |
///
/// No value is null. Batches have up to 1024 documents. Cost: one pass over the tokens; 16 bytes
/// per token and about 100 per document, without a copy of the text.
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
            let fits = tokens < BATCH_TOKENS;
            tokens += doc.len();
            fits
        };
        let n = rest.iter().take(MAX_DOCS).take_while(fits).count();
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
    let mut texts = DocTexts::with_capacity(docs.len());
    for doc in docs {
        let source = texts.source(doc);
        texts.push(&source, doc.text(), 0)?;
    }
    let counts = docs.iter().map(|doc| u32::try_from(doc.len()).expect("fewer than 2^30 tokens"));
    let counts = UInt32Array::from_iter_values(counts);
    let len = docs.iter().map(|doc| doc.len()).sum();
    let rows = plain_columns(docs.iter().flat_map(|doc| doc.iter()), len);
    let fields = Fields::from(plain_fields().to_vec());
    let rows =
        StructArray::try_new(fields, rows.to_vec(), None).map_err(|error| internal(&error))?;
    let offsets = OffsetBuffer::from_lengths(docs.iter().map(|doc| doc.len()));
    let lists = ListArray::try_new(item(), offsets, Arc::new(rows), None);
    let lists: ArrayRef = Arc::new(lists.map_err(|error| internal(&error))?);
    Ok(vec![texts.finish(), Arc::new(counts), lists])
}
