//! The documents of a batch: views of its memory, created once all of it is validated.
//!
//! # Safety
//!
//! - `B1`: documents borrow the memory of a batch, which is owned and immutable, or a mapping of a
//!   file that must not change while it is open. [`BatchData`] owns the batch, and the shared
//!   region owns the `BatchData`, so the memory outlives every buffer of the region.
//! - `B2`: the text of a document is a `str`, whose UTF-8 Arrow has validated.

use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ListArray, RecordBatch};
use bytemuck::Pod;
use lexpool::Result;
use lexpool::formats::DocExtras;
use lexpool::formats::span_group::Bounds;
use lexpool::tokens::Doc;
use lexpool::vocab::{MappedVocab, VocabSnapshot};
use lexpool_pool::{RecordBuffer, SharedRegion};
use lexpool_structs::TokenC;

use super::doc_parts::DocParts;
use super::packing::UnpackedTokens;
use super::schema::{ENTITIES, SYNTAX, TAGS, TEXT, TOKENS, UNKNOWN_SPACES};
use super::validate::{IndexLimits, invalid_document, validate_document};

/// A batch with validated documents.
pub(super) struct BatchDocs {
    data: Arc<BatchData>,
    region: SharedRegion,
}

/// Memory that documents borrow.
pub(super) struct BatchData {
    batch: RecordBatch,
    /// The tokens of a compressed file.
    unpacked: Option<UnpackedTokens>,
}

impl BatchDocs {
    /// Validates all documents of a batch. Cost: one or two nanoseconds per token, more for text
    /// that is not ASCII.
    ///
    /// # Errors
    ///
    /// `corpus-document` with the row of the document and the check that failed.
    pub(super) fn of(
        batch: &RecordBatch,
        image: &MappedVocab,
        limits: IndexLimits,
    ) -> Result<BatchDocs> {
        let is_packed = batch.column(TOKENS).as_list_opt::<i32>().is_none();
        let unpacked = is_packed.then(|| UnpackedTokens::of(batch, image)).transpose()?;
        let data = Arc::new(BatchData { batch: batch.clone(), unpacked });
        for row in 0..batch.num_rows() {
            let parts = data.parts(row).and_then(|parts| {
                validate_document(&parts, limits)?;
                Ok(parts)
            });
            let parts = parts.map_err(|text| invalid_document(row, &text))?;
            let bounds = bounds(&parts);
            if has_extras(batch, row) {
                super::extras::read(batch, row, bounds)
                    .map_err(|error| error.context(format!("row {row}")))?;
            }
        }
        // A batch is immutable plain data, so a panic cannot leave it inconsistent.
        let region = SharedRegion::new(Box::new(AssertUnwindSafe(Arc::clone(&data))))?;
        Ok(BatchDocs { data, region })
    }

    /// Returns the document of a row, which must exist. Cost: two reference counts, and an
    /// allocation if it is annotated.
    pub(super) fn doc(&self, row: usize, snapshot: &Arc<VocabSnapshot>) -> Result<Doc> {
        let parts = self.parts(row)?;
        // SAFETY: B1: the region owns the batch that the records and the text borrow.
        let tokens = unsafe { self.region.buffer(parts.tokens, parts.text.as_bytes()) }?;
        let tags = self.borrow_records(parts.tags)?;
        let syntax = self.borrow_records(parts.syntax)?;
        let entities = self.borrow_records(parts.entities)?;
        // SAFETY: B2: the bytes are those of a `str`.
        let doc = unsafe { Doc::from_parts(snapshot, tokens, tags, syntax, entities) };
        let unknown = self.data.batch.column(UNKNOWN_SPACES).as_boolean().value(row);
        Ok(if unknown { doc.with_unknown_spaces() } else { doc })
    }

    /// Returns the extras of a row.
    pub(super) fn extras(&self, row: usize) -> Result<DocExtras> {
        if !has_extras(&self.data.batch, row) {
            return Ok(DocExtras::default());
        }
        let bounds = bounds(&self.parts(row)?);
        super::extras::read(&self.data.batch, row, bounds)
    }

    /// Returns the tokens of consecutive rows.
    pub(super) fn tokens(&self, rows: Range<usize>) -> &[TokenC] {
        let at = |row: usize| {
            if let Some(unpacked) = &self.data.unpacked {
                return row.checked_sub(1).map_or(0, |before| unpacked.ends[before]);
            }
            let offsets = self.data.batch.column(TOKENS).as_list::<i32>().value_offsets();
            usize::try_from(offsets[row]).unwrap_or_default()
        };
        self.data.tokens().get(at(rows.start)..at(rows.end)).unwrap_or_default()
    }

    pub(super) fn parts(&self, row: usize) -> Result<DocParts<'_>> {
        self.data.parts(row).map_err(|text| invalid_document(row, &text))
    }

    fn borrow_records<T: Pod>(&self, records: Option<&[T]>) -> Result<Option<RecordBuffer<T>>> {
        // SAFETY: B1: the region owns the batch that the records borrow.
        Ok(records.map(|records| unsafe { self.region.buffer(records, &[]) }).transpose()?)
    }
}

impl BatchData {
    fn tokens(&self) -> &[TokenC] {
        match &self.unpacked {
            Some(unpacked) => &unpacked.tokens,
            None => records(self.batch.column(TOKENS).as_list::<i32>()).unwrap_or_default(),
        }
    }

    fn parts(&self, row: usize) -> Result<DocParts<'_>, String> {
        let text = self.batch.column(TEXT).as_string::<i64>().value(row);
        let tokens = match &self.unpacked {
            Some(unpacked) => unpacked.of_row(row),
            None => self.annotation(TOKENS, row)?.unwrap_or_default(),
        };
        Ok(DocParts {
            text,
            tokens,
            tags: self.annotation(TAGS, row)?,
            syntax: self.annotation(SYNTAX, row)?,
            entities: self.annotation(ENTITIES, row)?,
        })
    }

    fn annotation<T: Pod>(&self, column: usize, row: usize) -> Result<Option<&[T]>, String> {
        let list = self.batch.column(column).as_list::<i32>();
        if list.is_null(row) {
            return Ok(None);
        }
        slice(records(list)?, list.value_offsets(), row).map(Some)
    }
}

/// Returns the records of all lists of a column.
fn records<T: Pod>(list: &ListArray) -> Result<&[T], String> {
    let values = list.values().as_fixed_size_binary();
    let bytes = values.value_data().get(..values.len() * size_of::<T>());
    let bytes = bytes.ok_or_else(|| format!("{} records without bytes", values.len()))?;
    bytemuck::try_cast_slice(bytes).map_err(|error| format!("misaligned records: {error}"))
}

fn slice<'a, T>(records: &'a [T], offsets: &[i32], row: usize) -> Result<&'a [T], String> {
    let [start, end] = [offsets[row], offsets[row + 1]];
    let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(0);
    let len = records.len();
    records.get(range).ok_or_else(|| format!("records {start}..{end}, but there are {len}"))
}

fn has_extras(batch: &RecordBatch, row: usize) -> bool {
    (super::schema::SPANS..=super::schema::USER_DATA).any(|it| batch.column(it).is_valid(row))
}

fn bounds(parts: &DocParts<'_>) -> Bounds {
    let chars = match parts.tokens.last() {
        Some(last) => {
            let rest = parts.text.get(last.byte as usize..).unwrap_or_default();
            last.idx as usize + rest.chars().count()
        }
        None => 0,
    };
    Bounds { tokens: parts.tokens.len(), chars }
}
