//! A document's tokens in spaCy's layout, state to native code: what `doc.c` is in Cython.
//!
//! Holds unsafe code: native code writes the records at any time until they are recalled, so they
//! are reached by address only, and copied before they are judged.
//!
//! A record that was state stays where it is until the document goes, for somebody may still have its
//! address. What is written there when the loan has ended is not the document's; it is noticed when
//! the tokens are next state, by comparison with what was there.

use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

use lexpool::structs::SpacyTokenC;
use lexpool::tokens::{Doc, SPACY_PADDING, SpacyTokens};
use pyo3::prelude::*;

use super::PyDoc;
use crate::runtime::error::{OrRaise, StaleError};

impl PyDoc {
    /// The tokens in spaCy's layout, state to native code: the address of the first, and how many.
    /// They stay until the document goes; while they are state, the same are given again.
    ///
    /// Fails with `BusyError` while others read or change the document, and once with `StaleError`
    /// if tokens were written through an address when their loan had ended.
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
                // Another thread was first.
                Err(_) if self.doc.is_exported() => {}
                Err(busy) => return Err(busy),
            }
        }
    }

    /// How many tokens there are; a loan goes on.
    pub(crate) fn len(&self, py: Python<'_>) -> PyResult<usize> {
        match self.spacy_export.tokens().filter(|_| self.doc.is_exported()) {
            Some((_, len)) => Ok(len),
            None => Ok(self.read(py)?.len()),
        }
    }

    /// Ends a loan, if there is one, with what was written.
    pub(super) fn reclaim(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut doc) = self.doc.reclaim(py) else { return Ok(()) };
        self.spacy_export.end(&mut doc).or_raise()
    }
}

fn written_late(i: usize) -> PyErr {
    let text = format!(
        "token {i} was written through doc.c after Python had used the document, and that is lost; \
         take doc.c again after each use from Python"
    );
    StaleError::new_err(text)
}

/// The records that a document lends, or has state.
#[derive(Default)]
pub(super) struct SpacyExport(OnceLock<Box<Mutex<ExportState>>>);

#[derive(Default)]
struct ExportState {
    /// The last are those that are state now, the others of documents with other tokens.
    records: Vec<PaddedRecords>,
    /// What the last held when they were state or, if that has ended, when they came back.
    last_seen: Box<[SpacyTokenC]>,
}

/// Padded records that live as long as this, reached by address alone.
struct PaddedRecords(NonNull<[SpacyTokenC]>);

// SAFETY: owns plain records; who looks at them at what time is for `SpacyExport` to say.
unsafe impl Send for PaddedRecords {}

impl SpacyExport {
    /// Lends the document's tokens as they are now: the first, and how many. They are those that
    /// were state before if there are as many.
    ///
    /// The caller alone may look at the document. Fails once, with the position of the first, if
    /// tokens were written since a loan had ended. Cost: 240 bytes a token the first time.
    fn export(&self, doc: &Doc) -> Result<(*mut SpacyTokenC, usize), usize> {
        self.with(|state| {
            if let Some(written_late) =
                state.returned().and_then(|before| state.first_written(&before))
            {
                return Err(written_late);
            }
            let made = SpacyTokens::copy_of(doc).into_padded();
            match state.records.last() {
                Some(records) if records.0.len() == made.len() => records.fill(&made),
                _ => state.records.push(PaddedRecords::new(made.clone())),
            }
            state.last_seen = made;
            Ok(state.tokens().expect("pushed above or before"))
        })
    }

    /// What was state last.
    fn tokens(&self) -> Option<(*mut SpacyTokenC, usize)> {
        self.0.get()?;
        self.with(|state| state.tokens())
    }

    /// Puts the tokens back that are state; if they do not hold, the document stays as it was.
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
        // SAFETY: the records are padded with as many on either side.
        Some((unsafe { first.add(SPACY_PADDING) }, records.len() - 2 * SPACY_PADDING))
    }

    /// Takes a copy of the records that were state last; what was last_seen of them before.
    fn returned(&mut self) -> Option<Box<[SpacyTokenC]>> {
        let now = self.records.last()?.copied();
        Some(std::mem::replace(&mut self.last_seen, now))
    }

    /// The first token of the document that is not as it was before.
    fn first_written(&self, before: &[SpacyTokenC]) -> Option<usize> {
        let tokens = self.last_seen.iter().zip(before).enumerate();
        let len = self.last_seen.len() - 2 * SPACY_PADDING;
        let mut tokens = tokens.skip(SPACY_PADDING).take(len);
        Some(tokens.find(|(_, (now, before))| now != before)?.0 - SPACY_PADDING)
    }
}

impl PaddedRecords {
    fn new(made: Box<[SpacyTokenC]>) -> PaddedRecords {
        PaddedRecords(NonNull::from(Box::leak(made)))
    }

    /// Writes all of them; there are as many.
    fn fill(&self, made: &[SpacyTokenC]) {
        assert_eq!(self.0.len(), made.len(), "as many records");
        let first = self.0.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: they are as many, and another box.
        unsafe { first.copy_from_nonoverlapping(made.as_ptr(), made.len()) };
    }

    /// What they hold. Who still writes them from another thread writes what is judged, or noticed.
    fn copied(&self) -> Box<[SpacyTokenC]> {
        let mut made = vec![SpacyTokenC::default(); self.0.len()].into_boxed_slice();
        let first = self.0.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: they are as many, and another box.
        unsafe { first.copy_to_nonoverlapping(made.as_mut_ptr(), made.len()) };
        made
    }
}

impl Drop for PaddedRecords {
    fn drop(&mut self) {
        // SAFETY: from a box, and nobody was told that they live longer.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
