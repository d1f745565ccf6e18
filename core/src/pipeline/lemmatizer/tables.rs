//! The tables that lemmas come from, compact and by id.

use std::ops::Range;

use ahash::AHashMap;

use crate::strings::StrId;
use crate::strings::chars::{is_alpha, to_lower};
use crate::{Error, Result};

/// Tables for both modes, read-only once they are built.
///
/// ```
/// use lexpool::pipeline::LemmaTables;
/// use lexpool::strings::StrId;
/// let mut tables = LemmaTables::default();
/// let verb = StrId::of("verb");
/// tables.set_rules(verb, &[("ing", "e"), ("ing", "")]);
/// tables.set_index(verb, ["bake", "go"]);
/// assert_eq!(tables.forms("Baking", "verb"), ["bake"]);
/// assert_eq!(tables.forms("Going", "verb"), ["go"]);
/// assert_eq!(tables.forms("Rome", "propn"), ["Rome"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LemmaTables {
    lookup: Lemmas,
    by_pos: AHashMap<StrId, PosTables>,
}

/// What is known of the words of one part of speech.
#[derive(Clone, Debug, Default)]
struct PosTables {
    /// Endings, each with what takes its place, in order.
    rules: Vec<(String, String)>,
    exceptions: Lemmas,
    /// The ids of words that are lemmas, sorted.
    index: Vec<u64>,
}

impl LemmaTables {
    /// Sets the table of lemmas by word: pairs of a word's id and its lemmas, the first of which
    /// counts. Of two entries for one word the later one stays.
    ///
    /// # Errors
    ///
    /// `lemma-table` for a word without a lemma, and for more than 4 GiB of lemmas.
    pub fn set_lookup<S: AsRef<str>>(&mut self, entries: Vec<(StrId, Vec<S>)>) -> Result<()> {
        self.lookup = Lemmas::new(entries, "lemma_lookup", true)?;
        Ok(())
    }

    /// Sets the endings of a part of speech, by the id of its name in small letters, and what takes their place.
    pub fn set_rules<S: AsRef<str>>(&mut self, pos: StrId, rules: &[(S, S)]) {
        let owned = |(old, new): &(S, S)| (old.as_ref().to_owned(), new.as_ref().to_owned());
        self.of_pos(pos).rules = rules.iter().map(owned).collect();
    }

    /// Sets the words of a part of speech that no rule gives the lemmas of.
    ///
    /// # Errors
    ///
    /// `lemma-table` for more than 4 GiB of lemmas.
    pub fn set_exceptions<S: AsRef<str>>(
        &mut self,
        pos: StrId,
        entries: Vec<(StrId, Vec<S>)>,
    ) -> Result<()> {
        self.of_pos(pos).exceptions = Lemmas::new(entries, "lemma_exc", false)?;
        Ok(())
    }

    /// Sets the words of a part of speech that are known as lemmas.
    pub fn set_index<S: AsRef<str>>(&mut self, pos: StrId, words: impl IntoIterator<Item = S>) {
        let words = words.into_iter().map(|word| StrId::of(word.as_ref()).get());
        let index = &mut self.of_pos(pos).index;
        *index = words.collect();
        index.sort_unstable();
        index.dedup();
    }

    fn of_pos(&mut self, pos: StrId) -> &mut PosTables {
        self.by_pos.entry(pos).or_default()
    }

    /// The lemmas of a word in the table of lemmas by word. Cost: a binary search.
    pub fn lookup(&self, word: StrId) -> Option<impl ExactSizeIterator<Item = &str>> {
        self.lookup.get(word)
    }

    /// All lemmas that rules and exceptions give a word as a part of speech, in spaCy's order: the
    /// first is the one to take.
    ///
    /// A rule's form counts if it is known as a lemma, or is not of letters alone; others are taken
    /// only if there is no such form and no exception. Without tables for the part of speech the word
    /// itself is its lemma, in small letters unless it is a proper noun. Cost: a comparison for each
    /// rule.
    pub fn forms(&self, word: &str, pos: &str) -> Vec<String> {
        let mut lowered = String::new();
        to_lower(word, &mut lowered);
        let Some(tables) = self.by_pos.get(&StrId::of(pos)).filter(|tables| !tables.is_empty())
        else {
            return vec![if pos == "propn" { word.to_owned() } else { lowered }];
        };
        // Known forms come to the front one by one, each before those found earlier.
        let (mut known, mut others, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for (old, new) in &tables.rules {
            let Some(stem) = lowered.strip_suffix(&**old) else { continue };
            let form = format!("{stem}{new}");
            if form.is_empty() {
                continue;
            }
            if tables.is_lemma(&form) {
                known.insert(0, form);
            } else if form.chars().all(is_alpha) {
                unknown.push(form);
            } else {
                others.push(form);
            }
        }
        let mut forms = without_repeats(known.into_iter().chain(others));
        for form in tables.exceptions.get(StrId::of(&lowered)).into_iter().flatten() {
            if !forms.iter().any(|other| other == form) {
                forms.insert(0, form.to_owned());
            }
        }
        if forms.is_empty() {
            forms = unknown;
        }
        if forms.is_empty() {
            forms.push(word.to_owned());
        }
        forms
    }
}

impl PosTables {
    fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.exceptions.is_empty() && self.index.is_empty()
    }

    fn is_lemma(&self, form: &str) -> bool {
        self.index.binary_search(&StrId::of(form).get()).is_ok()
    }
}

fn without_repeats(forms: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for form in forms {
        if !kept.contains(&form) {
            kept.push(form);
        }
    }
    kept
}

/// Lemmas by the id of a word: sorted ids, and all lemmas in one text.
#[derive(Clone, Debug, Default)]
struct Lemmas {
    words: Vec<u64>,
    /// Where the lemmas of a word begin among all of them; one more than there are words.
    firsts: Vec<u32>,
    /// Where a lemma begins in the text; one more than there are lemmas.
    starts: Vec<u32>,
    text: String,
}

impl Lemmas {
    fn new<S: AsRef<str>>(
        mut entries: Vec<(StrId, Vec<S>)>,
        table: &str,
        is_one_needed: bool,
    ) -> Result<Lemmas> {
        // Reversed, so that of one word's entries the last comes first and stays.
        entries.reverse();
        entries.sort_by_key(|(word, _)| *word);
        entries.dedup_by_key(|(word, _)| *word);
        let mut made = Lemmas { firsts: vec![0], starts: vec![0], ..Lemmas::default() };
        for (word, lemmas) in entries {
            if is_one_needed && lemmas.is_empty() {
                let text = format!("{table}: the word with the id {word} has no lemma");
                return Err(Error::value("lemma-table", text));
            }
            for lemma in lemmas {
                made.text.push_str(lemma.as_ref());
                made.starts.push(small(made.text.len(), table)?);
            }
            made.words.push(word.get());
            made.firsts.push(small(made.starts.len() - 1, table)?);
        }
        Ok(made)
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn get(&self, word: StrId) -> Option<impl ExactSizeIterator<Item = &str>> {
        let at = self.words.binary_search(&word.get()).ok()?;
        let lemmas = self.firsts[at] as usize..self.firsts[at + 1] as usize;
        Some(lemmas.map(|lemma| &self.text[self.range(lemma)]))
    }

    fn range(&self, lemma: usize) -> Range<usize> {
        self.starts[lemma] as usize..self.starts[lemma + 1] as usize
    }
}

fn small(size: usize, table: &str) -> Result<u32> {
    u32::try_from(size).map_err(|_| {
        let text = format!("{table} has more than 4 GiB of lemmas, or more than 2^32 of them");
        Error::value("lemma-table", text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(entries: &[(&str, &[&str])]) -> Result<LemmaTables> {
        let mut tables = LemmaTables::default();
        let entries = entries.iter().map(|(word, lemmas)| (StrId::of(word), lemmas.to_vec()));
        tables.set_lookup(entries.collect())?;
        Ok(tables)
    }

    #[test]
    fn a_word_has_the_lemmas_that_were_set_last() {
        let tables = lookup(&[
            ("went", &["x"]),
            ("is", &["be"]),
            ("went", &["go", "wend"]),
            ("void", &[""]),
        ])
        .unwrap();
        let of = |word: &str| tables.lookup(StrId::of(word)).map(Iterator::collect::<Vec<_>>);
        assert_eq!(of("went").unwrap(), ["go", "wend"]);
        assert_eq!(of("is").unwrap(), ["be"]);
        assert_eq!(of("void").unwrap(), [""]);
        assert!(of("other").is_none());
        assert!(LemmaTables::default().lookup(StrId::of("is")).is_none());
    }

    #[test]
    fn a_word_without_a_lemma_is_refused() {
        let error = lookup(&[("is", &["be"]), ("went", &[])]).unwrap_err();
        assert_eq!(error.code(), "lemma-table");
        assert!(error.message().contains("lemma_lookup"));
    }

    fn nouns() -> LemmaTables {
        let mut tables = LemmaTables::default();
        tables.set_rules(
            StrId::of("noun"),
            &[("s", ""), ("ses", "s"), ("men", "man"), ("s", "!"), ("axes", "")],
        );
        tables.set_index(StrId::of("noun"), ["house", "bus", "buse"]);
        let exceptions = vec![(StrId::of("axes"), vec!["axis", "ax"]), (StrId::of("void"), vec![])];
        tables.set_exceptions(StrId::of("noun"), exceptions).unwrap();
        tables
    }

    #[test]
    fn known_forms_come_before_others_and_the_last_of_them_first() {
        assert_eq!(nouns().forms("Houses", "noun"), ["house", "house!"]);
        // Both are known; "bus" comes from the later rule.
        assert_eq!(nouns().forms("buses", "noun"), ["bus", "buse", "buse!"]);
    }

    #[test]
    fn exceptions_come_first_and_an_empty_form_is_none() {
        assert_eq!(nouns().forms("axes", "noun"), ["ax", "axis", "axe!"]);
    }

    #[test]
    fn unknown_forms_are_taken_only_where_there_is_nothing_else() {
        let mut tables = nouns();
        tables.set_rules(StrId::of("noun"), &[("s", ""), ("men", "man")]);
        assert_eq!(tables.forms("gnus", "noun"), ["gnu"]);
        assert_eq!(tables.forms("Firemen", "noun"), ["fireman"]);
        // No rule at all: as it was written.
        assert_eq!(tables.forms("Void", "noun"), ["Void"]);
    }

    #[test]
    fn without_tables_a_word_is_its_own_lemma() {
        assert_eq!(nouns().forms("Houses", "verb"), ["houses"]);
        assert_eq!(nouns().forms("Houses", "propn"), ["Houses"]);
        let mut tables = nouns();
        tables.set_rules::<&str>(StrId::of("propn"), &[]);
        assert_eq!(tables.forms("Houses", "propn"), ["Houses"]);
    }
}
