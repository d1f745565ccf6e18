//! The rules of particular languages, as spaCy's lemmatizers of these languages.

use std::sync::Arc;

use super::irish::IrishForm;
use super::pos_lookup::PosLookup;
use super::spanish::{self, SpanishRules};
use super::tables::{LemmaTables, without_repeats};
use super::token_form::TokenForm;
use crate::Result;
use crate::morphology::Analysis;
use crate::strings::StrId;
use crate::strings::chars::{is_alpha, to_lower};
use crate::structs::Pos;

/// A language whose rules differ from those of [`LemmaMode::Rule`](super::LemmaMode::Rule).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LemmaLanguage {
    /// Catalan, with the rules of French.
    Catalan,
    /// Dutch: a form that a rule produces and the index or the exceptions have is preferred to the
    /// look-up table, and that to other forms.
    Dutch,
    /// French: a word in the index is its own lemma; exceptions exclude rules; words that no rule
    /// fits are looked up.
    French,
    /// Greek: the rules of French without the look-up table.
    Greek,
    /// Haitian Creole: the word in lower case.
    HaitianCreole,
    /// Irish, by a look-up table for each part of speech: words are looked up without their initial
    /// mutation.
    Irish,
    /// Italian, by a look-up table for each part of speech.
    Italian,
    /// Macedonian: forms are used only if the index has them, and words in "јќи" are verbs.
    Macedonian,
    /// Polish, by a look-up table for each part of speech: adjectives and verbs are looked up
    /// without "nie" and "naj".
    Polish,
    /// Spanish: morphology selects the rules, and pronouns are split off verbs.
    Spanish,
}

impl LemmaLanguage {
    /// Returns the language of an ISO code, as "fr".
    pub fn from_code(code: &str) -> Option<LemmaLanguage> {
        Some(match code {
            "ca" => LemmaLanguage::Catalan,
            "nl" => LemmaLanguage::Dutch,
            "fr" => LemmaLanguage::French,
            "el" => LemmaLanguage::Greek,
            "ht" => LemmaLanguage::HaitianCreole,
            "ga" => LemmaLanguage::Irish,
            "it" => LemmaLanguage::Italian,
            "mk" => LemmaLanguage::Macedonian,
            "pl" => LemmaLanguage::Polish,
            "es" => LemmaLanguage::Spanish,
            _ => return None,
        })
    }

    /// Returns the language whose rules a mode of spaCy's lemmatizers means in a language; `None`
    /// for the modes "lookup" and "rule" that all languages have, and for unknown ones.
    pub fn of_mode(code: &str, mode: &str) -> Option<LemmaLanguage> {
        LemmaLanguage::from_code(code).filter(|language| language.mode() == mode)
    }

    /// Returns the name of the mode.
    pub fn mode(self) -> &'static str {
        match self {
            LemmaLanguage::Irish | LemmaLanguage::Italian | LemmaLanguage::Polish => "pos_lookup",
            _ => "rule",
        }
    }

    /// Returns the names of the tables without which spaCy's lemmatizer of the language fails.
    pub fn required_tables(self) -> &'static [&'static str] {
        match self {
            LemmaLanguage::Catalan
            | LemmaLanguage::Dutch
            | LemmaLanguage::French
            | LemmaLanguage::HaitianCreole => {
                &["lemma_lookup", "lemma_rules", "lemma_exc", "lemma_index"]
            }
            LemmaLanguage::Greek | LemmaLanguage::Macedonian => &["lemma_rules"],
            LemmaLanguage::Spanish => {
                &["lemma_rules", "lemma_rules_groups", "lemma_index", "lemma_exc"]
            }
            LemmaLanguage::Irish => {
                &["lemma_lookup_adj", "lemma_lookup_adp", "lemma_lookup_noun", "lemma_lookup_verb"]
            }
            LemmaLanguage::Italian => &[
                "lemma_lookup_num",
                "lemma_lookup_det",
                "lemma_lookup_adp",
                "lemma_lookup_adj",
                "lemma_lookup_noun",
                "lemma_lookup_pron",
                "lemma_lookup_verb",
                "lemma_lookup_aux",
                "lemma_lookup_adv",
                "lemma_lookup_other",
                "lemma_lookup",
            ],
            LemmaLanguage::Polish => &[
                "lemma_lookup_adj",
                "lemma_lookup_adp",
                "lemma_lookup_adv",
                "lemma_lookup_aux",
                "lemma_lookup_noun",
                "lemma_lookup_num",
                "lemma_lookup_part",
                "lemma_lookup_pron",
                "lemma_lookup_verb",
            ],
        }
    }
}

/// The tables of a language with the method that applies them.
///
/// ```
/// use lexpool::pipeline::{LanguageRules, LemmaLanguage, LemmaTables, TokenForm};
/// use lexpool::strings::StrId;
/// use lexpool::structs::Pos;
///
/// let mut tables = LemmaTables::default();
/// tables.set_rules(StrId::of("verb"), &[("ons", "er")]);
/// tables.set_lookup(vec![(StrId::of("Paris"), vec!["Paris"])])?;
/// let rules = LanguageRules::new(tables.into(), LemmaLanguage::French)?;
/// let verb = rules.form(Pos::VERB, None, false);
/// assert_eq!(rules.forms("Chantons", verb)?, ["chanter"]);
/// assert_eq!(rules.forms("Paris", TokenForm::from(Pos::PROPN))?, ["Paris"]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct LanguageRules {
    tables: Arc<LemmaTables>,
    language: LemmaLanguage,
    spanish: Option<SpanishRules>,
}

impl LanguageRules {
    /// Returns the rules of a language.
    ///
    /// # Errors
    ///
    /// `lemma-table` for a Spanish rule that Python's `re` does not accept.
    pub fn new(tables: Arc<LemmaTables>, language: LemmaLanguage) -> Result<LanguageRules> {
        let spanish = match language {
            LemmaLanguage::Spanish => Some(SpanishRules::new(&tables)?),
            _ => None,
        };
        Ok(LanguageRules { tables, language, spanish })
    }

    /// Returns the form of a token with a part of speech and an analysis. Irish and Spanish rules
    /// test the analysis, Spanish ones also whether the token starts a sentence.
    pub fn form(&self, pos: Pos, analysis: Option<&Analysis>, is_sent_start: bool) -> TokenForm {
        let number = match (&self.spanish, self.language) {
            (Some(spanish), _) => spanish.form(pos, analysis, is_sent_start),
            (None, LemmaLanguage::Irish) => IrishForm::of(pos, analysis).number(),
            _ => 0,
        };
        TokenForm { pos, number }
    }

    /// Returns whether the forms of a part of speech depend on the place of a token in its
    /// sentence, and on nothing else.
    pub(super) fn is_of_place(&self, pos: Pos) -> bool {
        self.spanish.is_some() && spanish::is_unchanged(pos)
    }

    /// Returns the number of different forms of a part of speech.
    pub(super) fn form_count(&self, pos: Pos) -> usize {
        match (&self.spanish, self.language) {
            (Some(spanish), _) => spanish.form_count(pos),
            (None, LemmaLanguage::Irish) => IrishForm::COUNT,
            _ => 1,
        }
    }

    /// Returns all lemmas of a word in a form that these rules returned, at least one; the first
    /// one is the lemma to use.
    ///
    /// # Errors
    ///
    /// `rule-limit` if a Spanish rule that is a regular expression exceeds its budget.
    pub fn forms(&self, word: &str, form: TokenForm) -> Result<Vec<String>> {
        let pos = form.pos;
        let name = match (self.language, pos) {
            (_, Pos::NO_TAG) => String::new(),
            (LemmaLanguage::Irish | LemmaLanguage::Italian | LemmaLanguage::Polish, Pos::PROPN) => {
                "noun".to_owned()
            }
            (LemmaLanguage::Italian, Pos::PART) => "pron".to_owned(),
            _ => pos.name().to_lowercase(),
        };
        let lookup = PosLookup::new(&self.tables, pos, &name);
        match self.language {
            LemmaLanguage::Irish => {
                return Ok(lookup.irish(word, IrishForm::from_number(form.number)));
            }
            LemmaLanguage::Italian => return Ok(lookup.italian(word)),
            LemmaLanguage::Polish => return Ok(lookup.polish(word)),
            _ => {}
        }
        if [Pos::NO_TAG, Pos::SPACE, Pos::EOL].contains(&pos) {
            return Ok(vec![lower(word)]);
        }
        if let Some(spanish) = &self.spanish {
            return spanish.forms(&self.tables, word, pos, form.number);
        }
        let search = Search { tables: &self.tables, pos: StrId::of(&name) };
        Ok(match self.language {
            LemmaLanguage::Catalan | LemmaLanguage::French => search.french(word, pos),
            LemmaLanguage::Greek => search.indexed(&lower(word), None),
            LemmaLanguage::Dutch => search.dutch(lower(word), pos),
            LemmaLanguage::Macedonian => search.macedonian(word, pos),
            _ => vec![lower(word)],
        })
    }
}

fn lower(word: &str) -> String {
    let mut lowered = String::new();
    to_lower(word, &mut lowered);
    lowered
}

/// The search for the lemmas of a word with a part of speech.
struct Search<'a> {
    tables: &'a LemmaTables,
    pos: StrId,
}

impl Search<'_> {
    fn french(&self, word: &str, pos: Pos) -> Vec<String> {
        let is_ruled = matches!(
            pos,
            Pos::NOUN
                | Pos::VERB
                | Pos::ADJ
                | Pos::ADP
                | Pos::ADV
                | Pos::AUX
                | Pos::CCONJ
                | Pos::DET
                | Pos::PRON
                | Pos::PUNCT
                | Pos::SCONJ
        );
        if !is_ruled {
            return self.looked_up(word).unwrap_or_else(|| vec![word.to_owned()]);
        }
        let lowered = lower(word);
        let looked_up = self.looked_up(&lowered).and_then(|found| found.into_iter().next());
        self.indexed(&lowered, looked_up)
    }

    /// Returns the word if the index has it, else its exceptions, else known forms, else other
    /// forms, else the lemma looked up or the word.
    fn indexed(&self, word: &str, looked_up: Option<String>) -> Vec<String> {
        if self.is_known(word) {
            return vec![word.to_owned()];
        }
        let mut forms = self.tables.exceptions(self.pos, word);
        if forms.is_empty() {
            let (known, unknown): (Vec<_>, Vec<_>) = self
                .ruled(word)
                .partition(|form| self.is_known(form) || !form.chars().all(is_alpha));
            forms = if known.is_empty() { unknown } else { known };
        }
        if forms.is_empty() {
            forms.push(looked_up.unwrap_or_else(|| word.to_owned()));
        }
        without_repeats(forms)
    }

    fn dutch(&self, word: String, pos: Pos) -> Vec<String> {
        let is_ruled = matches!(
            pos,
            Pos::NOUN
                | Pos::VERB
                | Pos::AUX
                | Pos::ADJ
                | Pos::ADV
                | Pos::PRON
                | Pos::DET
                | Pos::ADP
                | Pos::NUM
        );
        if !is_ruled || self.is_known(&word) {
            return vec![word];
        }
        if let Some(lemma) = self.tables.exceptions(self.pos, &word).into_iter().next() {
            return vec![lemma];
        }
        let looked_up = self.looked_up(&word).and_then(|found| found.into_iter().next());
        // As in spaCy, an empty lemma counts as none.
        let looked_up = looked_up.filter(|lemma| !lemma.is_empty());
        if let Some(lemma) = looked_up.as_ref().filter(|lemma| self.is_known(lemma)) {
            return vec![lemma.clone()];
        }
        if let Some(form) = self.ruled(&word).find(|form| self.is_known(form)) {
            return vec![form];
        }
        let forms = without_repeats(self.ruled(&word));
        let exception = forms.iter().find(|form| self.tables.has_exception(self.pos, form));
        match exception.cloned().or(looked_up) {
            Some(lemma) => vec![lemma],
            None if forms.is_empty() => vec![word],
            None => forms,
        }
    }

    fn macedonian(&self, word: &str, pos: Pos) -> Vec<String> {
        let (word, pos, name) = match word.strip_suffix("\u{458}\u{45c}\u{438}") {
            Some(stem) => (stem, Pos::VERB, StrId::of("verb")),
            None => (word, pos, self.pos),
        };
        if !self.tables.has_pos(name) {
            return vec![if pos == Pos::PROPN { word.to_owned() } else { lower(word) }];
        }
        let (own, lowered) = (Search { tables: self.tables, pos: name }, lower(word));
        let forms = own.ruled(&lowered);
        let forms = forms.filter(|form| own.is_known(form) || !form.chars().all(is_alpha));
        let mut forms = without_repeats(forms);
        for form in self.tables.exceptions(name, &lowered) {
            if !forms.contains(&form) {
                forms.insert(0, form);
            }
        }
        if forms.is_empty() {
            forms.push(word.to_owned());
        }
        forms
    }

    /// Returns the forms that rules produce, in order, without empty ones.
    fn ruled(&self, word: &str) -> impl Iterator<Item = String> {
        let rules = self.tables.rules(self.pos).iter();
        rules
            .filter_map(move |(old, new)| {
                word.strip_suffix(&**old).map(|stem| format!("{stem}{new}"))
            })
            .filter(|form| !form.is_empty())
    }

    fn is_known(&self, form: &str) -> bool {
        self.tables.is_lemma(self.pos, form)
    }

    fn looked_up(&self, word: &str) -> Option<Vec<String>> {
        let lemmas = self.tables.lookup(StrId::of(word))?;
        Some(lemmas.map(str::to_owned).collect())
    }
}
