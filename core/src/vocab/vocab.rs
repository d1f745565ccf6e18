//! The vocab: strings, lexemes, norms and morphology of a language.

use std::sync::{Arc, PoisonError, RwLock};

use lexpool_pool::{Stats, ZoneSlot};
use lexpool_structs::LexemeC;

use super::getters::Getters;
use super::image::mapped::MappedVocab;
use super::lexeme::{LexIx, LexemeCell, OOV_RANK};
use super::lexeme_table::{LexemeTable, ZoneLexemeTable};
use super::norm_table::{NormIx, NormTable};
use crate::Result;
use crate::morphology::Morphology;
use crate::strings::{StrId, StringStore, StringTable, frozen_error};
use crate::vectors::Vectors;

/// The word types of a language, their strings, and the getters that compute the attributes of new
/// words.
///
/// All methods take `&self` and may be called from any number of threads. Looking up a known word
/// takes no lock; adding a new word locks one shard of the index.
///
/// ```
/// use lexpool::strings::StrId;
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let apples = vocab.lexeme("Apples")?;
/// assert_eq!((apples.lower(), apples.shape()), ("apples", "Xxxxx"));
/// assert!(vocab.contains(StrId::of("Apples")));
/// assert_eq!(vocab.strings().get(apples.orth()).as_deref(), Some("Apples"));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Vocab {
    pub(super) strings: Arc<StringStore>,
    pub(super) morphology: Arc<Morphology>,
    pub(super) lexemes: LexemeTable,
    pub(super) norms: NormTable,
    pub(super) zone: ZoneSlot<Zone>,
    pub(super) mapped: Option<Arc<MappedVocab>>,
    /// `None` until the first use if an image has the getters.
    pub(super) attrs: RwLock<Option<Arc<Getters>>>,
    pub(super) ranks: RwLock<Option<Arc<RankFn>>>,
    pub(super) vectors: RwLock<Option<Arc<Vectors>>>,
}

/// A function that returns the row of a new word's vector, or [`OOV_RANK`] if it has none.
pub type RankFn = dyn Fn(StrId) -> Result<u64> + Send + Sync;

/// The strings and lexemes that were added while a zone was open.
pub struct Zone {
    pub(super) strings: Arc<StringTable>,
    pub(super) lexemes: ZoneLexemeTable,
}

impl Vocab {
    /// Creates a vocab without words.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn new(attrs: Getters) -> Result<Arc<Vocab>> {
        let strings = Arc::new(StringStore::new());
        strings.add_permanent(attrs.lang())?;
        Ok(Arc::new(Vocab {
            morphology: Arc::new(Morphology::new(Arc::clone(&strings))),
            strings,
            lexemes: LexemeTable::new()?,
            norms: NormTable::new(),
            zone: ZoneSlot::new(),
            mapped: None,
            attrs: RwLock::new(Some(Arc::new(attrs))),
            ranks: RwLock::default(),
            vectors: RwLock::default(),
        }))
    }

    /// Freezes the vocab: adding a word or a string outside of a zone is then an error,
    /// `vocab-frozen`. Attributes of words can still be set.
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

    /// Returns the position of the first lexeme that is not in the vocab image.
    pub fn first_new(&self) -> u32 {
        self.lexemes.first_new()
    }

    /// Returns whether the vocab is frozen.
    pub fn is_frozen(&self) -> bool {
        self.strings.is_frozen()
    }

    /// Returns the string store.
    pub fn strings(&self) -> &Arc<StringStore> {
        &self.strings
    }

    /// Returns the morphological analyses.
    pub fn morphology(&self) -> &Arc<Morphology> {
        &self.morphology
    }

    /// Returns whether there is a lexeme with this id, without adding one.
    pub fn contains(&self, orth: StrId) -> bool {
        let in_zone = || self.zone.current().is_some_and(|zone| zone.lexemes.find(orth).is_some());
        self.find(orth).is_some() || in_zone()
    }

    /// Forgets all lexemes outside of a zone: at the next look-up of a word its attributes are
    /// computed again. Strings and the records that documents refer to stay.
    pub fn forget_lexemes(&self) {
        self.lexemes.forget();
    }

    /// Returns a number that changes whenever the lexemes are forgotten.
    pub(crate) fn lexeme_generation(&self) -> u32 {
        self.lexemes.first()
    }

    /// Returns the number of lexemes, including those of an open zone.
    pub fn len(&self) -> usize {
        let [in_image, later] = self.lexemes.since(self.lexemes.first());
        in_image.len()
            + later.len()
            + self.zone.current().map_or(0, |zone| zone.lexemes.len() as usize)
    }

    /// Returns whether there are no lexemes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the indices of all lexemes in the order in which they were added.
    pub fn positions(&self) -> impl Iterator<Item = LexIx> + use<> {
        let in_zone = self.zone.current().map_or(0, |zone| zone.lexemes.len());
        let [in_image, later] = self.lexemes.since(self.lexemes.first());
        in_image
            .chain(later)
            .map(|position| LexIx::new(position, false))
            .chain((0..in_zone).map(|position| LexIx::new(position, true)))
    }

    /// Returns the records of all lexemes outside of a zone in the order in which they were added,
    /// including the empty and the forgotten ones: a token with `lex` of `i` refers to the record
    /// at position `i`. Blank records fill the gap after the lexemes of an image.
    ///
    /// Other threads may add words during the iteration.
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

    /// Returns the record of [`lexemes`](Vocab::lexemes) at a position. Cost: a few loads.
    pub fn lexeme_at(&self, position: usize) -> Option<&LexemeCell> {
        self.lexemes.at(position)
    }

    /// Returns the records of [`lexemes`](Vocab::lexemes) as contiguous slices with stable
    /// addresses.
    ///
    /// Cost: the number of slices; the first call after opening an image allocates the blank
    /// records.
    pub fn lexeme_runs(&self) -> Vec<&[LexemeCell]> {
        self.lexemes.runs()
    }

    /// Opens a zone. Words and strings added while it is open are freed after its end, with the
    /// last document that refers to them.
    ///
    /// # Errors
    ///
    /// `zone-open` if a zone is open: zones do not nest.
    pub fn open_zone(&self) -> Result<()> {
        let strings = self.strings.open_table()?;
        let zone = Zone { strings, lexemes: ZoneLexemeTable::new() };
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
    /// `zone-closed` if no zone is open.
    pub fn close_zone(&self) -> Result<()> {
        self.zone.close()?;
        self.strings.close_zone()?;
        Ok(())
    }

    /// Returns whether a zone is open.
    pub fn in_zone(&self) -> bool {
        self.zone.current().is_some()
    }

    /// Returns the getters for new words.
    ///
    /// Cost: one lock; the first call in a vocab with an image parses its settings.
    pub fn attrs(&self) -> Arc<Getters> {
        if let Some(attrs) = &*self.attrs.read().unwrap_or_else(PoisonError::into_inner) {
            return Arc::clone(attrs);
        }
        let in_image = self.mapped.as_ref().map(|image| image.getters()).unwrap_or_default();
        let mut attrs = self.attrs.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(attrs.get_or_insert_with(|| Arc::new(in_image)))
    }

    /// Replaces the getters. Existing words keep their attributes.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn set_attrs(&self, attrs: Getters) -> Result<()> {
        self.strings.add_permanent(attrs.lang())?;
        *self.attrs.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(attrs));
        Ok(())
    }

    /// Sets the function that returns the `ID` of new words, the row of their vector. Without it
    /// they have [`OOV_RANK`].
    pub fn set_ranks(&self, ranks: Option<Arc<RankFn>>) {
        *self.ranks.write().unwrap_or_else(PoisonError::into_inner) = ranks;
    }

    /// Returns the word vectors that [`set_vectors`](Vocab::set_vectors) or
    /// [`read_folder`](Vocab::read_folder) has set, for components that read them.
    ///
    /// An image has its own: [`MappedVocab::vectors`](super::MappedVocab::vectors). In Python
    /// vectors are an object of their own, which changes, and are not seen here.
    pub fn vectors(&self) -> Option<Arc<Vectors>> {
        self.vectors.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the word vectors. New words get the row of their vector as `ID`, as by
    /// [`set_ranks`](Vocab::set_ranks).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lexpool::strings::StrId;
    /// use lexpool::structs::AttrId;
    /// use lexpool::vectors::Vectors;
    /// use lexpool::vocab::{Getters, Vocab};
    ///
    /// let mut vectors = Vectors::with_shape(2, 3)?;
    /// vectors.add(StrId::of("cat").get(), Some(1), Some(&[1.0, 2.0, 3.0]))?;
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// vocab.set_vectors(Some(Arc::new(vectors)));
    /// assert_eq!(vocab.lexeme("cat")?.attr(AttrId::ID), 1);
    /// assert_eq!(vocab.vectors().unwrap().rows().width(), 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn set_vectors(&self, vectors: Option<Arc<Vectors>>) {
        let ranks = vectors.clone().map(|vectors| -> Arc<RankFn> {
            Arc::new(move |orth| Ok(vectors.keys().get(orth.get()).map_or(OOV_RANK, u64::from)))
        });
        self.set_ranks(ranks);
        *self.vectors.write().unwrap_or_else(PoisonError::into_inner) = vectors;
    }

    /// Returns the memory of strings and lexemes, including those of an open zone.
    pub fn stats(&self) -> Stats {
        let zone = self.zone.current().map(|zone| zone.lexemes.stats());
        self.strings.stats() + self.lexemes.stats() + zone.unwrap_or_default()
    }

    /// Returns the number by which a token refers to a norm of its own.
    pub(crate) fn norm_number(&self, norm: &str) -> Result<NormIx> {
        self.norms.number(self.strings.add_permanent(norm)?)
    }

    /// Returns the address of the table of segment addresses of the norms.
    pub fn norm_segments(&self) -> *const *const u64 {
        self.norms.segment_table()
    }

    /// Returns the cell of a word that is added to the vocab itself even if a zone is open: for
    /// callers that keep only its address.
    ///
    /// # Errors
    ///
    /// Those of adding a word: refused memory, a frozen vocab.
    pub fn permanent_cell(&self, text: &str) -> Result<&LexemeCell> {
        let ix = self.enter_permanent(text)?;
        Ok(self.lexemes.get(ix.position()).expect("the position was just returned"))
    }

    /// Adds a word to the vocab itself even if a zone is open: for rules, which outlive the zone.
    pub(crate) fn enter_permanent(&self, text: &str) -> Result<LexIx> {
        let (orth, string) = self.strings.enter(text)?;
        if orth == StrId::EMPTY {
            return Ok(LexIx::EMPTY);
        }
        if let Some(position) = self.lexemes.find(orth, string) {
            return Ok(LexIx::new(position, false));
        }
        if self.is_frozen() {
            return Err(frozen_error(text));
        }
        // The getters run before the table is locked: they may call into Python, and a thread that
        // holds the GIL may wait for the table.
        let record = self.record(text, orth, |string| self.strings.add_permanent(string))?;
        Ok(LexIx::new(self.lexemes.insert(string, record)?, false))
    }

    /// Returns the position of the permanent lexeme with an id.
    pub(super) fn find(&self, orth: StrId) -> Option<u32> {
        self.lexemes.find(orth, self.strings.position(orth)?)
    }

    pub(super) fn record(
        &self,
        text: &str,
        orth: StrId,
        add: impl FnMut(&str) -> Result<StrId>,
    ) -> Result<LexemeC> {
        // Cloned, so that no lock is held while a user's function runs.
        let ranks = self.ranks.read().unwrap_or_else(PoisonError::into_inner).clone();
        let rank = ranks.map_or(Ok(OOV_RANK), |ranks| ranks(orth))?;
        self.attrs().record(text, orth, rank, add)
    }

    /// Returns the cells of the lexemes that were not forgotten and are not in a zone.
    pub(super) fn known_cells(&self) -> impl Iterator<Item = &LexemeCell> {
        let positions = self.lexemes.since(self.lexemes.first());
        positions.into_iter().flatten().filter_map(|position| self.lexemes.get(position))
    }

    /// Returns the norms of special cases in the order of their numbers.
    pub(super) fn norm_ids(&self) -> impl Iterator<Item = StrId> {
        self.norms.iter().filter(|norm| *norm != StrId::EMPTY)
    }
}
