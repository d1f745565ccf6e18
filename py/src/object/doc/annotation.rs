//! Annotation of a document: attributes of its tokens, sentences and entities.

use std::ops::Range;

use lexpool::structs::{AttrId, SpanC};
use lexpool::tokens::{self, ARRAY_ATTRS, Alignment, Doc, EntityAssignment, EntityDefault};
use pyo3::exceptions::{
    PyDeprecationWarning, PyNotImplementedError, PyTypeError, PyUserWarning, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyIterator, PyList, PyString, PyTuple};

use crate::object::doc::PyDoc;
use crate::object::span::{PySpan, label_id};
use crate::object::strings::id_of;
use crate::object::token::PyToken;
use crate::object::vocab::attr_of;
use crate::runtime::array::{array, array_with};
use crate::runtime::buffer_protocol::buffer_of;
use crate::runtime::error::{OrRaise, StaleError};
use crate::runtime::gil::{self, unlocked};
use crate::runtime::items::{self, Items};
use crate::runtime::op_calls;
use crate::runtime::user_calls::CallUser;

#[pymethods]
impl PyDoc {
    /// Returns True if an attribute is set on some token.
    ///
    /// attr (str | int): its name or number.
    /// require_complete (bool): whether it must be set on every token. HEAD is checked by DEP, and
    ///     the first token is ignored for SENT_START.
    ///
    /// A document without tokens has every annotation. Raises ValueError (E1037) for an unknown
    /// attribute.
    #[pyo3(signature = (attr, *, require_complete=false))]
    // stub: (attr: _Attr)
    pub(crate) fn has_annotation(
        &self,
        py: Python<'_>,
        attr: &Bound<'_, PyAny>,
        require_complete: bool,
    ) -> PyResult<bool> {
        let doc = self.read(py)?;
        if doc.is_empty() {
            return Ok(true);
        }
        let boundary = [("IS_SENT_START", true), ("IS_SENT_END", true)];
        let is_boundary = boundary.iter().any(|(name, _)| {
            attr.eq(*name).unwrap_or(false)
                || attr
                    .extract::<u64>()
                    .is_ok_and(|id| id == lexpool::strings::StrId::of(name).get())
        });
        let attr = if is_boundary {
            AttrId::SENT_START
        } else {
            attr_of(attr).map_err(|_| {
                let text = format!("[E1037] unknown attribute {attr:?}; attrs.IDS has all names");
                PyValueError::new_err(text)
            })?
        };
        if attr == AttrId::SENT_START && self.hook(py, "user_hooks", "sents")?.is_some() {
            return Ok(true);
        }
        Ok(doc.attrs().has_annotation(attr, require_complete))
    }

    /// Returns the span of a range of characters, or None if no tokens match it.
    ///
    /// start_idx, end_idx (int): character offsets into the text.
    /// label, kb_id, span_id (int | str): ids of the new span.
    /// vector: the vector of the span, if known.
    /// alignment_mode (str): "strict" (the ends are token boundaries), "contract" (the tokens
    ///     wholly inside) or "expand" (all tokens touched). Raises ValueError (E202) for another
    ///     mode.
    #[pyo3(signature = (start_idx, end_idx, label=None, kb_id=None, vector=None,
                        alignment_mode="strict", span_id=None))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
    // stub: (label: str | _Id | None, kb_id: str | _Id | None, vector: Any,
    //     alignment_mode: _AlignmentMode, span_id: str | _Id | None)
    pub(crate) fn char_span<'py>(
        slf: &Bound<'py, PyDoc>,
        start_idx: isize,
        end_idx: isize,
        label: Option<&Bound<'py, PyAny>>,
        kb_id: Option<&Bound<'py, PyAny>>,
        vector: Option<&Bound<'py, PyAny>>,
        alignment_mode: &str,
        span_id: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PySpan>>> {
        let Some(mode) = Alignment::from_name(alignment_mode) else {
            let text = format!(
                "[E202] unknown alignment mode {alignment_mode:?}; expected \"strict\", \
                 \"contract\" or \"expand\""
            );
            return Err(PyValueError::new_err(text));
        };
        let (Ok(start), Ok(end)) = (usize::try_from(start_idx), usize::try_from(end_idx)) else {
            return Ok(None);
        };
        let range = {
            let doc = slf.get().read(slf.py())?;
            doc.char_offsets().span(start, end, mode).map(|span| span.start()..span.end())
        };
        let Some(range) = range else { return Ok(None) };
        let span = PySpan::labelled(slf, range, label, kb_id, span_id)?;
        if let Some(vector) = vector {
            span.set_vector(vector);
        }
        Ok(Some(Bound::new(slf.py(), span)?))
    }

    /// The named entities in order, as a tuple of Spans with labels.
    ///
    /// Assign spans, or tuples (label, start, end), (label, kb_id, start, end) or (id, kb_id,
    /// label, start, end); all other tokens are then outside of entities. Raises ValueError: E093
    /// for an "I" without a "B" before it, E1010 for spans that overlap.
    #[getter]
    // stub: -> tuple[Span, ...]
    fn ents<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let doc = slf.get().read(py)?;
        let ents = doc.entities().spans().or_raise()?;
        let ents = ents.into_iter().map(|ent| Bound::new(py, PySpan::from_record(slf, &doc, ent)));
        PyTuple::new(py, ents.collect::<PyResult<Vec<_>>>()?)
    }

    #[setter(ents)]
    // stub: (value: Iterable[Any])
    fn assign_ents(slf: &Bound<'_, PyDoc>, ents: &Bound<'_, PyAny>) -> PyResult<()> {
        // All items come first: an iterator of the user's may merge or split tokens.
        let ents = items::read(ents, Ok)?;
        let generation = slf.get().read(slf.py())?.generation();
        let spans: Vec<_> = ents.iter().map(|ent| entity_of(slf, ent)).collect::<PyResult<_>>()?;
        let ents = EntityAssignment { entities: &spans, ..EntityAssignment::default() };
        slf.get().assign(slf.py(), &ents, generation)
    }

    /// Sets entities, and the state of other tokens.
    ///
    /// entities: labelled spans; those without a label are ignored.
    /// blocked: spans that may not become entities.
    /// missing: spans whose entities are unknown.
    /// outside: spans outside of every entity.
    /// default (str): the state of all other tokens: "outside", "missing", "blocked", or
    ///     "unmodified".
    ///
    /// Raises ValueError: E1010 for spans that overlap, E1011 for another default, E1012 for an
    /// item other than a span.
    #[pyo3(signature = (entities, *, blocked=None, missing=None, outside=None, default=None))]
    // stub: (entities: Iterable[Span], blocked: Iterable[Span] | None,
    //     missing: Iterable[Span] | None, outside: Iterable[Span] | None,
    //     default: Literal['blocked', 'missing', 'outside', 'unmodified'] | None)
    fn set_ents<'py>(
        &self,
        py: Python<'py>,
        entities: &Bound<'py, PyAny>,
        blocked: Option<&Bound<'py, PyAny>>,
        missing: Option<&Bound<'py, PyAny>>,
        outside: Option<&Bound<'py, PyAny>>,
        default: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let default = match default {
            None => EntityDefault::Outside,
            Some(given) => {
                let name = given.extract::<String>().ok();
                name.as_deref().and_then(EntityDefault::from_name).ok_or_else(|| {
                    let names = EntityDefault::NAMES.map(|(name, _)| name).join(", ");
                    PyValueError::new_err(format!(
                        "[E1011] default is {given:?}; expected one of {names}"
                    ))
                })?
            }
        };
        // All items come first: an iterator of the user's may merge or split tokens.
        let listed = |spans: Option<&Bound<'py, PyAny>>| -> PyResult<Vec<Bound<'py, PyAny>>> {
            spans.map_or(Ok(Vec::new()), |spans| items::read(spans, Ok))
        };
        let entities = listed(Some(entities))?;
        let (blocked, missing, outside) = (listed(blocked)?, listed(missing)?, listed(outside)?);
        let generation = self.read(py)?.generation();
        let entities = spans_of(&entities)?;
        let ranges = |spans: &[Bound<'py, PyAny>]| -> PyResult<Vec<Range<usize>>> {
            Ok(spans_of(spans)?.iter().map(range_of).collect())
        };
        let (blocked, missing, outside) = (ranges(&blocked)?, ranges(&missing)?, ranges(&outside)?);
        let ents = EntityAssignment {
            entities: &entities,
            blocked: &blocked,
            missing: &missing,
            outside: &outside,
            default,
        };
        self.assign(py, &ents, generation)
    }

    /// The sentences in order, as an iterator of Spans.
    ///
    /// Raises ValueError (E030) if no sentence starts are set.
    #[getter]
    // stub: -> Iterator[Span]
    fn sents<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyIterator>> {
        let py = slf.py();
        let doc = slf.get().read(py)?;
        if let Some(hook) = slf.get().hook(py, "user_hooks", "sents")? {
            drop(doc);
            return PyIterator::from_object(&hook.call_user((slf,))?);
        }
        let ranges = op_calls::sentences(&doc)?;
        spans_iter(slf, &doc, ranges)
    }

    /// The base noun phrases, as an iterator of Spans.
    ///
    /// Raises NotImplementedError (E894) for a language without rules for them.
    #[getter]
    // stub: -> Iterator[Span]
    fn noun_chunks<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyIterator>> {
        let py = slf.py();
        let find = slf.get().noun_chunks_iterator(py)?;
        if find.is_none() {
            let lang = slf.get().py_vocab().bind(py).getattr("lang")?;
            let text = format!("[E894] the language {lang:?} has no rules for noun chunks");
            return Err(PyNotImplementedError::new_err(text));
        }
        let mut spans = Vec::new();
        for chunk in items::iterate(&find.call_user((slf,))?)? {
            let (start, end, label): (isize, isize, Bound<'_, PyAny>) = chunk?.extract()?;
            let range = PySpan::checked_range(&*slf.get().read(py)?, start, end)?;
            let span = PySpan::labelled(slf, range, Some(&label), None, None)?;
            spans.push(Bound::new(py, span)?);
        }
        PyIterator::from_object(PyList::new(py, spans)?.as_any())
    }

    /// Returns attributes of the tokens as unsigned 64-bit numbers.
    ///
    /// attr_ids: an attribute, as a name in any case or a number, or a list of attributes.
    ///
    /// Returns an array of shape (n,) for one attribute, else (n, m): a NumPy array if NumPy is
    /// installed, else a memoryview of that shape. Heads are relative, and negative numbers are in
    /// two's complement.
    ///
    /// Raises KeyError (E983) for an unknown attribute.
    // stub: (attr_ids: _Attrs) -> _Array
    fn to_array<'py>(
        slf: &Bound<'py, PyDoc>,
        attr_ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let doc = slf.get().read(slf.py())?;
        to_array(slf.py(), &doc, 0, doc.len(), attr_ids, false)
    }

    /// Sets attributes of the tokens from an array, as `to_array` returns it; returns the document.
    ///
    /// attrs: attributes, as names or numbers.
    /// array: of shape (n, m), or (n,) for one attribute.
    ///
    /// With HEAD and DEP the tree is rebuilt, and sentence starts follow from it. Raises
    /// ValueError: E971 if the number of rows is not that of the tokens, E190 for a head outside of
    /// the document, E982 for an ENT_IOB above 3, E1021 for an unknown part of speech. Nothing is
    /// set then. Warns W028 if the numbers are not uint64.
    // stub: (attrs: _Attrs, array: Any) -> Self
    pub(crate) fn from_array<'py>(
        slf: &Bound<'py, PyDoc>,
        attrs: &Bound<'py, PyAny>,
        array: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        let py = slf.py();
        let attrs = attrs_of(attrs)?;
        if attrs.is_empty() {
            return Err(PyValueError::new_err("no attributes were given for the array"));
        }
        let (rows, len) = rows_of(array)?;
        if len != slf.get().read(py)?.len() {
            let tokens = slf.get().read(py)?.len();
            let text = format!(
                "[E971] expected one row for each of {tokens} tokens, not an \
                                array of {len} rows"
            );
            return Err(PyValueError::new_err(text));
        }
        if let Some(at) = attrs.iter().position(|attr| *attr == AttrId::MORPH) {
            enter_morphs(slf, rows.iter().skip(at).step_by(attrs.len()))?;
        }
        let mut writing = slf.get().write(py)?;
        let doc = &mut *writing;
        gil::detached(py, || doc.attrs_mut().set_array(&attrs, &rows)).or_raise()?;
        drop(writing);
        Ok(slf.clone())
    }

    /// Counts the values of an attribute; returns a dict from value to count.
    ///
    /// exclude: a function that returns True for tokens to leave out.
    /// counts: a dict, or an object with a method `inc`, to add the counts to; None is returned
    ///     then.
    ///
    /// Raises KeyError (E983) for an unknown attribute.
    #[pyo3(signature = (attr_id, exclude=None, counts=None))]
    // stub: (attr_id: _Attr, exclude: Callable[[Token], object] | None = None,
    //     counts: None = None) -> dict[int, int]
    // stub: (attr_id: _Attr, exclude: Callable[[Token], object] | None, counts: Any) -> None
    fn count_by<'py>(
        slf: &Bound<'py, PyDoc>,
        attr_id: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
        counts: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = slf.py();
        let attr = attr_of(attr_id)?;
        let value_counts = match exclude {
            None => {
                let doc = slf.get().read(py)?;
                let doc = &*doc;
                unlocked(py, doc.len(), || op_calls::count_by(doc, attr))?
            }
            Some(exclude) => {
                let mut token_counts = Vec::new();
                for i in 0..slf.get().read(py)?.len() {
                    let token = PyToken::make(slf, &*slf.get().read(py)?, i)?;
                    if !exclude.call_user((&token,))?.is_truthy()? {
                        let doc = slf.get().read(py)?;
                        token_counts.push((doc.token(i).map_or(0, |token| token.attr(attr)), 1));
                    }
                }
                token_counts
            }
        };
        let Some(counts) = counts else {
            let out = PyDict::new(py);
            // With `exclude` each token is counted on its own.
            for (value, count) in value_counts {
                let before =
                    out.get_item(value)?.map_or(Ok(0), |before| before.extract::<u64>())?;
                out.set_item(value, before + count)?;
            }
            return Ok(Some(out));
        };
        let inc = counts.getattr_opt("inc")?;
        for (value, count) in value_counts {
            if let Some(inc) = &inc {
                inc.call1((value, count))?;
            } else {
                // Python's numbers, which do not overflow.
                let sum = match counts.call_method1("get", (value,))? {
                    none if none.is_none() => count.into_pyobject(py)?.into_any(),
                    before => before.add(count)?,
                };
                counts.set_item(value, sum)?;
            }
        }
        Ok(None)
    }

    /// Returns the position of the lowest common ancestor of each pair of tokens, or -1 if there is
    /// none: an int32 array of shape (n, n).
    ///
    /// Raises ValueError (E030) if no sentence starts are set.
    // stub: -> Any
    fn get_lca_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let doc = self.read(py)?;
        lca_matrix(py, &doc, 0, doc.len())
    }

    /// Returns the bytes of each token, taken alternately from front and back: a uint8 array of
    /// shape (n, nr_char), padded with 255. By default nr_char is the length of the longest token.
    #[pyo3(signature = (nr_char=-1))]
    // stub: -> Any
    fn to_utf8_array<'py>(&self, py: Python<'py>, nr_char: isize) -> PyResult<Bound<'py, PyAny>> {
        let doc = self.read(py)?;
        let width = usize::try_from(nr_char).unwrap_or_else(|_| tokens::longest_utf8(&doc));
        let doc: &Doc = &doc;
        array_with(py, &[doc.len(), width], |range, rows| {
            tokens::write_utf8(doc, range, width, rows);
        })
    }

    /// The numbers of the attributes that are copied and saved.
    #[staticmethod]
    // stub: -> tuple[int, ...]
    fn _get_array_attrs(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ARRAY_ATTRS.map(AttrId::number))
    }

    /// Deprecated: `has_annotation("TAG")`.
    #[getter]
    fn is_tagged(&self, py: Python<'_>) -> PyResult<bool> {
        self.deprecated(py, "is_tagged", AttrId::TAG)
    }

    /// Deprecated: `has_annotation("DEP")`.
    #[getter]
    fn is_parsed(&self, py: Python<'_>) -> PyResult<bool> {
        self.deprecated(py, "is_parsed", AttrId::DEP)
    }

    /// Deprecated: `has_annotation("ENT_IOB")`.
    #[getter]
    fn is_nered(&self, py: Python<'_>) -> PyResult<bool> {
        self.deprecated(py, "is_nered", AttrId::ENT_IOB)
    }

    /// Deprecated: `has_annotation("SENT_START")`.
    #[getter]
    fn is_sentenced(&self, py: Python<'_>) -> PyResult<bool> {
        self.deprecated(py, "is_sentenced", AttrId::SENT_START)
    }
}

impl PyDoc {
    /// Sets entities whose places are those of a generation of the tokens.
    fn assign(&self, py: Python<'_>, ents: &EntityAssignment<'_>, generation: u32) -> PyResult<()> {
        let mut doc = self.write(py)?;
        if doc.generation() != generation {
            let text =
                "tokens were merged or split while entities were assigned; assign them again";
            return Err(StaleError::new_err(text));
        }
        doc.entities_mut().set(ents).or_raise()
    }

    fn deprecated(&self, py: Python<'_>, name: &str, attr: AttrId) -> PyResult<bool> {
        let by = attr.name().unwrap_or_default();
        let text = format!("[W107] Doc.{name} is deprecated; use Doc.has_annotation({by:?})");
        warn::<PyDeprecationWarning>(py, &text)?;
        self.has_annotation(py, PyString::new(py, by).as_any(), false)
    }
}

/// An iterator of the spans of these ranges.
pub(crate) fn spans_iter<'py>(
    owner: &Bound<'py, PyDoc>,
    doc: &Doc,
    ranges: Vec<Range<usize>>,
) -> PyResult<Bound<'py, PyIterator>> {
    let py = owner.py();
    let span = |range: Range<usize>| Bound::new(py, PySpan::of(owner, doc, range.start, range.end));
    let spans = ranges.into_iter().map(span).collect::<PyResult<Vec<_>>>()?;
    PyIterator::from_object(PyList::new(py, spans)?.as_any())
}

/// An iterator of the tokens at these positions.
pub(crate) fn tokens_iter<'py>(
    owner: &Bound<'py, PyDoc>,
    doc: &Doc,
    positions: impl IntoIterator<Item = usize>,
) -> PyResult<Bound<'py, PyIterator>> {
    let py = owner.py();
    let token = |i: usize| PyToken::make(owner, doc, i);
    let tokens = positions.into_iter().map(token).collect::<PyResult<Vec<_>>>()?;
    PyIterator::from_object(PyList::new(py, tokens)?.as_any())
}

pub(crate) fn warn<W: pyo3::PyTypeInfo>(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text.replace('\0', " ")).expect("no zero is left");
    PyErr::warn(py, py.get_type::<W>().as_any(), &text, 1)
}

pub(crate) fn lca_matrix<'py>(
    py: Python<'py>,
    doc: &Doc,
    start: usize,
    end: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let n = end.saturating_sub(start);
    if n > 0 {
        // Raises the same error as `sents` if no sentence starts are set.
        doc.sentences().ranges().or_raise().map(drop)?;
    }
    let matrix = gil::detached(py, || op_calls::lca_matrix(doc, start, end))?;
    array(py, &matrix, &[n, n])
}

/// Attributes to read, given as one or several names or numbers. An unknown number
/// reads as 0, as in spaCy.
fn attrs_to_read(attrs: &Bound<'_, PyAny>) -> PyResult<Vec<AttrId>> {
    let attr_of = |attr: Bound<'_, PyAny>| {
        let named = attr.is_instance_of::<PyString>();
        if named { attr_of(&attr) } else { Ok(AttrId::new(attr.extract()?)) }
    };
    if attrs.is_instance_of::<PyString>() || attrs.is_instance_of::<PyInt>() {
        return Ok(vec![attr_of(attrs.clone())?]);
    }
    if let Ok(list) = attrs.cast_exact::<PyList>() {
        return list.iter().map(attr_of).collect();
    }
    if attrs.getattr_opt("__iter__")?.is_none() {
        return Ok(vec![attr_of(attrs.clone())?]);
    }
    items::read(attrs, attr_of)
}

/// Attributes, given as one or several names or numbers.
pub(crate) fn attrs_of(attrs: &Bound<'_, PyAny>) -> PyResult<Vec<AttrId>> {
    if attrs.is_instance_of::<PyString>() || attrs.getattr_opt("__iter__")?.is_none() {
        return Ok(vec![attr_of(attrs)?]);
    }
    items::read(attrs, |attr| attr_of(&attr))
}

/// The attributes of a range of tokens; a single attribute gives two axes only if requested.
pub(crate) fn to_array<'py>(
    py: Python<'py>,
    doc: &Doc,
    start: usize,
    end: usize,
    attr_ids: &Bound<'py, PyAny>,
    always_matrix: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let attrs = attrs_to_read(attr_ids)?;
    let width = attrs.len();
    let shape: &[usize] =
        if width == 1 && !always_matrix { &[end - start] } else { &[end - start, width] };
    array_with(py, shape, |rows, out| {
        doc.attrs().write_array(start + rows.start..start + rows.end, &attrs, out);
    })
}

/// The numbers of an array row by row, and the number of rows.
fn rows_of(array: &Bound<'_, PyAny>) -> PyResult<(Vec<u64>, usize)> {
    let py = array.py();
    let mut array = array.clone();
    if let Some(dtype) = array.getattr_opt("dtype")? {
        if dtype.str()?.to_str()? != "uint64" {
            let text = format!("[W028] from_array expects numbers of type uint64, not {dtype}");
            warn::<PyUserWarning>(py, &text)?;
            array = array.call_method1("astype", ("uint64",))?;
        }
    } else if !array.is_instance_of::<pyo3::types::PyMemoryView>() {
        array = py.import("numpy")?.call_method1("asarray", (array, "uint64"))?;
    }
    let buffer = buffer_of::<u64>(&array)?;
    let len = buffer.shape().first().copied();
    let len = len.ok_or_else(|| {
        PyTypeError::new_err(
            "expected an array of numbers, not a single \
                                                      one",
        )
    })?;
    Ok((buffer.to_vec(py)?, len))
}

/// Adds the analyses behind ids of morphological features to the vocab.
fn enter_morphs<'a>(doc: &Bound<'_, PyDoc>, ids: impl Iterator<Item = &'a u64>) -> PyResult<()> {
    let vocab = doc.get().py_vocab().bind(doc.py());
    let ids: std::collections::BTreeSet<u64> = ids.copied().collect();
    for id in ids.into_iter().filter(|id| *id != 0) {
        let features = vocab.getattr("strings")?.get_item(id)?;
        vocab.getattr("morphology")?.call_method1("add", (features,))?;
    }
    Ok(())
}

/// The records of spans; any other item is an error.
fn spans_of(spans: &[Bound<'_, PyAny>]) -> PyResult<Vec<SpanC>> {
    let record = |span: &Bound<'_, PyAny>| {
        if let Ok(span) = span.cast::<PySpan>() {
            return span.get().record_of_present(span.py());
        }
        let class = span.get_type().name()?;
        Err(PyValueError::new_err(format!("[E1012] entities must be Spans, not {class}")))
    };
    spans.iter().map(record).collect()
}

fn range_of(span: &SpanC) -> Range<usize> {
    let at = |i: i32| usize::try_from(i).unwrap_or_default();
    at(span.start)..at(span.end)
}

/// The record of an entity that is given as a span or as a tuple.
fn entity_of(doc: &Bound<'_, PyDoc>, entity: &Bound<'_, PyAny>) -> PyResult<SpanC> {
    if let Ok(span) = entity.cast::<PySpan>() {
        return span.get().record_of_present(doc.py());
    }
    let items = entity.extract::<Items<Bound<'_, PyAny>>>()?;
    let (id, kb_id, label, start, end) = match &*items {
        [label, start, end] => (None, None, label, start, end),
        [label, kb_id, start, end] => (None, Some(kb_id), label, start, end),
        [id, kb_id, label, start, end] => (Some(id), Some(kb_id), label, start, end),
        _ => {
            let text = format!(
                "an entity must be a Span, (label, start, end), (label, kb_id, start, end) or \
                 (id, kb_id, label, start, end), not {entity:?}"
            );
            return Err(PyValueError::new_err(text));
        }
    };
    // Numbers may be objects of the user's, whose conversion changes the document: all of them
    // come before the range is checked.
    let (start, end) = (start.extract()?, end.extract()?);
    let as_id = |id: Option<&Bound<'_, PyAny>>| id.map_or(Ok(0), id_of);
    let (id, kb_id) = (as_id(id)?, as_id(kb_id)?);
    let label = label_id(doc, Some(label))?;
    let doc = doc.get().read(doc.py())?;
    let range = PySpan::checked_range(&doc, start, end)?;
    let record = doc.span(range.start, range.end).or_raise()?.record(label);
    Ok(SpanC { id, kb_id, ..record })
}
