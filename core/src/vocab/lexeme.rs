//! Lexemes: one record a word type, at a stable address.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};

use lexpool_structs::{AttrId, LexemeC};

use crate::codes;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// The `id` of a lexeme that has no row in the vector table.
pub const OOV_RANK: u64 = u64::MAX;

/// The index of a lexeme in its vocab, or in a zone of the vocab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LexIx(u32);

impl LexIx {
    /// The index of the empty lexeme, which every vocab has.
    pub const EMPTY: LexIx = LexIx(0);

    const ZONE: u32 = 1 << 31;

    /// Converts the number in a [`TokenC`](lexpool_structs::TokenC).
    pub const fn from_raw(raw: u32) -> LexIx {
        LexIx(raw)
    }

    /// Returns the number as a record stores it.
    pub const fn to_raw(self) -> u32 {
        self.0
    }

    /// Returns whether the lexeme is in a zone.
    pub const fn is_in_zone(self) -> bool {
        self.0 & LexIx::ZONE != 0
    }

    /// Returns the position among the lexemes of the vocab itself, or `None` for a lexeme of a
    /// zone.
    pub const fn permanent_position(self) -> Option<u32> {
        if self.is_in_zone() { None } else { Some(self.0) }
    }

    /// Returns the position among the lexemes of its zone.
    pub(crate) const fn position_in_zone(self) -> usize {
        self.position() as usize
    }

    pub(super) const fn position(self) -> u32 {
        self.0 & !LexIx::ZONE
    }

    pub(super) const fn new(position: u32, in_zone: bool) -> LexIx {
        LexIx(if in_zone { position | LexIx::ZONE } else { position })
    }
}

/// The number of changes of lexemes in this process. A cell does not know its vocab, so there is
/// one counter for all vocabs; caches of lexeme attributes compare it.
static EDITS: AtomicU64 = AtomicU64::new(0);

/// Returns a number that grows with every change of a lexeme of any vocab.
pub(crate) fn lexeme_edits() -> u64 {
    EDITS.load(Ordering::Acquire)
}

/// A lexeme's record as atomics: threads may read it while another writes a field.
///
/// Accesses are relaxed: a field is never torn, but fields are not ordered with each other.
#[repr(transparent)]
pub struct LexemeCell([AtomicU64; FIELDS]);

const FIELDS: usize = size_of::<LexemeC>() / size_of::<u64>();

/// A field of [`LexemeC`]; all of them are 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexemeField(usize);

impl LexemeField {
    pub(crate) const FLAGS: LexemeField = LexemeField(offset_of!(LexemeC, flags) / 8);
    /// The number of characters.
    pub const LENGTH: LexemeField = LexemeField(offset_of!(LexemeC, length) / 8);
    pub(crate) const ORTH: LexemeField = LexemeField(offset_of!(LexemeC, orth) / 8);
    /// The id of the norm.
    pub const NORM: LexemeField = LexemeField(offset_of!(LexemeC, norm) / 8);

    /// Returns the field of an attribute, or `None` for flags and for attributes that only tokens
    /// have.
    pub const fn of(attr: AttrId) -> Option<LexemeField> {
        let offset = match attr {
            AttrId::ID => offset_of!(LexemeC, id),
            AttrId::ORTH => offset_of!(LexemeC, orth),
            AttrId::LOWER => offset_of!(LexemeC, lower),
            AttrId::NORM => offset_of!(LexemeC, norm),
            AttrId::SHAPE => offset_of!(LexemeC, shape),
            AttrId::PREFIX => offset_of!(LexemeC, prefix),
            AttrId::SUFFIX => offset_of!(LexemeC, suffix),
            AttrId::LENGTH => offset_of!(LexemeC, length),
            AttrId::LANG => offset_of!(LexemeC, lang),
            _ => return None,
        };
        Some(LexemeField(offset / 8))
    }
}

impl LexemeCell {
    pub(super) fn new(record: LexemeC) -> LexemeCell {
        let words: [u64; FIELDS] = bytemuck::must_cast(record);
        LexemeCell(words.map(AtomicU64::new))
    }

    /// Returns a copy of the record.
    pub fn load(&self) -> LexemeC {
        let words = std::array::from_fn::<u64, FIELDS, _>(|i| self.0[i].load(Ordering::Relaxed));
        bytemuck::must_cast(words)
    }

    /// Returns one field.
    #[inline]
    pub fn field(&self, field: LexemeField) -> u64 {
        self.0[field.0].load(Ordering::Relaxed)
    }

    /// Returns the id of the word's text.
    pub fn orth(&self) -> StrId {
        StrId::new(self.field(LexemeField::ORTH))
    }

    /// Returns an attribute of the word, flags as 0 or 1; 0 for attributes that only tokens have.
    #[inline]
    pub fn attr(&self, attr: AttrId) -> u64 {
        if attr.is_flag() {
            return self.field(LexemeField::FLAGS) >> attr.number() & 1;
        }
        LexemeField::of(attr).map_or(0, |field| self.field(field))
    }

    /// Returns a flag; false for an attribute that is not a flag.
    #[inline]
    pub fn flag(&self, attr: AttrId) -> bool {
        self.field(LexemeField::FLAGS).checked_shr(attr.number()).is_some_and(|bits| bits & 1 != 0)
    }

    /// Sets all flags, one bit each.
    pub fn set_flags(&self, flags: u64) {
        self.0[LexemeField::FLAGS.0].store(flags, Ordering::Relaxed);
        EDITS.fetch_add(1, Ordering::Release);
    }

    /// Returns whether [`set_attr`](LexemeCell::set_attr) can set an attribute.
    pub fn is_settable(attr: AttrId) -> bool {
        let field = LexemeField::of(attr);
        attr.is_flag()
            || field.is_some_and(|field| field != LexemeField::ORTH && field != LexemeField::LENGTH)
    }

    /// Sets an attribute of the word. `ORTH` and `LENGTH` identify the word and cannot be set.
    ///
    /// # Errors
    ///
    /// `attr-read-only` for an attribute that cannot be set.
    pub fn set_attr(&self, attr: AttrId, value: u64) -> Result<()> {
        if attr.is_flag() {
            let bit = 1 << attr.number();
            let flags = &self.0[LexemeField::FLAGS.0];
            if value != 0 {
                flags.fetch_or(bit, Ordering::Relaxed);
            } else {
                flags.fetch_and(!bit, Ordering::Relaxed);
            }
            EDITS.fetch_add(1, Ordering::Release);
            return Ok(());
        }
        match LexemeField::of(attr) {
            Some(field) if LexemeCell::is_settable(attr) => {
                self.0[field.0].store(value, Ordering::Relaxed);
                EDITS.fetch_add(1, Ordering::Release);
                Ok(())
            }
            _ => Err(Error::new(
                ErrorKind::Value,
                codes::ATTR_READ_ONLY,
                format!("{} of a lexeme is read-only", attr.name().unwrap_or("this attribute")),
            )),
        }
    }

    /// Returns the address of the record, which is valid while its vocab or zone lives.
    pub fn as_ptr(&self) -> *const LexemeC {
        self.0.as_ptr().cast()
    }
}
