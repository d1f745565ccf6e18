//! Address retention: arrays that a document had before an edit stay allocated while a caller holds
//! their addresses.
//!
//! The list of retired arrays is flat and moves from the old arrays to the new ones with each edit,
//! so dropping a document after any number of edits is a loop, never a recursion.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use lexpool_pool::RecordBuffer;
use lexpool_structs::TokenC;

use super::columns::AnnotationColumns;
use super::text::ForeignText;
use crate::vocab::VocabSnapshot;

/// Keeps the arrays that a document has at this moment at their addresses, also after an edit has
/// replaced them.
///
/// Made by [`Doc::pin`](super::Doc::pin). A replaced array is freed after its last pin is dropped,
/// at one of the next edits, or with the document.
#[derive(Clone, Debug)]
pub struct AddressPin(Arc<AtomicBool>);

impl AddressPin {
    /// Keeps the arrays until the document is dropped. For an address that was given out as a
    /// number, whose last use nobody can observe.
    pub fn retain_for_document(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The pins on the arrays that a document has at this moment.
#[derive(Default)]
pub(super) struct AddressPins(OnceLock<Arc<AtomicBool>>);

impl AddressPins {
    pub(super) fn pin(&self) -> AddressPin {
        AddressPin(Arc::clone(self.0.get_or_init(Arc::default)))
    }

    /// Moves the pins out, to go with arrays that are being replaced; the new arrays have none.
    pub(super) fn take(&mut self) -> AddressPins {
        std::mem::take(self)
    }

    /// Returns whether an address in the arrays may still be in use.
    fn are_held(&mut self) -> bool {
        let Some(pinned) = self.0.get_mut() else { return false };
        // `get_mut` synchronizes with the drop of the last pin on another thread, so its reads of
        // the arrays happen before they are freed here.
        Arc::get_mut(pinned).is_none_or(|for_document| *for_document.get_mut())
    }
}

/// Arrays that were replaced while their addresses were pinned, oldest first.
#[derive(Default)]
pub(super) struct RetiredArrays {
    entries: Vec<RetiredEntry>,
    /// The number of entries at which the list is scanned for unpinned ones.
    scan_at: usize,
}

struct RetiredEntry {
    pins: AddressPins,
    #[cfg_attr(not(test), expect(dead_code, reason = "held only to keep the memory allocated"))]
    memory: RetiredMemory,
}

/// All memory of a document that addresses may point into.
pub(super) struct RetiredMemory {
    #[cfg_attr(not(test), expect(dead_code, reason = "held only to keep the memory allocated"))]
    tokens: RecordBuffer<TokenC>,
    _columns: Option<Box<AnnotationColumns>>,
    _foreign: Option<ForeignText>,
    /// Keeps alive the lexemes that the tokens refer to.
    _snapshot: VocabSnapshot,
}

impl RetiredMemory {
    pub(super) fn new(
        tokens: RecordBuffer<TokenC>,
        columns: AnnotationColumns,
        foreign: Option<ForeignText>,
        snapshot: VocabSnapshot,
    ) -> RetiredMemory {
        let columns = (!columns.is_empty()).then(|| Box::new(columns));
        RetiredMemory { tokens, _columns: columns, _foreign: foreign, _snapshot: snapshot }
    }
}

/// The smallest number of entries that is worth a scan.
pub(super) const MIN_SCAN: usize = 8;

impl RetiredArrays {
    /// Keeps replaced memory for as long as its pins are held. Cost: amortized constant.
    pub(super) fn push(&mut self, mut pins: AddressPins, memory: impl FnOnce() -> RetiredMemory) {
        if !pins.are_held() {
            return;
        }
        if self.entries.len() >= self.scan_at {
            self.entries.retain_mut(|entry| entry.pins.are_held());
            self.scan_at = MIN_SCAN.max(self.entries.len() * 2);
        }
        self.entries.push(RetiredEntry { pins, memory: memory() });
    }

    /// Takes over the entries of another list.
    pub(super) fn append(&mut self, mut other: RetiredArrays) {
        self.entries.append(&mut other.entries);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the addresses of the retained token arrays, oldest first.
    #[cfg(test)]
    pub(super) fn token_addresses(&self) -> Vec<*const TokenC> {
        self.entries.iter().map(|entry| entry.memory.tokens.records().as_ptr()).collect()
    }
}
