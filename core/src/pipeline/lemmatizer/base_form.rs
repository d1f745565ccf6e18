//! Which words are lemmas already, by what their morphology says.

use crate::morphology::{Analysis, Morphology};
use crate::strings::StrId;
use crate::structs::Pos;

/// Whose rules say that a word is its own lemma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseForms {
    /// Nobody's: all words go through the tables.
    #[default]
    None,
    /// spaCy's for English.
    English,
}

impl BaseForms {
    /// Whether a word of a part of speech, with the analysis of that id, is a lemma.
    pub fn is_base(self, morphology: &Morphology, pos: Pos, morph: StrId) -> bool {
        self == BaseForms::English && Forms::of(morphology.get(morph)).is_base(pos)
    }
}

/// What the English rules ask of an analysis.
#[derive(Clone, Copy, Default)]
pub(super) struct Forms {
    /// Of any part of speech a lemma.
    is_base: bool,
    is_singular: bool,
    /// Finite and present, and nothing is said of number: "they go".
    is_plain_present: bool,
}

impl Forms {
    pub(super) fn of(analysis: Option<&Analysis>) -> Forms {
        let Some(analysis) = analysis else { return Forms::default() };
        let says = |field: &str, value: &str| {
            let mut values = analysis.of_field(StrId::of(field));
            let feature = StrId::of(&format!("{field}={value}"));
            values.next() == Some(feature) && values.next().is_none()
        };
        Forms {
            is_base: says("VerbForm", "Inf") || says("VerbForm", "None") || says("Degree", "Pos"),
            is_singular: says("Number", "Sing"),
            is_plain_present: says("VerbForm", "Fin")
                && says("Tense", "Pres")
                && analysis.of_field(StrId::of("Number")).next().is_none(),
        }
    }

    pub(super) fn is_base(self, pos: Pos) -> bool {
        self.is_base
            || (pos == Pos::NOUN && self.is_singular)
            || (pos == Pos::VERB && self.is_plain_present)
    }
}

/// The forms of the analyses last met, so that a token costs no look-up among all of them.
pub(super) struct Recent<'a> {
    morphology: &'a Morphology,
    met: [(u64, Forms); Recent::SLOTS],
}

impl<'a> Recent<'a> {
    const SLOTS: usize = 32;

    pub(super) fn new(morphology: &'a Morphology) -> Recent<'a> {
        // Each slot holds what is right for it from the start: nothing is said without an analysis.
        Recent { morphology, met: [(0, Forms::default()); Recent::SLOTS] }
    }

    #[inline]
    pub(super) fn get(&mut self, morph: u64) -> Forms {
        #[expect(clippy::cast_possible_truncation, reason = "any of its bits will do")]
        let slot = &mut self.met[(morph ^ morph >> 32) as usize % Recent::SLOTS];
        if slot.0 != morph {
            *slot = (morph, Forms::of(self.morphology.get(StrId::new(morph))));
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::strings::StringStore;

    #[test]
    fn base_forms_are_those_that_spacy_names() {
        // Printed by spaCy 3.8's `EnglishLemmatizer.is_base_form`.
        let table = [
            (Pos::NOUN, "Number=Sing", true),
            (Pos::PROPN, "Number=Sing", false),
            (Pos::NOUN, "Number=Plur", false),
            (Pos::NOUN, "Number=Plur,Sing", false),
            (Pos::VERB, "VerbForm=Inf", true),
            (Pos::AUX, "VerbForm=Inf", true),
            (Pos::VERB, "Tense=Pres|VerbForm=Fin", true),
            (Pos::AUX, "Tense=Pres|VerbForm=Fin", false),
            (Pos::VERB, "Number=Sing|Tense=Pres|VerbForm=Fin", false),
            (Pos::VERB, "Tense=Past|VerbForm=Fin", false),
            (Pos::ADJ, "Degree=Pos", true),
            (Pos::X, "Degree=Pos", true),
            (Pos::X, "VerbForm=None", true),
            (Pos::ADJ, "Degree=Cmp", false),
            (Pos::NOUN, "_", false),
        ];
        let morphology = Morphology::new(Arc::new(StringStore::new()));
        let mut recent = Recent::new(&morphology);
        for (pos, feats, expected) in table {
            let morph = morphology.add(feats).unwrap();
            assert_eq!(BaseForms::English.is_base(&morphology, pos, morph), expected, "{feats}");
            assert_eq!(recent.get(morph.get()).is_base(pos), expected, "{feats}");
            assert!(!BaseForms::None.is_base(&morphology, pos, morph));
        }
        assert!(!recent.get(0).is_base(Pos::NOUN));
        assert!(!recent.get(12345).is_base(Pos::NOUN));
    }
}
