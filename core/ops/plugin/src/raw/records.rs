//! The C forms of records, documents and vocabs.
//!
//! Holds unsafe code: address, length and record type become slices, after a check.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use lexpool_structs::{EntityC, LexemeC, Record, RecordInfo, SyntaxC, TagC, TokenC};

use crate::text::StrC;

/// States of writable records: free, borrowed for writing, borrowed for reading.
const WRITABLE: u32 = 1;
const WRITTEN: u32 = 2;
const READ: u32 = 3;

/// The C form of an array of records: `lexpool_rows`.
#[derive(Debug)]
#[repr(C)]
pub struct RecordsC {
    /// Bytes of this struct.
    pub(crate) size: u32,
    /// 1 if the records may be written, under a lease.
    pub(crate) writable: AtomicU32,
    /// The record's name, such as `TokenC`.
    pub(crate) name: StrC,
    /// Bytes of a record.
    pub(crate) stride: usize,
    /// The first record.
    pub(crate) data: *mut u8,
    /// Number of records.
    pub(crate) len: usize,
}

// SAFETY: as for an array.
unsafe impl Send for RecordsC {}
// SAFETY: as for an array.
unsafe impl Sync for RecordsC {}

impl RecordsC {
    /// Describes records for reading, by their name and size.
    ///
    /// # Safety
    ///
    /// `data` has `len` records of that name, which stay and which nobody writes for as long as
    /// this; the name stays too.
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

    /// Describes records for writing.
    ///
    /// # Safety
    ///
    /// As for `read`; nothing else reads or writes the records as long as this exists.
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

    /// Describes a slice for reading, as long as it is borrowed.
    pub fn of<T: Record>(records: &[T]) -> RecordsOf<'_, T> {
        // SAFETY: the slice is borrowed for as long as the result.
        let view = unsafe {
            RecordsC::read(T::INFO.name, size_of::<T>(), records.as_ptr().cast(), records.len())
        };
        RecordsOf { lent: view, records: PhantomData }
    }

    /// The record's name.
    pub fn name(&self) -> &str {
        // SAFETY: it stays for as long as this.
        unsafe { self.name.get() }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the records have the name, and the size that this version expects.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        let info = lexpool_structs::records().iter().find(|info| info.name == name);
        let fits = |info: &RecordInfo| {
            info.size == self.stride && (self.data as usize) % info.align.max(1) == 0
        };
        self.name() == name && info.is_some_and(|info| fits(info))
    }

    /// Returns whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The records, if they are of the type.
    pub fn as_slice<T: Record>(&self) -> Option<&[T]> {
        let data = self.checked::<T>()?;
        if self.writable.load(Ordering::Relaxed) != 0 && !self.take(READ) {
            return None;
        }
        // SAFETY: who lends them promises as many records; nobody writes them meanwhile: what may
        // be written is taken once, and two arguments that overlap are refused where one is
        // written.
        Some(unsafe { std::slice::from_raw_parts(data, self.len) })
    }

    /// The records, if they are of the type and may be written. A second call returns `None`.
    #[expect(clippy::mut_from_ref, reason = "given once, as by a cell that is taken")]
    pub(crate) fn as_mut_slice<T: Record>(&self) -> Option<&mut [T]> {
        let data = self.checked::<T>()?;
        if !self.take(WRITTEN) {
            return None;
        }
        // SAFETY: the contract of `write`; `take` lets one borrower succeed.
        Some(unsafe { std::slice::from_raw_parts_mut(data, self.len) })
    }

    /// Returns whether the records may be written.
    pub fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed) != 0
    }

    /// Borrows writable records for one use.
    fn take(&self, of: u32) -> bool {
        let previous =
            self.writable.compare_exchange(WRITABLE, of, Ordering::Relaxed, Ordering::Relaxed);
        // Several readers may coexist.
        previous.is_ok() || (of == READ && previous == Err(READ))
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

    /// The range of addresses of the records.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let start = self.data as usize;
        (start, start + self.len * self.stride)
    }
}

/// Records of a slice, borrowed for reading.
#[derive(Debug)]
pub struct RecordsOf<'a, T> {
    pub(crate) lent: RecordsC,
    records: PhantomData<&'a [T]>,
}

/// The C form of a document's arrays: `lexpool_doc`. Valid as long as the document is borrowed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocC {
    /// Bytes of this struct.
    pub size: u32,
    /// [`ABI_VERSION`](lexpool_structs::ABI_VERSION) of the records.
    pub abi: u32,
    /// The tokens.
    pub tokens: *const TokenC,
    /// Number of tokens, and of records in each non-null array.
    pub length: i32,
    /// End of the last token in characters, without its trailing space.
    pub text_chars: u32,
    /// Tags and lemmas; may be null.
    pub tags: *const TagC,
    /// The tree; may be null.
    pub syntax: *const SyntaxC,
    /// Entities; may be null.
    pub entities: *const EntityC,
    /// The segments of the vocab's lexemes.
    pub lexemes: *const *const LexemeC,
    /// The segments of the zone's lexemes; null without a zone.
    pub zone_lexemes: *const *const LexemeC,
    /// The segments of the norms of special cases; number `n` of a token is item `n - 1`.
    pub norms: *const *const u64,
    /// The vocab snapshot that functions on the document read.
    pub scope: *const ScopeC,
}

/// A vocab snapshot, opaque to C.
#[derive(Debug)]
#[repr(C)]
pub struct ScopeC {
    opaque: [u8; 0],
}

/// A vocab, opaque to C.
#[derive(Debug)]
#[repr(C)]
pub struct VocabC {
    opaque: [u8; 0],
}

// SAFETY: the pointer leads to a vocab, which threads share.
unsafe impl Sync for VocabC {}

/// A document that is borrowed for a call: `lexpool_doc`, and fields behind it that only lexpool
/// reads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocRefC {
    /// The part that C reads.
    pub(crate) doc: DocC,
    /// lexpool's document; null for a document of another library.
    host: *const c_void,
}

// SAFETY: a borrowed document is only read.
unsafe impl Send for DocRefC {}
// SAFETY: a borrowed document is only read.
unsafe impl Sync for DocRefC {}

impl DocRefC {
    /// Describes a borrowed document.
    ///
    /// # Safety
    ///
    /// Arrays that are not null have a record for each token; `host` is null or a document of
    /// lexpool. All of it stays valid and unchanged as long as this exists.
    pub const unsafe fn new(doc: DocC, host: *const c_void) -> DocRefC {
        DocRefC { doc, host }
    }

    /// lexpool's document; null for a document of another library.
    pub fn host(&self) -> *const c_void {
        self.host
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        usize::try_from(self.doc.length).unwrap_or(0)
    }

    /// Returns whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
