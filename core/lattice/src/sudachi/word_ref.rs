//! References to words of a lattice.

use super::lexicon::WordId;

/// A word of a lattice: one of the dictionary, or an unknown word with its part of speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordRef(u32);

impl WordRef {
    const UNKNOWN: u32 = 0xf000_0000;

    pub(super) fn unknown(pos: u16) -> WordRef {
        WordRef(WordRef::UNKNOWN | u32::from(pos))
    }

    pub(super) fn from_raw(raw: u32) -> WordRef {
        WordRef(raw)
    }

    pub(super) fn raw(self) -> u32 {
        self.0
    }

    /// Returns the number of the word, or the part of speech of an unknown word.
    pub(super) fn resolve(self) -> Result<WordId, u16> {
        if self.0 & WordRef::UNKNOWN == WordRef::UNKNOWN {
            let [low, high, ..] = self.0.to_le_bytes();
            return Err(u16::from_le_bytes([low, high]));
        }
        Ok(WordId(self.0))
    }
}
