//! Extras of documents (categories, groups of spans, user data) as columns that any tool can read.
//!
//! Groups of spans and categories become lists of structs. Groups that these cannot express (with
//! attributes, with a name other than the key, or empty) are also kept as spaCy's bytes, which take
//! precedence.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, ListArray, RecordBatch, StructArray, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use lexpool::codes;
use lexpool::formats::DocExtras;
use lexpool::formats::span_group::{Bounds, SpanGroup, read_groups};
use lexpool::msgpack::{Value, Writer};
use lexpool::strings::StrId;
use lexpool::vocab::{VocabSnapshot, unknown_id};
use lexpool::{Error, Result};
use lexpool_structs::SpanC;

use super::super::cats::cats_of;
use super::errors::internal;
use super::schema::{self, CATS, SPAN_GROUPS, SPANS, USER_DATA};

/// Extras of one document, decoded.
#[derive(Default)]
pub(super) struct ExtraValues {
    spans: Vec<(String, SpanC, String)>,
    cats: Vec<(String, f64)>,
    span_groups: Option<Box<[u8]>>,
    user_data: Option<Box<[u8]>>,
}

impl ExtraValues {
    /// Decodes extras.
    ///
    /// # Errors
    ///
    /// `span-group` for spans outside the bounds, `E018` for a label without a string,
    /// `corpus-cats` for a category other than a name with a number.
    pub(super) fn of(
        extras: DocExtras,
        bounds: Bounds,
        snapshot: &VocabSnapshot,
    ) -> Result<ExtraValues> {
        let mut values = ExtraValues { user_data: extras.user_data, ..ExtraValues::default() };
        let groups = read_groups(&extras.span_groups, bounds)?;
        let mut is_lossy = false;
        for (keys, group) in &groups {
            is_lossy |= group.spans.is_empty() || *keys != [group.name] || group.attrs != [0x80];
            for (key, span) in
                keys.iter().flat_map(|key| group.spans.iter().map(move |it| (key, it)))
            {
                let label = StrId::new(span.label);
                let label = snapshot.string(label).ok_or_else(|| unknown_id(label))?;
                values.spans.push(((*key).to_owned(), *span, label.to_owned()));
            }
        }
        if is_lossy {
            values.span_groups = Some(extras.span_groups);
        }
        if !extras.cats.is_empty() {
            values.cats = cats_of(&extras.cats)?;
        }
        Ok(values)
    }

    /// Returns the strings of the ids of spans.
    pub(super) fn strings<'a>(
        &'a self,
        snapshot: &'a VocabSnapshot,
    ) -> impl Iterator<Item = &'a str> {
        let ids = self.spans.iter().flat_map(|(_, span, _)| [span.kb_id, span.id]);
        let ids = ids.filter(|id| *id != 0).filter_map(|id| snapshot.string(StrId::new(id)));
        self.spans.iter().map(|(_, _, label)| label.as_str()).chain(ids)
    }
}

/// Returns the four columns of extras.
pub(super) fn columns(docs: &[ExtraValues]) -> Result<[ArrayRef; 4]> {
    Ok([
        spans(docs)?,
        cats(docs)?,
        binary(docs, |doc| &doc.span_groups),
        binary(docs, |doc| &doc.user_data),
    ])
}

fn spans(docs: &[ExtraValues]) -> Result<ArrayRef> {
    let all = || docs.iter().flat_map(|doc| &doc.spans);
    let (mut groups, mut labels) = (StringBuilder::new(), StringBuilder::new());
    for (group, _, label) in all() {
        groups.append_value(group);
        labels.append_value(label);
    }
    let number = |read: fn(&SpanC) -> i32| -> ArrayRef {
        // Validated: a span lies in its document.
        let value = |span| u32::try_from(read(span)).unwrap_or_default();
        Arc::new(UInt32Array::from_iter_values(all().map(|(_, span, _)| value(span))))
    };
    let id = |read: fn(&SpanC) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(all().map(|(_, span, _)| read(span))))
    };
    let columns = vec![
        Arc::new(groups.finish()) as ArrayRef,
        number(|span| span.start),
        number(|span| span.end),
        number(|span| span.start_char),
        number(|span| span.end_char),
        Arc::new(labels.finish()),
        id(|span| span.kb_id),
        id(|span| span.id),
    ];
    lists(schema::span_fields(), columns, docs.iter().map(|doc| doc.spans.len()))
}

fn cats(docs: &[ExtraValues]) -> Result<ArrayRef> {
    let all = || docs.iter().flat_map(|doc| &doc.cats);
    let mut labels = StringBuilder::new();
    all().for_each(|(label, _)| labels.append_value(label));
    let scores = Float64Array::from_iter_values(all().map(|(_, score)| *score));
    let columns: Vec<ArrayRef> = vec![Arc::new(labels.finish()), Arc::new(scores)];
    lists(schema::cat_fields(), columns, docs.iter().map(|doc| doc.cats.len()))
}

/// Builds a list per document, null if it would be empty.
fn lists(
    fields: arrow_schema::Fields,
    columns: Vec<ArrayRef>,
    lens: impl Iterator<Item = usize> + Clone,
) -> Result<ArrayRef> {
    let validity = lens.clone().map(|len| len > 0).collect::<NullBuffer>();
    let total: usize = lens.clone().sum();
    if i32::try_from(total).is_err() {
        let text = format!("{total} items in one batch; at most 2^31 - 1");
        return Err(Error::value(codes::CORPUS_TOO_MANY, text));
    }
    let rows =
        StructArray::try_new(fields.clone(), columns, None).map_err(|error| internal(&error))?;
    let offsets = OffsetBuffer::from_lengths(lens);
    let item = schema::item(DataType::Struct(fields));
    let list = ListArray::try_new(item, offsets, Arc::new(rows), Some(validity));
    Ok(Arc::new(list.map_err(|error| internal(&error))?))
}

fn binary(docs: &[ExtraValues], part: impl Fn(&ExtraValues) -> &Option<Box<[u8]>>) -> ArrayRef {
    let mut out = LargeBinaryBuilder::new();
    for doc in docs {
        out.append_option(part(doc).as_deref());
    }
    Arc::new(out.finish())
}

/// Reads the extras of a row.
///
/// # Errors
///
/// `span-group` for spans outside the bounds, and `msgpack-...` for bytes that are not a message.
pub(super) fn read(batch: &RecordBatch, row: usize, bounds: Bounds) -> Result<DocExtras> {
    let mut extras = DocExtras::default();
    let binary = |column: usize| {
        let column = batch.column(column).as_binary::<i64>();
        column.is_valid(row).then(|| Box::<[u8]>::from(column.value(row)))
    };
    extras.user_data = binary(USER_DATA);
    if let Some(bytes) = &extras.user_data {
        Value::from_bytes(bytes)?;
    }
    let cats = batch.column(CATS).as_list::<i32>();
    if cats.is_valid(row) && cats.value_length(row) > 0 {
        let cats = cats.value(row);
        let cats = cats.as_struct();
        let (labels, scores) =
            (cats.column(0).as_string::<i32>(), cats.column(1).as_primitive::<Float64Type>());
        let mut out = Writer::new();
        out.map(cats.len())?;
        for i in 0..cats.len() {
            out.str(labels.value(i))?;
            out.float(scores.value(i));
        }
        extras.cats = out.into_bytes().into();
    }
    if let Some(groups) = binary(SPAN_GROUPS) {
        read_groups(&groups, bounds)?;
        extras.span_groups = groups;
        return Ok(extras);
    }
    let spans = batch.column(SPANS).as_list::<i32>();
    if spans.is_valid(row) && spans.value_length(row) > 0 {
        extras.span_groups = groups_of(spans.value(row).as_struct())?;
        read_groups(&extras.span_groups, bounds)?;
    }
    Ok(extras)
}

/// Encodes rows of spans as the bytes of groups; the spans of a group are consecutive.
fn groups_of(spans: &StructArray) -> Result<Box<[u8]>> {
    let (names, labels) = (spans.column(0).as_string::<i32>(), spans.column(5).as_string::<i32>());
    let number = |column: usize, i: usize| {
        i32::try_from(spans.column(column).as_primitive::<UInt32Type>().value(i))
            .unwrap_or(i32::MAX)
    };
    let id = |column: usize, i: usize| spans.column(column).as_primitive::<UInt64Type>().value(i);
    let mut groups: Vec<SpanGroup<'_>> = Vec::new();
    for i in 0..spans.len() {
        let name = names.value(i);
        if groups.last().is_none_or(|group| group.name != name) {
            groups.push(SpanGroup { name, attrs: b"\x80", spans: Vec::new() });
        }
        let span = SpanC {
            start: number(1, i),
            end: number(2, i),
            start_char: number(3, i),
            end_char: number(4, i),
            label: StrId::of(labels.value(i)).get(),
            kb_id: id(6, i),
            id: id(7, i),
        };
        groups.last_mut().expect("there is one").spans.push(span);
    }
    let mut out = Writer::new();
    out.map(groups.len())?;
    for group in groups {
        out.bytes(&group.to_bytes()?)?;
        out.array(1)?;
        out.str(group.name)?;
    }
    Ok(out.into_bytes().into())
}
