//! The rules of each language: a shape and the relations that it depends on.

use super::shapes::{Romance, Shape};

/// The rules by which noun chunks of a language are found.
///
/// ```
/// use lexpool::tokens::NounChunkRules;
/// assert!(NounChunkRules::of_language("de").is_some());
/// assert!(NounChunkRules::of_language("hu").is_none());
/// ```
#[derive(Debug)]
pub struct NounChunkRules {
    pub(super) shape: Shape,
}

impl NounChunkRules {
    /// Returns the rules of a language by its code; `None` if it has none.
    pub fn of_language(code: &str) -> Option<&'static NounChunkRules> {
        RULES.iter().find(|(codes, _)| codes.contains(&code)).map(|(_, rules)| rules)
    }

    /// Returns the codes of the languages that have rules.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        RULES.iter().flat_map(|(codes, _)| codes.iter().copied())
    }
}

/// The codes of languages with their rules.
const RULES: &[(&[&str], NounChunkRules)] = &[
    (
        &["en"],
        rules(Shape::HeadFinal(&[
            "oprd",
            "nsubj",
            "dobj",
            "nsubjpass",
            "pcomp",
            "pobj",
            "dative",
            "appos",
            "attr",
            "ROOT",
        ])),
    ),
    (
        &["fa"],
        rules(Shape::HeadFinal(&[
            "nsubj",
            "dobj",
            "nsubjpass",
            "pcomp",
            "pobj",
            "dative",
            "appos",
            "attr",
            "ROOT",
        ])),
    ),
    (&["id", "ms", "nb", "nn"], rules(Shape::Subtree(SUBJECTS_AND_OBJECTS))),
    (
        &["sv"],
        rules(Shape::Subtree(&[
            "nsubj",
            "nsubj:pass",
            "dobj",
            "obj",
            "iobj",
            "ROOT",
            "appos",
            "nmod",
            "nmod:poss",
        ])),
    ),
    (
        &["es"],
        rules(Shape::Romance(&Romance {
            heads: &["nsubj", "nsubj:pass", "obj", "obl", "nmod", "pcomp", "appos", "ROOT"],
            determiners: &[],
            modifiers: &["flat", "fixed", "compound"],
        })),
    ),
    (
        &["fr"],
        rules(Shape::Romance(&Romance {
            heads: &[
                "nsubj",
                "nsubj:pass",
                "obj",
                "obl",
                "obl:agent",
                "obl:arg",
                "obl:mod",
                "nmod",
                "pcomp",
                "appos",
                "ROOT",
            ],
            determiners: &["det"],
            modifiers: &["flat", "flat:name", "flat:foreign", "fixed", "compound"],
        })),
    ),
    (
        &["it"],
        rules(Shape::Romance(&Romance {
            heads: WITH_AGENTS,
            determiners: &["det", "det:poss"],
            modifiers: &["flat", "flat:name", "fixed", "compound"],
        })),
    ),
    (
        &["pt"],
        rules(Shape::Romance(&Romance {
            heads: WITH_AGENTS,
            determiners: &["det"],
            modifiers: &["flat", "flat:name", "fixed", "compound"],
        })),
    ),
    (&["ht"], rules(Shape::Haitian)),
    (&["ca"], rules(Shape::Catalan)),
    (
        &["da"],
        rules(Shape::Bounded(&[
            "fixed",
            "nmod:poss",
            "amod",
            "flat",
            "goeswith",
            "nummod",
            "appos",
        ])),
    ),
    (
        &["la"],
        rules(Shape::Bounded(&[
            "fixed",
            "nmod:poss",
            "amod",
            "flat",
            "goeswith",
            "nummod",
            "appos",
            "nmod",
            "det",
        ])),
    ),
    (&["de"], rules(Shape::German)),
    (&["el"], rules(Shape::Greek)),
    (&["fi"], rules(Shape::Finnish)),
    (&["nl"], rules(Shape::Dutch)),
    (&["ja"], rules(Shape::Japanese)),
    (&["tr"], rules(Shape::Turkish)),
];

const SUBJECTS_AND_OBJECTS: &[&str] =
    &["nsubj", "nsubj:pass", "obj", "iobj", "ROOT", "appos", "nmod", "nmod:poss"];

const WITH_AGENTS: &[&str] =
    &["nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "nmod", "pcomp", "appos", "ROOT"];

const fn rules(shape: Shape) -> NounChunkRules {
    NounChunkRules { shape }
}
