//! Words that are lemmas already, by their morphology: spaCy's `is_base_form`.

use crate::morphology::{Analysis, Morphology};
use crate::strings::StrId;
use crate::structs::Pos;

/// The rules that decide whether a word is its own lemma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseForms {
    /// No rules: all words go through the tables.
    #[default]
    None,
    /// spaCy's rules for English.
    English,
}

impl BaseForms {
    /// Returns whether a word with a part of speech and a morphological analysis is a lemma.
    pub fn is_base(self, morphology: &Morphology, pos: Pos, morph: StrId) -> bool {
        self.is_base_of(morphology.get(morph), pos)
    }

    pub(super) fn is_base_of(self, analysis: Option<&Analysis>, pos: Pos) -> bool {
        self == BaseForms::English && FormFeatures::of(analysis).is_base(pos)
    }
}

/// The features of an analysis that the English rules test.
#[derive(Clone, Copy, Default)]
struct FormFeatures {
    /// A lemma whatever its part of speech.
    is_base: bool,
    is_singular: bool,
    /// Finite and present without a number, as in "they go".
    is_plain_present: bool,
}

impl FormFeatures {
    fn of(analysis: Option<&Analysis>) -> FormFeatures {
        let Some(analysis) = analysis else { return FormFeatures::default() };
        let has_only = |field: &str, value: &str| {
            let mut values = analysis.of_field(StrId::of(field));
            let feature = StrId::of(&format!("{field}={value}"));
            values.next() == Some(feature) && values.next().is_none()
        };
        FormFeatures {
            is_base: has_only("VerbForm", "Inf")
                || has_only("VerbForm", "None")
                || has_only("Degree", "Pos"),
            is_singular: has_only("Number", "Sing"),
            is_plain_present: has_only("VerbForm", "Fin")
                && has_only("Tense", "Pres")
                && analysis.of_field(StrId::of("Number")).next().is_none(),
        }
    }

    fn is_base(self, pos: Pos) -> bool {
        self.is_base
            || (pos == Pos::NOUN && self.is_singular)
            || (pos == Pos::VERB && self.is_plain_present)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::strings::StringStore;

    #[test]
    fn base_forms_agree_with_spacy() {
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
        for (pos, feats, expected) in table {
            let morph = morphology.add(feats).unwrap();
            assert_eq!(BaseForms::English.is_base(&morphology, pos, morph), expected, "{feats}");
            assert!(!BaseForms::None.is_base(&morphology, pos, morph));
        }
        assert!(!BaseForms::English.is_base(&morphology, Pos::NOUN, StrId::new(12345)));
    }
}
