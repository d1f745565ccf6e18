//! `lexpool.tokens.Span`: the class, its bounds and labels, and its sequence methods.

use std::cmp;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::strings::StrId;
use lexpool::structs::SpanC;
use lexpool::tokens::{Doc, Span};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{
    PyIndexError, PyKeyError, PyNotImplementedError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

use crate::object::doc::{PyDoc, TokenIter, bounds, position};
use crate::object::strings::id_of;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::doc_lock::ReadGuard;
use crate::runtime::error::{OrRaise, StaleError};
use crate::runtime::text::with_utf8;

/// A range of tokens of a document, optionally with a label.
///
/// After a merge or a split a span finds its tokens again by its characters. If these no longer
/// begin and end with tokens, it raises StaleError.
#[pyclass(name = "Span", module = "lexpool.tokens", frozen, weakref, sequence)]
pub(crate) struct PySpan {
    doc: Py<PyDoc>,
    // Locked for a few loads and stores only.
    state: Mutex<SpanState>,
    /// The vector and its norm, once computed or given; reached by `remembered` only.
    vector: Mutex<CachedVectors>,
    /// False if `vector` was never requested, which is then empty.
    may_remember: AtomicBool,
}

class!(PySpan, is_link = |span: &PySpan| !span.may_remember.load(Ordering::Relaxed));

/// The assignable state.
#[derive(Clone, Copy)]
struct SpanState {
    record: SpanC,
    generation: u32,
    /// The generation of the document in which the span was created.
    born: u32,
}

/// Cached Python values of a span.
#[derive(Default)]
pub(crate) struct CachedVectors {
    pub(crate) vector: Option<Py<PyAny>>,
    pub(crate) norm: Option<Py<PyAny>>,
}

impl PySpan {
    /// The cached vector and norm.
    pub(crate) fn remembered(&self) -> MutexGuard<'_, CachedVectors> {
        self.may_remember.store(true, Ordering::Relaxed);
        self.vector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The span of a range that the caller has checked to be within the document.
    pub(crate) fn of(owner: &Bound<'_, PyDoc>, doc: &Doc, start: usize, end: usize) -> PySpan {
        let span = doc.span(start, end).expect("the caller has checked the range");
        PySpan::from_record(owner, doc, span.record(StrId::EMPTY))
    }

    /// The span of a record of this document.
    pub(crate) fn from_record(owner: &Bound<'_, PyDoc>, doc: &Doc, record: SpanC) -> PySpan {
        let generation = doc.generation();
        let state = SpanState { record, generation, born: generation };
        PySpan {
            doc: owner.clone().unbind(),
            state: Mutex::new(state),
            vector: Mutex::default(),
            may_remember: AtomicBool::new(false),
        }
    }

    /// A span with a label and ids, given as strings or numbers.
    pub(crate) fn labelled(
        owner: &Bound<'_, PyDoc>,
        range: Range<usize>,
        label: Option<&Bound<'_, PyAny>>,
        kb_id: Option<&Bound<'_, PyAny>>,
        span_id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySpan> {
        let label = label_id(owner, label)?;
        let (kb_id, id) = (given_id(owner, kb_id)?, given_id(owner, span_id)?);
        let doc = owner.get().read(owner.py())?;
        let span = doc.span(range.start, range.end).or_raise()?;
        let mut record = span.record(label);
        (record.kb_id, record.id) = (kb_id.get(), id.get());
        Ok(PySpan::from_record(owner, &doc, record))
    }

    /// A range of tokens, checked to be within the document.
    pub(crate) fn checked_range(doc: &Doc, start: isize, end: isize) -> PyResult<Range<usize>> {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let fits = |(start, end): &(usize, usize)| start <= end && *end <= doc.len();
        let Some((start, end)) = range.filter(fits) else {
            let len = doc.len();
            let text = format!(
                "[E035] the span {start}..{end} is out of range for a document of \
                                {len} tokens"
            );
            return Err(PyIndexError::new_err(text));
        };
        Ok(start..end)
    }

    /// The document.
    pub(crate) fn owner<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyDoc> {
        self.doc.bind(py)
    }

    /// A copy of the record, updated to the document's present tokens.
    pub(crate) fn record(&self, py: Python<'_>) -> PyResult<SpanC> {
        let doc = self.doc.get().read(py)?;
        self.current(&doc)
    }

    /// A copy of the record, for attributes that are set on exactly these tokens.
    pub(crate) fn record_of_present(&self, py: Python<'_>) -> PyResult<SpanC> {
        let SpanState { record, born, .. } = *self.state();
        if born != self.doc.get().read(py)?.generation() {
            let (start, end) = (record.start, record.end);
            let text = format!(
                "[E035] the span of tokens {start}..{end} was created before tokens were merged \
                 or split; create it again"
            );
            return Err(PyIndexError::new_err(text));
        }
        Ok(record)
    }

    /// Locks the document for reading; returns it with the range of tokens, cut to the document.
    pub(crate) fn read<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> PyResult<(ReadGuard<'a, 'py, Doc>, Range<usize>)> {
        let doc = self.doc.get().read(py)?;
        let record = self.current(&doc)?;
        let at = |i: i32| usize::try_from(i).unwrap_or_default().min(doc.len());
        let (start, end) = (at(record.start), at(record.end));
        Ok((doc, start..end.max(start)))
    }

    /// Calls `ask` with the span of the core.
    pub(crate) fn with<T>(&self, py: Python<'_>, ask: impl FnOnce(Span<'_>) -> T) -> PyResult<T> {
        let (doc, range) = self.read(py)?;
        Ok(ask(doc.span(range.start, range.end).expect("cut to the document")))
    }

    pub(crate) fn set_vector(&self, vector: &Bound<'_, PyAny>) {
        let vector = (!vector.is_none()).then(|| vector.clone().unbind());
        self.remember(|own| &mut own.vector, vector);
    }

    /// Replaces a cached object. The old one is dropped after the lock is released, since its
    /// destructor may run Python code.
    pub(crate) fn remember(
        &self,
        place: impl FnOnce(&mut CachedVectors) -> &mut Option<Py<PyAny>>,
        object: Option<Py<PyAny>>,
    ) {
        let old = std::mem::replace(place(&mut self.remembered()), object);
        drop(old);
    }

    fn state(&self) -> MutexGuard<'_, SpanState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self, doc: &Doc) -> PyResult<SpanC> {
        let mut state = self.state();
        if state.generation == doc.generation() {
            return Ok(state.record);
        }
        let record = state.record;
        let at = |i: i32| usize::try_from(i).unwrap_or_default();
        let (from, to) = (at(record.start_char), at(record.end_char));
        let place = if from == to {
            None
        } else {
            doc.char_offsets().token_starting_at(from).zip(doc.char_offsets().token_ending_at(to))
        };
        let Some(span) = place.and_then(|(first, last)| doc.span(first, last + 1).ok()) else {
            let text = format!(
                "the span of characters {from}..{to} no longer matches token boundaries, because \
                 tokens were merged or split; take it from the document again"
            );
            return Err(StaleError::new_err(text));
        };
        let place = span.record(StrId::EMPTY);
        (state.record.start, state.record.end) = (place.start, place.end);
        state.generation = doc.generation();
        Ok(state.record)
    }

    /// Changes fields of the record.
    fn change(&self, py: Python<'_>, change: impl FnOnce(&mut SpanC)) -> PyResult<()> {
        self.record(py)?;
        change(&mut self.state().record);
        Ok(())
    }

    fn string_of<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Bound<'py, PyString>> {
        let doc = self.doc.get().read(py)?;
        match doc.snapshot().string(StrId::new(id)) {
            Some(string) => Ok(PyString::new(py, string)),
            None => Err(PyKeyError::new_err(format!(
                "[E018] unknown id {id}: its string was not \
                                                     added"
            ))),
        }
    }

    /// Returns the id of a string, which is added; `None` stands for the empty one.
    fn add(&self, py: Python<'_>, string: Option<&Bound<'_, PyString>>) -> PyResult<u64> {
        let Some(string) = string else { return Ok(0) };
        let doc = self.doc.get().read(py)?;
        with_utf8(string, |text| Ok(doc.snapshot().add(text).or_raise()?.get()))
    }
}

/// The id of a label that is given as a string, which is stored, or as the id of a stored string.
pub(crate) fn label_id(
    doc: &Bound<'_, PyDoc>,
    label: Option<&Bound<'_, PyAny>>,
) -> PyResult<StrId> {
    let id = given_id(doc, label)?;
    let read = doc.get().read(doc.py())?;
    if read.snapshot().string(id).is_none() {
        let text = format!(
            "[E084] unknown id {id}: its string was not added; pass the label as \
                            a string"
        );
        return Err(PyValueError::new_err(text));
    }
    Ok(id)
}

fn given_id(doc: &Bound<'_, PyDoc>, id: Option<&Bound<'_, PyAny>>) -> PyResult<StrId> {
    let Some(id) = id else { return Ok(StrId::EMPTY) };
    let Ok(string) = id.cast::<PyString>() else { return Ok(StrId::new(id_of(id)?)) };
    let read = doc.get().read(doc.py())?;
    with_utf8(string, |text| read.snapshot().add(text).or_raise())
}

/// A non-negative bound of a span.
fn bound(name: &str, offset: i64) -> PyResult<i32> {
    let fits = i32::try_from(offset).ok().filter(|offset| *offset >= 0);
    fits.ok_or_else(|| {
        let text = format!(
            "[E1032] {name} of a span must be at least 0 and below 2**31, not \
                            {offset}"
        );
        PyIndexError::new_err(text)
    })
}

#[pymethods]
impl PySpan {
    /// Span(doc, start, end, label=0, vector=None, vector_norm=None, kb_id=0, span_id=0)
    ///
    /// start, end (int): token positions, the end exclusive.
    /// label, kb_id, span_id (int | str): ids, or strings to store.
    ///
    /// Raises IndexError (E035) unless 0 <= start <= end <= len(doc), ValueError (E084) for a label
    /// that is the id of an unknown string.
    #[new]
    #[pyo3(signature = (doc, start, end, label=None, vector=None, vector_norm=None, kb_id=None,
                        span_id=None))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
    // stub: (label: str | _Id | None, vector: Any, vector_norm: Any, kb_id: str | _Id | None,
    //     span_id: str | _Id | None)
    fn py_new(
        doc: &Bound<'_, PyDoc>,
        start: isize,
        end: isize,
        label: Option<&Bound<'_, PyAny>>,
        vector: Option<Py<PyAny>>,
        vector_norm: Option<Py<PyAny>>,
        kb_id: Option<&Bound<'_, PyAny>>,
        span_id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySpan> {
        let range = PySpan::checked_range(&*doc.get().read(doc.py())?, start, end)?;
        let span = PySpan::labelled(doc, range, label, kb_id, span_id)?;
        if vector.is_some() || vector_norm.is_some() {
            *span.remembered() = CachedVectors { vector, norm: vector_norm };
        }
        Ok(span)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)?;
        // A locked span is in use, hence reachable, and has nothing to collect.
        let Ok(vectors) = self.vector.try_lock() else { return Ok(()) };
        visit.call(&vectors.vector)?;
        visit.call(&vectors.norm)
    }

    fn __clear__(&self) {
        let vectors = std::mem::take(&mut *self.remembered());
        drop(vectors);
    }

    /// The document.
    #[getter]
    fn doc(&self, py: Python<'_>) -> Py<PyDoc> {
        self.doc.clone_ref(py)
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.doc.get().py_vocab().clone_ref(py)
    }

    /// The position of the first token.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.record(py)?.start)
    }

    #[setter]
    // stub: (value: SupportsIndex)
    fn set_start(&self, py: Python<'_>, start: i64) -> PyResult<()> {
        let start = bound("start", start)?;
        self.change(py, |record| record.start = start)
    }

    /// The position after the last token.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.record(py)?.end)
    }

    #[setter]
    // stub: (value: SupportsIndex)
    fn set_end(&self, py: Python<'_>, end: i64) -> PyResult<()> {
        let end = bound("end", end)?;
        self.change(py, |record| record.end = end)
    }

    /// The character offset of the start in the document's text.
    #[getter]
    fn start_char(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.record(py)?.start_char)
    }

    #[setter]
    // stub: (value: SupportsIndex)
    fn set_start_char(&self, py: Python<'_>, start_char: i64) -> PyResult<()> {
        let start_char = bound("start_char", start_char)?;
        self.change(py, |record| record.start_char = start_char)
    }

    /// The character offset of the end in the document's text.
    #[getter]
    fn end_char(&self, py: Python<'_>) -> PyResult<i32> {
        Ok(self.record(py)?.end_char)
    }

    #[setter]
    // stub: (value: SupportsIndex)
    fn set_end_char(&self, py: Python<'_>, end_char: i64) -> PyResult<()> {
        let end_char = bound("end_char", end_char)?;
        self.change(py, |record| record.end_char = end_char)
    }

    /// The id of the label.
    #[getter]
    fn label(&self) -> u64 {
        self.state().record.label
    }

    #[setter]
    // stub: (value: _Id)
    fn set_label(&self, label: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state().record.label = id_of(label)?;
        Ok(())
    }

    /// The label.
    #[getter]
    fn label_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.string_of(py, self.label())
    }

    #[setter]
    // stub: (value: str | None)
    fn set_label_(&self, py: Python<'_>, label: Option<&Bound<'_, PyString>>) -> PyResult<()> {
        let label = self.add(py, label)?;
        self.state().record.label = label;
        Ok(())
    }

    /// The id of the knowledge-base entry.
    #[getter]
    fn kb_id(&self) -> u64 {
        self.state().record.kb_id
    }

    #[setter]
    // stub: (value: _Id)
    fn set_kb_id(&self, kb_id: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state().record.kb_id = id_of(kb_id)?;
        Ok(())
    }

    /// The knowledge-base entry.
    #[getter]
    fn kb_id_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.string_of(py, self.kb_id())
    }

    #[setter]
    // stub: (value: str | None)
    fn set_kb_id_(&self, py: Python<'_>, kb_id: Option<&Bound<'_, PyString>>) -> PyResult<()> {
        let kb_id = self.add(py, kb_id)?;
        self.state().record.kb_id = kb_id;
        Ok(())
    }

    /// The id of the span.
    #[getter]
    fn id(&self) -> u64 {
        self.state().record.id
    }

    #[setter]
    // stub: (value: _Id)
    fn set_id(&self, id: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state().record.id = id_of(id)?;
        Ok(())
    }

    /// The id of the span, as a string.
    #[getter]
    fn id_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.string_of(py, self.id())
    }

    #[setter]
    // stub: (value: str | None)
    fn set_id_(&self, py: Python<'_>, id: Option<&Bound<'_, PyString>>) -> PyResult<()> {
        let id = self.add(py, id)?;
        self.state().record.id = id;
        Ok(())
    }

    /// The text of the span.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.with(py, |span| PyString::new(py, span.text()))
    }

    /// The text of the span, as `text`.
    #[getter]
    fn orth_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    /// The text with the space after the last token, if there is one.
    #[getter]
    fn text_with_ws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.with(py, |span| PyString::new(py, span.text_with_ws()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.read(py)?.1.len())
    }

    // stub: (key: SupportsIndex, /) -> Token
    // stub: (key: slice, /) -> Span
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (doc, range) = self.read(py)?;
        let owner = self.doc.bind(py);
        if let Ok(slice) = key.cast::<PySlice>() {
            let (start, end) = bounds(slice, range.len())?;
            let span = PySpan::of(owner, &doc, range.start + start, range.start + end);
            return Ok(Bound::new(py, span)?.into_any());
        }
        let index = match key.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => isize::MAX,
            given => given?,
        };
        let Some(i) = position(index, range.len()) else {
            let text = format!(
                "[E1002] token {index} is out of range for a span of {} tokens",
                range.len()
            );
            return Err(PyIndexError::new_err(text));
        };
        Ok(PyToken::make(owner, &doc, range.start + i)?.into_any())
    }

    // stub: -> Iterator[Token]
    fn __iter__(&self, py: Python<'_>) -> PyResult<TokenIter> {
        let (doc, range) = self.read(py)?;
        Ok(TokenIter::new(self.doc.bind(py), &doc, range.start, range.end))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let record = self.record(py)?;
        let doc = self.doc.as_ptr() as u64 >> 4;
        let fields = [
            (i64::from(record.start_char) << 32 | i64::from(record.end_char)).unsigned_abs(),
            record.label,
            record.kb_id,
            record.id,
        ];
        Ok(fields.iter().fold(doc, |hash, field| {
            (hash.rotate_left(23) ^ field).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }))
    }

    // stub: (other: Span | None)
    fn __richcmp__(
        &self,
        py: Python<'_>,
        other: Option<&Bound<'_, PySpan>>,
        op: CompareOp,
    ) -> PyResult<bool> {
        // Every span is greater than None.
        let Some(other) = other.map(Bound::get) else {
            return Ok(op.matches(cmp::Ordering::Greater));
        };
        let key = |span: &PySpan| -> PyResult<_> {
            let span = span.record(py)?;
            Ok((span.start_char, span.end_char, span.label, span.kb_id, span.id))
        };
        let order = key(self)?.cmp(&key(other)?);
        if order.is_ne() || self.doc.is(&other.doc) {
            return Ok(op.matches(order));
        }
        match op {
            CompareOp::Eq => Ok(false),
            CompareOp::Ne => Ok(true),
            _ => Err(PyTypeError::new_err("equal spans of two documents have no order")),
        }
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        let text = "[E112] a span is a view and cannot be pickled; pickle its document";
        Err(PyNotImplementedError::new_err(text))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PySpan>(module)
}
