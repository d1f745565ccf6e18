//! Snapshots: a vocab with the zone that was open at one moment, and lexemes as views of it.

use std::fmt;
use std::sync::{Arc, Weak};

use lexpool_structs::{AttrId, LexemeC};

use super::lexeme::{LexIx, LexemeCell};
use super::vocab::{Vocab, Zone};
use crate::codes;
use crate::strings::{StrId, symbol_name};
use crate::{Error, ErrorKind, Result};

/// The identity of a snapshot: weak references to its vocab and zone, compared by address. The weak
/// references prevent the reuse of the addresses.
#[derive(Clone, Default)]
pub struct SnapshotId {
    vocab: Weak<Vocab>,
    zone: Weak<Zone>,
}

impl SnapshotId {
    /// Returns whether a snapshot has the same vocab.
    pub fn has_vocab_of(&self, snapshot: &VocabSnapshot) -> bool {
        std::ptr::eq(self.vocab.as_ptr(), Arc::as_ptr(&snapshot.vocab))
    }

    /// Returns whether a snapshot has the same zone; true for a snapshot without a zone.
    pub fn has_zone_of(&self, snapshot: &VocabSnapshot) -> bool {
        snapshot
            .zone
            .as_ref()
            .is_none_or(|zone| std::ptr::eq(self.zone.as_ptr(), Arc::as_ptr(zone)))
    }
}

impl Vocab {
    /// Returns a snapshot: the vocab with the zone that is open now, if any.
    pub fn snapshot(self: &Arc<Vocab>) -> VocabSnapshot {
        VocabSnapshot::new(Arc::clone(self), self.zone.current())
    }

    /// Returns a snapshot with the zone that is open now; `permanent`, a snapshot without a zone,
    /// if none is. Cost: a reference count, and an allocation if a zone is open.
    pub(crate) fn shared_snapshot(&self, permanent: &Arc<VocabSnapshot>) -> Arc<VocabSnapshot> {
        match self.zone.current() {
            None => Arc::clone(permanent),
            zone => Arc::new(VocabSnapshot::new(Arc::clone(permanent.vocab()), zone)),
        }
    }

    /// Returns the lexeme of a word, which is added if it is new.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`, those of the getters, and `hash-collision` if the string store is
    /// strict.
    pub fn lexeme(self: &Arc<Vocab>, text: &str) -> Result<Lexeme> {
        let snapshot = self.snapshot();
        let ix = snapshot.enter(text)?;
        Ok(snapshot.into_lexeme(ix))
    }

    /// Returns the lexeme of a string id, which is added if only the string is known.
    ///
    /// # Errors
    ///
    /// `E018` if the id has no string here.
    pub fn lexeme_of(self: &Arc<Vocab>, orth: StrId) -> Result<Lexeme> {
        let snapshot = self.snapshot();
        let ix = snapshot.enter_id(orth)?;
        Ok(snapshot.into_lexeme(ix))
    }

    /// Returns the [`permanent_cell`](Vocab::permanent_cell) of a string id, also of a string that
    /// only the zone has.
    ///
    /// # Errors
    ///
    /// `E018` if the id has no string; those of [`permanent_cell`](Vocab::permanent_cell).
    pub fn permanent_cell_of(self: &Arc<Vocab>, orth: StrId) -> Result<&LexemeCell> {
        let word_cell = self.find(orth).and_then(|position| self.lexemes.get(position));
        if let Some(cell) = word_cell {
            return Ok(cell);
        }
        match self.snapshot().string(orth) {
            Some(text) => self.permanent_cell(text),
            None => Err(unknown_id(orth)),
        }
    }
}

/// A vocab with the zone that was open at one moment, if any, both kept alive. Cloning costs two
/// reference counts.
#[derive(Clone)]
pub struct VocabSnapshot {
    vocab: Arc<Vocab>,
    zone: Option<Arc<Zone>>,
}

impl VocabSnapshot {
    pub(crate) fn new(vocab: Arc<Vocab>, zone: Option<Arc<Zone>>) -> VocabSnapshot {
        VocabSnapshot { vocab, zone }
    }

    /// Returns the vocab.
    pub fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    /// Returns the string of an id: of a symbol, a permanent string or a string of the zone.
    pub fn string(&self, id: StrId) -> Option<&str> {
        let in_zone = || self.zone.as_deref().and_then(|zone| zone.strings.get(id));
        symbol_name(id).or_else(|| self.vocab.strings.get_permanent(id)).or_else(in_zone)
    }

    /// Adds a string, to the zone if the snapshot has one, and returns its id.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`, and `hash-collision` if the string store is strict.
    pub fn add(&self, string: &str) -> Result<StrId> {
        let zone = self.zone.as_deref().map(|zone| &*zone.strings);
        self.vocab.strings.add_in(zone, string)
    }

    /// Returns the index of a word's lexeme, which is added if it is new.
    ///
    /// # Errors
    ///
    /// Those of [`Vocab::lexeme`].
    pub fn enter(&self, text: &str) -> Result<LexIx> {
        let Some(zone) = self.zone.as_deref() else {
            return self.vocab.enter_permanent(text);
        };
        let add = |string: &str| self.vocab.strings.add_in(Some(&zone.strings), string);
        let orth = add(text)?;
        if orth == StrId::EMPTY {
            return Ok(LexIx::EMPTY);
        }
        if let Some(ix) = self.find(orth) {
            return Ok(ix);
        }
        let record = self.vocab.record(text, orth, add)?;
        Ok(LexIx::new(zone.lexemes.insert(record)?, true))
    }

    /// Returns the index of the lexeme with an id, which is added if only its string is known.
    ///
    /// # Errors
    ///
    /// `E018` if the id has no string here.
    pub fn enter_id(&self, orth: StrId) -> Result<LexIx> {
        if orth == StrId::EMPTY {
            return Ok(LexIx::EMPTY);
        }
        if let Some(ix) = self.find(orth) {
            return Ok(ix);
        }
        match self.string(orth) {
            Some(text) => self.enter(text),
            None => Err(unknown_id(orth)),
        }
    }

    /// Returns the index of the lexeme with an id, if there is one.
    pub fn find(&self, orth: StrId) -> Option<LexIx> {
        if let Some(position) = self.vocab.find(orth) {
            return Some(LexIx::new(position, false));
        }
        let position = self.zone.as_deref()?.lexemes.find(orth)?;
        Some(LexIx::new(position, true))
    }

    /// Returns the record at an index that this snapshot, or a token of it, returned.
    pub fn cell(&self, ix: LexIx) -> Option<&LexemeCell> {
        if ix.is_in_zone() {
            self.zone.as_deref()?.lexemes.get(ix.position())
        } else {
            self.vocab.lexemes.get(ix.position())
        }
    }

    /// Returns the addresses of the tables of segment addresses of the vocab's lexeme records and
    /// of those of the zone (null without a zone): see
    /// [`SegmentedVec::segment_table`](lexpool_pool::SegmentedVec::segment_table). They are valid
    /// while this snapshot lives.
    pub fn segment_tables(&self) -> [*const *const LexemeC; 2] {
        let zone = self.zone.as_deref();
        let of_zone = zone.map_or(std::ptr::null(), |zone| zone.lexemes.segment_table());
        [self.vocab.lexemes.segment_table(), of_zone]
    }

    /// Converts the snapshot to a view of a lexeme.
    pub fn into_lexeme(self, ix: LexIx) -> Lexeme {
        Lexeme { snapshot: self, ix }
    }

    /// Returns a view of a lexeme, with a clone of the snapshot.
    pub fn lexeme(&self, ix: LexIx) -> Lexeme {
        Lexeme { snapshot: self.clone(), ix }
    }

    /// Returns the norm with a number that a token has, or `None` for 0.
    pub fn norm(&self, number: u32) -> Option<StrId> {
        self.vocab.norms.get(number)
    }

    /// Returns the identity of the snapshot.
    pub fn id(&self) -> SnapshotId {
        let zone = self.zone.as_ref().map(Arc::downgrade);
        SnapshotId { vocab: Arc::downgrade(&self.vocab), zone: zone.unwrap_or_default() }
    }

    /// Returns whether the snapshot has a zone.
    pub(crate) fn has_zone(&self) -> bool {
        self.zone.is_some()
    }
}

/// Returns the error (`E018`) of an id without a string.
pub fn unknown_id(id: StrId) -> Error {
    let text = format!(
        "no string has the id {id} in this store; \
         ids are hashes, so a string must be added once (`strings.add`) before it can be looked up"
    );
    Error::new(ErrorKind::Key, codes::E018, text)
}

/// A word type: a view of one lexeme that keeps its vocab and zone alive.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let twelve = tokenizer.vocab().lexeme("Twelve")?;
/// assert_eq!((twelve.text(), twelve.lower(), twelve.norm()), ("Twelve", "twelve", "twelve"));
/// assert_eq!((twelve.attr(AttrId::LIKE_NUM), twelve.attr(AttrId::IS_DIGIT)), (1, 0));
/// assert_eq!(twelve.text_of(AttrId::SUFFIX), "lve");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct Lexeme {
    snapshot: VocabSnapshot,
    ix: LexIx,
}

impl Lexeme {
    /// Returns the snapshot that resolves the ids of this lexeme.
    pub fn snapshot(&self) -> &VocabSnapshot {
        &self.snapshot
    }

    /// Returns the index of the lexeme.
    pub fn ix(&self) -> LexIx {
        self.ix
    }

    /// Returns the cell of the record.
    pub fn cell(&self) -> &LexemeCell {
        self.snapshot.cell(self.ix).expect("the index comes from this snapshot")
    }

    /// Returns a copy of the record.
    pub fn record(&self) -> LexemeC {
        self.cell().load()
    }

    /// Returns the id of the text.
    pub fn orth(&self) -> StrId {
        self.cell().orth()
    }

    /// Returns an attribute as a number.
    pub fn attr(&self, attr: AttrId) -> u64 {
        self.cell().attr(attr)
    }

    /// Returns the string of an attribute whose value is a string id; empty if it is unset.
    pub fn text_of(&self, attr: AttrId) -> &str {
        self.snapshot.string(StrId::new(self.attr(attr))).unwrap_or_default()
    }

    /// Returns the word.
    pub fn text(&self) -> &str {
        self.text_of(AttrId::ORTH)
    }

    /// Returns the lower-cased form.
    pub fn lower(&self) -> &str {
        self.text_of(AttrId::LOWER)
    }

    /// Returns the norm.
    pub fn norm(&self) -> &str {
        self.text_of(AttrId::NORM)
    }

    /// Returns the shape, such as `Xxxxx` or `dddd`.
    pub fn shape(&self) -> &str {
        self.text_of(AttrId::SHAPE)
    }
}

impl fmt::Debug for Lexeme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexeme")
            .field("text", &self.text())
            .field("ix", &self.ix)
            .finish_non_exhaustive()
    }
}
