//! The record of a word type.

use crate::AttrId;
use crate::record::record;

record! {
    /// One word type: what is true of a word wherever it stands. Byte for byte spaCy's `LexemeC`.
    pub struct LexemeC: 80 bytes {
        /// One bit for each attribute numbered below 64, such as `IS_ALPHA`.
        flags: u64 @ 0,
        /// String id of the language code.
        lang: u64 @ 8,
        /// Rank of the word; 2^64 - 1 when it has none.
        id: u64 @ 16,
        /// Length in characters.
        length: u64 @ 24,
        /// String id of the text.
        orth: u64 @ 32,
        /// String id of the lower-cased text.
        lower: u64 @ 40,
        /// String id of the normal form.
        norm: u64 @ 48,
        /// String id of the shape, such as `Xxxx`.
        shape: u64 @ 56,
        /// String id of the first characters.
        prefix: u64 @ 64,
        /// String id of the last characters.
        suffix: u64 @ 72,
    }
}

impl LexemeC {
    /// Returns whether a flag is set; false for other attributes.
    ///
    /// ```
    /// use lexpool_structs::{AttrId, LexemeC};
    ///
    /// let mut lex = LexemeC::default();
    /// lex.set_flag(AttrId::IS_STOP, true);
    /// assert!(lex.flag(AttrId::IS_STOP));
    /// assert!(!lex.flag(AttrId::ORTH));
    /// ```
    pub const fn flag(&self, attr: AttrId) -> bool {
        attr.is_flag() && (self.flags >> attr.number()) & 1 == 1
    }

    /// Sets or clears a flag; other attributes are ignored.
    pub const fn set_flag(&mut self, attr: AttrId, on: bool) {
        if attr.is_flag() {
            let bit = 1 << attr.number();
            self.flags = if on { self.flags | bit } else { self.flags & !bit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LexemeC;
    use crate::AttrId;

    #[test]
    fn a_flag_is_set_and_cleared_alone() {
        for number in 0..64 {
            let flag = AttrId::new(number);
            let mut lex = LexemeC::default();
            for _ in 0..2 {
                lex.set_flag(flag, true);
                assert_eq!(lex.flags, 1 << number);
                assert!((0..64).all(|other| lex.flag(AttrId::new(other)) == (other == number)));
            }
            lex.flags = u64::MAX;
            for _ in 0..2 {
                lex.set_flag(flag, false);
                assert_eq!(lex.flags, !(1 << number));
                assert!((0..64).all(|other| lex.flag(AttrId::new(other)) == (other != number)));
            }
        }
    }

    #[test]
    fn an_attribute_above_the_flags_is_never_set() {
        let mut lex = LexemeC { flags: u64::MAX, ..LexemeC::default() };
        assert!(!lex.flag(AttrId::ID));
        lex.set_flag(AttrId::ID, false);
        assert_eq!(lex.flags, u64::MAX);
    }
}
