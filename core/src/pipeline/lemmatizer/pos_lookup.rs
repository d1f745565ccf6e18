//! Look-up tables for each part of speech, as in spaCy's mode `pos_lookup` for Irish, Italian and
//! Polish.

use super::irish::{self, IrishForm};
use super::tables::LemmaTables;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::structs::Pos;

/// The search in the tables of one part of speech.
pub(super) struct PosLookup<'a> {
    tables: &'a LemmaTables,
    pos: Pos,
    table: StrId,
}

impl<'a> PosLookup<'a> {
    /// `name`: the name of the part of speech whose table is used.
    pub(super) fn new(tables: &'a LemmaTables, pos: Pos, name: &str) -> PosLookup<'a> {
        PosLookup { tables, pos, table: StrId::of(name) }
    }

    pub(super) fn polish(&self, word: &str) -> Vec<String> {
        if self.pos == Pos::NOUN {
            return self.noun(word);
        }
        let lowered = lower(word);
        let without = |prefix: &str| lowered.strip_prefix(prefix);
        // Negated and superlative forms are looked up without their prefixes.
        let stems = match self.pos {
            Pos::ADJ => [
                without("nie").and_then(|stem| stem.strip_prefix("naj")),
                without("nie"),
                without("naj"),
            ],
            Pos::VERB => [without("nie"), None, None],
            _ => [None; 3],
        };
        let stem = stems.into_iter().flatten().find_map(|stem| self.get(stem));
        let form = if self.pos == Pos::PROPN { word } else { &lowered };
        stem.or_else(|| self.get(form)).unwrap_or_else(|| vec![lowered.clone()])
    }

    pub(super) fn italian(&self, word: &str) -> Vec<String> {
        if self.pos == Pos::NOUN {
            return self.noun(word);
        }
        let lowered = lower(word);
        let form = if self.pos == Pos::PROPN { word } else { &lowered };
        let article = match (self.pos, form) {
            (Pos::DET | Pos::PRON, "un'" | "un" | "una") => Some("uno"),
            (Pos::DET, "l'" | "lo" | "la" | "i" | "gli" | "le") => Some("il"),
            (Pos::PRON, "l'" | "li" | "la" | "gli" | "le") => Some("lo"),
            (Pos::ADP, "d'") => Some("di"),
            _ => None,
        };
        if let Some(lemma) = article {
            return vec![lemma.to_owned()];
        }
        match self.pos {
            Pos::DET | Pos::ADP => self.get(form).unwrap_or_else(|| vec![lowered.clone()]),
            Pos::PRON | Pos::ADJ => {
                let mut lemmas = self.get(form).unwrap_or_else(|| vec![lowered.clone()]);
                for lemma in &mut lemmas {
                    if lemma == "alcun" || lemma == "qualcun" {
                        lemma.push('o');
                    }
                }
                lemmas
            }
            _ => {
                // An empty lemma counts as none.
                let is_full =
                    |lemmas: &Vec<String>| lemmas.first().is_some_and(|lemma| !lemma.is_empty());
                let other = || self.tables.pos_lookup(StrId::of("other"), StrId::of(form));
                let lemmas = self.get(form).filter(is_full);
                lemmas.or_else(|| other().map(owned).filter(is_full)).unwrap_or_else(|| {
                    self.tables.lookup(StrId::of(form)).map_or_else(|| vec![lowered.clone()], owned)
                })
            }
        }
    }

    pub(super) fn irish(&self, word: &str, form: IrishForm) -> Vec<String> {
        let word = irish::without_dots(word);
        if let Some(radical) = form.radical(&word) {
            return vec![lower(&radical)];
        }
        let is_listed =
            matches!(self.pos, Pos::PROPN | Pos::ADP | Pos::ADJ | Pos::NOUN | Pos::VERB);
        if !is_listed {
            return vec![lower(&word)];
        }
        if self.pos == Pos::ADP {
            return self.get(&word).unwrap_or_else(|| vec![lower(&word)]);
        }
        let mut lemmas = Vec::new();
        for stem in [irish::radical(&word, false), irish::without_h(&word)] {
            let stem = if self.pos == Pos::PROPN { stem } else { lower(&stem) };
            lemmas.extend(self.get(&stem).into_iter().flatten());
        }
        if lemmas.is_empty() {
            lemmas.push(lower(&word));
        }
        lemmas
    }

    /// Nouns, in lower case first: a proper noun may be marked as a common one.
    fn noun(&self, word: &str) -> Vec<String> {
        let lowered = lower(word);
        self.get(&lowered).or_else(|| self.get(word)).unwrap_or_else(|| vec![lowered])
    }

    fn get(&self, word: &str) -> Option<Vec<String>> {
        self.tables.pos_lookup(self.table, StrId::of(word)).map(owned)
    }
}

/// Never empty, since a word of a look-up table has a lemma.
fn owned<'a>(lemmas: impl Iterator<Item = &'a str>) -> Vec<String> {
    lemmas.map(str::to_owned).collect()
}

fn lower(word: &str) -> String {
    let mut lowered = String::new();
    to_lower(word, &mut lowered);
    lowered
}
