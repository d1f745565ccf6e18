//! The universal parts of speech, which are symbols too.

use crate::symbols;

/// A universal part of speech, or [`NO_TAG`](Pos::NO_TAG).
///
/// ```
/// use lexpool_structs::Pos;
///
/// assert_eq!(Pos::from_name("NOUN"), Some(Pos::NOUN));
/// assert_eq!(Pos::NOUN.number(), 92);
/// assert_eq!(Pos::from_number(12), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
// Holds 0 or one of FIRST..=LAST.
pub struct Pos(u32);

const FIRST: u32 = 84;
const LAST: u32 = 103;

impl Pos {
    /// No part of speech; its name is empty.
    pub const NO_TAG: Self = Self(0);

    /// The part of speech of that number, if there is one.
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            0 | FIRST..=LAST => Some(Self(number)),
            _ => None,
        }
    }

    /// The part of speech spelled `name`, exactly; `""` is [`NO_TAG`](Pos::NO_TAG).
    pub fn from_name(name: &str) -> Option<Self> {
        symbols::number(name).and_then(Self::from_number)
    }

    /// The number, as `TagC::pos` stores it.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The name.
    pub fn name(self) -> &'static str {
        symbols::SYMBOLS[self.0 as usize]
    }

    /// Every part of speech in order of number, [`NO_TAG`](Pos::NO_TAG) first.
    pub fn all() -> impl Iterator<Item = Self> {
        core::iter::once(0).chain(FIRST..=LAST).map(Self)
    }
}

/// The parts of speech by name.
impl Pos {
    /// Adjective.
    pub const ADJ: Self = Self(84);
    /// Adposition.
    pub const ADP: Self = Self(85);
    /// Adverb.
    pub const ADV: Self = Self(86);
    /// Auxiliary.
    pub const AUX: Self = Self(87);
    /// Conjunction, of the first edition.
    pub const CONJ: Self = Self(88);
    /// Coordinating conjunction.
    pub const CCONJ: Self = Self(89);
    /// Determiner.
    pub const DET: Self = Self(90);
    /// Interjection.
    pub const INTJ: Self = Self(91);
    /// Noun.
    pub const NOUN: Self = Self(92);
    /// Numeral.
    pub const NUM: Self = Self(93);
    /// Particle.
    pub const PART: Self = Self(94);
    /// Pronoun.
    pub const PRON: Self = Self(95);
    /// Proper noun.
    pub const PROPN: Self = Self(96);
    /// Punctuation.
    pub const PUNCT: Self = Self(97);
    /// Subordinating conjunction.
    pub const SCONJ: Self = Self(98);
    /// Symbol.
    pub const SYM: Self = Self(99);
    /// Verb.
    pub const VERB: Self = Self(100);
    /// Other.
    pub const X: Self = Self(101);
    /// End of line.
    pub const EOL: Self = Self(102);
    /// Whitespace.
    pub const SPACE: Self = Self(103);
}

#[cfg(test)]
mod tests {
    use super::Pos;

    #[test]
    fn every_part_of_speech_comes_back_by_name_and_number() {
        assert_eq!(Pos::all().count(), 21);
        for pos in Pos::all() {
            assert_eq!(Pos::from_name(pos.name()), Some(pos));
            assert_eq!(Pos::from_number(pos.number()), Some(pos));
        }
    }

    #[test]
    fn each_constant_has_its_own_name() {
        let named = [
            (Pos::ADJ, "ADJ"),
            (Pos::ADP, "ADP"),
            (Pos::ADV, "ADV"),
            (Pos::AUX, "AUX"),
            (Pos::CONJ, "CONJ"),
            (Pos::CCONJ, "CCONJ"),
            (Pos::DET, "DET"),
            (Pos::INTJ, "INTJ"),
            (Pos::NOUN, "NOUN"),
            (Pos::NUM, "NUM"),
            (Pos::PART, "PART"),
            (Pos::PRON, "PRON"),
            (Pos::PROPN, "PROPN"),
            (Pos::PUNCT, "PUNCT"),
            (Pos::SCONJ, "SCONJ"),
            (Pos::SYM, "SYM"),
            (Pos::VERB, "VERB"),
            (Pos::X, "X"),
            (Pos::EOL, "EOL"),
            (Pos::SPACE, "SPACE"),
        ];
        for (pos, name) in named {
            assert_eq!(pos.name(), name);
        }
    }

    #[test]
    fn other_symbols_are_no_parts_of_speech() {
        assert_eq!(Pos::from_name("ORTH"), None);
        assert_eq!(Pos::from_name("noun"), None);
        assert_eq!(Pos::from_number(104), None);
    }
}
