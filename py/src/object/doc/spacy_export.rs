//! Export of a document's tokens in spaCy's layout to native code: what `doc.c` is in Cython.
//!
//! Unsafe code: native code may write the records at any time until they are reclaimed, so they are
//! reached by address only, and copied before they are validated.
//!
//! A record that was exported keeps its address until the document is dropped, since somebody may
//! still have the address. Writes after the export has ended do not reach the document; the next
//! export notices them by comparison with the last known contents.
//!
//! Invariants:
//! - **R1** [`PaddedRecords`] owns its box, whose address and length never change until it is
//!   dropped; no reference to its contents is created, since native code may write them.

use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

use lexpool::structs::SpacyTokenC;
use lexpool::tokens::{Doc, SPACY_PADDING, SpacyTokens};
use pyo3::prelude::*;

use super::PyDoc;
use crate::runtime::error::{OrRaise, StaleError};

impl PyDoc {
    /// Exports the tokens in spaCy's layout: the address of the first, and their number. The
    /// addresses stay valid until the document is dropped; while the export lasts, further calls
    /// return the same ones.
    ///
    /// # Errors
    ///
    /// `BusyError` while others read or change the document, and once `StaleError` if tokens were
    /// written through an address after their export had ended.
    pub(crate) fn export_spacy(&self, py: Python<'_>) -> PyResult<(*mut SpacyTokenC, usize)> {
        loop {
            if let Some(state) = self.spacy_export.tokens().filter(|_| self.doc.is_exported()) {
                return Ok(state);
            }
            match self.doc.write(py) {
                Ok(doc) => {
                    let state = self.spacy_export.export(&doc).map_err(written_late)?;
                    doc.export();
                    return Ok(state);
                }
                // Another thread exported them first.
                Err(_) if self.doc.is_exported() => {}
                Err(busy) => return Err(busy),
            }
        }
    }

    /// The number of tokens; does not end an export.
    pub(crate) fn len(&self, py: Python<'_>) -> PyResult<usize> {
        match self.spacy_export.tokens().filter(|_| self.doc.is_exported()) {
            Some((_, len)) => Ok(len),
            None => Ok(self.read(py)?.len()),
        }
    }

    /// Ends an export, if there is one, and puts the written records into the document.
    pub(super) fn reclaim(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut doc) = self.doc.reclaim(py) else { return Ok(()) };
        self.spacy_export.end(&mut doc).or_raise()
    }
}

fn written_late(i: usize) -> PyErr {
    let text = format!(
        "token {i} was written through doc.c after Python had used the document, and the write \
         is lost; take doc.c again after each use from Python"
    );
    StaleError::new_err(text)
}

/// The records that are or were exported.
#[derive(Default)]
pub(super) struct SpacyExport(OnceLock<Box<Mutex<ExportState>>>);

#[derive(Default)]
struct ExportState {
    /// The last ones are the current export; the others belong to documents with another number of
    /// tokens.
    records: Vec<PaddedRecords>,
    /// Contents of the last records when they were exported or, if the export has ended, reclaimed.
    last_seen: Box<[SpacyTokenC]>,
}

/// Padded records in a box of their own (R1).
struct PaddedRecords(NonNull<[SpacyTokenC]>);

// SAFETY: R1: owns plain records, and `SpacyExport` locks every access of lexpool's.
unsafe impl Send for PaddedRecords {}

impl SpacyExport {
    /// Exports the document's tokens in their present state. The records of the last export are
    /// used again if their number is the same.
    ///
    /// The caller has the write lock. Cost: 240 bytes a token the first time.
    ///
    /// # Errors
    ///
    /// Once, the position of the first token that was written after an export had ended.
    fn export(&self, doc: &Doc) -> Result<(*mut SpacyTokenC, usize), usize> {
        self.with(|state| {
            if let Some(written_late) =
                state.returned().and_then(|before| state.first_written(&before))
            {
                return Err(written_late);
            }
            let tokens = SpacyTokens::copy_of(doc).into_padded();
            match state.records.last() {
                Some(records) if records.0.len() == tokens.len() => records.fill(&tokens),
                _ => state.records.push(PaddedRecords::new(tokens.clone())),
            }
            state.last_seen = tokens;
            Ok(state.tokens().expect("pushed above or before"))
        })
    }

    /// The records of the last export.
    fn tokens(&self) -> Option<(*mut SpacyTokenC, usize)> {
        self.0.get()?;
        self.with(|state| state.tokens())
    }

    /// Puts the exported tokens back. If they are invalid, the document is unchanged.
    fn end(&self, doc: &mut Doc) -> lexpool::Result<()> {
        let written = self.with(|state| {
            let before = state.returned()?;
            state.first_written(&before)?;
            Some(state.last_seen.clone())
        });
        let Some(written) = written else { return Ok(()) };
        let mut records = SpacyTokens::copy_of(doc);
        let tokens = SPACY_PADDING..written.len() - SPACY_PADDING;
        records.tokens_mut().copy_from_slice(&written[tokens]);
        records.apply(doc)
    }

    fn with<T>(&self, f: impl FnOnce(&mut ExportState) -> T) -> T {
        let state = self.0.get_or_init(Box::default);
        f(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ExportState {
    fn tokens(&self) -> Option<(*mut SpacyTokenC, usize)> {
        let records = self.records.last()?.0;
        let first = records.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: R1: as many padding records precede and follow the tokens.
        Some((unsafe { first.add(SPACY_PADDING) }, records.len() - 2 * SPACY_PADDING))
    }

    /// Copies the records of the last export, and returns their contents as known before.
    fn returned(&mut self) -> Option<Box<[SpacyTokenC]>> {
        let now = self.records.last()?.copied();
        Some(std::mem::replace(&mut self.last_seen, now))
    }

    /// The position of the first token whose record differs from `before`.
    fn first_written(&self, before: &[SpacyTokenC]) -> Option<usize> {
        let tokens = self.last_seen.iter().zip(before).enumerate();
        let len = self.last_seen.len() - 2 * SPACY_PADDING;
        let mut tokens = tokens.skip(SPACY_PADDING).take(len);
        Some(tokens.find(|(_, (now, before))| now != before)?.0 - SPACY_PADDING)
    }
}

impl PaddedRecords {
    fn new(records: Box<[SpacyTokenC]>) -> PaddedRecords {
        PaddedRecords(NonNull::from(Box::leak(records)))
    }

    /// Overwrites all records with as many others.
    fn fill(&self, records: &[SpacyTokenC]) {
        assert_eq!(self.0.len(), records.len(), "as many records");
        let first = self.0.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: R1: both have this length, and are different boxes.
        unsafe { first.copy_from_nonoverlapping(records.as_ptr(), records.len()) };
    }

    /// A copy of the contents. If another thread still writes them, its writes are validated in the
    /// copy, or noticed later.
    fn copied(&self) -> Box<[SpacyTokenC]> {
        let mut records = vec![SpacyTokenC::default(); self.0.len()].into_boxed_slice();
        let first = self.0.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: R1: both have this length, and are different boxes.
        unsafe { first.copy_to_nonoverlapping(records.as_mut_ptr(), records.len()) };
        records
    }
}

impl Drop for PaddedRecords {
    fn drop(&mut self) {
        // SAFETY: R1: the box is owned, and the export's contract ends with the document.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
