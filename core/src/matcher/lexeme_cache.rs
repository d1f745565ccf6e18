//! Cache of a number for each lexeme, which a matcher keeps from one document to the next.

use crate::fallible;
use crate::tokens::Doc;
use crate::vocab::{LexIx, SnapshotId, VocabSnapshot, lexeme_edits};

/// Numbers by lexeme index; 0 means that the number is unknown.
///
/// The numbers are valid for one vocab, and those of a memory zone's lexemes for one zone. Any edit
/// of a lexeme, in any vocab, invalidates all of them.
///
/// Memory: four bytes for each lexeme up to the last one that was set. For a vocab opened from a
/// file this is address space; memory is used only around lexemes that were set.
#[derive(Default)]
pub(super) struct LexemeCache {
    snapshot: SnapshotId,
    edits: u64,
    /// The expected number of lasting lexemes.
    expected: usize,
    lasting: Vec<u32>,
    in_zone: Vec<u32>,
}

impl LexemeCache {
    /// Prepares for the tokens of a document: drops the numbers that may be invalid for it. Returns
    /// whether numbers may have been dropped.
    pub(super) fn open(&mut self, doc: &Doc) -> bool {
        self.open_snapshot(doc.snapshot())
    }

    /// Prepares for tokens of a snapshot, as [`open`](LexemeCache::open) does for a document.
    pub(super) fn open_snapshot(&mut self, snapshot: &VocabSnapshot) -> bool {
        let edits = lexeme_edits();
        if self.snapshot.has_vocab_of(snapshot) && self.edits == edits {
            if self.snapshot.has_zone_of(snapshot) {
                return false;
            }
        } else {
            // Replaced and not cleared: a new zeroed vector takes no memory until it is written to.
            self.lasting = Vec::new();
            self.expected = 2 * snapshot.vocab().first_new() as usize;
        }
        self.in_zone.clear();
        self.snapshot = snapshot.id();
        self.edits = edits;
        true
    }

    /// Returns the number of a lexeme of the opened document, or 0 if it is unknown.
    #[inline]
    pub(super) fn get(&self, lex: LexIx) -> u32 {
        let position = lex.to_raw() as usize;
        match self.lasting.get(position) {
            Some(known) => *known,
            None => self.get_in_zone(lex),
        }
    }

    /// Sets the number of a lexeme of the opened document. Does nothing without memory for it.
    pub(super) fn set(&mut self, lex: LexIx, known: u32) {
        let (numbers, position, expected) = match lex.permanent_position() {
            Some(position) => (&mut self.lasting, position as usize, self.expected),
            None => (&mut self.in_zone, lex.position_in_zone(), 0),
        };
        if numbers.len() <= position {
            // Doubles, as documents bring new words one by one. Zeroed pages use no memory until
            // they are written to; `resize` would write them.
            let len = (position + 1).next_power_of_two().max(expected);
            let Ok(mut grown) = fallible::zeros(len) else { return };
            grown[..numbers.len()].copy_from_slice(numbers);
            *numbers = grown;
        }
        numbers[position] = known;
    }

    #[cold]
    fn get_in_zone(&self, lex: LexIx) -> u32 {
        if !lex.is_in_zone() {
            return 0;
        }
        self.in_zone.get(lex.position_in_zone()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use lexpool_structs::AttrId;

    use super::*;
    use crate::tokenizer::Tokenizer;

    fn lexemes(doc: &Doc) -> Vec<LexIx> {
        doc.iter().map(|token| token.lex_ix()).collect()
    }

    /// Runs a test again if tests on other threads have changed a lexeme in the meantime.
    fn undisturbed(own_edits: u64, test: impl Fn() -> bool) {
        loop {
            let before = lexeme_edits();
            let holds = test();
            if lexeme_edits() == before + own_edits {
                assert!(holds);
                return;
            }
        }
    }

    #[test]
    fn a_number_stays_until_a_lexeme_is_edited() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize("one two").unwrap();
        let [one, two] = lexemes(&doc)[..] else { panic!("two tokens") };
        undisturbed(1, || {
            let mut cache = LexemeCache::default();
            let was_new = cache.open(&doc) && cache.get(one) == 0;
            cache.set(one, 7);
            let stayed = !cache.open(&doc) && cache.get(one) == 7 && cache.get(two) == 0;
            doc.token(1).unwrap().lex().set_attr(AttrId::LOWER, 5).unwrap();
            was_new && stayed && cache.open(&doc) && cache.get(one) == 0
        });
    }

    #[test]
    fn another_vocab_starts_without_numbers() {
        let (own, other) = (Tokenizer::blank("en").unwrap(), Tokenizer::blank("en").unwrap());
        let (own, other) = (own.tokenize("one").unwrap(), other.tokenize("two").unwrap());
        let mut cache = LexemeCache::default();
        cache.open(&own);
        cache.set(lexemes(&own)[0], 7);
        assert!(cache.open(&other));
        assert_eq!(cache.get(lexemes(&other)[0]), 0);
    }

    #[test]
    fn a_new_zone_drops_the_numbers_of_the_last_zone_and_keeps_those_of_lasting_words() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let lasting = tokenizer.tokenize("one").unwrap();
        let in_zone = |word: &str| {
            tokenizer.vocab().open_zone().unwrap();
            let doc = tokenizer.tokenize(word).unwrap();
            tokenizer.vocab().close_zone().unwrap();
            doc
        };
        let (first, second) = (in_zone("uno"), in_zone("dos"));
        let (one, uno) = (lexemes(&lasting)[0], lexemes(&first)[0]);
        undisturbed(0, || {
            let mut cache = LexemeCache::default();
            cache.open(&first);
            cache.set(one, 7);
            cache.set(uno, 8);
            cache.open(&lasting);
            cache.open(&first);
            let stayed = (cache.get(one), cache.get(uno)) == (7, 8);
            cache.open(&second);
            stayed && (cache.get(one), cache.get(lexemes(&second)[0])) == (7, 0)
        });
    }
}
