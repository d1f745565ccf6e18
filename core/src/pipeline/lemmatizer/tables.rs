//! Lemma tables: compact sorted arrays by string id.

use std::ops::Range;

use ahash::AHashMap;

use crate::codes;
use crate::lookups::MappedTable;
use crate::strings::StrId;
use crate::strings::chars::{is_alpha, to_lower};
use crate::{Error, Result};

/// The tables of both modes; read-only once a lemmatizer uses them.
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
    lookup: Lookup,
    by_pos: AHashMap<StrId, PosTables>,
}

/// The tables of one part of speech.
#[derive(Clone, Debug, Default)]
struct PosTables {
    /// Pairs of a suffix and its replacement, in order.
    rules: Vec<(String, String)>,
    exceptions: Lemmas,
    /// The sorted ids of known lemmas.
    index: Vec<u64>,
    groups: Vec<RuleGroup>,
    lookup: Lookup,
}

/// A look-up table: of words with lists of lemmas, or a file of words with one lemma each.
#[derive(Clone, Debug)]
enum Lookup {
    Own(Lemmas),
    Mapped(MappedTable),
}

/// A list of rules, with the features that select it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleGroup {
    /// The id of the list's name, under which [`LemmaTables::set_rules`] has the rules.
    pub rules: StrId,
    /// The ids of the features `Field=Value`, all of which a token must have.
    pub features: Vec<StrId>,
}

impl LemmaTables {
    /// Sets the look-up table: pairs of a word's id and its lemmas, of which the first is used. A
    /// later entry for a word replaces an earlier one.
    ///
    /// # Errors
    ///
    /// `lemma-table` for a word without lemmas, and for more than 4 GiB of lemmas.
    pub fn set_lookup<S: AsRef<str>>(&mut self, entries: Vec<(StrId, Vec<S>)>) -> Result<()> {
        self.lookup = Lookup::Own(Lemmas::new(entries, "lemma_lookup", true)?);
        Ok(())
    }

    /// Sets the look-up table to one in a mapped file, whose values are strings. A value that is
    /// damaged counts as missing.
    pub(super) fn map_lookup(&mut self, table: &MappedTable) {
        self.lookup = Lookup::Mapped(table.clone());
    }

    /// Sets the look-up table of a part of speech, as [`map_lookup`](LemmaTables::map_lookup).
    pub(super) fn map_pos_lookup(&mut self, pos: StrId, table: &MappedTable) {
        self.pos_tables(pos).lookup = Lookup::Mapped(table.clone());
    }

    /// Sets the rules of a part of speech, given by the id of its lower-case name: pairs of a
    /// suffix and its replacement.
    pub fn set_rules<S: AsRef<str>>(&mut self, pos: StrId, rules: &[(S, S)]) {
        let owned = |(old, new): &(S, S)| (old.as_ref().to_owned(), new.as_ref().to_owned());
        self.pos_tables(pos).rules = rules.iter().map(owned).collect();
    }

    /// Sets the exceptions of a part of speech: words whose lemmas no rule produces.
    ///
    /// # Errors
    ///
    /// `lemma-table` for more than 4 GiB of lemmas.
    pub fn set_exceptions<S: AsRef<str>>(
        &mut self,
        pos: StrId,
        entries: Vec<(StrId, Vec<S>)>,
    ) -> Result<()> {
        self.pos_tables(pos).exceptions = Lemmas::new(entries, "lemma_exc", false)?;
        Ok(())
    }

    /// Sets the index of a part of speech: the words that are known lemmas.
    pub fn set_index<S: AsRef<str>>(&mut self, pos: StrId, words: impl IntoIterator<Item = S>) {
        let words = words.into_iter().map(|word| StrId::of(word.as_ref()).get());
        let index = &mut self.pos_tables(pos).index;
        *index = words.collect();
        index.sort_unstable();
        index.dedup();
    }

    /// Sets the groups of rules of a part of speech, of which the first one that fits is used.
    pub fn set_groups(&mut self, pos: StrId, groups: Vec<RuleGroup>) {
        self.pos_tables(pos).groups = groups;
    }

    /// Sets the look-up table of a part of speech.
    ///
    /// # Errors
    ///
    /// As [`LemmaTables::set_lookup`].
    pub fn set_pos_lookup<S: AsRef<str>>(
        &mut self,
        pos: StrId,
        entries: Vec<(StrId, Vec<S>)>,
    ) -> Result<()> {
        self.pos_tables(pos).lookup = Lookup::Own(Lemmas::new(entries, "lemma_lookup", true)?);
        Ok(())
    }

    fn pos_tables(&mut self, pos: StrId) -> &mut PosTables {
        self.by_pos.entry(pos).or_default()
    }

    /// Returns the lemmas of a word in the look-up table, by binary search.
    pub fn lookup(&self, word: StrId) -> Option<impl Iterator<Item = &str>> {
        self.lookup.get(word)
    }

    /// Returns the lemmas of a word in the look-up table of a part of speech.
    pub(super) fn pos_lookup(&self, pos: StrId, word: StrId) -> Option<impl Iterator<Item = &str>> {
        self.by_pos.get(&pos)?.lookup.get(word)
    }

    /// Returns the rules of a name, which is that of a part of speech in most languages.
    pub(super) fn rules(&self, name: StrId) -> &[(String, String)] {
        self.by_pos.get(&name).map_or(&[], |tables| &tables.rules)
    }

    /// Returns the lemmas of a word among the exceptions; none for a word that has no lemmas there.
    pub(super) fn exceptions(&self, pos: StrId, word: &str) -> Vec<String> {
        let lemmas = self.by_pos.get(&pos).and_then(|own| own.exceptions.get(StrId::of(word)));
        lemmas.into_iter().flatten().map(str::to_owned).collect()
    }

    /// Returns whether a word is among the exceptions, with lemmas or without.
    pub(super) fn has_exception(&self, pos: StrId, word: &str) -> bool {
        self.by_pos.get(&pos).is_some_and(|own| own.exceptions.get(StrId::of(word)).is_some())
    }

    /// Returns whether a word is in the index of a part of speech.
    pub(super) fn is_lemma(&self, pos: StrId, word: &str) -> bool {
        self.by_pos.get(&pos).is_some_and(|tables| tables.is_lemma(word))
    }

    pub(super) fn groups(&self, pos: StrId) -> &[RuleGroup] {
        self.by_pos.get(&pos).map_or(&[], |tables| &tables.groups)
    }

    /// Returns whether a part of speech has rules, exceptions or an index.
    pub(super) fn has_pos(&self, pos: StrId) -> bool {
        self.by_pos.get(&pos).is_some_and(|tables| !tables.is_empty())
    }

    /// Returns all lemmas of a word with a part of speech by rules and exceptions, in spaCy's
    /// order: the first one is the lemma to use.
    ///
    /// A form produced by a rule is used if it is a known lemma or has characters other than
    /// letters; other forms are used only if there is neither such a form nor an exception. If the
    /// part of speech has no tables, the word itself is its lemma, in lower case unless it is a
    /// proper noun.
    ///
    /// Cost: a comparison for each rule.
    pub fn forms(&self, word: &str, pos: &str) -> Vec<String> {
        let mut lowered = String::new();
        to_lower(word, &mut lowered);
        let Some(tables) = self.by_pos.get(&StrId::of(pos)).filter(|tables| !tables.is_empty())
        else {
            return vec![if pos == "propn" { word.to_owned() } else { lowered }];
        };
        // spaCy inserts each known form at the front.
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

/// Returns the forms in their order, each once.
pub(super) fn without_repeats(forms: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for form in forms {
        if !distinct.contains(&form) {
            distinct.push(form);
        }
    }
    distinct
}

impl Default for Lookup {
    fn default() -> Lookup {
        Lookup::Own(Lemmas::default())
    }
}

impl Lookup {
    fn get(&self, word: StrId) -> Option<impl Iterator<Item = &str>> {
        let (several, one) = match self {
            Lookup::Own(lemmas) => (Some(lemmas.get(word)?), None),
            Lookup::Mapped(table) => (None, Some(table.text(word)?)),
        };
        Some(several.into_iter().flatten().chain(one))
    }
}

/// Lemmas by word id: sorted ids, and all lemmas in one string.
#[derive(Clone, Debug, Default)]
struct Lemmas {
    words: Vec<u64>,
    /// The number of the first lemma of each word, followed by the number of lemmas.
    firsts: Vec<u32>,
    /// The start of each lemma in `text`, followed by the length of `text`.
    starts: Vec<u32>,
    text: String,
}

impl Lemmas {
    fn new<S: AsRef<str>>(
        mut entries: Vec<(StrId, Vec<S>)>,
        table: &str,
        requires_lemma: bool,
    ) -> Result<Lemmas> {
        // Reversed, so that `dedup` keeps the last entry of a word.
        entries.reverse();
        entries.sort_by_key(|(word, _)| *word);
        entries.dedup_by_key(|(word, _)| *word);
        let mut lemmas_by_word = Lemmas { firsts: vec![0], starts: vec![0], ..Lemmas::default() };
        for (word, lemmas) in entries {
            if requires_lemma && lemmas.is_empty() {
                let text = format!("{table}: the word with the id {word} has no lemma");
                return Err(Error::value(codes::LEMMA_TABLE, text));
            }
            for lemma in lemmas {
                lemmas_by_word.text.push_str(lemma.as_ref());
                lemmas_by_word.starts.push(small(lemmas_by_word.text.len(), table)?);
            }
            lemmas_by_word.words.push(word.get());
            lemmas_by_word.firsts.push(small(lemmas_by_word.starts.len() - 1, table)?);
        }
        Ok(lemmas_by_word)
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
        let text = format!("{table} has 4 GiB of lemmas or more, or 2^32 lemmas or more");
        Error::value(codes::LEMMA_TABLE, text)
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
    fn a_later_entry_of_a_word_replaces_an_earlier_one() {
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
    fn known_forms_come_before_others_with_the_last_one_first() {
        assert_eq!(nouns().forms("Houses", "noun"), ["house", "house!"]);
        // Both are known; "bus" comes from the later rule.
        assert_eq!(nouns().forms("buses", "noun"), ["bus", "buse", "buse!"]);
    }

    #[test]
    fn exceptions_come_first_and_empty_forms_are_dropped() {
        assert_eq!(nouns().forms("axes", "noun"), ["ax", "axis", "axe!"]);
    }

    #[test]
    fn unknown_forms_are_used_only_if_there_are_no_others() {
        let mut tables = nouns();
        tables.set_rules(StrId::of("noun"), &[("s", ""), ("men", "man")]);
        assert_eq!(tables.forms("gnus", "noun"), ["gnu"]);
        assert_eq!(tables.forms("Firemen", "noun"), ["fireman"]);
        // Without a matching rule the word itself is the lemma.
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
