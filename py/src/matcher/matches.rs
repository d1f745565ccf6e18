//! `lexpool.matcher.Matches`: the matches of many documents as columns.
//!
//! Unsafe code: fills CPython's view with pointers into the columns.
//!
//! Invariants:
//! - **V1** Matches never change, and a column keeps them alive.

use std::ffi::c_int;
use std::fmt::Write;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::matcher::{DocMatch, Matches};
use lexpool_io::arrow;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyIndexError, PyTypeError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyMemoryView, PySlice, PyTuple};

use crate::io::arrow::{RequestedSchema, array, stream};
use crate::object::doc::{PyDoc, bounds, position};
use crate::object::span::PySpan;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::unlocked;
use crate::runtime::items;

/// Number of matches that `repr` shows.
const SHOWN: usize = 4;

/// Matches in many documents or texts, in order: a sequence of tuples of key, start, end and the
/// number of the document.
///
/// `keys`, `starts`, `ends` and `docs` are the same as columns, and for matches in texts
/// `start_chars` and `end_chars`: memoryviews, which NumPy reads without a copy. Arrow readers take
/// the whole as a table.
#[pyclass(name = "Matches", module = "lexpool.matcher", frozen, sequence)]
pub(super) struct PyMatches {
    matches: Arc<Matches>,
    vocab: Py<PyVocab>,
    /// The number of documents that were searched.
    searched: usize,
    from_texts: bool,
}

class!(PyMatches);

impl PyMatches {
    pub(super) fn new(
        matches: Matches,
        vocab: Py<PyVocab>,
        searched: usize,
        from_texts: bool,
    ) -> PyMatches {
        PyMatches { matches: Arc::new(matches), vocab, searched, from_texts }
    }

    fn column<'py>(
        &self,
        py: Python<'py>,
        of: fn(&Matches) -> ColumnData<'_>,
    ) -> PyResult<Bound<'py, PyMemoryView>> {
        let column = MatchColumn::new(Arc::clone(&self.matches), of);
        PyMemoryView::from(Bound::new(py, column)?.as_any())
    }

    fn chars(&self) -> PyResult<()> {
        if self.from_texts {
            return Ok(());
        }
        let text = "matches in documents have no character offsets; use those of spans(docs)";
        Err(PyAttributeError::new_err(text))
    }

    fn table(&self, py: Python<'_>) -> PyResult<arrow::Table> {
        let vocab = self.vocab.get().vocab();
        let make = || arrow::matches(&self.matches, vocab, self.from_texts);
        unlocked(py, self.matches.len(), make).or_raise()
    }
}

/// A match as a tuple.
fn tuple(py: Python<'_>, found: DocMatch) -> PyResult<Bound<'_, PyTuple>> {
    (found.key.get(), found.start, found.end, found.doc).into_pyobject(py)
}

#[pymethods]
impl PyMatches {
    fn __len__(&self) -> usize {
        self.matches.len()
    }

    // stub: (key: SupportsIndex, /) -> tuple[int, int, int, int]
    // stub: (key: slice, /) -> list[tuple[int, int, int, int]]
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let len = self.matches.len();
        if let Ok(slice) = key.cast::<PySlice>() {
            let (start, end) = bounds(slice, len)?;
            let tuples = (start..end).filter_map(|at| self.matches.get(at));
            let tuples = tuples.map(|found| tuple(py, found)).collect::<PyResult<Vec<_>>>()?;
            return PyList::new(py, tuples)?.into_bound_py_any(py);
        }
        let given = key.extract::<isize>()?;
        let found = position(given, len).and_then(|at| self.matches.get(at));
        let Some(found) = found else {
            return Err(PyIndexError::new_err(format!(
                "match {given} is out of range for {len} \
                                                      matches"
            )));
        };
        Ok(tuple(py, found)?.into_any())
    }

    // stub: -> Iterator[tuple[int, int, int, int]]
    fn __iter__(&self) -> MatchesIter {
        MatchesIter { matches: Arc::clone(&self.matches), next: AtomicUsize::new(0) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// The ids of the keys, 64 bits each.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.column(py, |matches| ColumnData::Long(matches.keys()))
    }

    /// The positions of the first tokens in their documents; 32 bits each, like all following
    /// columns.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.column(py, |matches| ColumnData::Short(matches.starts()))
    }

    /// The positions after the last tokens.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.column(py, |matches| ColumnData::Short(matches.ends()))
    }

    /// The numbers of the documents, in ascending order.
    #[getter]
    fn docs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.column(py, |matches| ColumnData::Short(matches.docs()))
    }

    /// The character offsets at which matches in texts start. Raises AttributeError for matches in
    /// documents.
    #[getter]
    fn start_chars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.chars()?;
        self.column(py, |matches| ColumnData::Short(matches.chars().unwrap_or_default().0))
    }

    /// The character offsets at which matches in texts end. Raises AttributeError for matches in
    /// documents.
    #[getter]
    fn end_chars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.chars()?;
        self.column(py, |matches| ColumnData::Short(matches.chars().unwrap_or_default().1))
    }

    /// Returns the matches as spans of the documents that were searched, with the keys as labels.
    ///
    /// docs: those documents, in the same order.
    ///
    /// Raises IndexError if there are fewer, or (E035) if one has too few tokens.
    // stub: (docs: Iterable[Doc]) -> list[Span]
    fn spans<'py>(
        &self,
        py: Python<'py>,
        docs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let docs = items::read(docs, Ok)?;
        let spans = PyList::empty(py);
        let own = self.vocab.get().vocab().snapshot();
        for found in (0..self.matches.len()).filter_map(|at| self.matches.get(at)) {
            let Some(doc) = docs.get(found.doc as usize) else {
                let (doc, len) = (found.doc, docs.len());
                let text = format!(
                    "a match is in document {doc}, but only {len} documents were \
                                    given"
                );
                return Err(PyIndexError::new_err(text));
            };
            let doc = doc.cast::<PyDoc>().map_err(|_| {
                let given = doc.get_type();
                PyTypeError::new_err(format!("document {} is {given}", found.doc))
            })?;
            let read = doc.get().read(py)?;
            if read.snapshot().string(found.key).is_none() {
                if let Some(label) = own.string(found.key) {
                    read.snapshot().add(label).or_raise()?;
                }
            }
            let span = read.span(found.start as usize, found.end as usize).or_raise()?;
            let span = PySpan::from_record(doc, &read, span.record(found.key));
            spans.append(Bound::new(py, span)?)?;
        }
        Ok(spans)
    }

    /// The matches as an Arrow struct array, one row per match: a pair of capsules.
    ///
    /// Columns: doc, start, end, key; label, the string of the key; start_char and end_char for
    /// matches in texts. requested_schema: as for `Doc.__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None)
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        array(py, self.table(py)?, requested_schema)
    }

    /// The matches as an Arrow stream of one batch; see `__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None)
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, self.table(py)?, requested_schema)
    }

    fn __repr__(&self) -> String {
        let (len, searched) = (self.matches.len(), self.searched);
        let things = if self.from_texts { "text" } else { "document" };
        let plural = if searched == 1 { "" } else { "s" };
        let mut text = format!("<Matches: {len} in {searched} {things}{plural}");
        let snapshot = self.vocab.get().vocab().snapshot();
        for (at, found) in (0..SHOWN).filter_map(|at| Some((at, self.matches.get(at)?))) {
            let DocMatch { key, start, end, doc } = found;
            let key = snapshot.string(key).map_or_else(|| key.get().to_string(), str::to_owned);
            let before = if at == 0 { ": " } else { ", " };
            // Writing to a string never fails.
            let _ = write!(text, "{before}{key} in {doc} at {start}:{end}");
        }
        text + if len > SHOWN { ", ...>" } else { ">" }
    }
}

/// Iterator over matches.
#[pyclass(name = "MatchesIter", module = "lexpool.matcher", frozen)]
struct MatchesIter {
    matches: Arc<Matches>,
    next: AtomicUsize,
}

class!(MatchesIter);

#[pymethods]
impl MatchesIter {
    fn __iter__(slf: PyRef<'_, MatchesIter>) -> PyRef<'_, MatchesIter> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(found) = self.matches.get(at) else {
            self.next.store(self.matches.len(), Ordering::Relaxed);
            return Ok(None);
        };
        tuple(py, found).map(Some)
    }
}

/// The numbers of a column.
enum ColumnData<'a> {
    Long(&'a [u64]),
    Short(&'a [u32]),
}

/// A column, which keeps its matches alive.
#[pyclass(module = "lexpool.matcher", frozen)]
struct MatchColumn {
    matches: Arc<Matches>,
    of: fn(&Matches) -> ColumnData<'_>,
    shape: [ffi::Py_ssize_t; 1],
    strides: [ffi::Py_ssize_t; 1],
}

class!(MatchColumn);

impl MatchColumn {
    fn new(matches: Arc<Matches>, of: fn(&Matches) -> ColumnData<'_>) -> MatchColumn {
        let (len, size) = match of(&matches) {
            ColumnData::Long(cells) => (cells.len(), 8),
            ColumnData::Short(cells) => (cells.len(), 4),
        };
        let len = ffi::Py_ssize_t::try_from(len).expect("memory ends before");
        MatchColumn { matches, of, shape: [len], strides: [size] }
    }
}

#[pymethods]
impl MatchColumn {
    /// Fills a view of the column: the buffer protocol of CPython.
    ///
    /// # Safety
    ///
    /// CPython passes null or a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, MatchColumn>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let asked = |flag: c_int| flags & flag == flag;
        if view.is_null() || asked(ffi::PyBUF_WRITABLE) {
            return Err(PyBufferError::new_err("columns of matches are read-only; copy them"));
        }
        let column = slf.get();
        let (address, format) = match (column.of)(&column.matches) {
            ColumnData::Long(cells) => (cells.as_ptr().cast::<u8>(), c"Q"),
            ColumnData::Short(cells) => (cells.as_ptr().cast::<u8>(), c"I"),
        };
        let given = |flag, of: &[ffi::Py_ssize_t; 1]| {
            if asked(flag) { of.as_ptr().cast_mut() } else { ptr::null_mut() }
        };
        let format =
            if asked(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() };
        // SAFETY: V1: all pointers lead into the column and its matches, and the view owns the
        // column through `obj`.
        unsafe {
            (*view).buf = address.cast_mut().cast();
            (*view).len = column.shape[0] * column.strides[0];
            (*view).readonly = 1;
            (*view).itemsize = column.strides[0];
            (*view).format = format;
            (*view).ndim = 1;
            (*view).shape = given(ffi::PyBUF_ND, &column.shape);
            (*view).strides = given(ffi::PyBUF_STRIDES, &column.strides);
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::prepare::<MatchColumn>(module.py());
    classes::prepare::<MatchesIter>(module.py());
    classes::add::<PyMatches>(module)
}
