//! `lexpool.tokens.Doc`.
//!
//! Holds unsafe code: gives out a handle on the records.

use lexpool::structs::{Record, TokenC};
use lexpool::tokens::{self, Alignment, Doc};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList, PySlice, PyString};

use crate::error::OrRaise;
use crate::handle::Handle;
use crate::span::PySpan;
use crate::strings::id_of;
use crate::text::{self, with_utf8};
use crate::token::PyToken;
use crate::vocab::{PyVocab, attr_of};

/// A tokenized text.
///
/// Made by a tokenizer, or from words: `Doc(vocab, words=["Hello", "!"], spaces=[False, False])`.
#[pyclass(name = "Doc", module = "lexpool.tokens", frozen, weakref)]
pub(crate) struct PyDoc {
    doc: Doc,
    vocab: Py<PyVocab>,
}

impl PyDoc {
    pub(crate) fn new(doc: Doc, vocab: Py<PyVocab>) -> PyDoc {
        PyDoc { doc, vocab }
    }

    pub(crate) fn doc(&self) -> &Doc {
        &self.doc
    }

    pub(crate) fn py_vocab(&self) -> &Py<PyVocab> {
        &self.vocab
    }
}

#[pymethods]
impl PyDoc {
    /// Doc(vocab, words=None, spaces=None)
    ///
    /// words: strings or ids. spaces: for each word, whether a space follows; by default each.
    ///
    /// Raises ValueError: E908 spaces without words, E027 lengths that differ, E031 an empty word.
    #[new]
    #[pyo3(signature = (vocab, words=None, spaces=None))]
    fn py_new(
        vocab: &Bound<'_, PyVocab>,
        words: Option<&Bound<'_, PyAny>>,
        spaces: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyDoc> {
        let owner = vocab.clone().unbind();
        let vocab = vocab.get().vocab();
        let Some(words) = words else {
            if spaces.is_some() {
                return Err(PyValueError::new_err("[E908] spaces were given without words"));
            }
            return Ok(PyDoc::new(Doc::empty(vocab), owner));
        };
        let mut given: Vec<(String, bool)> = Vec::new();
        for word in words.try_iter()? {
            given.push((word_of(vocab, &word?)?, true));
        }
        let Some(spaces) = spaces else {
            let doc = Doc::from_words(vocab, &given).or_raise()?;
            return Ok(PyDoc::new(doc.with_unknown_spaces(), owner));
        };
        let spaces = spaces.try_iter()?.map(|space| space?.is_truthy());
        let spaces = spaces.collect::<PyResult<Vec<bool>>>()?;
        if spaces.len() != given.len() {
            let (words, spaces) = (given.len(), spaces.len());
            let text = format!("[E027] {words} words and {spaces} spaces; there is one a word");
            return Err(PyValueError::new_err(text));
        }
        given.iter_mut().zip(spaces).for_each(|(word, space)| word.1 = space);
        Ok(PyDoc::new(Doc::from_words(vocab, &given).or_raise()?, owner))
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// The text, as it was given.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        match self.doc.foreign_text() {
            Some(foreign) => text::owner(py, foreign),
            None => PyString::new(py, self.doc.text()),
        }
    }

    /// The text; a document always knows its trailing whitespace.
    #[getter]
    fn text_with_ws<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }

    /// Whether nobody said which words are followed by spaces.
    #[getter]
    fn has_unknown_spaces(&self) -> bool {
        self.doc.has_unknown_spaces()
    }

    /// The token records, as a handle on the document's memory.
    #[getter]
    fn c(slf: &Bound<'_, PyDoc>) -> Handle {
        let tokens = slf.get().doc.tokens();
        // SAFETY: a document's records stay where they are for as long as it lives, and the handle
        // holds it.
        unsafe {
            let owner = slf.clone().into_any().unbind();
            Handle::new(owner, &TokenC::INFO, tokens.as_ptr().cast(), tokens.len())
        }
    }

    fn __len__(&self) -> usize {
        self.doc.len()
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, PyDoc>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (slf.py(), slf.get().doc.len());
        if let Ok(slice) = key.cast::<PySlice>() {
            let (start, end) = bounds(slice, len)?;
            return Ok(Bound::new(py, PySpan::new(slf.clone().unbind(), start, end))?.into_any());
        }
        let given = key.extract::<isize>()?;
        let Some(i) = position(given, len) else {
            let text = format!("[E040] no token {given} in a document of {len} tokens");
            return Err(PyIndexError::new_err(text));
        };
        Ok(Bound::new(py, PyToken::new(slf.clone().unbind(), i))?.into_any())
    }

    fn __iter__(slf: &Bound<'_, PyDoc>) -> TokenIter {
        TokenIter::new(slf.clone().unbind(), 0, slf.get().doc.len())
    }

    /// The span of a range of characters, or None if it does not fit tokens.
    ///
    /// start_idx, end_idx (int): character offsets into the text.
    /// alignment_mode (str): "strict" (the ends are token boundaries), "contract" (the tokens
    /// wholly inside) or "expand" (all tokens touched).
    #[pyo3(signature = (start_idx, end_idx, *, alignment_mode="strict"))]
    fn char_span(
        slf: &Bound<'_, PyDoc>,
        start_idx: isize,
        end_idx: isize,
        alignment_mode: &str,
    ) -> PyResult<Option<PySpan>> {
        let Some(mode) = Alignment::from_name(alignment_mode) else {
            let text = format!(
                "[E202] unknown alignment mode {alignment_mode:?}; \
                 there are \"strict\", \"contract\" and \"expand\""
            );
            return Err(PyValueError::new_err(text));
        };
        let (Ok(start), Ok(end)) = (usize::try_from(start_idx), usize::try_from(end_idx)) else {
            return Ok(None);
        };
        let span = slf.get().doc.char_span(start, end, mode);
        Ok(span.map(|span| PySpan::new(slf.clone().unbind(), span.start(), span.end())))
    }

    /// Attributes of the tokens as unsigned 64-bit numbers.
    ///
    /// attr_ids: an attribute, as a name in any case or a number, or a list of them.
    /// Returns an array of shape (n,) for one attribute, else (n, m): a NumPy array if NumPy is
    /// installed, else a memoryview of that shape.
    ///
    /// Raises KeyError (E983) for an unknown attribute.
    fn to_array<'py>(
        slf: &Bound<'py, PyDoc>,
        attr_ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let doc = &slf.get().doc;
        to_array(slf.py(), doc, 0, doc.len(), attr_ids, false)
    }

    /// How often each value of an attribute occurs: a dict from value to count.
    ///
    /// Raises KeyError (E983) for an unknown attribute.
    fn count_by<'py>(
        &self,
        py: Python<'py>,
        attr_id: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let attr = attr_of(attr_id)?;
        let counts = py.detach(|| tokens::count_by(&self.doc, attr));
        let dict = PyDict::new(py);
        for (value, count) in counts {
            dict.set_item(value, count)?;
        }
        Ok(dict)
    }

    fn __str__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }
}

/// The tokens of a document or span, one after another.
#[pyclass(module = "lexpool.tokens")]
pub(crate) struct TokenIter {
    doc: Py<PyDoc>,
    next: usize,
    end: usize,
}

impl TokenIter {
    pub(crate) fn new(doc: Py<PyDoc>, start: usize, end: usize) -> TokenIter {
        TokenIter { doc, next: start, end }
    }
}

#[pymethods]
impl TokenIter {
    fn __iter__(slf: PyRef<'_, TokenIter>) -> PyRef<'_, TokenIter> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<PyToken> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        Some(PyToken::new(self.doc.clone_ref(py), self.next - 1))
    }

    fn __length_hint__(&self) -> usize {
        self.end - self.next
    }
}

fn word_of(
    vocab: &std::sync::Arc<lexpool::vocab::Vocab>,
    word: &Bound<'_, PyAny>,
) -> PyResult<String> {
    if let Ok(word) = word.cast::<PyString>() {
        return with_utf8(word, |text| Ok(text.to_owned()));
    }
    if word.is_instance_of::<pyo3::types::PyBytes>() {
        let text =
            "[E028] words are str, not bytes; decode them first, such as word.decode('utf8')";
        return Err(PyValueError::new_err(text));
    }
    let Ok(id) = id_of(word) else {
        let given = word.get_type().name()?;
        return Err(PyTypeError::new_err(format!("[E1022] words are str or ids, not {given}")));
    };
    let lexeme = vocab.lexeme_of(lexpool::strings::StrId::new(id)).or_raise()?;
    Ok(lexeme.text().to_owned())
}

/// The position that an index names, counted from the end if it is negative.
pub(crate) fn position(given: isize, len: usize) -> Option<usize> {
    let i = if given < 0 { len.checked_add_signed(given)? } else { given.unsigned_abs() };
    (i < len).then_some(i)
}

/// The bounds of a slice without a step, cut to the length as for a list.
pub(crate) fn bounds(slice: &Bound<'_, PySlice>, len: usize) -> PyResult<(usize, usize)> {
    let indices = slice.indices(isize::try_from(len).unwrap_or(isize::MAX))?;
    if indices.step != 1 {
        let text = format!("[E057] a slice of tokens has no step; {} was given", indices.step);
        return Err(PyValueError::new_err(text));
    }
    // Cut to the length, so neither is negative.
    let (start, stop) = (indices.start.unsigned_abs(), indices.stop.unsigned_abs());
    Ok((start, stop.max(start)))
}

/// The attributes of a range of tokens; `flat` says whether one attribute still gives two axes.
pub(crate) fn to_array<'py>(
    py: Python<'py>,
    doc: &Doc,
    start: usize,
    end: usize,
    attr_ids: &Bound<'py, PyAny>,
    always_matrix: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let is_single = attr_ids.is_instance_of::<PyString>() || attr_ids.extract::<u32>().is_ok();
    let attrs = if is_single {
        vec![attr_of(attr_ids)?]
    } else {
        let attrs = attr_ids.try_iter()?.map(|attr| attr_of(&attr?));
        attrs.collect::<PyResult<Vec<_>>>()?
    };
    let numbers = py.detach(|| tokens::to_array(doc, &attrs));
    let width = attrs.len();
    let numbers = &numbers[start * width..end * width];
    let bytes = PyByteArray::new_with(py, size_of_val(numbers), |out| {
        for (place, number) in out.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })?;
    let shape =
        if width == 1 && !always_matrix { vec![end - start] } else { vec![end - start, width] };
    if let Ok(numpy) = py.import("numpy") {
        let flat = numpy.call_method1("frombuffer", (bytes, "uint64"))?;
        return flat.call_method1("reshape", (shape,));
    }
    let view = py.import("builtins")?.getattr("memoryview")?.call1((bytes,))?;
    // A memoryview cannot be cast to a shape with a zero in it.
    if end == start || width == 0 {
        return view.call_method1("cast", ("Q",));
    }
    view.call_method1("cast", ("Q", PyList::new(py, shape)?))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDoc>()
}
