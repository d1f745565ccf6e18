//! Lemmas of Spanish words: rules selected by morphology, and clitic pronouns, as spaCy's
//! `SpanishLemmatizer`.

use super::substitution::{Substitution, split_newline};
use super::tables::{LemmaTables, without_repeats};
use crate::Result;
use crate::morphology::Analysis;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::structs::Pos;

/// Pronouns at the end of a verb: of two that match, the longer one is meant.
const CLITICS: [&str; 11] = ["los", "las", "les", "nos", "me", "te", "se", "lo", "la", "le", "os"];

/// The largest number of pronouns that are taken off a verb.
const MAX_CLITICS: usize = 4;

/// Rules with their expressions compiled.
#[derive(Debug)]
pub(super) struct SpanishRules {
    adjective: Vec<FormRules>,
    noun: Vec<FormRules>,
    verb: Vec<FormRules>,
    /// Rules for determiners and pronouns.
    general: Vec<Substitution>,
    /// Replacements of accented vowels.
    accents: Vec<Substitution>,
}

/// Rules for the forms that have certain features.
#[derive(Debug)]
struct FormRules {
    features: Vec<StrId>,
    rules: Vec<Substitution>,
}

impl SpanishRules {
    /// Compiles the rules of the tables.
    ///
    /// # Errors
    ///
    /// `lemma-table` for a rule that Python's `re` rejects as a regular expression.
    pub(super) fn new(tables: &LemmaTables) -> Result<SpanishRules> {
        let compiled = |name: StrId| {
            let rules = tables.rules(name).iter();
            rules.map(|(old, new)| Substitution::at_end(old, new)).collect::<Result<Vec<_>>>()
        };
        let of_pos = |pos: &str| {
            let groups = tables.groups(StrId::of(pos)).iter();
            let form_rules = groups.map(|group| {
                let features = group.features.clone();
                Ok(FormRules { features, rules: compiled(group.rules)? })
            });
            form_rules.collect::<Result<Vec<_>>>()
        };
        let accents = tables.rules(StrId::of("accents")).iter();
        Ok(SpanishRules {
            adjective: of_pos("adj")?,
            noun: of_pos("noun")?,
            verb: of_pos("verb")?,
            general: compiled(StrId::of("det_and_pron_general"))?,
            accents: accents
                .map(|(old, new)| Substitution::anywhere(old, new))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns the number of different values of [`SpanishRules::form`].
    pub(super) fn form_count(&self, pos: Pos) -> usize {
        match self.of_pos(pos) {
            Some(rules) => 2 * (rules.len() + 1),
            None if is_unchanged(pos) => 2,
            None => 1,
        }
    }

    /// Returns the number of the form that a token has, which with its word and part of speech
    /// determines its lemma: twice the number of the first rules that fit, counted from 1, plus 1
    /// if it is plural or has pronouns; for a word that keeps its form, 1 if it starts a sentence.
    pub(super) fn form(&self, pos: Pos, analysis: Option<&Analysis>, is_sent_start: bool) -> usize {
        let Some(rules) = self.of_pos(pos) else {
            return usize::from(is_sent_start && is_unchanged(pos) && pos != Pos::PROPN);
        };
        let has = |feature: StrId| analysis.is_some_and(|analysis| analysis.contains(feature));
        let fits = |rules: &FormRules| rules.features.iter().all(|feature| has(*feature));
        let number = rules.iter().position(fits).map_or(0, |at| at + 1);
        let mark = if is_verb(pos) { "PronType=Prs" } else { "Number=Plur" };
        2 * number + usize::from(has(StrId::of(mark)))
    }

    /// Returns all lemmas of a word in a form of a part of speech; at least one.
    ///
    /// # Errors
    ///
    /// `rule-limit` if a rule exceeds its budget.
    pub(super) fn forms(
        &self,
        tables: &LemmaTables,
        text: &str,
        pos: Pos,
        form: usize,
    ) -> Result<Vec<String>> {
        if is_unchanged(pos) && form == 0 {
            return Ok(vec![text.to_owned()]);
        }
        let mut word = String::new();
        to_lower(text, &mut word);
        if is_unchanged(pos) {
            return Ok(vec![word]);
        }
        let name = pos.name().to_lowercase();
        let exceptions = tables.exceptions(StrId::of(&name), &word);
        if !exceptions.is_empty() {
            return Ok(exceptions);
        }
        let search = WordSearch { rules: self, tables };
        let selected = self.of_pos(pos).and_then(|rules| rules.get((form / 2).checked_sub(1)?));
        let selected = selected.map_or(&[][..], |selected| &selected.rules);
        let forms = match pos {
            Pos::ADJ | Pos::NOUN => search.nominal(&word, &name, selected, form % 2 == 1)?,
            Pos::VERB | Pos::AUX if form % 2 == 1 => {
                vec![search.verb_with_pronouns(&word, selected)?]
            }
            Pos::VERB | Pos::AUX => search.verb(&word, selected)?,
            Pos::DET => search.determiner(&word)?,
            Pos::PRON => search.pronoun(&word, "pron")?,
            Pos::ADV => vec![search.replaced(&word, &["adverbs"]).unwrap_or(word)],
            Pos::NUM => vec![search.replaced(&word, &["num"]).unwrap_or_else(|| digits(&word))],
            _ => vec![word],
        };
        Ok(without_repeats(forms))
    }

    /// Returns the rules of a part of speech that depend on the form.
    fn of_pos(&self, pos: Pos) -> Option<&[FormRules]> {
        match pos {
            Pos::ADJ => Some(&self.adjective),
            Pos::NOUN => Some(&self.noun),
            Pos::VERB | Pos::AUX => Some(&self.verb),
            _ => None,
        }
    }
}

fn is_verb(pos: Pos) -> bool {
    pos == Pos::VERB || pos == Pos::AUX
}

/// Returns whether words of a part of speech are their own lemmas. spaCy fails for CONJ, the mark
/// that CCONJ replaced.
pub(super) fn is_unchanged(pos: Pos) -> bool {
    matches!(
        pos,
        Pos::ADP
            | Pos::CCONJ
            | Pos::CONJ
            | Pos::INTJ
            | Pos::PART
            | Pos::PROPN
            | Pos::PUNCT
            | Pos::SCONJ
            | Pos::SYM
            | Pos::X
    )
}

/// The search for the lemmas of one word in lower case.
struct WordSearch<'a> {
    rules: &'a SpanishRules,
    tables: &'a LemmaTables,
}

impl WordSearch<'_> {
    /// Adjectives and nouns. Of plurals in "n" or "s" the forms without an accent are tried too,
    /// as in "jóvenes", "joven".
    fn nominal(
        &self,
        word: &str,
        pos: &str,
        rules: &[Substitution],
        is_plural: bool,
    ) -> Result<Vec<String>> {
        let mut possible = changed(word, rules)?;
        let mut unaccented = Vec::new();
        for lemma in possible.iter().filter(|lemma| is_plural && lemma.ends_with(['n', 's'])) {
            unaccented.append(&mut all(lemma, &self.rules.accents)?);
        }
        possible.append(&mut unaccented);
        Ok(self.known_or_all(possible, pos, word))
    }

    fn verb(&self, word: &str, rules: &[Substitution]) -> Result<Vec<String>> {
        let mut possible = changed(word, rules)?;
        let mut selected = self.known(&possible, "verb");
        if selected.is_empty() {
            selected = possible.iter().flat_map(|lemma| self.alternated(lemma)).collect();
        }
        if !selected.is_empty() {
            return Ok(selected);
        }
        let mut unaccented = Vec::new();
        for lemma in &possible {
            unaccented.append(&mut all(lemma, &self.rules.accents)?);
        }
        possible.append(&mut unaccented);
        Ok(or_word(possible, word))
    }

    /// Returns the known verbs that differ from a form in one vowel or diphthong of the stem, as
    /// "pensar" from "piensar".
    fn alternated(&self, lemma: &str) -> Vec<String> {
        let mut possible = Vec::new();
        for (old, new) in self.tables.rules(StrId::of("voc_alt_1")) {
            // A longer text never equals one character.
            if old.chars().count() == 1 {
                possible.extend(
                    lemma.match_indices(&**old).map(|(at, _)| {
                        format!("{}{new}{}", &lemma[..at], &lemma[at + old.len()..])
                    }),
                );
            }
        }
        for (old, new) in self.tables.rules(StrId::of("voc_alt_2")) {
            if lemma.contains(&**old) {
                possible.push(lemma.replacen(&**old, new, 1));
            }
        }
        possible.retain(|lemma| self.tables.is_lemma(StrId::of("verb"), lemma));
        possible
    }

    /// Returns the lemma of a verb, and those of the pronouns at its end, with spaces between them;
    /// without a pronoun the lemma and a space, as spaCy.
    fn verb_with_pronouns(&self, word: &str, rules: &[Substitution]) -> Result<String> {
        let (mut verb, mut pronouns) = (word.to_owned(), Vec::new());
        while let Some((stem, pronoun)) =
            split_clitic(&verb).filter(|_| pronouns.len() < MAX_CLITICS)
        {
            pronouns.insert(0, pronoun);
            verb = stem;
        }
        for rule in &self.rules.accents {
            verb = rule.apply(&verb)?;
        }
        let exception = self.exception("verb", &verb);
        let mut lemma = match exception {
            Some(lemma) => lemma,
            None => first(self.verb(&verb, rules)?),
        };
        lemma.push(' ');
        for (i, pronoun) in pronouns.into_iter().enumerate() {
            if i > 0 {
                lemma.push(' ');
            }
            // spaCy looks pronouns up in the index of verbs here.
            lemma.push_str(&match self.exception("pron", pronoun) {
                Some(lemma) => lemma,
                None => first(self.pronoun(pronoun, "verb")?),
            });
        }
        Ok(lemma)
    }

    fn determiner(&self, word: &str) -> Result<Vec<String>> {
        if let Some(lemma) = self.replaced(word, &["det", "det_and_pron_fixed"]) {
            return Ok(vec![lemma]);
        }
        let mut possible = all(word, &self.rules.general)?;
        possible.push(word.to_owned());
        Ok(self.known_or_all(possible, "det", word))
    }

    /// `index`: the part of speech whose index has the known lemmas.
    fn pronoun(&self, word: &str, index: &str) -> Result<Vec<String>> {
        if let Some(lemma) = self.replaced(word, &["pron", "det_and_pron_fixed"]) {
            return Ok(vec![lemma]);
        }
        // Unlike that of determiners, this list lacks the forms that the rules leave unchanged.
        let mut possible = changed(word, &self.rules.general)?;
        possible.push(word.to_owned());
        Ok(self.known_or_all(possible, index, word))
    }

    /// Returns the replacement of a whole word by the first rule for it.
    fn replaced(&self, word: &str, names: &[&str]) -> Option<String> {
        let mut rules = names.iter().flat_map(|name| self.tables.rules(StrId::of(name)));
        rules.find(|(old, _)| old == word).map(|(_, new)| new.clone())
    }

    fn exception(&self, pos: &str, word: &str) -> Option<String> {
        self.tables.exceptions(StrId::of(pos), word).into_iter().next()
    }

    fn known(&self, possible: &[String], pos: &str) -> Vec<String> {
        let pos = StrId::of(pos);
        possible.iter().filter(|lemma| self.tables.is_lemma(pos, lemma)).cloned().collect()
    }

    fn known_or_all(&self, possible: Vec<String>, pos: &str, word: &str) -> Vec<String> {
        let known_forms = self.known(&possible, pos);
        if known_forms.is_empty() { or_word(possible, word) } else { known_forms }
    }
}

/// Returns the result of each rule.
fn all(word: &str, rules: &[Substitution]) -> Result<Vec<String>> {
    rules.iter().map(|rule| rule.apply(word)).collect()
}

/// Returns the result of each rule that changes the word.
fn changed(word: &str, rules: &[Substitution]) -> Result<Vec<String>> {
    let mut lemmas = all(word, rules)?;
    lemmas.retain(|lemma| lemma != word);
    Ok(lemmas)
}

fn or_word(possible: Vec<String>, word: &str) -> Vec<String> {
    if possible.is_empty() { vec![word.to_owned()] } else { possible }
}

fn first(forms: Vec<String>) -> String {
    forms.into_iter().next().unwrap_or_default()
}

/// Splits a verb from the pronoun at its end, which may stand before a final newline.
fn split_clitic(verb: &str) -> Option<(String, &'static str)> {
    let (line, newline) = split_newline(verb);
    let (stem, clitic) =
        CLITICS.iter().find_map(|clitic| line.strip_suffix(clitic).map(|stem| (stem, *clitic)))?;
    (!stem.contains('\n')).then(|| (format!("{stem}{newline}"), clitic))
}

/// Returns a number in digits without points between thousands, and with a decimal point.
fn digits(word: &str) -> String {
    let integer = split_newline(word.split(',').next().unwrap_or_default()).0.as_bytes();
    let has_thousands = integer.len() >= 4
        && integer[integer.len() - 4] == b'.'
        && integer[integer.len() - 3..].iter().all(u8::is_ascii_digit);
    let word = if has_thousands { word.replace('.', "") } else { word.to_owned() };
    word.replace(',', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pronouns_are_split_off_the_end_of_a_verb() {
        // The groups of `re.search` with spaCy's expression.
        let table = [
            ("darnos", Some(("dar", "nos"))),
            ("daros", Some(("dar", "os"))),
            ("verlos", Some(("ver", "los"))),
            ("se", Some(("", "se"))),
            ("dale\n", Some(("da\n", "le"))),
            ("da\nle", None),
            ("dar", None),
            ("", None),
        ];
        for (verb, expected) in table {
            let expected = expected.map(|(stem, clitic)| (stem.to_owned(), clitic));
            assert_eq!(split_clitic(verb), expected, "{verb:?}");
        }
    }

    #[test]
    fn numbers_lose_the_points_between_thousands() {
        let table = [
            ("1.234,5", "1234.5"),
            ("1.234.567", "1234567"),
            ("1.23", "1.23"),
            ("0,5", "0.5"),
            ("1.2345", "1.2345"),
            (".123", "123"),
            ("\u{661}.123\n", "\u{661}123\n"),
            ("", ""),
        ];
        for (word, expected) in table {
            assert_eq!(digits(word), expected);
        }
    }
}
