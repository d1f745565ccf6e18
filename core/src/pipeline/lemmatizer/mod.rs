//! Lemmatizer: lemmas by word, or by rules for the part of speech, as spaCy's `Lemmatizer`.
//!
//! `tables` has the look-up tables and the rules, `base_form` the words that are lemmas already,
//! `lemma_cache` the lemmas found so far.

mod base_form;
mod lemma_cache;
mod tables;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool_structs::{Pos, TagC};

use self::base_form::{FormFeatures, RecentFeatures};
use self::lemma_cache::{ByClass, ByWord, WordClass};
use super::component::{Component, Groups};
use crate::Result;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeCell, Vocab, VocabSnapshot};

pub use base_form::BaseForms;
pub use tables::LemmaTables;

/// The method by which a [`Lemmatizer`] finds lemmas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaMode {
    /// By the word alone; a word missing in the table is its own lemma.
    Lookup,
    /// By the word, its part of speech and its morphology.
    Rule(BaseForms),
}

/// Sets the lemmas of tokens.
///
/// A lemma that is a new string is added to the document's vocab snapshot: in a memory zone it is
/// freed with the zone. Cost: a few loads for a word that was seen before; for a new word a look-up
/// in the tables, or in rule mode a comparison for each rule. Lemmas are cached for the words of
/// one vocab, except those of zones.
///
/// ```
/// use lexpool::pipeline::{Component, Groups, LemmaMode, LemmaTables, Lemmatizer};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let mut tables = LemmaTables::default();
/// tables.set_lookup(vec![(StrId::of("went"), vec!["go"])])?;
/// let tokenizer = Tokenizer::blank("en")?;
/// let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables.into(), LemmaMode::Lookup);
/// let mut doc = tokenizer.tokenize("They went")?;
/// lemmatizer.apply(&mut doc, &mut Groups::new())?;
/// let lemmas: Vec<_> = doc.iter().map(|token| token.text_of(AttrId::LEMMA)).collect();
/// assert_eq!(lemmas, ["They", "go"]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Lemmatizer {
    vocab: Arc<Vocab>,
    tables: Arc<LemmaTables>,
    mode: LemmaMode,
    overwrite: bool,
    cache: LemmaCache,
    saw_no_pos: AtomicBool,
}

impl Lemmatizer {
    /// Returns a lemmatizer that keeps the lemmas which are already set, and caches those of the
    /// words of `vocab`.
    pub fn new(vocab: &Arc<Vocab>, tables: Arc<LemmaTables>, mode: LemmaMode) -> Lemmatizer {
        Lemmatizer {
            vocab: Arc::clone(vocab),
            tables,
            mode,
            overwrite: false,
            cache: match mode {
                LemmaMode::Lookup => LemmaCache::ByWord(Box::default()),
                LemmaMode::Rule(_) => LemmaCache::ByClass(Box::default()),
            },
            saw_no_pos: AtomicBool::new(false),
        }
    }

    /// Sets whether lemmas which are already set are overwritten.
    #[must_use]
    pub fn overwriting(mut self, overwrite: bool) -> Lemmatizer {
        self.overwrite = overwrite;
        self
    }

    /// Returns the lemmas of all tokens; those to be kept are included.
    fn lemmas(&self, doc: &Doc) -> Result<Vec<u64>> {
        let snapshot = doc.snapshot();
        let is_own = Arc::ptr_eq(snapshot.vocab(), &self.vocab);
        let position = |lex: LexIx| lex.permanent_position().filter(|_| is_own);
        match &self.cache {
            LemmaCache::ByWord(cache) => {
                self.each(doc, |lex, _| match position(lex).and_then(|at| cache.get(at)) {
                    Some(lemma) => Ok(lemma),
                    None => self.look_up(snapshot, lex, position(lex).map(|at| (&**cache, at))),
                })
            }
            LemmaCache::ByClass(cache) => {
                let mut recent = RecentFeatures::new(snapshot.vocab().morphology());
                self.each(doc, |lex, tag| {
                    let key = self.rule_key(tag, &mut recent);
                    match position(lex).and_then(|at| cache.get(at, key.class())) {
                        Some(lemma) => Ok(lemma),
                        None => self.apply_rules(
                            snapshot,
                            lex,
                            key,
                            position(lex).map(|at| (&**cache, at)),
                        ),
                    }
                })
            }
        }
    }

    /// Returns the lemmas of all tokens, calling `find` for each token whose lemma must be set.
    #[inline]
    fn each(
        &self,
        doc: &Doc,
        mut find: impl FnMut(LexIx, &TagC) -> Result<StrId>,
    ) -> Result<Vec<u64>> {
        let mut lemmas = Vec::with_capacity(doc.len());
        let (none, tags) = (TagC::default(), doc.tag_records());
        for (i, token) in doc.tokens().iter().enumerate() {
            let tag = tags.map_or(&none, |tags| &tags[i]);
            let lemma = if tag.lemma != 0 && !self.overwrite {
                tag.lemma
            } else {
                find(LexIx::from_raw(token.lex), tag)?.get()
            };
            lemmas.push(lemma);
        }
        Ok(lemmas)
    }

    /// Returns the properties of a token, besides its text, that its lemma depends on.
    #[inline]
    fn rule_key(&self, tag: &TagC, recent: &mut RecentFeatures<'_>) -> RuleKey {
        let pos = Pos::from_number(tag.pos).unwrap_or_default();
        if pos == Pos::NO_TAG && !self.saw_no_pos.load(Ordering::Relaxed) {
            self.saw_no_pos.store(true, Ordering::Relaxed);
        }
        let features = match self.mode {
            LemmaMode::Rule(BaseForms::English) => recent.get(tag.morph),
            _ => FormFeatures::default(),
        };
        RuleKey { pos, is_base: features.is_base(pos) }
    }

    /// Looks up a lemma in the table, and caches it if its string is permanent.
    #[cold]
    fn look_up(
        &self,
        snapshot: &VocabSnapshot,
        lex: LexIx,
        cache: Option<(&ByWord, u32)>,
    ) -> Result<StrId> {
        let orth = snapshot.cell(lex).map(LexemeCell::orth).unwrap_or_default();
        let lemma = match self.tables.lookup(orth).and_then(|mut all| all.next()) {
            Some(lemma) => snapshot.add(lemma)?,
            None => orth,
        };
        if let Some((cache, position)) = cache.filter(|_| is_permanent(snapshot, lemma)) {
            cache.set(position, lemma);
        }
        Ok(lemma)
    }

    /// Finds a lemma by rules, and caches it if its string is permanent.
    #[cold]
    fn apply_rules(
        &self,
        snapshot: &VocabSnapshot,
        lex: LexIx,
        key: RuleKey,
        cache: Option<(&ByClass, u32)>,
    ) -> Result<StrId> {
        let orth = snapshot.cell(lex).map(LexemeCell::orth).unwrap_or_default();
        let text = snapshot.string(orth).unwrap_or_default();
        let lemma = snapshot.add(&self.by_rule(text, key))?;
        if let Some((cache, position)) = cache.filter(|_| is_permanent(snapshot, lemma)) {
            cache.set(position, key.class(), lemma);
        }
        Ok(lemma)
    }

    fn by_rule(&self, text: &str, key: RuleKey) -> String {
        if key.is_base || [Pos::NO_TAG, Pos::SPACE, Pos::EOL].contains(&key.pos) {
            let mut lowered = String::new();
            to_lower(text, &mut lowered);
            return lowered;
        }
        let mut forms = self.tables.forms(text, &key.pos.name().to_lowercase());
        // `forms` always returns at least one form.
        if forms.is_empty() { String::new() } else { forms.swap_remove(0) }
    }
}

/// The lemmas found so far.
enum LemmaCache {
    ByWord(Box<ByWord>),
    ByClass(Box<ByClass>),
}

/// Returns whether a string outlives the open memory zone.
fn is_permanent(snapshot: &VocabSnapshot, lemma: StrId) -> bool {
    !snapshot.has_zone() || snapshot.vocab().strings().position(lemma).is_some()
}

/// The properties of a token, besides its text, that rules depend on.
#[derive(Clone, Copy, Default)]
struct RuleKey {
    pos: Pos,
    is_base: bool,
}

impl RuleKey {
    #[inline]
    fn class(self) -> WordClass {
        let first = Pos::ADJ.number() - 1;
        let number = self.pos.number().saturating_sub(first) as usize;
        WordClass::new(2 * number + usize::from(self.is_base)).unwrap_or(WordClass::FIRST)
    }
}

impl Component for Lemmatizer {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        if doc.is_empty() {
            return Ok(());
        }
        let lemmas = self.lemmas(doc)?;
        for (tag, lemma) in doc.tag_records_mut()?.iter_mut().zip(lemmas) {
            tag.lemma = lemma;
        }
        Ok(())
    }

    fn take_warning(&self) -> Option<String> {
        let saw_no_pos = self.saw_no_pos.swap(false, Ordering::Relaxed);
        saw_no_pos.then(|| {
            "[W108] the rule lemmatizer needs token.pos, which some tokens do not have; add a \
             morphologizer, or a tagger and an attribute_ruler, before the lemmatizer"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests;
