//! A document's tokens in spaCy's layout, lent to native code: what `doc.c` is in Cython.
//!
//! Holds unsafe code: native code writes the records at any time until they are recalled, so they
//! are reached by address only, and copied before they are judged.
//!
//! A record that was lent stays where it is until the document goes, for somebody may still have its
//! address. What is written there when the loan has ended is not the document's; it is noticed when
//! the tokens are next lent, by comparison with what was there.

use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

use lexpool::structs::SpacyTokenC;
use lexpool::tokens::{Doc, SPACY_PADDING, SpacyTokens};
use pyo3::prelude::*;

use super::PyDoc;
use crate::runtime::error::{OrRaise, StaleError};

impl PyDoc {
    /// The tokens in spaCy's layout, lent to native code: the address of the first, and how many.
    /// They stay until the document goes; while they are lent, the same are given again.
    ///
    /// Fails with `BusyError` while others read or change the document, and once with `StaleError`
    /// if tokens were written through an address when their loan had ended.
    pub(crate) fn lend_spacy(&self, py: Python<'_>) -> PyResult<(*mut SpacyTokenC, usize)> {
        loop {
            if let Some(lent) = self.loan.tokens().filter(|_| self.doc.is_lent()) {
                return Ok(lent);
            }
            match self.doc.write(py) {
                Ok(doc) => {
                    let lent = self.loan.lend(&doc).map_err(late)?;
                    doc.lend();
                    return Ok(lent);
                }
                // Another thread was first.
                Err(_) if self.doc.is_lent() => {}
                Err(busy) => return Err(busy),
            }
        }
    }

    /// How many tokens there are; a loan goes on.
    pub(crate) fn len(&self, py: Python<'_>) -> PyResult<usize> {
        match self.loan.tokens().filter(|_| self.doc.is_lent()) {
            Some((_, len)) => Ok(len),
            None => Ok(self.read(py)?.len()),
        }
    }

    /// Ends a loan, if there is one, with what was written.
    pub(super) fn recall(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut doc) = self.doc.recall(py) else { return Ok(()) };
        self.loan.end(&mut doc).or_raise()
    }
}

fn late(i: usize) -> PyErr {
    let text = format!(
        "token {i} was written through doc.c after Python had used the document, and that is lost; \
         take doc.c again after each use from Python"
    );
    StaleError::new_err(text)
}

/// The records that a document lends, or has lent.
#[derive(Default)]
pub(super) struct SpacyExport(OnceLock<Box<Mutex<Lent>>>);

#[derive(Default)]
struct Lent {
    /// The last are those that are lent now, the others of documents with other tokens.
    records: Vec<Records>,
    /// What the last held when they were lent or, if that has ended, when they came back.
    seen: Box<[SpacyTokenC]>,
}

/// Padded records that live as long as this, reached by address alone.
struct Records(NonNull<[SpacyTokenC]>);

// SAFETY: owns plain records; who looks at them at what time is for `SpacyExport` to say.
unsafe impl Send for Records {}

impl SpacyExport {
    /// Lends the document's tokens as they are now: the first, and how many. They are those that
    /// were lent before if there are as many.
    ///
    /// The caller alone may look at the document. Fails once, with the position of the first, if
    /// tokens were written since a loan had ended. Cost: 240 bytes a token the first time.
    fn lend(&self, doc: &Doc) -> Result<(*mut SpacyTokenC, usize), usize> {
        self.with(|lent| {
            if let Some(late) = lent.returned().and_then(|before| lent.first_written(&before)) {
                return Err(late);
            }
            let made = SpacyTokens::copy_of(doc).into_padded();
            match lent.records.last() {
                Some(records) if records.0.len() == made.len() => records.fill(&made),
                _ => lent.records.push(Records::new(made.clone())),
            }
            lent.seen = made;
            Ok(lent.tokens().expect("pushed above or before"))
        })
    }

    /// What was lent last.
    fn tokens(&self) -> Option<(*mut SpacyTokenC, usize)> {
        self.0.get()?;
        self.with(|lent| lent.tokens())
    }

    /// Puts the tokens back that are lent; if they do not hold, the document stays as it was.
    fn end(&self, doc: &mut Doc) -> lexpool::Result<()> {
        let given = self.with(|lent| {
            let before = lent.returned()?;
            lent.first_written(&before)?;
            Some(lent.seen.clone())
        });
        let Some(given) = given else { return Ok(()) };
        let mut records = SpacyTokens::copy_of(doc);
        let tokens = SPACY_PADDING..given.len() - SPACY_PADDING;
        records.tokens_mut().copy_from_slice(&given[tokens]);
        records.apply(doc)
    }

    fn with<T>(&self, use_: impl FnOnce(&mut Lent) -> T) -> T {
        let lent = self.0.get_or_init(Box::default);
        use_(&mut lent.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Lent {
    fn tokens(&self) -> Option<(*mut SpacyTokenC, usize)> {
        let records = self.records.last()?.0;
        let first = records.as_ptr().cast::<SpacyTokenC>();
        // SAFETY: the records are padded with as many on either side.
        Some((unsafe { first.add(SPACY_PADDING) }, records.len() - 2 * SPACY_PADDING))
    }

    /// Takes a copy of the records that were lent last; what was seen of them before.
    fn returned(&mut self) -> Option<Box<[SpacyTokenC]>> {
        let now = self.records.last()?.copied();
        Some(std::mem::replace(&mut self.seen, now))
    }

    /// The first token of the document that is not as it was before.
    fn first_written(&self, before: &[SpacyTokenC]) -> Option<usize> {
        let tokens = self.seen.iter().zip(before).enumerate();
        let len = self.seen.len() - 2 * SPACY_PADDING;
        let mut tokens = tokens.skip(SPACY_PADDING).take(len);
        Some(tokens.find(|(_, (now, before))| now != before)?.0 - SPACY_PADDING)
    }
}

impl Records {
    fn new(made: Box<[SpacyTokenC]>) -> Records {
        Records(NonNull::from(Box::leak(made)))
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

impl Drop for Records {
    fn drop(&mut self) {
        // SAFETY: from a box, and nobody was told that they live longer.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
