//! Lemmatizer: lemmas by word, or by rules for the part of speech, as spaCy's `Lemmatizer`.
//!
//! `tables` has the look-up tables and the rules, `base_form` the words that are lemmas already,
//! `language`, `spanish`, `irish` and `pos_lookup` the rules of particular languages, `token_form`
//! the features that a lemma depends on, `lemma_cache` the lemmas found so far; `saved` reads the
//! tables of files.

mod base_form;
mod irish;
mod language;
mod lemma_cache;
mod pos_lookup;
mod saved;
mod spanish;
mod substitution;
mod tables;
mod token_form;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool_structs::{Pos, TagC, TokenC};

use self::lemma_cache::{ByClass, ByWord, WordClass};
use self::token_form::{FormNumbers, RecentForms};
use super::annotation_kind::AnnotationKind;
use super::component::{Component, Groups};
use crate::Result;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeCell, Vocab, VocabSnapshot};

pub use base_form::BaseForms;
pub use language::{LanguageRules, LemmaLanguage};
pub use tables::{LemmaTables, RuleGroup};
pub use token_form::TokenForm;

/// The method by which a [`Lemmatizer`] finds lemmas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaMode {
    /// By the word alone; a word missing in the table is its own lemma.
    Lookup,
    /// By the word in lower case alone.
    LowerLookup,
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
    method: Method,
    overwrite: bool,
    cache: LemmaCache,
    saw_no_pos: AtomicBool,
}

/// The tables with the way in which they are used.
enum Method {
    Lookup(Arc<LemmaTables>, Casing),
    Rule(Arc<LemmaTables>, BaseForms),
    Language(Arc<LanguageRules>),
}

/// The form in which words are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Casing {
    Own,
    Lower,
}

/// The lemmas found so far.
enum LemmaCache {
    ByWord(Box<ByWord>),
    ByClass(Box<ByClass>, FormNumbers),
}

impl Lemmatizer {
    /// Returns a lemmatizer that keeps the lemmas which are already set, and caches those of the
    /// words of `vocab`.
    pub fn new(vocab: &Arc<Vocab>, tables: Arc<LemmaTables>, mode: LemmaMode) -> Lemmatizer {
        let method = match mode {
            LemmaMode::Lookup => Method::Lookup(tables, Casing::Own),
            LemmaMode::LowerLookup => Method::Lookup(tables, Casing::Lower),
            LemmaMode::Rule(base_forms) => Method::Rule(tables, base_forms),
        };
        Lemmatizer::of_method(vocab, method)
    }

    /// Returns a lemmatizer with the rules of a language, as [`Lemmatizer::new`].
    pub fn of_language(vocab: &Arc<Vocab>, rules: Arc<LanguageRules>) -> Lemmatizer {
        Lemmatizer::of_method(vocab, Method::Language(rules))
    }

    fn of_method(vocab: &Arc<Vocab>, method: Method) -> Lemmatizer {
        let by_class = |numbers| LemmaCache::ByClass(Box::default(), numbers);
        let cache = match &method {
            Method::Lookup(..) => LemmaCache::ByWord(Box::default()),
            Method::Rule(..) => by_class(FormNumbers::new(|_| 2)),
            Method::Language(rules) => by_class(FormNumbers::new(|pos| rules.form_count(pos))),
        };
        Lemmatizer {
            vocab: Arc::clone(vocab),
            method,
            overwrite: false,
            cache,
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
            LemmaCache::ByWord(cache) => self.each(doc, |token, _| {
                let lex = LexIx::from_raw(token.lex);
                match position(lex).and_then(|at| cache.get(at)) {
                    Some(lemma) => Ok(lemma),
                    None => self.look_up(snapshot, lex, position(lex).map(|at| (&**cache, at))),
                }
            }),
            LemmaCache::ByClass(cache, numbers) => {
                let mut recent = RecentForms::new(snapshot.vocab().morphology());
                self.each(doc, |token, tag| {
                    let lex = LexIx::from_raw(token.lex);
                    let form = self.token_form(token, tag, &mut recent);
                    let class = WordClass(numbers.of(form));
                    let place = position(lex).map(|at| (&**cache, at, class));
                    match place.and_then(|(cache, at, class)| cache.get(at, class)) {
                        Some(lemma) => Ok(lemma),
                        None => self.apply_rules(snapshot, lex, form, place),
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
        mut find: impl FnMut(&TokenC, &TagC) -> Result<StrId>,
    ) -> Result<Vec<u64>> {
        let mut lemmas = Vec::with_capacity(doc.len());
        let (none, tags) = (TagC::default(), doc.tag_records());
        for (i, token) in doc.tokens().iter().enumerate() {
            let tag = tags.map_or(&none, |tags| &tags[i]);
            let lemma =
                if tag.lemma != 0 && !self.overwrite { tag.lemma } else { find(token, tag)?.get() };
            lemmas.push(lemma);
        }
        Ok(lemmas)
    }

    /// Returns the properties of a token, besides its text, that its lemma depends on.
    #[inline]
    fn token_form(&self, token: &TokenC, tag: &TagC, recent: &mut RecentForms<'_>) -> TokenForm {
        let pos = Pos::from_number(tag.pos).unwrap_or_default();
        match &self.method {
            Method::Lookup(..) => TokenForm::from(pos),
            Method::Rule(_, base_forms) => {
                if pos == Pos::NO_TAG && !self.saw_no_pos.load(Ordering::Relaxed) {
                    self.saw_no_pos.store(true, Ordering::Relaxed);
                }
                if *base_forms == BaseForms::None {
                    return TokenForm::from(pos);
                }
                recent.get(pos, tag.morph, |analysis| TokenForm {
                    pos,
                    number: base_forms.is_base_of(analysis, pos).into(),
                })
            }
            Method::Language(rules) => {
                if rules.is_of_place(pos) {
                    rules.form(pos, None, token.sent_start() > 0)
                } else if rules.form_count(pos) == 1 {
                    TokenForm::from(pos)
                } else {
                    recent.get(pos, tag.morph, |analysis| rules.form(pos, analysis, false))
                }
            }
        }
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
        let lemma = match &self.method {
            Method::Lookup(tables, Casing::Own) => {
                match tables.lookup(orth).and_then(|mut all| all.next()) {
                    Some(lemma) => snapshot.add(lemma)?,
                    None => orth,
                }
            }
            Method::Lookup(tables, Casing::Lower) => {
                let mut word = String::new();
                to_lower(snapshot.string(orth).unwrap_or_default(), &mut word);
                let lemma = tables.lookup(StrId::of(&word)).and_then(|mut all| all.next());
                snapshot.add(lemma.unwrap_or(&word))?
            }
            Method::Rule(..) | Method::Language(_) => orth,
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
        form: TokenForm,
        cache: Option<(&ByClass, u32, WordClass)>,
    ) -> Result<StrId> {
        let orth = snapshot.cell(lex).map(LexemeCell::orth).unwrap_or_default();
        let text = snapshot.string(orth).unwrap_or_default();
        let lemma = snapshot.add(&self.by_rule(text, form)?)?;
        if let Some((cache, position, class)) = cache.filter(|_| is_permanent(snapshot, lemma)) {
            cache.set(position, class, lemma);
        }
        Ok(lemma)
    }

    fn by_rule(&self, text: &str, form: TokenForm) -> Result<String> {
        let forms = match &self.method {
            Method::Language(rules) => rules.forms(text, form)?,
            Method::Rule(tables, _) if form.number == 0 && !has_no_rules(form.pos) => {
                tables.forms(text, &form.pos.name().to_lowercase())
            }
            Method::Rule(..) | Method::Lookup(..) => {
                let mut lowered = String::new();
                to_lower(text, &mut lowered);
                vec![lowered]
            }
        };
        // Rules always return at least one form.
        Ok(forms.into_iter().next().unwrap_or_default())
    }
}

/// Returns whether words of a part of speech are only put in lower case.
fn has_no_rules(pos: Pos) -> bool {
    [Pos::NO_TAG, Pos::SPACE, Pos::EOL].contains(&pos)
}

/// Returns whether a string outlives the open memory zone.
fn is_permanent(snapshot: &VocabSnapshot, lemma: StrId) -> bool {
    !snapshot.has_zone() || snapshot.vocab().strings().position(lemma).is_some()
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

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Lemmas
    }
}

#[cfg(test)]
mod tests;
