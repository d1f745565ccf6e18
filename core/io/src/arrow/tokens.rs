//! Tokens as rows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type, UInt8Type, UInt32Type};
use arrow_array::{
    ArrayRef, BooleanArray, PrimitiveArray, StringViewArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use lexpool::codes;
use lexpool::strings::StrId;
use lexpool::tokens::{Doc, Token};
use lexpool::{Error, Result};
use lexpool_structs::Pos;

use super::annotation;
use super::strings::StringColumn;
use super::table::{Columns, Table};
use super::texts::DocTexts;

/// Converts the tokens of a range to one batch.
///
/// | column | type | content |
/// | --- | --- | --- |
/// | `text` | utf8 view | the token's text, in the document's memory |
/// | `start`, `end` | uint32 | its offsets in the document, in characters |
/// | `orth` | uint64 | the id of its word |
/// | `space` | bool | true if a space follows |
/// | `lemma`, `pos`, `tag`, `dep`, `ent_type` | utf8 view | annotation |
/// | `head` | uint32 | the position of the head in the document; that of the token itself for a root |
/// | `ent_iob` | uint8 | 1 inside an entity, 2 outside, 3 at the beginning of one |
/// | `sent_start` | int8 | 1 at the beginning of a sentence, -1 elsewhere |
///
/// All columns are always present. Annotation that is not set is null: whole columns, for a
/// document that was only tokenized. Cost: one pass over the tokens; about 120 bytes per annotated
/// token, without a copy of the text.
///
/// # Errors
///
/// `E035` unless the range is within the document; `arrow-too-long` for a token of more than 2^30
/// bytes, `arrow-too-many` for more than 2 GiB of distinct lemmas.
pub fn tokens(doc: &Doc, range: Range<usize>) -> Result<Table> {
    doc.span(range.start, range.end)?;
    let columns = columns(doc, range)?;
    Table::new(Schema::new(fields()), [columns])
}

/// Converts all tokens of some documents, one batch per document, as [`tokens`] does. The first
/// column, `doc` (uint32), has the position of the document in `docs`.
///
/// # Errors
///
/// As for [`tokens`]; `arrow-too-many` for more than 2^32 documents.
pub fn tokens_of_docs(docs: &[&Doc]) -> Result<Table> {
    let mut named = vec![Field::new("doc", DataType::UInt32, false)];
    named.extend(fields());
    let mut batches = Vec::with_capacity(docs.len());
    for (i, doc) in docs.iter().enumerate() {
        let Ok(i) = u32::try_from(i) else {
            let text = format!("{} documents; at most 2^32", docs.len());
            return Err(Error::value(codes::ARROW_TOO_MANY, text));
        };
        let number: ArrayRef = Arc::new(UInt32Array::from_value(i, doc.len()));
        let mut batch = vec![number];
        batch.extend(columns(doc, 0..doc.len())?);
        batches.push(batch);
    }
    Table::new(Schema::new(named), batches)
}

fn fields() -> Vec<Field> {
    let mut fields = vec![Field::new("text", DataType::Utf8View, false)];
    fields.extend(plain_fields());
    let annotation = [
        ("lemma", DataType::Utf8View),
        ("pos", DataType::Utf8View),
        ("tag", DataType::Utf8View),
        ("dep", DataType::Utf8View),
        ("head", DataType::UInt32),
        ("ent_type", DataType::Utf8View),
        ("ent_iob", DataType::UInt8),
        ("sent_start", DataType::Int8),
    ];
    fields.extend(annotation.map(|(name, kind)| Field::new(name, kind, true)));
    fields
}

/// Returns the fields of a token without annotation, besides its text.
pub(super) fn plain_fields() -> [Field; 4] {
    [
        Field::new("start", DataType::UInt32, false),
        Field::new("end", DataType::UInt32, false),
        Field::new("orth", DataType::UInt64, false),
        Field::new("space", DataType::Boolean, false),
    ]
}

/// Returns the columns of [`plain_fields`].
pub(super) fn plain_columns<'a>(
    tokens: impl Iterator<Item = Token<'a>>,
    len: usize,
) -> [ArrayRef; 4] {
    let (mut starts, mut ends) = (Vec::with_capacity(len), Vec::with_capacity(len));
    let (mut orths, mut spaces) = (Vec::with_capacity(len), Vec::with_capacity(len));
    for token in tokens {
        starts.push(token.record().idx);
        ends.push(u32::try_from(token.end_char()).expect("a text has fewer than 2^30 characters"));
        orths.push(token.lex().orth().get());
        spaces.push(token.record().spacy());
    }
    [
        Arc::new(UInt32Array::from(starts)),
        Arc::new(UInt32Array::from(ends)),
        Arc::new(UInt64Array::from(orths)),
        Arc::new(BooleanArray::from(spaces)),
    ]
}

fn columns(doc: &Doc, range: Range<usize>) -> Result<Columns> {
    let len = range.len();
    let tokens = || doc.iter().skip(range.start).take(len);
    let mut texts = DocTexts::with_capacity(len);
    let source = texts.source(doc);
    for token in tokens() {
        texts.push(&source, token.text(), token.record().byte as usize)?;
    }
    let mut columns = vec![texts.finish()];
    columns.extend(plain_columns(tokens(), len));

    let of_id = |id| (id != 0).then(|| doc.snapshot().string(StrId::new(id))).flatten();
    let of_pos = |number| {
        let pos = u32::try_from(number).ok().and_then(Pos::from_number);
        pos.filter(|pos| pos.number() != 0).map(Pos::name)
    };
    let tags = doc.tag_records().map(|tags| &tags[range.clone()]);
    let syntax = doc.syntax_records().map(|syntax| &syntax[range.clone()]);
    let entities = doc.entity_records().map(|entities| &entities[range.clone()]);
    columns.push(strings(tags, len, |record| record.lemma, of_id)?);
    columns.push(strings(tags, len, |record| u64::from(record.pos), of_pos)?);
    columns.push(strings(tags, len, |record| record.tag, of_id)?);
    columns.push(strings(syntax, len, |record| record.dep, of_id)?);
    columns.push(numbers::<UInt32Type>(tokens().map(|token| annotation::head(&token))));
    columns.push(strings(entities, len, |record| record.ent_type, of_id)?);
    columns.push(numbers::<UInt8Type>(tokens().map(|token| annotation::ent_iob(&token))));
    let starts = annotation::sent_starts(doc).skip(range.start).take(len);
    columns.push(numbers::<Int8Type>(starts));
    Ok(columns)
}

fn strings<'a, R>(
    records: Option<&[R]>,
    len: usize,
    read: impl Fn(&R) -> u64,
    find: impl Fn(u64) -> Option<&'a str>,
) -> Result<ArrayRef> {
    let Some(records) = records else {
        return Ok(Arc::new(StringViewArray::new_null(len)));
    };
    let mut strings = StringColumn::with_capacity(len);
    for record in records {
        strings.push(read(record), &find)?;
    }
    strings.finish()
}

fn numbers<T: ArrowPrimitiveType>(values: impl Iterator<Item = Option<T::Native>>) -> ArrayRef {
    Arc::new(values.collect::<PrimitiveArray<T>>())
}
