//! The memory that the values of a call borrow, kept until the call has returned.
//!
//! Holds unsafe code (invariants G1 to G3 of [`ops`](super)): guards and buffers whose lifetime
//! ends with the call rather than with a lexical scope.

use std::mem::MaybeUninit;
use std::sync::PoisonError;

use lexpool::structs::{Record, TokenC};
use lexpool::tokens::Doc;
use lexpool_ops::plugin::{ArrayC, DocRefC, RecordsC, ValueC};
use lexpool_ops::{Value, lend_doc};
use pyo3::ffi;
use pyo3::prelude::*;

use super::conversion_error::ConversionError;
use super::dlpack::Tensor;
use super::function_ref::FunctionRef;
use crate::memory::call_claims::{CLAIMS, MemoryClaim};
use crate::memory::handle::Handle;
use crate::object::doc::PyDoc;
use crate::runtime::doc_lock::ReadGuard;

/// Number of list items that are stored inline, on the stack.
const INLINE: usize = 32;

/// Owners of the memory that a call's values borrow. Items of lists lie in rows that do not move
/// until it is dropped.
pub(super) struct CallBorrows {
    row: [MaybeUninit<ValueC>; INLINE],
    /// Number of used places of `row`.
    used: usize,
    /// Current nesting depth of lists and dicts.
    pub(super) depth: u32,
    /// The first function argument; most calls have at most one.
    function: Option<FunctionRef>,
    more: Option<Box<RareBorrows>>,
}

/// Owners that few calls need. Values point into boxes, which do not move when a vector grows.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "values point into the boxes")]
struct RareBorrows {
    /// Further rows by number; place `n` of row `k` has the address `(k + 1) * STRIDE + n`.
    rows: Vec<Box<[MaybeUninit<ValueC>]>>,
    kept: Vec<*mut ffi::PyObject>,
    buffers: Vec<Box<ffi::Py_buffer>>,
    arrays: Vec<Box<ArrayC>>,
    records: Vec<Box<RecordsC>>,
    docs: Vec<Box<BorrowedDoc>>,
    functions: Vec<FunctionRef>,
    tensors: Vec<Tensor>,
    /// Memory that this call has claimed.
    claims: Vec<MemoryClaim>,
}

struct BorrowedDoc {
    value: DocRefC,
    reading: ReadGuard<'static, 'static, Doc>,
}

/// Distance between the first places of two further rows.
const STRIDE: usize = 1 << 40;

impl CallBorrows {
    #[inline]
    pub(super) fn new() -> CallBorrows {
        CallBorrows {
            row: [const { MaybeUninit::uninit() }; INLINE],
            used: 0,
            depth: 0,
            function: None,
            more: None,
        }
    }

    /// Releases everything that was borrowed. Costs nothing if nothing was.
    #[inline]
    pub(super) fn end(self) {
        if self.more.is_none() && self.function.is_none() {
            std::mem::forget(self);
        }
    }

    fn more(&mut self) -> &mut RareBorrows {
        self.more.get_or_insert_default()
    }

    /// Reserves contiguous places for `len` values and returns the first.
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> usize {
        if self.used + len <= INLINE {
            self.used += len;
            return self.used - len;
        }
        let more = self.more();
        more.rows.push(vec![MaybeUninit::uninit(); len].into());
        more.rows.len() * STRIDE
    }

    /// The `len` places from `at`, which lie in one row.
    #[inline]
    fn places(&mut self, at: usize, len: usize) -> &mut [MaybeUninit<ValueC>] {
        if at < STRIDE {
            return &mut self.row[at..at + len];
        }
        let place = at % STRIDE;
        &mut self.more().rows[at / STRIDE - 1][place..place + len]
    }

    #[inline]
    pub(super) fn put(&mut self, at: usize, value: ValueC) {
        self.places(at, 1)[0].write(value);
    }

    /// The values at `len` places, which do not move until this is dropped.
    ///
    /// # Safety
    ///
    /// All of them were written, and the result is not used after this was dropped or moved.
    #[inline]
    pub(super) unsafe fn values<'a>(&mut self, start: usize, len: usize) -> &'a [Value<'a>] {
        if len == 0 {
            return &[];
        }
        // The pointer is derived from the whole slice, so its provenance covers all places.
        let row = self.places(start, len);
        // SAFETY: G3 and this function's contract; `ValueC` has the layout of `Value`.
        unsafe { std::slice::from_raw_parts(row.as_ptr().cast::<Value<'a>>(), row.len()) }
    }

    /// The values at `2 * len` places, as pairs.
    ///
    /// # Safety
    ///
    /// As for `values`.
    pub(super) unsafe fn pairs<'a>(&mut self, start: usize, len: usize) -> &'a [[Value<'a>; 2]] {
        // SAFETY: this function's contract; two adjacent values have the layout of a pair.
        unsafe {
            let values = self.values(start, 2 * len);
            std::slice::from_raw_parts(values.as_ptr().cast(), len)
        }
    }

    /// Takes over a reference to an object, until the call has returned.
    pub(super) fn keep(&mut self, object: *mut ffi::PyObject) -> *mut ffi::PyObject {
        self.more().kept.push(object);
        object
    }

    /// Keeps a buffer view until the call has returned.
    pub(super) fn buffer(&mut self, view: Box<ffi::Py_buffer>) -> &ffi::Py_buffer {
        let buffers = &mut self.more().buffers;
        buffers.push(view);
        &buffers[buffers.len() - 1]
    }

    pub(super) fn array(&mut self, array: ArrayC) -> ValueC {
        let boxed = Box::new(array);
        let value = Value::array(&boxed).to_c();
        self.more().arrays.push(boxed);
        value
    }

    pub(super) fn tensor(&mut self, tensor: Tensor) {
        self.more().tensors.push(tensor);
    }

    pub(super) fn function(&mut self, function: FunctionRef) {
        if self.function.is_none() {
            self.function = Some(function);
            return;
        }
        self.more().functions.push(function);
    }

    /// Borrows a document for reading.
    pub(super) fn doc(&mut self, doc: &Bound<'_, PyDoc>) -> Result<ValueC, ConversionError> {
        let reading = doc.get().read(doc.py())?;
        // SAFETY: the caller of the op keeps the document until the call has returned, and the
        // guard is dropped by then, with the GIL.
        let reading = unsafe {
            std::mem::transmute::<ReadGuard<'_, '_, Doc>, ReadGuard<'static, 'static, Doc>>(reading)
        };
        // SAFETY: the guard keeps the document as it is.
        let value = lend_doc(&reading).into_c();
        let boxed = Box::new(BorrowedDoc { value, reading });
        let value = Value::doc(&boxed.value).to_c();
        self.more().docs.push(boxed);
        Ok(value)
    }

    /// Borrows a document's token records for reading.
    pub(super) fn tokens(&mut self, doc: &Bound<'_, PyDoc>) -> Result<ValueC, ConversionError> {
        self.doc(doc)?;
        let borrows = self.more().docs.last().expect("borrows just now");
        let tokens = borrows.reading.tokens();
        let (at, len) = (tokens.as_ptr().cast(), tokens.len());
        // SAFETY: G3: the read guard of `doc` is kept as long as the records.
        let records = unsafe { RecordsC::read(TokenC::INFO.name, size_of::<TokenC>(), at, len) };
        Ok(self.lend(records))
    }

    /// Borrows the records of a handle.
    pub(super) fn records(
        &mut self,
        handle: &Bound<'_, Handle>,
        name: &str,
        writable: bool,
    ) -> Result<ValueC, ConversionError> {
        let view = handle.get().row();
        if view.info.name != name || (writable && !view.writable) || !view.contiguous {
            let actual = format!(
                "a {}handle on {} {}",
                if view.contiguous { "" } else { "stepped " },
                if view.writable { "writable" } else { "read-only" },
                view.info.name
            );
            let expected = writable.then(|| format!("{name} records under a lease"));
            return Err(ConversionError::Type { expected, actual: Some(actual) });
        }
        // A document must not change while its records are read.
        if let Some(doc) = handle.get().document(handle.py()) {
            self.doc(doc)?;
        }
        if view.writable {
            let start = view.address as usize;
            let end = start + view.len * view.info.size;
            let owner = view.owner as usize;
            self.claim(MemoryClaim { start, end, writes: writable, owner })?;
        }
        let (size, at) = (view.info.size, view.address.cast::<u8>());
        // SAFETY: the handle keeps the records; those of a document are guarded, and of those that
        // may be written it was just made sure that no other call has them.
        let records = unsafe {
            if writable {
                RecordsC::write(view.info.name, size, at, view.len)
            } else {
                RecordsC::read(view.info.name, size, at, view.len)
            }
        };
        Ok(self.lend(records))
    }

    /// Claims memory for this call: many readers, or one writer.
    ///
    /// # Errors
    ///
    /// `BusyError` if another call writes the memory, or reads memory that this one writes.
    fn claim(&mut self, claim: MemoryClaim) -> Result<(), ConversionError> {
        let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
        // Overlap among the arguments of one call is checked by the op, which knows their names.
        let own = |other: &MemoryClaim| {
            self.more.as_ref().is_some_and(|more| more.claims.contains(other))
        };
        let meets = |other: &&MemoryClaim| claim.start < other.end && other.start < claim.end;
        let mut others = claims.iter().filter(meets).filter(|other| !own(other));
        if others.any(|other| other.writes || claim.writes) {
            let text = "the records are used by another call; come back when that is done";
            return Err(ConversionError::Raised(crate::runtime::error::BusyError::new_err(text)));
        }
        claims.push(claim);
        drop(claims);
        self.more().claims.push(claim);
        Ok(())
    }

    fn lend(&mut self, records: RecordsC) -> ValueC {
        let boxed = Box::new(records);
        let value = Value::records(&boxed).to_c();
        self.more().records.push(boxed);
        value
    }
}

impl Drop for RareBorrows {
    fn drop(&mut self) {
        if !self.claims.is_empty() {
            let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
            for own in &self.claims {
                if let Some(at) = claims.iter().position(|claim| claim == own) {
                    claims.swap_remove(at);
                }
            }
        }
        // Borrowers are dropped before the objects that they borrow from.
        self.docs.clear();
        self.tensors.clear();
        self.functions.clear();
        for mut view in self.buffers.drain(..) {
            // SAFETY: a view that was got and not released; the GIL is held.
            unsafe { ffi::PyBuffer_Release(&raw mut *view) };
        }
        for object in self.kept.drain(..) {
            // SAFETY: the reference that `keep` took.
            unsafe { ffi::Py_DECREF(object) };
        }
    }
}
