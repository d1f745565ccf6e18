//! The numbers of lexical and token attributes, which are spaCy's.

use crate::symbols;

/// The letters of the places in an entity; the index is what a token stores.
pub const IOB_STRINGS: [&str; 4] = ["", "I", "O", "B"];

/// The number of an attribute.
///
/// Any number is allowed, as a pattern or an array may name one that nothing defines; reading such
/// an attribute gives 0. Numbers below 64 are flags, one bit each in `LexemeC::flags`.
///
/// ```
/// use lexpool_structs::AttrId;
///
/// assert_eq!(AttrId::from_name("lower"), Some(AttrId::LOWER));
/// assert_eq!(AttrId::LOWER.number(), 66);
/// assert_eq!(AttrId::new(67).name(), Some("NORM"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct AttrId(u32);

impl AttrId {
    /// The attributes of a word whose values are ids of strings, its text first.
    pub const WORD_STRINGS: [Self; 7] =
        [Self::ORTH, Self::LOWER, Self::NORM, Self::SHAPE, Self::PREFIX, Self::SUFFIX, Self::LANG];

    /// The attribute of that number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The name, or none if nothing defines this attribute; `""` is the name of number 0.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::SENT_END => Some("SENT_END"),
            _ => self.is_named().then(|| symbols::SYMBOLS[self.0 as usize]),
        }
    }

    /// The attribute called `name`, spelled exactly or, failing that, in any case.
    ///
    /// `SENT_END` is not found, since only compiled code may use it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::exactly(name).or_else(|| {
            let mut upper = [0; MAX_NAME_LEN];
            let mut len = 0;
            for ch in name.chars().flat_map(char::to_uppercase) {
                *upper.get_mut(len)? = u8::try_from(ch).ok().filter(u8::is_ascii)?;
                len += 1;
            }
            Self::exactly(core::str::from_utf8(&upper[..len]).ok()?)
        })
    }

    /// Returns whether the attribute is a bit in `LexemeC::flags`.
    pub const fn is_flag(self) -> bool {
        self.0 < 64
    }

    /// Returns every attribute that has a name, in order of number, except `SENT_END`.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMED.iter().copied()
    }

    fn exactly(name: &str) -> Option<Self> {
        symbols::number(name).map(Self).filter(|attr| attr.is_named())
    }

    /// Returns whether a symbol of this number exists and is an attribute.
    fn is_named(self) -> bool {
        NAMED.binary_search(&self).is_ok()
    }
}

/// The longest name of an attribute, `IS_OOV_DEPRECATED`.
const MAX_NAME_LEN: usize = 17;

/// Declares runs of attributes by their first number, and proves each name against the symbols.
macro_rules! attributes {
    ($($first:literal: $($name:ident)+;)+) => {
        impl AttrId {
            /// No attribute; the number 0, whose name is empty.
            pub const NULL: Self = Self(0);
            /// The end of a sentence. For compiled code only: by name it cannot be asked for.
            pub const SENT_END: Self = Self(456);
            $(attributes!(@run $first; $($name)+);)+
        }

        static NAMED: &[AttrId] = &[AttrId::NULL, $($(AttrId::$name),+),+];
    };
    (@run $number:expr; $name:ident $($rest:ident)*) => {
        #[doc = concat!("The attribute `", stringify!($name), "`.")]
        pub const $name: Self = Self::checked($number, stringify!($name));
        attributes!(@run $number + 1; $($rest)*);
    };
    (@run $number:expr;) => {};
}

attributes! {
    1: IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM
       LIKE_EMAIL IS_STOP IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT
       IS_CURRENCY FLAG19 FLAG20 FLAG21 FLAG22 FLAG23 FLAG24 FLAG25 FLAG26 FLAG27 FLAG28 FLAG29
       FLAG30 FLAG31 FLAG32 FLAG33 FLAG34 FLAG35 FLAG36 FLAG37 FLAG38 FLAG39 FLAG40 FLAG41 FLAG42
       FLAG43 FLAG44 FLAG45 FLAG46 FLAG47 FLAG48 FLAG49 FLAG50 FLAG51 FLAG52 FLAG53 FLAG54 FLAG55
       FLAG56 FLAG57 FLAG58 FLAG59 FLAG60 FLAG61 FLAG62 FLAG63 ID ORTH LOWER NORM SHAPE PREFIX
       SUFFIX LENGTH;
    73: LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD SENT_START SPACY;
    83: LANG;
    452: ENT_KB_ID MORPH ENT_ID IDX;
}

impl AttrId {
    /// The attribute of that number, if the symbol of that number is so called.
    const fn checked(number: u32, name: &str) -> Self {
        let (symbol, name) = (symbols::TABLE[number as usize].as_bytes(), name.as_bytes());
        assert!(symbol.len() == name.len(), "an attribute's name differs from its symbol's");
        let mut i = 0;
        while i < name.len() {
            assert!(symbol[i] == name[i], "an attribute's name differs from its symbol's");
            i += 1;
        }
        Self(number)
    }
}

#[cfg(test)]
mod tests {
    use super::AttrId;
    use std::panic::catch_unwind;

    #[test]
    fn an_attribute_declared_by_another_name_than_its_symbols_is_refused() {
        assert_eq!(AttrId::checked(65, "ORTH"), AttrId::ORTH);
        for name in ["NORM", "ORT", "ORTHS", "XRTH", "OXTH", "ORTX", ""] {
            assert!(catch_unwind(|| AttrId::checked(65, name)).is_err(), "{name}");
        }
    }

    #[test]
    fn every_named_attribute_is_found_by_name_in_any_case() {
        for attr in AttrId::all() {
            let name = attr.name().expect("it is named");
            assert_eq!(AttrId::from_name(name), Some(attr));
            assert_eq!(AttrId::from_name(&name.to_lowercase()), Some(attr));
        }
    }

    #[test]
    fn there_are_eighty_six_named_attributes_in_order() {
        assert_eq!(AttrId::all().count(), 86);
        assert!(AttrId::all().is_sorted());
    }

    #[test]
    fn a_symbol_that_is_no_attribute_is_not_found() {
        for name in ["CLUSTER", "PROB", "NOUN", "nsubj", "_", "SENT_END", "TEXT", "\u{df}"] {
            assert_eq!(AttrId::from_name(name), None, "{name}");
        }
        for number in [72, 82, 84, 451, 457, u32::MAX] {
            assert_eq!(AttrId::new(number).name(), None, "{number}");
        }
    }

    #[test]
    fn case_is_folded_as_python_does() {
        // U+0131, the dotless i, has the upper case `I`.
        assert_eq!(AttrId::from_name("\u{131}d"), Some(AttrId::ID));
        assert_eq!(AttrId::from_name(""), Some(AttrId::NULL));
    }

    #[test]
    fn the_end_of_a_sentence_has_a_number_and_a_name() {
        assert_eq!((AttrId::SENT_END.number(), AttrId::SENT_END.name()), (456, Some("SENT_END")));
    }

    #[test]
    fn flags_are_the_numbers_below_sixty_four() {
        assert!(AttrId::FLAG63.is_flag());
        assert!(!AttrId::ID.is_flag());
    }
}
