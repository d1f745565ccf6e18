//! Lemmas by tables: a word's own, or what rules for its part of speech make of its ending.
//!
//! `tables` has the tables and the rules, `base_form` the words that need none, `known` what was found
//! out of a vocab's words.

mod base_form;
mod known;
mod tables;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool_structs::{Pos, TagC};

use self::base_form::{Forms, Recent};
use self::known::{ByClass, ByWord, Class};
use super::{Component, Groups};
use crate::Result;
use crate::strings::StrId;
use crate::strings::chars::to_lower;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeCell, Vocab, VocabSnapshot};

pub use base_form::BaseForms;
pub use tables::LemmaTables;

/// How a [`Lemmatizer`] finds lemmas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemmaMode {
    /// By the word alone, which is its own lemma if no table has it.
    Lookup,
    /// By the word, its part of speech and its morphology.
    Rule(BaseForms),
}

/// Sets lemmas.
///
/// A lemma that no table knew before is a new string of the document's snapshot: in a memory zone it goes
/// with the zone. Cost: for a word that was met before a few loads; for a new one a look into the
/// tables, in rule mode a comparison for each rule. What is known is kept for the words of one vocab,
/// those of zones excepted.
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
    known: Known,
    met_no_pos: AtomicBool,
}

impl Lemmatizer {
    /// One that leaves alone the lemmas that are set, and keeps what it finds out of the words of
    /// `vocab`.
    pub fn new(vocab: &Arc<Vocab>, tables: Arc<LemmaTables>, mode: LemmaMode) -> Lemmatizer {
        Lemmatizer {
            vocab: Arc::clone(vocab),
            tables,
            mode,
            overwrite: false,
            known: match mode {
                LemmaMode::Lookup => Known::ByWord(Box::default()),
                LemmaMode::Rule(_) => Known::ByClass(Box::default()),
            },
            met_no_pos: AtomicBool::new(false),
        }
    }

    /// The same, which may replace lemmas that are set.
    #[must_use]
    pub fn overwriting(mut self, overwrite: bool) -> Lemmatizer {
        self.overwrite = overwrite;
        self
    }

    /// The lemmas of all tokens, or what they have where that is to stay.
    fn lemmas(&self, doc: &Doc) -> Result<Vec<u64>> {
        let snapshot = doc.snapshot();
        let is_own = Arc::ptr_eq(snapshot.vocab(), &self.vocab);
        let place = |lex: LexIx| lex.permanent_position().filter(|_| is_own);
        match &self.known {
            Known::ByWord(known) => {
                self.each(doc, |lex, _| match place(lex).and_then(|position| known.get(position)) {
                    Some(lemma) => Ok(lemma),
                    None => self.look_up(snapshot, lex, place(lex).map(|at| (&**known, at))),
                })
            }
            Known::ByClass(known) => {
                let mut recent = Recent::new(snapshot.vocab().morphology());
                self.each(doc, |lex, tag| {
                    let word = self.word(tag, &mut recent);
                    match place(lex).and_then(|position| known.get(position, word.class())) {
                        Some(lemma) => Ok(lemma),
                        None => self.rule(snapshot, lex, word, place(lex).map(|at| (&**known, at))),
                    }
                })
            }
        }
    }

    /// Calls `find` for each token whose lemma is to be set.
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

    /// What a token's lemma depends on, beside its text.
    #[inline]
    fn word(&self, tag: &TagC, recent: &mut Recent<'_>) -> Word {
        let pos = Pos::from_number(tag.pos).unwrap_or_default();
        if pos == Pos::NO_TAG && !self.met_no_pos.load(Ordering::Relaxed) {
            self.met_no_pos.store(true, Ordering::Relaxed);
        }
        let forms = match self.mode {
            LemmaMode::Rule(BaseForms::English) => recent.get(tag.morph),
            _ => Forms::default(),
        };
        Word { pos, is_base: forms.is_base(pos) }
    }

    /// Looks up a lemma that is not known, and keeps it if it is there for good.
    #[cold]
    fn look_up(
        &self,
        snapshot: &VocabSnapshot,
        lex: LexIx,
        keep: Option<(&ByWord, u32)>,
    ) -> Result<StrId> {
        let orth = snapshot.cell(lex).map(LexemeCell::orth).unwrap_or_default();
        let lemma = match self.tables.lookup(orth).and_then(|mut all| all.next()) {
            Some(lemma) => snapshot.add(lemma)?,
            None => orth,
        };
        if let Some((known, position)) = keep.filter(|_| lasts(snapshot, lemma)) {
            known.set(position, lemma);
        }
        Ok(lemma)
    }

    /// The same by rules.
    #[cold]
    fn rule(
        &self,
        snapshot: &VocabSnapshot,
        lex: LexIx,
        word: Word,
        keep: Option<(&ByClass, u32)>,
    ) -> Result<StrId> {
        let orth = snapshot.cell(lex).map(LexemeCell::orth).unwrap_or_default();
        let text = snapshot.string(orth).unwrap_or_default();
        let lemma = snapshot.add(&self.by_rule(text, word))?;
        if let Some((known, position)) = keep.filter(|_| lasts(snapshot, lemma)) {
            known.set(position, word.class(), lemma);
        }
        Ok(lemma)
    }

    fn by_rule(&self, text: &str, word: Word) -> String {
        if word.is_base || [Pos::NO_TAG, Pos::SPACE, Pos::EOL].contains(&word.pos) {
            let mut lowered = String::new();
            to_lower(text, &mut lowered);
            return lowered;
        }
        let mut forms = self.tables.forms(text, &word.pos.name().to_lowercase());
        // There is always one.
        if forms.is_empty() { String::new() } else { forms.swap_remove(0) }
    }
}

/// What was found out of words.
enum Known {
    ByWord(Box<ByWord>),
    ByClass(Box<ByClass>),
}

/// Whether a string will be there when its word is met again, in another zone or in none.
fn lasts(snapshot: &VocabSnapshot, lemma: StrId) -> bool {
    !snapshot.has_zone() || snapshot.vocab().strings().position(lemma).is_some()
}

/// What a lemma made by rules depends on beside the text.
#[derive(Clone, Copy, Default)]
struct Word {
    pos: Pos,
    is_base: bool,
}

impl Word {
    #[inline]
    fn class(self) -> Class {
        let first = Pos::ADJ.number() - 1;
        let number = self.pos.number().saturating_sub(first) as usize;
        Class::new(2 * number + usize::from(self.is_base)).unwrap_or(Class::FIRST)
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
        let met = self.met_no_pos.swap(false, Ordering::Relaxed);
        met.then(|| {
            "[W108] the lemmatizer's rules go by the part of speech, which some tokens do not have; \
             does the pipeline set token.pos before, as a tagger with an attribute_ruler or a \
             morphologizer do?"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests;
