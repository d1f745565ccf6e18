//! A number for each lexeme, found out once: what a matcher keeps from one document to the next.

use crate::tokens::Doc;
use crate::vocab::{LexIx, SnapshotId, VocabSnapshot, lexeme_edits};

/// Numbers by lexeme, 0 for what is not known.
///
/// They hold for one vocab, and those of a zone's lexemes for one zone; nothing is left after any
/// lexeme was changed. Memory: four bytes for each lexeme up to the last one met; in a vocab that
/// was opened from a file that is address space, and memory only around lexemes that are met.
#[derive(Default)]
pub(super) struct Memo {
    origin: SnapshotId,
    edits: u64,
    /// How many lasting lexemes there may soon be.
    expected: usize,
    lasting: Vec<u32>,
    in_zone: Vec<u32>,
}

impl Memo {
    /// Prepares for the tokens of a document: forgets what may not hold there. Says whether anything
    /// that was known may have been forgotten.
    pub(super) fn open(&mut self, doc: &Doc) -> bool {
        self.open_snapshot(doc.snapshot())
    }

    /// The same, for tokens that no document has.
    pub(super) fn open_snapshot(&mut self, snapshot: &VocabSnapshot) -> bool {
        let edits = lexeme_edits();
        if self.origin.has_vocab_of(snapshot) && self.edits == edits {
            if self.origin.has_zone_of(snapshot) {
                return false;
            }
        } else {
            // Not cleared: what is made anew is not touched before it is used.
            self.lasting = Vec::new();
            self.expected = 2 * snapshot.vocab().first_new() as usize;
        }
        self.in_zone.clear();
        self.origin = snapshot.origin();
        self.edits = edits;
        true
    }

    /// What is known of a lexeme of the document.
    #[inline]
    pub(super) fn get(&self, lex: LexIx) -> u32 {
        let position = lex.to_raw() as usize;
        match self.lasting.get(position) {
            Some(known) => *known,
            None => self.get_in_zone(lex),
        }
    }

    /// Keeps what was found out of a lexeme of the document.
    pub(super) fn set(&mut self, lex: LexIx, known: u32) {
        let (numbers, position, expected) = match lex.lasting() {
            Some(position) => (&mut self.lasting, position as usize, self.expected),
            None => (&mut self.in_zone, lex.position_in_zone(), 0),
        };
        if numbers.len() <= position {
            // Doubling, as documents bring new words one by one. Zeros that the system has ready are
            // no memory; those that are written would be.
            let len = (position + 1).next_power_of_two().max(expected);
            let mut grown = vec![0; len];
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

    /// Runs a test again if others, on their threads, changed a lexeme meanwhile.
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
    fn a_number_stays_until_its_lexeme_may_have_changed() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize("one two").unwrap();
        let [one, two] = lexemes(&doc)[..] else { panic!("two tokens") };
        undisturbed(1, || {
            let mut memo = Memo::default();
            let was_new = memo.open(&doc) && memo.get(one) == 0;
            memo.set(one, 7);
            let stayed = !memo.open(&doc) && memo.get(one) == 7 && memo.get(two) == 0;
            doc.token(1).unwrap().lex().set_attr(AttrId::LOWER, 5).unwrap();
            was_new && stayed && memo.open(&doc) && memo.get(one) == 0
        });
    }

    #[test]
    fn another_vocab_has_other_numbers() {
        let (own, other) = (Tokenizer::blank("en").unwrap(), Tokenizer::blank("en").unwrap());
        let (own, other) = (own.tokenize("one").unwrap(), other.tokenize("two").unwrap());
        let mut memo = Memo::default();
        memo.open(&own);
        memo.set(lexemes(&own)[0], 7);
        assert!(memo.open(&other));
        assert_eq!(memo.get(lexemes(&other)[0]), 0);
    }

    #[test]
    fn a_zone_takes_its_numbers_along_and_leaves_those_of_lasting_words() {
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
            let mut memo = Memo::default();
            memo.open(&first);
            memo.set(one, 7);
            memo.set(uno, 8);
            memo.open(&lasting);
            memo.open(&first);
            let stayed = (memo.get(one), memo.get(uno)) == (7, 8);
            memo.open(&second);
            stayed && (memo.get(one), memo.get(lexemes(&second)[0])) == (7, 0)
        });
    }
}
