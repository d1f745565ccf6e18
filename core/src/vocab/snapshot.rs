//! A vocab as it is seen at one time: with the zone that was open then, kept alive.

use std::fmt;
use std::sync::{Arc, Weak};

use lexpool_structs::{AttrId, LexemeC};

use super::lexeme::{LexIx, LexemeCell};
use super::{Vocab, Zone};
use crate::strings::{StrId, symbol_name};
use crate::{Error, ErrorKind, Result};

/// Which vocab and zone a snapshot is of, kept without keeping them.
///
/// Compared by address; the weak references see to it that no other vocab or zone gets one.
#[derive(Clone, Default)]
pub(crate) struct SnapshotId {
    vocab: Weak<Vocab>,
    zone: Weak<Zone>,
}

impl SnapshotId {
    pub(crate) fn has_vocab_of(&self, snapshot: &VocabSnapshot) -> bool {
        std::ptr::eq(self.vocab.as_ptr(), Arc::as_ptr(&snapshot.vocab))
    }

    /// Whether a snapshot has the same zone; true for one without.
    pub(crate) fn has_zone_of(&self, snapshot: &VocabSnapshot) -> bool {
        snapshot
            .zone
            .as_ref()
            .is_none_or(|zone| std::ptr::eq(self.zone.as_ptr(), Arc::as_ptr(zone)))
    }
}

/// A vocab and perhaps a zone of it. Cloning costs two reference counts.
#[derive(Clone)]
pub struct VocabSnapshot {
    vocab: Arc<Vocab>,
    zone: Option<Arc<Zone>>,
}

impl VocabSnapshot {
    pub(super) fn new(vocab: Arc<Vocab>, zone: Option<Arc<Zone>>) -> VocabSnapshot {
        VocabSnapshot { vocab, zone }
    }

    /// The vocab.
    pub fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    /// The string of an id, if it is a symbol's, permanent, or of this snapshot's zone.
    pub fn string(&self, id: StrId) -> Option<&str> {
        let in_zone = || self.zone.as_deref().and_then(|zone| zone.strings.get(id));
        symbol_name(id).or_else(|| self.vocab.strings.get_permanent(id)).or_else(in_zone)
    }

    /// Stores a string, in the zone if this snapshot has one, and gives its id.
    ///
    /// # Errors
    ///
    /// When memory runs out, or the strict string store meets a collision.
    pub fn add(&self, string: &str) -> Result<StrId> {
        let zone = self.zone.as_deref().map(|zone| &*zone.strings);
        self.vocab.strings.add_in(zone, string)
    }

    /// The position of a word's lexeme, which is entered if it is new.
    ///
    /// # Errors
    ///
    /// As for [`Vocab::lexeme`].
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

    /// The position of the lexeme with an id, entered if only its string is known.
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

    /// The position of the lexeme with an id, if there is one.
    pub fn find(&self, orth: StrId) -> Option<LexIx> {
        if let Some(position) = self.vocab.find(orth) {
            return Some(LexIx::new(position, false));
        }
        let position = self.zone.as_deref()?.lexemes.find(orth)?;
        Some(LexIx::new(position, true))
    }

    /// The record at a position that this snapshot, or a token of it, has given.
    pub fn cell(&self, ix: LexIx) -> Option<&LexemeCell> {
        if ix.is_in_zone() {
            self.zone.as_deref()?.lexemes.get(ix.position())
        } else {
            self.vocab.lexemes.get(ix.position())
        }
    }

    /// Where the addresses of the segments of lexeme records lie, the vocab's own and those of the
    /// zone (null without one): see [`SegmentedVec::segment_table`](lexpool_pool::SegmentedVec::segment_table). They
    /// stay there for as long as this snapshot.
    pub fn segment_tables(&self) -> [*const *const LexemeC; 2] {
        let zone = self.zone.as_deref();
        let of_zone = zone.map_or(std::ptr::null(), |zone| zone.lexemes.segment_table());
        [self.vocab.lexemes.segment_table(), of_zone]
    }

    /// A view of a lexeme, made of the snapshot.
    pub fn into_lexeme(self, ix: LexIx) -> Lexeme {
        Lexeme { snapshot: self, ix }
    }

    /// A view of a lexeme, holding the snapshot.
    pub fn lexeme(&self, ix: LexIx) -> Lexeme {
        Lexeme { snapshot: self.clone(), ix }
    }

    /// The norm with a number that a token holds; none if the token has no norm of its own.
    pub fn norm(&self, number: u32) -> Option<StrId> {
        self.vocab.norms.get(number)
    }

    /// What this is a snapshot of.
    pub(crate) fn origin(&self) -> SnapshotId {
        let zone = self.zone.as_ref().map(Arc::downgrade);
        SnapshotId { vocab: Arc::downgrade(&self.vocab), zone: zone.unwrap_or_default() }
    }

    /// Whether anything of a zone can be reached from here.
    pub(crate) fn has_zone(&self) -> bool {
        self.zone.is_some()
    }
}

pub(crate) fn unknown_id(id: StrId) -> Error {
    let text = format!(
        "no string has the id {id} in this store; \
         ids are hashes, so the string has to be added once (`strings.add`) before it can be asked for"
    );
    Error::new(ErrorKind::Key, "E018", text)
}

/// A word type: a view on one lexeme, holding the vocab and the zone that it belongs to.
#[derive(Clone)]
pub struct Lexeme {
    snapshot: VocabSnapshot,
    ix: LexIx,
}

impl Lexeme {
    /// The snapshot that resolves this lexeme's ids.
    pub fn snapshot(&self) -> &VocabSnapshot {
        &self.snapshot
    }

    /// The lexeme's position.
    pub fn ix(&self) -> LexIx {
        self.ix
    }

    /// The cell of the record.
    pub fn cell(&self) -> &LexemeCell {
        self.snapshot.cell(self.ix).expect("a lexeme is made from a position of its own snapshot")
    }

    /// A copy of the record.
    pub fn record(&self) -> LexemeC {
        self.cell().load()
    }

    /// The id of the text.
    pub fn orth(&self) -> StrId {
        self.cell().orth()
    }

    /// An attribute as a number.
    pub fn attr(&self, attr: AttrId) -> u64 {
        self.cell().attr(attr)
    }

    /// An attribute whose number is a string's id, as that string; empty if it is unset.
    pub fn text_of(&self, attr: AttrId) -> &str {
        self.snapshot.string(StrId::new(self.attr(attr))).unwrap_or_default()
    }

    /// The word.
    pub fn text(&self) -> &str {
        self.text_of(AttrId::ORTH)
    }

    /// The lower-cased form.
    pub fn lower(&self) -> &str {
        self.text_of(AttrId::LOWER)
    }

    /// The norm.
    pub fn norm(&self) -> &str {
        self.text_of(AttrId::NORM)
    }

    /// The shape, such as `Xxxxx` or `dddd`.
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
