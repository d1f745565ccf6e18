//! The record of a token, and the small facts packed into it.

use crate::record::record;

record! {
    /// One token of a document: its lexeme, its place, and the small facts.
    pub struct TokenC: 16 bytes {
        /// The token's lexeme.
        lex: u32 @ 0 {
            /// Index of the lexeme in the vocab, or in the document's zone.
            LEX_INDEX @ 0..31,
            /// 1 when the lexeme is in the document's zone.
            LEX_ZONE @ 31..32,
        },
        /// Offset of the first character in the document's text.
        idx: u32 @ 4,
        /// Offset of the first byte in the document's UTF-8.
        byte: u32 @ 8,
        /// Small facts, packed; bits 5 to 7 are reserved and zero.
        facts: u32 @ 12 {
            /// 1 when a space follows.
            SPACY @ 0..1,
            /// Sentence start: 0 unknown, 1 a start, 2 not a start.
            SENT_START @ 1..3,
            /// Place in an entity: 0 unset, 1 inside, 2 outside, 3 begins one.
            ENT_IOB @ 3..5,
            /// Index into the vocab's norms set by special cases; 0 for none.
            NORM_IX @ 8..32,
        },
    }
}

/// Access to the packed facts. `set_x` changes the token, `with_x` returns a changed copy.
///
/// Reading never fails: invalid bits (such as a `SENT_START` of 3 in a corrupt file) read as
/// unknown.
///
/// ```
/// use lexpool_structs::TokenC;
///
/// let mut token = TokenC::default().with_spacy(true).with_norm_ix(7);
/// token.set_sent_start(-1);
/// assert_eq!((token.spacy(), token.sent_start(), token.norm_ix()), (true, -1, 7));
/// ```
impl TokenC {
    /// Index of the lexeme in the vocab, or in the zone if [`in_zone`](Self::in_zone).
    pub const fn lex_index(&self) -> u32 {
        Self::LEX_INDEX.get(self.lex)
    }

    /// Returns whether the lexeme is in the document's zone.
    pub const fn in_zone(&self) -> bool {
        Self::LEX_ZONE.get(self.lex) == 1
    }

    /// Returns whether a space follows.
    pub const fn spacy(&self) -> bool {
        Self::SPACY.get(self.facts) == 1
    }

    /// Sets whether a space follows.
    pub const fn set_spacy(&mut self, spacy: bool) {
        self.facts = Self::SPACY.put(self.facts, spacy as u32);
    }

    /// Returns the token with or without a space after it.
    #[must_use]
    pub const fn with_spacy(mut self, spacy: bool) -> Self {
        self.set_spacy(spacy);
        self
    }

    /// Returns the sentence start: 1 for a start, -1 for no start, 0 for unknown.
    pub const fn sent_start(&self) -> i8 {
        match Self::SENT_START.get(self.facts) {
            1 => 1,
            2 => -1,
            _ => 0,
        }
    }

    /// Sets the sentence start; only the sign of `start` counts.
    pub const fn set_sent_start(&mut self, start: i8) {
        let code = match start.signum() {
            1 => 1,
            -1 => 2,
            _ => 0,
        };
        self.facts = Self::SENT_START.put(self.facts, code);
    }

    /// Returns the token with its sentence start set; only the sign of `start` counts.
    #[must_use]
    pub const fn with_sent_start(mut self, start: i8) -> Self {
        self.set_sent_start(start);
        self
    }

    /// Returns the IOB value, an index into [`IOB_STRINGS`](crate::IOB_STRINGS).
    #[expect(clippy::cast_possible_truncation, reason = "two bits fit")]
    pub const fn ent_iob(&self) -> u8 {
        Self::ENT_IOB.get(self.facts) as u8
    }

    /// Sets the IOB value; only the low two bits of `iob` count.
    pub const fn set_ent_iob(&mut self, iob: u8) {
        self.facts = Self::ENT_IOB.put(self.facts, iob as u32);
    }

    /// Returns the token with its IOB value set; only the low two bits of `iob` count.
    #[must_use]
    pub const fn with_ent_iob(mut self, iob: u8) -> Self {
        self.set_ent_iob(iob);
        self
    }

    /// Index into the vocab's norms set by special cases; 0 for none.
    pub const fn norm_ix(&self) -> u32 {
        Self::NORM_IX.get(self.facts)
    }

    /// The token with its norm taken from the vocab's table.
    ///
    /// # Panics
    ///
    /// If `ix` exceeds `TokenC::NORM_IX.max()`; the table of norms must not grow beyond it.
    #[must_use]
    pub const fn with_norm_ix(mut self, ix: u32) -> Self {
        assert!(ix <= Self::NORM_IX.max(), "the index of a norm does not fit the token");
        self.facts = Self::NORM_IX.put(self.facts, ix);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::TokenC;

    const NORMS: [u32; 5] = [0, 1, 0x00aa_aaaa, 0x0055_5555, 0x00ff_ffff];

    /// Every mixture of facts, with a handful of norms.
    fn mixtures() -> impl Iterator<Item = (bool, i8, u8, u32)> {
        [false, true].into_iter().flat_map(|spacy| {
            (-1..=1).flat_map(move |start| {
                (0..4).flat_map(move |iob| NORMS.map(|norm| (spacy, start, iob, norm)))
            })
        })
    }

    fn facts(token: TokenC) -> (bool, i8, u8, u32) {
        (token.spacy(), token.sent_start(), token.ent_iob(), token.norm_ix())
    }

    fn token((spacy, start, iob, norm): (bool, i8, u8, u32)) -> TokenC {
        TokenC::default()
            .with_norm_ix(norm)
            .with_ent_iob(iob)
            .with_sent_start(start)
            .with_spacy(spacy)
    }

    #[test]
    fn every_mixture_of_facts_comes_back_and_leaves_the_reserved_bits_zero() {
        for mixture in mixtures() {
            let token = token(mixture);
            assert_eq!(facts(token), mixture);
            assert_eq!(token.facts & 0b1110_0000, 0);
            assert_eq!((token.lex, token.idx, token.byte), (0, 0, 0));
        }
    }

    #[test]
    fn setting_one_fact_keeps_the_others() {
        for before in mixtures() {
            for after in mixtures() {
                let mut token = token(before);
                token.set_spacy(after.0);
                assert_eq!(facts(token), (after.0, before.1, before.2, before.3));
                token.set_sent_start(after.1);
                assert_eq!(facts(token), (after.0, after.1, before.2, before.3));
                token.set_ent_iob(after.2);
                assert_eq!(facts(token), (after.0, after.1, after.2, before.3));
                assert_eq!(facts(token.with_norm_ix(after.3)), after);
            }
        }
    }

    #[test]
    fn the_bits_are_where_the_format_says() {
        assert_eq!(token((true, 0, 0, 0)).facts, 0b1);
        assert_eq!(token((false, 1, 0, 0)).facts, 0b010);
        assert_eq!(token((false, -1, 0, 0)).facts, 0b100);
        assert_eq!(token((false, 0, 3, 0)).facts, 0b1_1000);
        assert_eq!(token((false, 0, 0, 1)).facts, 0x100);
    }

    #[test]
    fn a_sentence_start_that_no_writer_makes_reads_as_unknown() {
        let token = TokenC { facts: 0b110, ..TokenC::default() };
        assert_eq!(token.sent_start(), 0);
    }

    #[test]
    fn the_top_bit_of_the_lexeme_says_zone() {
        let token = TokenC { lex: 1 << 31 | 5, ..TokenC::default() };
        assert!(token.in_zone());
        assert_eq!(token.lex_index(), 5);
        assert!(!TokenC { lex: u32::MAX >> 1, ..token }.in_zone());
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_norm_beyond_the_table_is_refused() {
        let _ = TokenC::default().with_norm_ix(1 << 24);
    }
}
