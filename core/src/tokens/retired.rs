//! Arrays that a document had before an edit, kept for those who look at them by address.
//!
//! The list is flat and moves from the old arrays to the new ones with each edit, so a document of any
//! number of edits is dropped as a loop, and never by recursion.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use lexpool_pool::RecordBuffer;
use lexpool_structs::TokenC;

use super::Doc;
use super::facets::AnnotationColumns;
use crate::vocab::VocabSnapshot;

/// Holds the arrays that a document has at this moment where they are, also when an edit replaces them.
///
/// Made by [`Doc::pin`]. An array that was replaced goes with its last pin, at one of the next edits, or
/// with the document.
#[derive(Clone, Debug)]
pub struct Pin(Arc<AtomicBool>);

impl Pin {
    /// Holds the arrays until the document goes: for an address that is given out as a number, which
    /// nobody can see go.
    pub fn keep_for_good(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The pins on the arrays that a document has at this moment.
#[derive(Default)]
pub(super) struct Pins(OnceLock<Arc<AtomicBool>>);

impl Pins {
    pub(super) fn pin(&self) -> Pin {
        Pin(Arc::clone(self.0.get_or_init(Arc::default)))
    }

    /// Takes the pins along with arrays that are being replaced; the new ones have none.
    pub(super) fn take(&mut self) -> Pins {
        std::mem::take(self)
    }

    /// True while an address in the arrays may still be in use.
    fn are_held(&mut self) -> bool {
        let Some(held) = self.0.get_mut() else { return false };
        // A last pin that went on another thread happens before the arrays are freed here.
        Arc::get_mut(held).is_none_or(|for_good| *for_good.get_mut())
    }
}

/// Arrays and documents that were replaced, oldest first.
#[derive(Default)]
pub(super) struct Retired {
    rows: Vec<Row>,
    /// The number of rows at which those that nobody looks at any more are dropped.
    full: usize,
}

struct Row {
    pins: Pins,
    _kept: Replaced,
}

/// Arrays or a document, kept for their addresses only. Neither has retired arrays of its own.
pub(super) enum Replaced {
    Arrays {
        _tokens: RecordBuffer<TokenC>,
        _facets: Option<Box<AnnotationColumns>>,
        /// Keeps the words that the tokens refer to.
        _snapshot: VocabSnapshot,
    },
    Doc {
        _doc: Doc,
    },
}

/// The fewest rows that are looked through.
const FEWEST: usize = 8;

impl Retired {
    /// Keeps what was replaced for as long as its pins. Cost: constant, over many edits.
    pub(super) fn push(&mut self, mut pins: Pins, kept: Replaced) {
        if !pins.are_held() {
            return;
        }
        if self.rows.len() >= self.full {
            self.rows.retain_mut(|row| row.pins.are_held());
            self.full = FEWEST.max(self.rows.len() * 2);
        }
        self.rows.push(Row { pins, _kept: kept });
    }

    /// Takes over what another list keeps.
    pub(super) fn append(&mut self, mut other: Retired) {
        self.rows.append(&mut other.rows);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
#[expect(clippy::used_underscore_binding, reason = "what is kept for its address has to be there")]
mod tests {
    use super::*;
    use crate::structs::AttrId;
    use crate::tokens::tests::{parsed, split_first, words};

    /// Puts the same tokens over the same text.
    fn edit(doc: &mut Doc) {
        doc.retile(doc.rows()).unwrap();
    }

    fn kept(doc: &Doc) -> &[Row] {
        doc.facets.as_deref().map(|facets| &facets.retired.rows[..]).unwrap_or_default()
    }

    fn tokens(row: &Row) -> &[TokenC] {
        match &row._kept {
            Replaced::Arrays { _tokens, _facets, .. } => {
                assert!(_facets.as_ref().is_none_or(|facets| facets.retired.is_empty()));
                _tokens.records()
            }
            Replaced::Doc { _doc } => {
                assert!(kept(_doc).is_empty());
                _doc.tokens()
            }
        }
    }

    #[test]
    fn pinned_arrays_stay_at_their_addresses_when_they_are_replaced() {
        let mut doc = parsed(&[1, 1, 1]);
        doc.set_attr(0, AttrId::SPACY, 0).unwrap();
        assert!(kept(&doc).is_empty());
        let _pin = doc.pin();
        let before = doc.tokens().as_ptr();
        doc.set_attr(0, AttrId::SPACY, 1).unwrap();
        assert_ne!(doc.tokens().as_ptr(), before);
        let (_pin, between) = (doc.pin(), doc.tokens().as_ptr());
        split_first(&mut doc);
        let kept: Vec<_> = kept(&doc).iter().map(|row| tokens(row).as_ptr()).collect();
        assert_eq!(kept, [before, between]);
    }

    #[test]
    fn a_pinned_document_is_kept_by_the_one_in_its_place() {
        let mut doc = parsed(&[1, 1, 1]);
        doc.supersede(parsed(&[0]));
        assert!(kept(&doc).is_empty());
        let (_pin, before) = (doc.pin(), doc.tokens().as_ptr());
        doc.supersede(parsed(&[1, 1, 1]));
        let (_pin, between) = (doc.pin(), doc.tokens().as_ptr());
        doc.supersede(parsed(&[1, 1]));
        let kept: Vec<_> = kept(&doc).iter().map(|row| tokens(row).as_ptr()).collect();
        assert_eq!((kept, doc.len()), (vec![before, between], 2));
    }

    #[test]
    fn arrays_that_nobody_looks_at_any_more_go_at_one_of_the_next_edits() {
        let mut doc = words(2);
        let held = doc.pin();
        for _ in 0..1000 {
            edit(&mut doc);
            drop(doc.pin());
            let copy = doc.try_clone().unwrap();
            doc.supersede(copy);
            let pin = doc.pin();
            edit(&mut doc);
            drop(pin);
            assert!(kept(&doc).len() <= FEWEST);
        }
        assert_eq!(
            kept(&doc)
                .iter()
                .filter(|row| Arc::strong_count(row.pins.0.get().unwrap()) > 1)
                .count(),
            1
        );
        drop(held);
    }

    #[test]
    fn an_address_given_as_a_number_holds_its_arrays_for_good() {
        let mut doc = words(2);
        doc.pin().keep_for_good();
        let first = doc.tokens().as_ptr();
        for _ in 0..100 {
            edit(&mut doc);
            drop(doc.pin());
        }
        assert_eq!(tokens(&kept(&doc)[0]).as_ptr(), first);
    }

    #[test]
    fn a_document_of_any_number_of_edits_is_dropped_on_a_small_stack() {
        let mut doc = words(2);
        for _ in 0..200_000 {
            doc.pin().keep_for_good();
            edit(&mut doc);
        }
        for _ in 0..1000 {
            doc.pin().keep_for_good();
            doc.supersede(words(2));
        }
        assert_eq!(kept(&doc).len(), 201_000);
        let small = std::thread::Builder::new().stack_size(64 << 10);
        small.spawn(move || drop(doc)).unwrap().join().unwrap();
    }

    #[test]
    fn every_edit_and_every_document_in_the_place_of_another_has_a_generation_of_its_own() {
        let mut doc = words(2);
        let mut seen = vec![doc.generation()];
        for _ in 0..5 {
            edit(&mut doc);
            seen.push(doc.generation());
            doc.supersede(words(1));
            seen.push(doc.generation());
            let mut other = words(3);
            edit(&mut other);
            doc.supersede(other);
            seen.push(doc.generation());
        }
        let mut different = seen.clone();
        different.dedup();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
    }
}
