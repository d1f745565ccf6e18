//! `.c`: handles on records, for direct access to the memory.
//!
//! Unsafe code: hands out addresses of memory that the handle's owner keeps alive.
//!
//! Invariants:
//! - **H1** `address` points to the handle's records, `stride` bytes apart, of the layout `info`;
//!   they stay there, readable, as long as `owner` (and `pin`) live, and the handle keeps both
//!   alive.
//! - **H2** Read-only records are never written while a handle shows them, or belong to a vocab,
//!   whose fields are atomics; writable records belong to the holders of such handles alone (a
//!   lease or a pool).

use std::ffi::c_void;

use lexpool::structs::{Record, RecordInfo, TokenC};
use lexpool::tokens::{AddressPin, Doc};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::object::doc::{PyDoc, position};
use crate::runtime::classes::class;
use crate::runtime::error::StaleError;
use crate::runtime::free_list::{self, FreeList, FreeListed};

use super::record::PyRecordValue;

/// A row of records in memory: `len(handle)` of them, the first at `handle.address`.
///
/// `memoryview(handle)` and `numpy.asarray(handle)` show them as a structured array without a copy,
/// and keep the document alive. The plain address does not: keep the handle, or its owner, for as
/// long as the address is used. Records are read-only unless the handle comes from a lease (`with
/// doc.c.writable() as tokens:`) or a `Pool`.
#[pyclass(name = "Handle", module = "lexpool", frozen)]
pub(crate) struct Handle {
    pub(super) owner: Py<PyAny>,
    pub(super) info: &'static RecordInfo,
    pub(super) address: *mut c_void,
    pub(super) writable: bool,
    /// Number of records and distance in bytes; views of the buffer protocol point to both.
    pub(super) shape: [ffi::Py_ssize_t; 1],
    pub(super) strides: [ffi::Py_ssize_t; 1],
    /// For records of a document: the position of the first one's token, and the generation in
    /// which it is valid.
    pub(super) first: u32,
    pub(super) generation: u32,
    /// For records of a document: keeps their address stable when tokens are merged or split.
    pub(super) pin: Option<AddressPin>,
}

class!(Handle);

/// The memory of a handle, as op calls need it.
pub(crate) struct RecordRow {
    pub(crate) info: &'static RecordInfo,
    pub(crate) address: *mut c_void,
    pub(crate) len: usize,
    pub(crate) writable: bool,
    pub(crate) contiguous: bool,
    pub(crate) owner: *mut ffi::PyObject,
}

// SAFETY: H2: shared records are only read, those of a lease or pool belong to their holders; H1:
// the owner keeps all of them in place.
unsafe impl Send for Handle {}
// SAFETY: H2, H1: as for `Send`.
unsafe impl Sync for Handle {}

impl Handle {
    /// A read-only handle on `len` records.
    ///
    /// # Safety
    ///
    /// `address` points to `len` records of the layout `info`, which stay there, readable, for as
    /// long as `owner` lives (H1).
    pub(crate) unsafe fn new(
        owner: Py<PyAny>,
        info: &'static RecordInfo,
        address: *const c_void,
        len: usize,
    ) -> Handle {
        Handle {
            owner,
            info,
            address: address.cast_mut(),
            writable: false,
            shape: [ssize(len)],
            strides: [ssize(info.size)],
            first: 0,
            generation: 0,
            pin: None,
        }
    }

    /// Makes the handle writable.
    ///
    /// # Safety
    ///
    /// Only holders of such handles read or write the records (H2).
    pub(crate) unsafe fn writable(mut self) -> Handle {
        self.writable = true;
        self
    }

    /// The tokens of a document from `start` to before `end`, which must be within it.
    pub(crate) fn of_tokens<'py>(
        owner: &Bound<'py, PyDoc>,
        doc: &Doc,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, Handle>> {
        let tokens = &doc.tokens()[start..end];
        let view = Handle::of_doc(owner, doc, &TokenC::INFO, tokens.as_ptr().cast(), tokens.len());
        free_list::make(owner.py(), Handle { first: u32::try_from(start).unwrap_or(0), ..view })
    }

    fn of_doc(
        owner: &Bound<'_, PyDoc>,
        doc: &Doc,
        info: &'static RecordInfo,
        address: *const c_void,
        len: usize,
    ) -> Handle {
        // SAFETY: H1: a document keeps its records in place as long as it and a pin live, even when
        // an edit replaces them, and the handle owns both.
        let handle = unsafe { Handle::new(owner.clone().into_any().unbind(), info, address, len) };
        Handle { generation: doc.generation(), pin: Some(doc.pin()), ..handle }
    }

    /// The handle's memory.
    pub(crate) fn row(&self) -> RecordRow {
        RecordRow {
            info: self.info,
            address: self.address,
            len: self.len(),
            writable: self.writable,
            contiguous: self.is_contiguous(),
            owner: self.owner.as_ptr(),
        }
    }

    /// The document whose records these are, or `None`.
    pub(crate) fn document<'a, 'py>(&'a self, py: Python<'py>) -> Option<&'a Bound<'py, PyDoc>> {
        self.owner.bind(py).cast::<PyDoc>().ok()
    }

    /// The address as a number. Nobody can tell when it is no longer used, so the records stay
    /// until the document is dropped.
    pub(super) fn number(&self) -> usize {
        if let Some(pin) = &self.pin {
            pin.retain_for_document();
        }
        self.address as usize
    }

    pub(super) fn len(&self) -> usize {
        usize::try_from(self.shape[0]).unwrap_or(0)
    }

    pub(super) fn is_contiguous(&self) -> bool {
        self.strides[0] == ssize(self.info.size) || self.len() <= 1
    }

    /// The document, and the position of the handle's first token in it.
    ///
    /// # Errors
    ///
    /// `StaleError` if the records are no longer those of the document.
    pub(super) fn tokens<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> PyResult<(&'a Bound<'py, PyDoc>, usize)> {
        let doc = self.owner.bind(py).cast::<PyDoc>().ok().filter(|_| self.is_token());
        let doc = doc.ok_or_else(|| {
            let (name, len) = (self.info.name, self.len());
            PyAttributeError::new_err(format!("{len} {name} are not the tokens of a document"))
        })?;
        if !self.is_contiguous() {
            return Err(PyValueError::new_err(
                "tokens of a slice with a step have no such view; \
                                              take the slice without a step",
            ));
        }
        let (read, first) = (doc.get().read(py)?, self.first as usize);
        if read.generation() != self.generation {
            let text = "tokens were merged or split since the handle was made, which still shows \
                        the old records; take doc.c again";
            return Err(StaleError::new_err(text));
        }
        // The address of an empty handle is arbitrary.
        let is_there =
            |tokens: &[TokenC]| self.len() == 0 || tokens.as_ptr().cast() == self.address;
        if !read.tokens().get(first..).is_some_and(is_there) {
            let text = "the document was written to since the handle was made, which still shows \
                        the old records in the corpus file; take doc.c again";
            return Err(StaleError::new_err(text));
        }
        Ok((doc, first))
    }

    pub(super) fn is_token(&self) -> bool {
        self.info.name == TokenC::INFO.name
    }

    /// The records of an annotation column for the same tokens, or `None` if the document lacks it.
    pub(super) fn annotation_column<'py, T: Record>(
        &self,
        py: Python<'py>,
        records: impl FnOnce(&Doc) -> Option<&[T]>,
    ) -> PyResult<Option<Bound<'py, Handle>>> {
        let (owner, first) = self.tokens(py)?;
        let doc = owner.get().read(py)?;
        let Some(records) = records(&doc) else { return Ok(None) };
        let records = &records[first..first + self.len()];
        let handle = Handle::of_doc(owner, &doc, &T::INFO, records.as_ptr().cast(), records.len());
        free_list::make(py, Handle { first: self.first, ..handle }).map(Some)
    }

    fn item<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyRecordValue>> {
        let offset = ssize(i) * self.strides[0];
        // SAFETY: H1: `i` is below the length, so the record lies within the handle's memory; its
        // bytes are plain data, which holders of a writable handle may change.
        let bytes = unsafe {
            let start = self.address.cast::<u8>().offset(offset);
            std::slice::from_raw_parts(start, self.info.size)
        };
        Bound::new(py, PyRecordValue::new(self.info, bytes))
    }
}

pub(super) fn ssize(n: usize) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(n).expect("a size in memory")
}

#[pymethods]
impl Handle {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.owner)
    }

    /// The address of the first record. Keep the handle while it is used: nothing else keeps the
    /// memory alive.
    #[getter]
    fn address(&self) -> usize {
        self.number()
    }

    /// The size of a record in bytes.
    #[getter]
    fn itemsize(&self) -> usize {
        self.info.size
    }

    /// The distance between records in bytes: `itemsize`, unless the handle is a slice with a step.
    #[getter]
    fn stride(&self) -> isize {
        self.strides[0]
    }

    /// The number of bytes of all records.
    #[getter]
    fn nbytes(&self) -> usize {
        self.len() * self.info.size
    }

    /// True if the records cannot be written.
    #[getter]
    fn readonly(&self) -> bool {
        !self.writable
    }

    /// The name of the record's type, such as "TokenC".
    #[getter]
    fn record(&self) -> &'static str {
        self.info.name
    }

    /// The object that keeps the memory alive.
    #[getter]
    // stub: -> Any
    fn owner(&self, py: Python<'_>) -> Py<PyAny> {
        self.owner.clone_ref(py)
    }

    /// A memoryview of the records.
    #[getter]
    // stub: -> memoryview
    fn view<'py>(slf: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("builtins")?.getattr("memoryview")?.call1((slf,))
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// `handle[i]` is a copy of one record; `handle[i:j]` is a handle on a range of them.
    ///
    /// Raises IndexError out of range.
    // stub: (key: SupportsIndex, /) -> RecordValue
    // stub: (key: slice, /) -> Handle
    fn __getitem__<'py>(
        slf: &Bound<'py, Handle>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Ok(slice) = key.cast::<PySlice>() {
            return this.slice(py, slice).map(Bound::into_any);
        }
        if !key.hasattr("__index__")? {
            let class = key.get_type().name()?;
            let text = format!("records are indexed by ints or slices, not {class}");
            return Err(PyTypeError::new_err(text));
        }
        let (given, len) = (key.extract::<isize>()?, this.len());
        let Some(i) = position(given, len) else {
            let text = format!("record {given} is out of range for {len} {}", this.info.name);
            return Err(PyIndexError::new_err(text));
        };
        this.item(py, i).map(Bound::into_any)
    }

    fn __repr__(&self) -> String {
        let kind = if self.writable { "writable " } else { "" };
        format!("<{} {kind}{} at {:#x}>", self.len(), self.info.name, self.address as usize)
    }

    /// NumPy's array interface: shape, layout, address, and whether the records can be written.
    #[getter]
    // stub: -> dict[str, Any]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.len(),))?;
        interface.set_item("typestr", format!("|V{}", self.info.size))?;
        let little = if cfg!(target_endian = "little") { '<' } else { '>' };
        let descr = self.info.fields.iter().map(|field| {
            let sign = if field.kind.rust().starts_with('u') { 'u' } else { 'i' };
            (field.name, format!("{little}{sign}{}", field.kind.size()))
        });
        interface.set_item("descr", descr.collect::<Vec<_>>())?;
        interface.set_item("data", (self.number(), !self.writable))?;
        interface.set_item("strides", (self.strides[0],))?;
        Ok(interface)
    }
}

impl Handle {
    fn slice<'py>(
        &self,
        py: Python<'py>,
        slice: &Bound<'py, PySlice>,
    ) -> PyResult<Bound<'py, Handle>> {
        let indices = slice.indices(ssize(self.len()))?;
        // The start of an empty slice may lie just outside; its address is then not used.
        let start = if indices.slicelength > 0 { indices.start } else { 0 };
        let offset = start * self.strides[0];
        // Within a document, whose tokens are fewer than 2^31.
        let records = i32::try_from(offset / ssize(self.info.size)).unwrap_or(0);
        let handle = Handle {
            owner: self.owner.clone_ref(py),
            info: self.info,
            // SAFETY: H1: `start` is below the length, or the slice is empty and the address
            // unchanged.
            address: unsafe { self.address.byte_offset(offset) },
            writable: self.writable,
            shape: [ssize(indices.slicelength)],
            strides: [self.strides[0].saturating_mul(indices.step)],
            first: self.first.saturating_add_signed(records),
            generation: self.generation,
            pin: self.pin.clone(),
        };
        free_list::make(py, handle)
    }
}

// SAFETY: a handle owns one reference, which `release` gives up by the C API, and a pin, which
// contains no Python object.
unsafe impl FreeListed for Handle {
    fn free_list() -> &'static FreeList<Handle> {
        static FREE_LIST: FreeList<Handle> = FreeList::new();
        &FREE_LIST
    }

    unsafe fn release(self) {
        let Handle { owner, pin, .. } = self;
        drop(pin);
        // SAFETY: the thread is attached, and the reference is the handle's own.
        unsafe { ffi::Py_DECREF(owner.into_ptr()) }
    }
}
