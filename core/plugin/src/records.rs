//! Records, documents and vocabs, lent for a call.
//!
//! Holds unsafe code: address, length and record type become slices, after a check.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use lexpool_structs::{EntityC, LexemeC, Record, RecordInfo, SyntaxC, TagC, TokenC};

use crate::text::StrC;
use crate::value::Value;

/// Records that may be written and that nobody has taken yet; taken to be written; taken to be read.
const WRITABLE: u32 = 1;
const WRITTEN: u32 = 2;
const READ: u32 = 3;

/// An array of records as C has it: `lexpool_rows`.
#[derive(Debug)]
#[repr(C)]
pub struct RecordsC {
    /// Bytes of this struct.
    pub(crate) size: u32,
    /// 1 if the records may be written: they are those of a lease.
    pub(crate) writable: AtomicU32,
    /// The record's name, such as `TokenC`.
    pub(crate) name: StrC,
    /// Bytes of a record.
    pub(crate) stride: usize,
    /// The first record.
    pub(crate) data: *mut u8,
    /// How many there are.
    pub(crate) len: usize,
}

// SAFETY: as for an array.
unsafe impl Send for RecordsC {}
// SAFETY: as for an array.
unsafe impl Sync for RecordsC {}

impl RecordsC {
    /// Records that are lent to be read, by their name and the bytes of one.
    ///
    /// # Safety
    ///
    /// `data` has `len` records of that name, which stay and which nobody writes for as long as this; the
    /// name stays too.
    pub const unsafe fn read(name: &str, stride: usize, data: *const u8, len: usize) -> RecordsC {
        let size = crate::size_of_u32::<RecordsC>();
        RecordsC {
            size,
            writable: AtomicU32::new(0),
            name: StrC::of(name),
            stride,
            data: data.cast_mut(),
            len,
        }
    }

    /// Records that are lent to be written.
    ///
    /// # Safety
    ///
    /// As for `read`; nobody else looks at the records for as long as this.
    pub const unsafe fn write(name: &str, stride: usize, data: *mut u8, len: usize) -> RecordsC {
        let size = crate::size_of_u32::<RecordsC>();
        RecordsC {
            size,
            writable: AtomicU32::new(WRITABLE),
            name: StrC::of(name),
            stride,
            data,
            len,
        }
    }

    /// Records of Rust's, to be read; good for as long as the slice.
    pub fn of<T: Record>(records: &[T]) -> RecordsOf<'_, T> {
        // SAFETY: the slice is borrowed for as long as the result.
        let lent = unsafe {
            RecordsC::read(T::INFO.name, size_of::<T>(), records.as_ptr().cast(), records.len())
        };
        RecordsOf { lent, records: PhantomData }
    }

    /// The record's name.
    pub fn name(&self) -> &str {
        // SAFETY: it stays for as long as this.
        unsafe { self.name.get() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether these are records of a name that this version knows, as large as it knows them.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        let known = lexpool_structs::records().iter().find(|info| info.name == name);
        let fits = |info: &RecordInfo| {
            info.size == self.stride && (self.data as usize) % info.align.max(1) == 0
        };
        self.name() == name && known.is_some_and(|info| fits(info))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The records, if they are of the type.
    pub fn as_slice<T: Record>(&self) -> Option<&[T]> {
        let data = self.checked::<T>()?;
        if self.writable.load(Ordering::Relaxed) != 0 && !self.take(READ) {
            return None;
        }
        // SAFETY: who lends them promises as many records; nobody writes them meanwhile: what may be
        // written is taken once, and two arguments that overlap are refused where one is written.
        Some(unsafe { std::slice::from_raw_parts(data, self.len) })
    }

    /// The records, if they are of the type and may be written. They are taken by that: a second time
    /// there are none.
    #[expect(clippy::mut_from_ref, reason = "given once, as by a cell that is taken")]
    pub(crate) fn as_mut_slice<T: Record>(&self) -> Option<&mut [T]> {
        let data = self.checked::<T>()?;
        if !self.take(WRITTEN) {
            return None;
        }
        // SAFETY: who lends them promises as many records that nobody else has, and only one takes them.
        Some(unsafe { std::slice::from_raw_parts_mut(data, self.len) })
    }

    /// Whether the records may be written.
    pub fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed) != 0
    }

    /// Takes what may be written for one use.
    fn take(&self, of: u32) -> bool {
        let taken =
            self.writable.compare_exchange(WRITABLE, of, Ordering::Relaxed, Ordering::Relaxed);
        // Those who read do not mind each other.
        taken.is_ok() || (of == READ && taken == Err(READ))
    }

    fn checked<T: Record>(&self) -> Option<*mut T> {
        if self.name() != T::INFO.name || self.stride != size_of::<T>() {
            return None;
        }
        let data: *mut T = self.data.cast();
        if data.is_null() || self.len == 0 {
            return Some(std::ptr::dangling_mut());
        }
        data.is_aligned().then_some(data)
    }

    /// What the records take, as a range of addresses.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let start = self.data as usize;
        (start, start + self.len * self.stride)
    }
}

/// Records of a slice, lent to be read.
#[derive(Debug)]
pub struct RecordsOf<'a, T> {
    lent: RecordsC,
    records: PhantomData<&'a [T]>,
}

impl<T> RecordsOf<'_, T> {
    /// The records as a value.
    pub fn value(&self) -> Value<'_> {
        Value::records(&self.lent)
    }
}

/// A document's arrays: `lexpool_doc`. Good for as long as the document it was made of.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocC {
    /// Bytes of this struct.
    pub size: u32,
    /// [`ABI_VERSION`](lexpool_structs::ABI_VERSION) of the records.
    pub abi: u32,
    /// The tokens.
    pub tokens: *const TokenC,
    /// How many tokens there are, and records in each array that is not null.
    pub length: i32,
    /// Where the last token ends, in characters, its trailing space not included.
    pub text_chars: u32,
    /// Tags and lemmas; null if there are none.
    pub tags: *const TagC,
    /// The tree; null if there is none.
    pub syntax: *const SyntaxC,
    /// Entities; null if there are none.
    pub entities: *const EntityC,
    /// The segments of the vocab's lexemes.
    pub lexemes: *const *const LexemeC,
    /// Those of the document's zone; null without one.
    pub zone_lexemes: *const *const LexemeC,
    /// The segments of the norms that special cases give; number `n` of a token is item `n - 1`.
    pub norms: *const *const u64,
    /// The words that the document's functions read.
    pub scope: *const ScopeC,
}

/// A scope of words that C holds by pointer alone.
#[derive(Debug)]
#[repr(C)]
pub struct ScopeC {
    opaque: [u8; 0],
}

/// A vocab that C holds by pointer alone.
#[derive(Debug)]
#[repr(C)]
pub struct VocabC {
    opaque: [u8; 0],
}

// SAFETY: what lies behind it is lexpool's vocab, which threads share.
unsafe impl Sync for VocabC {}

/// A document that is lent for a call: `lexpool_doc`, and behind it what only lexpool reads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocRefC {
    /// What C sees.
    pub(crate) doc: DocC,
    /// lexpool's own document; null for one that is not its own.
    host: *const c_void,
}

// SAFETY: a document that is lent is read by all and written by nobody.
unsafe impl Send for DocRefC {}
// SAFETY: as above.
unsafe impl Sync for DocRefC {}

impl DocRefC {
    /// A document that is lent.
    ///
    /// # Safety
    ///
    /// Arrays that are not null have as many records as the document tokens; `host` is null, or the
    /// document that only lexpool reads. All of it stays, unchanged, for as long as this.
    pub const unsafe fn new(doc: DocC, host: *const c_void) -> DocRefC {
        DocRefC { doc, host }
    }

    /// lexpool's own document; null for one that is not its own.
    pub fn host(&self) -> *const c_void {
        self.host
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        usize::try_from(self.doc.length).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A document as a plugin sees it: its records, by reference.
#[derive(Clone, Copy, Debug)]
pub struct DocView<'a>(&'a DocRefC);

impl<'a> DocView<'a> {
    pub(crate) fn of(doc: &'a DocRefC) -> Option<DocView<'a>> {
        let known = doc.doc.size as usize >= size_of::<DocC>();
        (known && doc.doc.abi == lexpool_structs::ABI_VERSION).then_some(DocView(doc))
    }

    /// What C sees.
    pub fn as_c(self) -> &'a DocC {
        &self.0.doc
    }

    /// The tokens.
    pub fn tokens(self) -> &'a [TokenC] {
        // SAFETY: a document has as many tokens as it says, for as long as it is lent.
        unsafe { slice(self.0.doc.tokens, self.0.len()) }.unwrap_or_default()
    }

    /// Tags and lemmas, if there are any.
    pub fn tags(self) -> Option<&'a [TagC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.tags, self.0.len()) }
    }

    /// The tree, if there is one.
    pub fn syntax(self) -> Option<&'a [SyntaxC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.syntax, self.0.len()) }
    }

    /// Entities, if there are any.
    pub fn entities(self) -> Option<&'a [EntityC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.entities, self.0.len()) }
    }

    /// The lexeme of the token at a position, as it is now.
    pub fn lexeme(self, i: usize) -> Option<LexemeC> {
        let token = self.tokens().get(i)?;
        let doc = &self.0.doc;
        let segments = if token.in_zone() { doc.zone_lexemes } else { doc.lexemes };
        if segments.is_null() {
            return None;
        }
        let place = u64::from(token.lex_index()) + 64;
        let segment = 57 - place.leading_zeros() as usize;
        let at = place - (64 << segment);
        // SAFETY: lexpool gives segments for all lexemes of its documents; segment `k` has `64 << k`.
        // Fields are written by other threads, each by one atomic store, so they are loaded so.
        let fields = unsafe {
            let record = (*segments.add(segment)).add(usize::try_from(at).ok()?);
            record.cast::<[AtomicU64; size_of::<LexemeC>() / 8]>().as_ref()?
        };
        Some(bytemuck::must_cast(fields.each_ref().map(|field| field.load(Ordering::Relaxed))))
    }
}

/// # Safety
///
/// The address is null or that of `len` records, good for `'a`.
unsafe fn slice<'a, T>(first: *const T, len: usize) -> Option<&'a [T]> {
    if first.is_null() || !first.is_aligned() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { std::slice::from_raw_parts(first, len) })
}

/// Records that an op may write.
pub(crate) fn lent_to_write<T: Record>(value: Value<'_>) -> Option<&mut [T]> {
    value.as_records()?.as_mut_slice()
}
