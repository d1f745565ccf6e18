//! `.c`: a handle on records, for whoever wants the memory itself.
//!
//! Holds unsafe code: gives out addresses of memory that the handle's owner keeps alive.

mod buffer;
mod c_export;
mod getters;
mod lease;
mod lexemes;
mod pool;
mod record;

use std::ffi::c_void;

use lexpool::structs::{EntityC, Record, RecordInfo, SyntaxC, TagC, TokenC};
use lexpool::tokens::{AddressPin, Doc};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::object::doc::{PyDoc, position};
use crate::runtime::classes::{self, class};
use crate::runtime::error::StaleError;
use crate::runtime::free_list::{self, FreeList, FreeListed};

use lease::{Lease, SpacyLease};

pub(crate) use lexemes::Lexemes;
pub(crate) use record::PyRecordValue;

/// A row of records in memory: `len(handle)` of them, the first at `handle.address`.
///
/// `memoryview(handle)` and `numpy.asarray(handle)` see them as a structured array without a copy,
/// and keep the document alive. The plain address does not: whoever takes it has to keep the
/// handle, or its owner, for as long as the address is used. Records are read-only unless the handle
/// comes from a lease (`with doc.c.writable() as tokens:`) or a `Pool`.
#[pyclass(name = "Handle", module = "lexpool", frozen)]
pub(crate) struct Handle {
    owner: Py<PyAny>,
    info: &'static RecordInfo,
    address: *mut c_void,
    writable: bool,
    /// What the buffer protocol points to while views are out: the number of records, and the bytes
    /// from one to the next.
    shape: [ffi::Py_ssize_t; 1],
    strides: [ffi::Py_ssize_t; 1],
    /// For records of a document: which of its tokens the first one is, and of what generation.
    first: u32,
    generation: u32,
    /// For them as well: holds them where they are when tokens are merged or split.
    pin: Option<AddressPin>,
}

class!(Handle);

/// What a handle shows.
pub(crate) struct RecordRow {
    pub(crate) info: &'static RecordInfo,
    pub(crate) address: *mut c_void,
    pub(crate) len: usize,
    pub(crate) writable: bool,
    pub(crate) contiguous: bool,
    pub(crate) owner: *mut ffi::PyObject,
}

// SAFETY: shared records are only read, those of a lease or pool belong to who writes them; the
// owner keeps all of them where they are.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// A handle on `len` records.
    ///
    /// # Safety
    ///
    /// `address` points to `len` records of the layout `info`, which stay there, readable, for as
    /// long as `owner` lives.
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

    /// The same records, to be written.
    ///
    /// # Safety
    ///
    /// Nobody but who holds such handles reads or writes the records.
    pub(crate) unsafe fn writable(mut self) -> Handle {
        self.writable = true;
        self
    }

    /// The tokens of a document from `start` to before `end`, which are within it.
    pub(crate) fn of_tokens<'py>(
        owner: &Bound<'py, PyDoc>,
        doc: &Doc,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, Handle>> {
        let tokens = &doc.tokens()[start..end];
        let made = Handle::of_doc(owner, doc, &TokenC::INFO, tokens.as_ptr().cast(), tokens.len());
        free_list::make(owner.py(), Handle { first: u32::try_from(start).unwrap_or(0), ..made })
    }

    fn of_doc(
        owner: &Bound<'_, PyDoc>,
        doc: &Doc,
        info: &'static RecordInfo,
        address: *const c_void,
        len: usize,
    ) -> Handle {
        // SAFETY: a document keeps its records where they are for as long as it and a pin live, also
        // when an edit replaces them, and the handle holds both.
        let made = unsafe { Handle::new(owner.clone().into_any().unbind(), info, address, len) };
        Handle { generation: doc.generation(), pin: Some(doc.pin()), ..made }
    }

    /// Where the records lie and what they are.
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

    /// The document whose records these are, if they are one's.
    pub(crate) fn document<'a, 'py>(&'a self, py: Python<'py>) -> Option<&'a Bound<'py, PyDoc>> {
        self.owner.bind(py).cast::<PyDoc>().ok()
    }

    /// The address as a number, which says nothing when it is no longer used: the records stay until the
    /// document goes.
    fn number(&self) -> usize {
        if let Some(pin) = &self.pin {
            pin.retain_for_document();
        }
        self.address as usize
    }

    fn len(&self) -> usize {
        usize::try_from(self.shape[0]).unwrap_or(0)
    }

    fn is_contiguous(&self) -> bool {
        self.strides[0] == ssize(self.info.size) || self.len() <= 1
    }

    /// The document and the positions of the handle's tokens in it, if they are still those.
    fn tokens<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<(&'a Bound<'py, PyDoc>, usize)> {
        let doc = self.owner.bind(py).cast::<PyDoc>().ok().filter(|_| self.is_token());
        let doc = doc.ok_or_else(|| {
            let (name, len) = (self.info.name, self.len());
            PyAttributeError::new_err(format!("{len} {name} are not the tokens of a document"))
        })?;
        if !self.is_contiguous() {
            return Err(PyValueError::new_err("tokens taken with a step have no such view"));
        }
        let (read, first) = (doc.get().read(py)?, self.first as usize);
        if read.generation() != self.generation {
            let text = "tokens were merged or split since the handle was made: it shows what was \
                        there before; take doc.c again";
            return Err(StaleError::new_err(text));
        }
        // The records of an empty handle may lie anywhere.
        let is_there =
            |tokens: &[TokenC]| self.len() == 0 || tokens.as_ptr().cast() == self.address;
        if !read.tokens().get(first..).is_some_and(is_there) {
            let text = "the document was written to since the handle was made, and its records, which \
                        lay in a corpus, were copied for that: it shows what was there before; take \
                        doc.c again";
            return Err(StaleError::new_err(text));
        }
        Ok((doc, first))
    }

    fn is_token(&self) -> bool {
        self.info.name == TokenC::INFO.name
    }

    /// The records of a annotation_column for the same tokens; None if the document has none.
    fn annotation_column<'py, T: Record>(
        &self,
        py: Python<'py>,
        records: impl FnOnce(&Doc) -> Option<&[T]>,
    ) -> PyResult<Option<Bound<'py, Handle>>> {
        let (owner, first) = self.tokens(py)?;
        let doc = owner.get().read(py)?;
        let Some(records) = records(&doc) else { return Ok(None) };
        let records = &records[first..first + self.len()];
        let made = Handle::of_doc(owner, &doc, &T::INFO, records.as_ptr().cast(), records.len());
        free_list::make(py, Handle { first: self.first, ..made }).map(Some)
    }

    fn item<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyRecordValue>> {
        let offset = ssize(i) * self.strides[0];
        // SAFETY: `i` is below the length, so the record lies within the memory of the handle, which
        // the owner keeps; its bytes are plain data, whoever writes them.
        let bytes = unsafe {
            let start = self.address.cast::<u8>().offset(offset);
            std::slice::from_raw_parts(start, self.info.size)
        };
        Bound::new(py, PyRecordValue::new(self.info, bytes))
    }
}

fn ssize(n: usize) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(n).expect("a size in memory")
}

#[pymethods]
impl Handle {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.owner)
    }

    /// Where the first record lies. Nothing guards a plain address: keep the handle.
    #[getter]
    fn address(&self) -> usize {
        self.number()
    }

    /// The bytes of one record.
    #[getter]
    fn itemsize(&self) -> usize {
        self.info.size
    }

    /// The bytes from one record to the next: `itemsize`, unless the handle is a slice with a step.
    #[getter]
    fn stride(&self) -> isize {
        self.strides[0]
    }

    /// The bytes of all records.
    #[getter]
    fn nbytes(&self) -> usize {
        self.len() * self.info.size
    }

    /// Whether the records may not be written.
    #[getter]
    fn readonly(&self) -> bool {
        !self.writable
    }

    /// The name of the record's type, such as "TokenC".
    #[getter]
    fn record(&self) -> &'static str {
        self.info.name
    }

    /// The object that keeps the memory.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Py<PyAny> {
        self.owner.clone_ref(py)
    }

    /// Tags, lemmas, morphology: a handle on TagC records of the same tokens. None if the document
    /// has none of them, but in a lease, where they are made.
    ///
    /// Raises AttributeError if these are not tokens, StaleError if tokens were merged since.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<TagC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::tag_records),
        }
    }

    /// The dependency tree: a handle on SyntaxC records; as `tags`.
    #[getter]
    fn syntax<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<SyntaxC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::syntax_records),
        }
    }

    /// Types and ids of entities: a handle on EntityC records; as `tags`.
    #[getter]
    fn entities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<EntityC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::entity_records),
        }
    }

    /// A lease to write the tokens' records: `with doc.c.writable() as tokens: ...`.
    ///
    /// Inside, `tokens` and its facets are writable copies, and any other access to the document
    /// raises BusyError. At the end the records are checked and put into the document; a ValueError
    /// says what does not hold, and leaves the document as it was. So does an exception inside.
    /// Handles on the copies stay readable afterwards and change nothing any more.
    #[pyo3(name = "writable")]
    fn lease<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Lease>> {
        let (doc, first) = self.tokens(py)?;
        Bound::new(py, Lease::new(doc, first, self.len(), self.generation))
    }

    /// The tokens in spaCy's own layout of 120 bytes, a copy: a handle on SpacyTokenC records, their
    /// `lex` pointing to the vocab's LexemeC, with five tokens of padding on either side.
    ///
    /// With `writable=True` a lease instead, as `writable()` gives: what is written is put back at
    /// its end. For a whole document only.
    ///
    /// Raises ValueError for a part of a document.
    #[pyo3(signature = (writable=false))]
    fn as_spacy<'py>(&self, py: Python<'py>, writable: bool) -> PyResult<Bound<'py, PyAny>> {
        let (doc, first) = self.tokens(py)?;
        let len = doc.get().read(py)?.len();
        if first != 0 || self.len() != len {
            let text = format!(
                "these are {} of {len} tokens, and spaCy's records are exported for all of them; \
                 use doc.c.as_spacy()",
                self.len()
            );
            return Err(PyValueError::new_err(text));
        }
        let lease = Bound::new(py, SpacyLease::new(doc)?)?;
        if writable { Ok(lease.into_any()) } else { Ok(SpacyLease::handle(&lease)?.into_any()) }
    }

    /// In a lease: counts children and edges anew from the heads; see `Lease.set_children_from_heads`.
    ///
    /// Raises AttributeError outside of a lease, ValueError (E190) for a head outside of the document.
    fn set_children_from_heads(&self, py: Python<'_>) -> PyResult<()> {
        let Ok(lease) = self.owner.bind(py).cast::<Lease>() else {
            let text = "only the records of a lease can be written: `with doc.c.writable()`";
            return Err(PyAttributeError::new_err(text));
        };
        Lease::set_children_from_heads(lease)
    }

    /// A memoryview of the records.
    #[getter]
    fn view<'py>(slf: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("builtins")?.getattr("memoryview")?.call1((slf,))
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// `handle[i]` is a copy of one record; `handle[i:j]` a handle on some of them.
    ///
    /// Raises IndexError out of range.
    fn __getitem__<'py>(
        slf: &Bound<'py, Handle>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Ok(slice) = key.cast::<PySlice>() {
            return this.slice(py, slice).map(Bound::into_any);
        }
        if !key.hasattr("__index__")? {
            let given = key.get_type().name()?;
            let text = format!("records are numbered by ints or slices, not {given}");
            return Err(PyTypeError::new_err(text));
        }
        let (given, len) = (key.extract::<isize>()?, this.len());
        let Some(i) = position(given, len) else {
            let text = format!("no record {given} among {len} {}", this.info.name);
            return Err(PyIndexError::new_err(text));
        };
        this.item(py, i).map(Bound::into_any)
    }

    fn __repr__(&self) -> String {
        let kind = if self.writable { "writable " } else { "" };
        format!("<{} {kind}{} at {:#x}>", self.len(), self.info.name, self.address as usize)
    }

    /// What NumPy asks for: shape, layout, address, and whether the records may be written.
    #[getter]
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
        let made = Handle {
            owner: self.owner.clone_ref(py),
            info: self.info,
            // SAFETY: `start` is below the length, or nothing is there and the address stays.
            address: unsafe { self.address.byte_offset(start * self.strides[0]) },
            writable: self.writable,
            shape: [ssize(indices.slicelength)],
            strides: [self.strides[0].saturating_mul(indices.step)],
            first: self.first + u32::try_from(start).unwrap_or(0),
            generation: self.generation,
            pin: self.pin.clone(),
        };
        free_list::make(py, made)
    }
}

// SAFETY: a handle owns one reference, which is given up by the C API, and a pin, which has no Python in
// it.
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

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<Handle>(module)?;
    free_list::install::<Handle>(module.py())?;
    lease::register(module)?;
    lexemes::register(module)?;
    pool::register(module)?;
    record::register(module)
}
