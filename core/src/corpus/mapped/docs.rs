//! The documents of a batch: views on its memory, made after all of it was judged.
//!
//! Holds unsafe code: documents are made of the memory of a batch, which they keep.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ListArray, RecordBatch};
use bytemuck::Pod;
use lexpool_pool::{Leaf, Lender};
use lexpool_structs::TokenC;

use super::check::{self, Limits};
use super::schema::{ENTITIES, SYNTAX, TAGS, TEXT, TOKENS, UNKNOWN_SPACES};
use crate::Result;
use crate::formats::DocExtras;
use crate::formats::span_group::Bounds;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::Scope;

/// A batch whose documents hold.
pub(super) struct Docs {
    kept: Arc<Kept>,
    lender: Lender,
}

/// What documents look at.
pub(super) struct Kept {
    batch: RecordBatch,
    /// Of a compressed file.
    unpacked: Option<Vec<TokenC>>,
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
    pub(super) fn of(batch: &RecordBatch, scope: &Scope, limits: Limits) -> Result<Docs> {
        let unpacked = match batch.column(TOKENS).as_list::<i32>().values().as_struct_opt() {
            Some(_) => Some(unpack(batch, scope)?),
            None => None,
        };
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
        let lender = Lender::new(Box::new(AssertUnwindSafe(Arc::clone(&kept))))?;
        Ok(Docs { kept, lender })
    }

    /// The document of a row, which is there. Cost: two counts, and an allocation if it is
    /// annotated.
    pub(super) fn doc(&self, row: usize, scope: &Scope) -> Result<Doc> {
        let parts = self.parts(row)?;
        // SAFETY: the lender keeps the batch, whose memory is a mapped file, which must not change,
        // or was read.
        let leaf = unsafe { self.lender.leaf(parts.tokens, parts.text.as_bytes()) }?;
        let doc = Doc::from_leaf(scope.clone(), leaf, None).with_facets(
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

    /// The tokens of the batch, those of rows `rows` of it.
    pub(super) fn tokens(&self, rows: std::ops::Range<usize>) -> &[TokenC] {
        let offsets = self.kept.batch.column(TOKENS).as_list::<i32>().value_offsets();
        let at = |row: usize| usize::try_from(offsets[row]).unwrap_or_default();
        self.kept.tokens().get(at(rows.start)..at(rows.end)).unwrap_or_default()
    }

    pub(super) fn parts(&self, row: usize) -> Result<Parts<'_>> {
        self.kept.parts(row).map_err(|text| check::wrong(row, &text))
    }

    fn lend<T: Pod>(&self, records: Option<&[T]>) -> Result<Option<Leaf<T>>> {
        // SAFETY: as for the tokens.
        Ok(records.map(|records| unsafe { self.lender.leaf(records, &[]) }).transpose()?)
    }
}

impl Kept {
    fn tokens(&self) -> &[TokenC] {
        match &self.unpacked {
            Some(tokens) => tokens,
            None => records(self.batch.column(TOKENS).as_list::<i32>()).unwrap_or_default(),
        }
    }

    fn parts(&self, row: usize) -> Result<Parts<'_>, String> {
        let text = self.batch.column(TEXT).as_string::<i64>().value(row);
        let tokens = match &self.unpacked {
            Some(tokens) => {
                let offsets = self.batch.column(TOKENS).as_list::<i32>().value_offsets();
                slice(tokens, offsets, row)?
            }
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

/// Makes the tokens of a compressed file, whose words are looked up by their texts.
fn unpack(batch: &RecordBatch, scope: &Scope) -> Result<Vec<TokenC>> {
    let lists = batch.column(TOKENS).as_list::<i32>();
    let rows = lists.values().as_struct();
    let lens = rows.column(0).as_primitive::<UInt32Type>().values();
    let facts = rows.column(1).as_primitive::<UInt32Type>().values();
    let texts = batch.column(TEXT).as_string::<i64>();
    let mut tokens = Vec::with_capacity(lens.len());
    for row in 0..batch.num_rows() {
        let wrong = |text: String| check::wrong(row, &text);
        let (lens, facts) = (
            slice(lens, lists.value_offsets(), row).map_err(wrong)?,
            slice(facts, lists.value_offsets(), row).map_err(wrong)?,
        );
        let text = texts.value(row);
        let (mut idx, mut byte) = (0_u32, 0_u32);
        for (len, facts) in lens.iter().zip(facts) {
            let mut token = TokenC { lex: 0, idx, byte, facts: *facts };
            let end = byte.checked_add(*len).filter(|end| *end > byte);
            let piece = end.and_then(|end| text.get(byte as usize..end as usize));
            let word =
                piece.and_then(|piece| piece.get(..piece.len() - usize::from(token.spacy())));
            let found = word.and_then(|word| scope.find(StrId::of(word)));
            let (Some(piece), Some(lex)) = (piece, found) else {
                return Err(wrong(format!("no word of {len} bytes of the lexicon at byte {byte}")));
            };
            token.lex = lex.to_raw();
            tokens.push(token);
            idx += u32::try_from(piece.chars().count()).expect("no more than bytes");
            byte = end.expect("there is a piece");
        }
    }
    if tokens.len() != lens.len() {
        return Err(check::wrong(0, &format!("{} of {} tokens", tokens.len(), lens.len())));
    }
    Ok(tokens)
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
