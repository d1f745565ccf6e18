//! Replacing all record arrays of a document at once, or the document itself.

use lexpool_pool::RecordBuffer;

use super::Doc;
use super::address_pins::{RetiredArrays, RetiredMemory};
use super::columns::{AnnotationColumns, RecordArrays};
use super::doc::SideData;
use crate::Result;
use crate::fallible;

impl Doc {
    /// Returns a copy of all record arrays.
    pub(crate) fn record_arrays(&self) -> Result<RecordArrays> {
        Ok(RecordArrays {
            tokens: fallible::copy(self.tokens())?,
            tags: self.tag_records().map(fallible::copy).transpose()?,
            syntax: self.syntax_records().map(fallible::copy).transpose()?,
            entities: self.entity_records().map(fallible::copy).transpose()?,
        })
    }

    /// Puts other tokens over the same text. Invalidates token positions obtained earlier.
    ///
    /// The tokens must tile the text, and each column must be as long as the tokens. On an error
    /// the document is unchanged.
    pub(crate) fn retile(&mut self, arrays: RecordArrays) -> Result<()> {
        let text = if self.foreign.is_some() { &[][..] } else { self.buffer.bytes() };
        let text = fallible::copy(text)?;
        self.replace_arrays(arrays, text)
    }

    /// Puts other tokens over another text, which the document then owns.
    pub(crate) fn rewrite(&mut self, arrays: RecordArrays, text: String) -> Result<()> {
        self.replace_arrays(arrays, text.into_bytes())?;
        self.foreign = None;
        Ok(())
    }

    /// A tensor stays if the number of tokens does.
    fn replace_arrays(&mut self, mut arrays: RecordArrays, text: Vec<u8>) -> Result<()> {
        let tokens = std::mem::take(&mut arrays.tokens);
        let lengths = [
            arrays.tags.as_ref().map(Vec::len),
            arrays.syntax.as_ref().map(Vec::len),
            arrays.entities.as_ref().map(Vec::len),
        ];
        debug_assert!(lengths.into_iter().flatten().all(|len| len == tokens.len()));
        let columns = AnnotationColumns::copy_of(&arrays)?;
        let buffer = RecordBuffer::from_vecs(tokens, text)?;
        let tokens = std::mem::replace(&mut self.buffer, buffer);
        let side = (!columns.is_empty()).then(|| Box::new(SideData::from(columns)));
        let before = taken(std::mem::replace(&mut self.side, side));
        let SideData { columns, tensor, mut retired } = before;
        self.set_tensor(tensor.filter(|tensor| tensor.len() == self.len()))?;
        let snapshot = self.snapshot().clone();
        retired.push(self.pins.take(), || RetiredMemory::new(tokens, columns, None, snapshot));
        self.set_retired(retired);
        self.generation = self.generation.wrapping_add(1);
        Ok(())
    }

    /// Puts another document in the place of this one, with a generation that neither has had.
    /// Arrays whose addresses are pinned stay allocated, with the vocab that their tokens refer to.
    pub fn replace_with(&mut self, other: Doc) {
        let generation = self.generation.max(other.generation).wrapping_add(1);
        let mut before = std::mem::replace(self, other);
        self.generation = generation;
        let SideData { columns, mut retired, .. } = taken(before.side.take());
        if let Some(side) = &mut self.side {
            retired.append(std::mem::take(&mut side.retired));
        }
        let snapshot = before.snapshot().clone();
        let (tokens, foreign) = (before.buffer, before.foreign);
        retired.push(before.pins, || RetiredMemory::new(tokens, columns, foreign, snapshot));
        self.set_retired(retired);
    }

    fn set_retired(&mut self, retired: RetiredArrays) {
        if !retired.is_empty() {
            self.side.get_or_insert_default().retired = retired;
        }
    }
}

fn taken(side: Option<Box<SideData>>) -> SideData {
    side.map(|side| *side).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use lexpool_structs::TokenC;

    use super::super::address_pins::MIN_SCAN;
    use super::*;
    use crate::structs::AttrId;
    use crate::tokens::tests::{parsed, split_first, words};

    /// Puts the same tokens over the same text.
    fn edit(doc: &mut Doc) {
        doc.retile(doc.record_arrays().unwrap()).unwrap();
    }

    /// The addresses of the token arrays that the document retains.
    fn retained(doc: &Doc) -> Vec<*const TokenC> {
        let retired = doc.side.as_deref().map(|side| side.retired.token_addresses());
        retired.unwrap_or_default()
    }

    #[test]
    fn pinned_arrays_stay_at_their_addresses_when_they_are_replaced() {
        let mut doc = parsed(&[1, 1, 1]);
        doc.attrs_mut().set(0, AttrId::SPACY, 0).unwrap();
        assert!(retained(&doc).is_empty());
        let _pin = doc.pin();
        let before = doc.tokens().as_ptr();
        doc.attrs_mut().set(0, AttrId::SPACY, 1).unwrap();
        assert_ne!(doc.tokens().as_ptr(), before);
        let (_pin, between) = (doc.pin(), doc.tokens().as_ptr());
        split_first(&mut doc);
        assert_eq!(retained(&doc), [before, between]);
    }

    #[test]
    fn a_pinned_document_is_kept_by_the_one_in_its_place() {
        let mut doc = parsed(&[1, 1, 1]);
        doc.replace_with(parsed(&[0]));
        assert!(retained(&doc).is_empty());
        let (_pin, before) = (doc.pin(), doc.tokens().as_ptr());
        doc.replace_with(parsed(&[1, 1, 1]));
        let (_pin, between) = (doc.pin(), doc.tokens().as_ptr());
        doc.replace_with(parsed(&[1, 1]));
        assert_eq!((retained(&doc), doc.len()), (vec![before, between], 2));
    }

    #[test]
    fn arrays_that_nobody_looks_at_any_more_go_at_one_of_the_next_edits() {
        let mut doc = words(2);
        let (held, address) = (doc.pin(), doc.tokens().as_ptr());
        for _ in 0..1000 {
            edit(&mut doc);
            drop(doc.pin());
            let copy = doc.try_clone().unwrap();
            doc.replace_with(copy);
            let pin = doc.pin();
            edit(&mut doc);
            drop(pin);
            assert!(retained(&doc).len() <= MIN_SCAN);
        }
        let first = doc.side.as_deref().unwrap().retired.token_addresses()[0];
        assert_eq!(first, address);
        drop(held);
    }

    #[test]
    fn an_address_given_as_a_number_holds_its_arrays_for_good() {
        let mut doc = words(2);
        doc.pin().retain_for_document();
        let first = doc.tokens().as_ptr();
        for _ in 0..100 {
            edit(&mut doc);
            drop(doc.pin());
        }
        assert_eq!(retained(&doc)[0], first);
    }

    #[test]
    fn a_document_of_any_number_of_edits_is_dropped_on_a_small_stack() {
        let mut doc = words(2);
        for _ in 0..200_000 {
            doc.pin().retain_for_document();
            edit(&mut doc);
        }
        for _ in 0..1000 {
            doc.pin().retain_for_document();
            doc.replace_with(words(2));
        }
        assert_eq!(retained(&doc).len(), 201_000);
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
            doc.replace_with(words(1));
            seen.push(doc.generation());
            let mut other = words(3);
            edit(&mut other);
            doc.replace_with(other);
            seen.push(doc.generation());
        }
        let mut different = seen.clone();
        different.dedup();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
    }
}
