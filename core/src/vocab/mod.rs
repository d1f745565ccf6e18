//! Word types: lexemes with their attributes, shared by all documents of a vocab.
//!
//! A [`Vocab`] owns the strings and the lexemes; it is shared by reference count between the
//! tokenizer, its workers and every document. A [`VocabSnapshot`] is a vocab together with the zone that
//! was open when the snapshot was taken; documents hold one, so that what they refer to outlives the
//! zone's end. Calls [`strings`](crate::strings) and [`morphology`](crate::morphology), and nothing
//! above.

mod files;
mod getters;
pub mod image;
pub mod lex_attrs;
mod lexeme;
mod norms;
mod snapshot;
mod table;

use std::sync::{Arc, PoisonError, RwLock};

use lexpool_pool::{Stats, ZoneSlot};
use lexpool_structs::LexemeC;

pub use getters::{AttrValue, Getter, GetterFn, Getters};
pub use image::{MappedVocab, OpenOptions, Verify};
pub(crate) use lexeme::lexeme_edits;
pub use lexeme::{LexIx, LexemeCell, LexemeField, OOV_RANK};
pub(crate) use norms::NormIx;
pub use snapshot::{Lexeme, VocabSnapshot};
pub(crate) use snapshot::{SnapshotId, unknown_id};

use crate::Result;
use crate::morphology::Morphology;
use crate::strings::{StrId, StringStore, Table, frozen};
use norms::Norms;
use table::{Lexemes, ZoneLexemes};

/// The word types of a language, their strings, and how new ones get their attributes.
///
/// All methods take `&self` and may be called from any number of threads. Looking up a known word
/// takes no lock; entering a new one locks one shard of the index.
pub struct Vocab {
    strings: Arc<StringStore>,
    morphology: Arc<Morphology>,
    lexemes: Lexemes,
    norms: Norms,
    zone: ZoneSlot<Zone>,
    image: Option<Arc<MappedVocab>>,
    /// None until they are asked for, where an image has them.
    attrs: RwLock<Option<Arc<Getters>>>,
    ranks: RwLock<Option<Arc<RankFn>>>,
}

/// The row of a new word's vector; [`OOV_RANK`] for none.
pub type RankFn = dyn Fn(StrId) -> Result<u64> + Send + Sync;

/// Strings and lexemes that were first met while a zone was open.
pub struct Zone {
    strings: Arc<Table>,
    lexemes: ZoneLexemes,
}

impl Vocab {
    /// A vocab with the given getters and no words.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn new(attrs: Getters) -> Result<Arc<Vocab>> {
        let strings = Arc::new(StringStore::new());
        strings.add_permanent(attrs.lang())?;
        Ok(Arc::new(Vocab {
            morphology: Arc::new(Morphology::new(Arc::clone(&strings))),
            strings,
            lexemes: Lexemes::new()?,
            norms: Norms::new(),
            zone: ZoneSlot::new(),
            image: None,
            attrs: RwLock::new(Some(Arc::new(attrs))),
            ranks: RwLock::default(),
        }))
    }

    /// Takes no new words and no new strings from now on, but into a zone; what would need one is an
    /// error, `vocab-frozen`. Attributes of words can still be set.
    ///
    /// ```
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// vocab.lexeme("known")?;
    /// vocab.freeze();
    /// assert_eq!(vocab.lexeme("known")?.text(), "known");
    /// assert_eq!(vocab.lexeme("new").unwrap_err().code(), "vocab-frozen");
    /// vocab.open_zone()?;
    /// assert_eq!(vocab.lexeme("new")?.text(), "new");
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn freeze(&self) {
        self.strings.freeze();
    }

    /// The position at which words begin that are not a file's.
    pub fn first_new(&self) -> u32 {
        self.lexemes.first_new()
    }

    /// Whether it takes no new words.
    pub fn is_frozen(&self) -> bool {
        self.strings.is_frozen()
    }

    /// The strings behind the ids.
    pub fn strings(&self) -> &Arc<StringStore> {
        &self.strings
    }

    /// The morphological analyses that documents refer to.
    pub fn morphology(&self) -> &Arc<Morphology> {
        &self.morphology
    }

    /// The vocab with the zone that is open now, if any.
    pub fn snapshot(self: &Arc<Vocab>) -> VocabSnapshot {
        VocabSnapshot::new(Arc::clone(self), self.zone.current())
    }

    /// The lexeme of a word, which is entered if it is new.
    ///
    /// # Errors
    ///
    /// When memory runs out, a getter fails, or the strict string store meets a collision.
    pub fn lexeme(self: &Arc<Vocab>, text: &str) -> Result<Lexeme> {
        let snapshot = self.snapshot();
        let ix = snapshot.enter(text)?;
        Ok(snapshot.into_lexeme(ix))
    }

    /// The lexeme of a string's id, which is entered if only the string is known.
    ///
    /// # Errors
    ///
    /// `E018` if the id has no string here.
    pub fn lexeme_of(self: &Arc<Vocab>, orth: StrId) -> Result<Lexeme> {
        let snapshot = self.snapshot();
        let ix = snapshot.enter_id(orth)?;
        Ok(snapshot.into_lexeme(ix))
    }

    /// Whether there is a lexeme with this id; asking enters nothing.
    pub fn contains(&self, orth: StrId) -> bool {
        let in_zone = || self.zone.current().is_some_and(|zone| zone.lexemes.find(orth).is_some());
        self.find(orth).is_some() || in_zone()
    }

    /// Forgets all lexemes but those of an open zone, so that each word gets its attributes anew
    /// when it is next met. Strings stay, and so do the records that documents refer to.
    pub fn forget_lexemes(&self) {
        self.lexemes.forget();
    }

    /// A number that changes whenever the lexemes are forgotten.
    pub(crate) fn lexeme_generation(&self) -> u32 {
        self.lexemes.first()
    }

    /// How many lexemes there are, those of an open zone included.
    pub fn len(&self) -> usize {
        let [of_image, later] = self.lexemes.since(self.lexemes.first());
        of_image.len()
            + later.len()
            + self.zone.current().map_or(0, |zone| zone.lexemes.len() as usize)
    }

    /// Whether there is no lexeme.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The positions of all lexemes in the order in which they were entered.
    pub fn positions(&self) -> impl Iterator<Item = LexIx> + use<> {
        let in_zone = self.zone.current().map_or(0, |zone| zone.lexemes.len());
        let [of_image, later] = self.lexemes.since(self.lexemes.first());
        of_image
            .chain(later)
            .map(|position| LexIx::new(position, false))
            .chain((0..in_zone).map(|position| LexIx::new(position, true)))
    }

    /// The records of all lexemes that are not a zone's, in the order in which they were entered, the
    /// empty one and forgotten ones included: position `i` is what a token's `lex` of `i` means. Between
    /// those of an image and those that came later are blank ones.
    ///
    /// Other threads may read and enter words meanwhile. Cost: none.
    ///
    /// ```
    /// use lexpool::tokenizer::Tokenizer;
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let doc = tokenizer.tokenize("so it goes")?;
    /// let lexemes = tokenizer.vocab().lexemes().collect::<Vec<_>>();
    /// let goes = lexemes[doc.tokens()[2].lex_index() as usize];
    /// assert_eq!(goes.load().length, 4);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn lexemes(&self) -> impl ExactSizeIterator<Item = &LexemeCell> {
        self.lexemes.iter()
    }

    /// One of [`lexemes`](Vocab::lexemes), by its position. Cost: a few loads.
    pub fn lexeme_at(&self, position: usize) -> Option<&LexemeCell> {
        self.lexemes.at(position)
    }

    /// The records as [`lexemes`](Vocab::lexemes) has them, in runs that lie together and never move.
    ///
    /// Cost: none for each record, but for blank ones the first time.
    pub fn lexeme_runs(&self) -> Vec<&[LexemeCell]> {
        self.lexemes.runs()
    }

    /// Opens a zone: words and strings met from now on are dropped after its end, when the last
    /// document that refers to them has gone.
    ///
    /// # Errors
    ///
    /// `zone-open`: zones do not nest.
    pub fn open_zone(&self) -> Result<()> {
        let strings = self.strings.open_table()?;
        let zone = Zone { strings, lexemes: ZoneLexemes::new() };
        if let Err(error) = self.zone.open(zone) {
            self.strings.close_zone()?;
            return Err(error.into());
        }
        Ok(())
    }

    /// Closes the zone. Documents made in it stay readable.
    ///
    /// # Errors
    ///
    /// `zone-closed`: there is none.
    pub fn close_zone(&self) -> Result<()> {
        self.zone.close()?;
        self.strings.close_zone()?;
        Ok(())
    }

    /// Whether a zone is open.
    pub fn in_zone(&self) -> bool {
        self.zone.current().is_some()
    }

    /// The getters for new words.
    ///
    /// Cost: one lock; the first time, in a vocab with an image, that of reading them there.
    pub fn attrs(&self) -> Arc<Getters> {
        if let Some(attrs) = &*self.attrs.read().unwrap_or_else(PoisonError::into_inner) {
            return Arc::clone(attrs);
        }
        let of_image = self.image.as_ref().map(|image| image.getters()).unwrap_or_default();
        let mut attrs = self.attrs.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(attrs.get_or_insert_with(|| Arc::new(of_image)))
    }

    /// Replaces the getters; words that are there already keep their attributes.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn set_attrs(&self, attrs: Getters) -> Result<()> {
        self.strings.add_permanent(attrs.lang())?;
        *self.attrs.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(attrs));
        Ok(())
    }

    /// Sets what gives new words their `ID`, the row of their vector; without it they have
    /// [`OOV_RANK`].
    pub fn set_ranks(&self, ranks: Option<Arc<RankFn>>) {
        *self.ranks.write().unwrap_or_else(PoisonError::into_inner) = ranks;
    }

    /// Memory held by strings and lexemes, those of an open zone included.
    pub fn stats(&self) -> Stats {
        let zone = self.zone.current().map(|zone| zone.lexemes.stats());
        self.strings.stats() + self.lexemes.stats() + zone.unwrap_or_default()
    }

    /// The number under which a token can hold a norm of its own.
    pub(crate) fn norm_number(&self, norm: &str) -> Result<NormIx> {
        self.norms.number(self.strings.add_permanent(norm)?)
    }

    /// Where the addresses of the segments of the norms of special cases lie.
    pub(crate) fn norm_segments(&self) -> *const *const u64 {
        self.norms.segment_table()
    }

    /// The cell of a word that is entered for good, whatever zone is open: for who holds it by its
    /// address alone.
    pub(crate) fn lasting(&self, text: &str) -> Result<&LexemeCell> {
        let ix = self.enter_permanent(text)?;
        Ok(self.lexemes.get(ix.position()).expect("a position that was just given"))
    }

    /// The same of a string that is known, be it in a zone only; `E018` if it is not.
    pub(crate) fn lasting_of(self: &Arc<Vocab>, orth: StrId) -> Result<&LexemeCell> {
        let known = self.find(orth).and_then(|position| self.lexemes.get(position));
        if let Some(cell) = known {
            return Ok(cell);
        }
        match self.snapshot().string(orth) {
            Some(text) => self.lasting(text),
            None => Err(unknown_id(orth)),
        }
    }

    /// Enters a word for good, whatever zone is open: for rules, which outlive it.
    pub(crate) fn enter_permanent(&self, text: &str) -> Result<LexIx> {
        let (orth, string) = self.strings.enter(text)?;
        if orth == StrId::EMPTY {
            return Ok(LexIx::EMPTY);
        }
        if let Some(position) = self.lexemes.find(orth, string) {
            return Ok(LexIx::new(position, false));
        }
        if self.is_frozen() {
            return Err(frozen(text));
        }
        // The getters run before the table is locked: one may call into Python, whose lock
        // another thread may hold while it waits for the table.
        let record = self.record(text, orth, |string| self.strings.add_permanent(string))?;
        Ok(LexIx::new(self.lexemes.insert(string, record)?, false))
    }

    /// The position of the permanent lexeme with an id.
    fn find(&self, orth: StrId) -> Option<u32> {
        self.lexemes.find(orth, self.strings.position(orth)?)
    }

    fn record(
        &self,
        text: &str,
        orth: StrId,
        add: impl FnMut(&str) -> Result<StrId>,
    ) -> Result<LexemeC> {
        // Cloned first: no lock is held while a function of the user's runs.
        let ranks = self.ranks.read().unwrap_or_else(PoisonError::into_inner).clone();
        let rank = ranks.map_or(Ok(OOV_RANK), |ranks| ranks(orth))?;
        self.attrs().record(text, orth, rank, add)
    }
}

#[cfg(test)]
mod tests;
