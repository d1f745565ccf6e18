//! The documents of a batch: views on its memory, made after all of it was judged.
//!
//! Holds unsafe code: documents are made of the memory of a batch, which they keep.

use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ListArray, RecordBatch};
use bytemuck::Pod;
use lexpool_pool::{RecordBuffer, SharedRegion};
use lexpool_structs::TokenC;

use super::check::{self, Limits};
use super::packing::Unpacked;
use super::schema::{ENTITIES, SYNTAX, TAGS, TEXT, TOKENS, UNKNOWN_SPACES};
use crate::Result;
use crate::formats::DocExtras;
use crate::formats::span_group::Bounds;
use crate::tokens::Doc;
use crate::vocab::{MappedVocab, VocabSnapshot};

/// A batch whose documents hold.
pub(super) struct Docs {
    kept: Arc<Kept>,
    lender: SharedRegion,
}

/// What documents look at.
pub(super) struct Kept {
    batch: RecordBatch,
    /// Of a compressed file.
    unpacked: Option<Unpacked>,
}

/// Where the parts of one document lie.
pub(super) struct Parts<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [TokenC],
    pub(super) tags: Option<&'a [lexpool_structs::TagC]>,
    pub(super) syntax: Option<&'a [lexpool_structs::SyntaxC]>,
    pub(super) entities: Option<&'a [lexpool_structs::EntityC]>,
}

impl Docs {
    /// Judges all documents of a batch. Cost: a nanosecond or two a token, more where text is not
    /// ASCII.
    ///
    /// # Errors
    ///
    /// `corpus-document`, with the document's number in the batch and what does not hold.
    pub(super) fn of(batch: &RecordBatch, image: &MappedVocab, limits: Limits) -> Result<Docs> {
        let is_packed = batch.column(TOKENS).as_list_opt::<i32>().is_none();
        let unpacked = is_packed.then(|| Unpacked::of(batch, image)).transpose()?;
        let kept = Arc::new(Kept { batch: batch.clone(), unpacked });
        for row in 0..batch.num_rows() {
            let parts = kept.parts(row).and_then(|parts| {
                check::document(&parts, limits)?;
                Ok(parts)
            });
            let parts = parts.map_err(|text| check::wrong(row, &text))?;
            let bounds = bounds(&parts);
            if carries(batch, row) {
                super::extras::read(batch, row, bounds)
                    .map_err(|error| error.context(format!("row {row}")))?;
            }
        }
        // A batch is plain data that nobody changes, whatever happens meanwhile.
        let lender = SharedRegion::new(Box::new(AssertUnwindSafe(Arc::clone(&kept))))?;
        Ok(Docs { kept, lender })
    }

    /// The document of a row, which is there. Cost: two counts, and an allocation if it is
    /// annotated.
    pub(super) fn doc(&self, row: usize, snapshot: &VocabSnapshot) -> Result<Doc> {
        let parts = self.parts(row)?;
        // SAFETY: the lender keeps the batch, whose memory is a mapped file, which must not change,
        // or was read.
        let buffer = unsafe { self.lender.buffer(parts.tokens, parts.text.as_bytes()) }?;
        let doc = Doc::from_buffer(snapshot.clone(), buffer, None).with_columns(
            self.lend(parts.tags)?,
            self.lend(parts.syntax)?,
            self.lend(parts.entities)?,
        );
        let unknown = self.kept.batch.column(UNKNOWN_SPACES).as_boolean().value(row);
        Ok(if unknown { doc.with_unknown_spaces() } else { doc })
    }

    /// What the document of a row carries.
    pub(super) fn extras(&self, row: usize) -> Result<DocExtras> {
        if !carries(&self.kept.batch, row) {
            return Ok(DocExtras::default());
        }
        let bounds = bounds(&self.parts(row)?);
        super::extras::read(&self.kept.batch, row, bounds)
    }

    /// The tokens of some rows of the batch.
    pub(super) fn tokens(&self, rows: Range<usize>) -> &[TokenC] {
        let at = |row: usize| {
            if let Some(unpacked) = &self.kept.unpacked {
                return row.checked_sub(1).map_or(0, |before| unpacked.ends[before]);
            }
            let offsets = self.kept.batch.column(TOKENS).as_list::<i32>().value_offsets();
            usize::try_from(offsets[row]).unwrap_or_default()
        };
        self.kept.tokens().get(at(rows.start)..at(rows.end)).unwrap_or_default()
    }

    pub(super) fn parts(&self, row: usize) -> Result<Parts<'_>> {
        self.kept.parts(row).map_err(|text| check::wrong(row, &text))
    }

    fn lend<T: Pod>(&self, records: Option<&[T]>) -> Result<Option<RecordBuffer<T>>> {
        // SAFETY: as for the tokens.
        Ok(records.map(|records| unsafe { self.lender.buffer(records, &[]) }).transpose()?)
    }
}

impl Kept {
    fn tokens(&self) -> &[TokenC] {
        match &self.unpacked {
            Some(unpacked) => &unpacked.tokens,
            None => records(self.batch.column(TOKENS).as_list::<i32>()).unwrap_or_default(),
        }
    }

    fn parts(&self, row: usize) -> Result<Parts<'_>, String> {
        let text = self.batch.column(TEXT).as_string::<i64>().value(row);
        let tokens = match &self.unpacked {
            Some(unpacked) => unpacked.of_row(row),
            None => self.facet(TOKENS, row)?.unwrap_or_default(),
        };
        Ok(Parts {
            text,
            tokens,
            tags: self.facet(TAGS, row)?,
            syntax: self.facet(SYNTAX, row)?,
            entities: self.facet(ENTITIES, row)?,
        })
    }

    fn facet<T: Pod>(&self, column: usize, row: usize) -> Result<Option<&[T]>, String> {
        let list = self.batch.column(column).as_list::<i32>();
        if list.is_null(row) {
            return Ok(None);
        }
        slice(records(list)?, list.value_offsets(), row).map(Some)
    }
}

/// The records of all lists.
fn records<T: Pod>(list: &ListArray) -> Result<&[T], String> {
    let values = list.values().as_fixed_size_binary();
    let bytes = values.value_data().get(..values.len() * size_of::<T>());
    let bytes = bytes.ok_or_else(|| format!("{} records without their bytes", values.len()))?;
    bytemuck::try_cast_slice(bytes).map_err(|error| format!("the records lie askew: {error}"))
}

fn slice<'a, T>(records: &'a [T], offsets: &[i32], row: usize) -> Result<&'a [T], String> {
    let [start, end] = [offsets[row], offsets[row + 1]];
    let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(0);
    let len = records.len();
    records.get(range).ok_or_else(|| format!("records {start} to {end} of {len}"))
}

fn carries(batch: &RecordBatch, row: usize) -> bool {
    (super::schema::SPANS..=super::schema::USER_DATA).any(|it| batch.column(it).is_valid(row))
}

fn bounds(parts: &Parts<'_>) -> Bounds {
    let chars = match parts.tokens.last() {
        Some(last) => {
            let rest = parts.text.get(last.byte as usize..).unwrap_or_default();
            last.idx as usize + rest.chars().count()
        }
        None => 0,
    };
    Bounds { tokens: parts.tokens.len(), chars }
}
