//! Records, documents and vocabs as they cross a call.
//!
//! Holds unsafe code: address, length and record type become slices, after a check.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use lexpool_structs::{EntityC, LexemeC, Record, RecordInfo, SyntaxC, TagC, TokenC};

use crate::text::StrC;

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
    pub(crate) lent: RecordsC,
    records: PhantomData<&'a [T]>,
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
