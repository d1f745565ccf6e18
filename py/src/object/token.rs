//! `lexpool.tokens.Token`: the class, and a token's own attributes.
//!
//! Unsafe code: looks at the document without counting a reader, and allocates tokens from a free
//! list.
//!
//! Invariants:
//! - **K1** A reference from [`PyToken::fresh`] is used while the GIL is held and no Python code
//!   runs, as `DocLock::peek` requires.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering};

use lexpool::strings::StrId;
use lexpool::structs::{AttrId, IOB_STRINGS, Pos};
use lexpool::tokens::{Doc, Token};
use lexpool::vocab::{LexIx, LexemeCell};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString, PyTuple};

use crate::object::attribute_slots::{self, HasAttrs};
use crate::object::doc::PyDoc;
use crate::object::doc::tensor::TensorRows;
use crate::object::lexeme::PyLexeme;
use crate::object::lexeme_strings::{LexemeStrings, StringColumn};
use crate::object::strings::unknown_id;
use crate::object::vocab::{PyVocab, attr_of};
use crate::runtime::classes::{self, class};
use crate::runtime::cython_class;
use crate::runtime::doc_lock::ReadGuard;
use crate::runtime::error::{OrRaise, StaleError};
use crate::runtime::free_list::{self, FreeList, FreeListed};
use crate::runtime::property_cache::{self, HasProperties, PropertyTable};
use crate::runtime::python_side;
use crate::runtime::user_calls::CallUser;

/// A token of a document: a view on its record, which keeps the document alive.
///
/// After a merge or a split a token whose word is unchanged finds its new position; any other
/// raises StaleError.
#[pyclass(name = "Token", module = "lexpool.tokens", frozen)]
pub(crate) struct PyToken {
    pub(crate) doc: Py<PyDoc>,
    /// The position in the document's generation `generation`.
    i: AtomicU32,
    generation: AtomicU32,
    /// Identifies the token in other generations, together with its lexeme: its character offset.
    idx: u32,
    lex: u32,
}

class!(PyToken);

impl PyToken {
    /// The token at a position that the caller has checked to be within the document.
    #[inline]
    pub(crate) fn make<'py>(
        owner: &Bound<'py, PyDoc>,
        doc: &Doc,
        i: usize,
    ) -> PyResult<Bound<'py, PyToken>> {
        free_list::make(owner.py(), PyToken::of(owner, doc, i))
    }

    #[inline]
    fn of(owner: &Bound<'_, PyDoc>, doc: &Doc, i: usize) -> PyToken {
        let record = &doc.tokens()[i];
        PyToken {
            doc: owner.clone().unbind(),
            i: AtomicU32::new(u32::try_from(i).unwrap_or(u32::MAX)),
            generation: AtomicU32::new(doc.generation()),
            idx: record.idx,
            lex: record.lex,
        }
    }

    /// The document.
    pub(crate) fn owner<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyDoc> {
        self.doc.bind(py)
    }

    /// Locks the document for reading; returns it with the token's position.
    #[inline]
    pub(crate) fn read<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> PyResult<(ReadGuard<'a, 'py, Doc>, usize)> {
        let doc = self.doc.get().read(py)?;
        let i = self.place(&doc)?;
        Ok((doc, i))
    }

    /// The document, if the stored position is valid in its present generation.
    ///
    /// # Safety
    ///
    /// As for [`DocLock::peek`](crate::runtime::doc_lock::DocLock::peek).
    #[inline]
    unsafe fn fresh(&self, py: Python<'_>) -> Option<&Doc> {
        // SAFETY: the caller has the same duties as that of `DocLock::peek`.
        let doc = unsafe { self.doc.get().peek(py) }?;
        (self.generation.load(Ordering::Relaxed) == doc.generation()).then_some(doc)
    }

    /// The token's position in the present generation.
    #[inline]
    fn place(&self, doc: &Doc) -> PyResult<usize> {
        if self.generation.load(Ordering::Relaxed) == doc.generation() {
            return Ok(self.i.load(Ordering::Relaxed) as usize);
        }
        self.find(doc)
    }

    #[cold]
    fn find(&self, doc: &Doc) -> PyResult<usize> {
        let position = doc
            .char_offsets()
            .token_starting_at(self.idx as usize)
            .filter(|i| doc.tokens()[*i].lex == self.lex);
        let Some(i) = position else {
            let at = self.idx;
            let text = format!(
                "the token at character {at} was merged or split; take it from the document again"
            );
            return Err(StaleError::new_err(text));
        };
        self.i.store(u32::try_from(i).unwrap_or(u32::MAX), Ordering::Relaxed);
        self.generation.store(doc.generation(), Ordering::Relaxed);
        Ok(i)
    }

    /// Calls `ask` with the token of the core.
    #[inline]
    pub(crate) fn with<T>(&self, py: Python<'_>, ask: impl FnOnce(Token<'_>) -> T) -> PyResult<T> {
        let (doc, i) = self.read(py)?;
        Ok(ask(doc.token(i).expect("a token is within its document")))
    }

    /// The string of an attribute, cached for other tokens of the word if it is a lexical one.
    #[cold]
    fn make_text<'py>(
        &self,
        py: Python<'py>,
        token: Token<'_>,
        attr: AttrId,
        id: StrId,
    ) -> PyResult<Bound<'py, PyString>> {
        let vocab = self.doc.get().py_vocab().get();
        if let Some(string) = vocab.permanent_string(py, id.get())? {
            if token.lex().attr(attr) == id.get() {
                vocab.lexeme_strings.keep(token.lex_ix(), attr, id, &string);
            }
            return Ok(string);
        }
        match token.doc().snapshot().string(id) {
            Some(text) => Ok(PyString::new(py, text)),
            None => Err(unknown_id(id.get())),
        }
    }

    fn change(&self, py: Python<'_>, attr: AttrId, value: u64) -> PyResult<()> {
        let mut doc = self.doc.get().write(py)?;
        let i = self.place(&doc)?;
        doc.attrs_mut().set(i, attr, value).or_raise()
    }

    fn lexeme<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyLexeme>> {
        let (doc, i) = self.read(py)?;
        let ix = doc.token(i).expect("a token is within its document").lex_ix();
        PyLexeme::make(self.doc.get().py_vocab().bind(py), doc.snapshot().lexeme(ix))
    }

    fn of_lexeme<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.lexeme(py)?.getattr(name)
    }
}

impl HasProperties for PyToken {
    fn table() -> &'static PropertyTable {
        static TABLE: PropertyTable = PropertyTable::new();
        &TABLE
    }
}

impl HasAttrs for PyToken {
    #[inline]
    fn attr(&self, py: Python<'_>, attr: AttrId) -> PyResult<u64> {
        self.with(py, |token| token.attr(attr))
    }

    #[inline]
    fn quick_word(&self, py: Python<'_>) -> Option<&LexemeCell> {
        // SAFETY: K1 for the look-up. The record returned belongs to the vocab or to a zone, which
        // documents keep alive and no edit replaces.
        unsafe { self.fresh(py) }?.snapshot().cell(LexIx::from_raw(self.lex))
    }

    #[inline]
    fn lexeme_strings(&self, column: StringColumn) -> Option<(&LexemeStrings, LexIx)> {
        let vocab = self.doc.get().py_vocab().get();
        // Two words with the same id share a lexeme; only the document's text is right then.
        let is_shared = column == StringColumn::ORTH && vocab.vocab().strings().collisions() != 0;
        (!is_shared).then(|| (&vocab.lexeme_strings, LexIx::from_raw(self.lex)))
    }

    #[inline]
    fn quick_place(&self, py: Python<'_>) -> Option<(u32, u32)> {
        // SAFETY: K1: the document is not used after this statement.
        unsafe { self.fresh(py) }?;
        Some((self.i.load(Ordering::Relaxed), self.idx))
    }

    #[inline]
    fn quick_space(&self, py: Python<'_>) -> Option<bool> {
        // SAFETY: K1: the document is not used after the next statement.
        let doc = unsafe { self.fresh(py) }?;
        Some(doc.tokens().get(self.i.load(Ordering::Relaxed) as usize)?.spacy())
    }

    #[inline]
    fn space(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |token| token.record().spacy())
    }

    #[inline]
    fn position(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.read(py)?.1)
    }

    #[inline]
    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>> {
        let (doc, i) = self.read(py)?;
        let token = doc.token(i).expect("a token is within its document");
        let vocab = self.doc.get().py_vocab().get();
        // Two words with the same id share a lexeme; only the document's text is right then.
        if attr == AttrId::ORTH && vocab.vocab().strings().collisions() != 0 {
            return Ok(PyString::new(py, token.text()));
        }
        let id = StrId::new(token.attr(attr));
        let column = StringColumn::of(attr);
        match column.and_then(|column| vocab.lexeme_strings.get(py, token.lex_ix(), column, id)) {
            Some(string) => Ok(string),
            None => self.make_text(py, token, attr, id),
        }
    }

    fn is_writable(name: &CStr) -> bool {
        let annotated = attribute_slots::ANNOTATED.iter().any(|slot| slot.name == name);
        let is_given = [c"i", c"idx", c"whitespace_", c"ent_iob"].contains(&name);
        annotated && !is_given || name == c"norm_"
    }

    fn set_attr(&self, py: Python<'_>, attr: AttrId, value: u64) -> PyResult<()> {
        self.change(py, attr, value)
    }

    fn set_text(&self, py: Python<'_>, attr: AttrId, text: &str) -> PyResult<()> {
        let value = if attr == AttrId::POS {
            let pos = Pos::from_name(text).ok_or_else(|| {
                let text = format!("[E1021] {text:?} is not a part of speech");
                PyValueError::new_err(text)
            })?;
            u64::from(pos.number())
        } else {
            self.doc.get().read(py)?.snapshot().add(text).or_raise()?.get()
        };
        self.change(py, attr, value)
    }
}

#[pymethods]
impl PyToken {
    /// Token(vocab, doc, offset): the token at a position of a document.
    ///
    /// Raises IndexError (E040) outside of the document.
    #[new]
    // stub: (offset: SupportsIndex)
    fn py_new(
        vocab: &Bound<'_, PyVocab>,
        doc: &Bound<'_, PyDoc>,
        offset: usize,
    ) -> PyResult<PyToken> {
        if !doc.get().py_vocab().is(vocab) {
            return Err(PyValueError::new_err("the vocab is not the document's"));
        }
        let read = doc.get().read(doc.py())?;
        if offset >= read.len() {
            let text = format!(
                "[E040] token {offset} is out of range for a document of {} tokens",
                read.len()
            );
            return Err(PyIndexError::new_err(text));
        }
        Ok(PyToken::of(doc, &read, offset))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)
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

    /// The text with the space after it, if there is one.
    #[getter]
    fn text_with_ws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.with(py, |token| PyString::new(py, token.text_with_ws()))
    }

    /// The word type, a Lexeme.
    #[getter]
    fn lex<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyLexeme>> {
        self.lexeme(py)
    }

    /// The row of the word in the table of vectors; 2**64-1 if it has none.
    #[getter]
    fn lex_id(&self, py: Python<'_>) -> PyResult<u64> {
        self.attr(py, AttrId::ID)
    }

    /// True if the word has no vector.
    #[getter]
    // stub: -> bool
    fn is_oov<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lexeme(py, "is_oov")
    }

    /// The smoothed log probability of the word, from the table `lexeme_prob` of the lookups.
    #[getter]
    // stub: -> float
    fn prob<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lexeme(py, "prob")
    }

    /// The Brown cluster of the word, from the table `lexeme_cluster` of the lookups.
    #[getter]
    // stub: -> int
    fn cluster<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lexeme(py, "cluster")
    }

    /// The sentiment of the word, from the table `lexeme_sentiment` of the lookups.
    #[getter]
    // stub: -> float
    fn sentiment<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match slf.get().doc.get().hook(py, "user_token_hooks", "sentiment")? {
            Some(hook) => hook.call_user((slf,)),
            None => slf.get().of_lexeme(py, "sentiment"),
        }
    }

    /// The token's row of the document's tensor.
    #[getter]
    // stub: -> Any
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let i = self.position(py)?;
        PyDoc::tensor_of(self.owner(py), &TensorRows::One(i))
    }

    /// The position in an entity: "B" begins one, "I" is inside, "O" is outside, "" is unknown.
    #[getter]
    fn ent_iob_(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |token| IOB_STRINGS[usize::from(token.record().ent_iob())])
    }

    /// Returns the letters of the positions in an entity, by number.
    #[classmethod]
    // stub: -> tuple[str, ...]
    fn iob_strings<'py>(cls: &Bound<'py, pyo3::types::PyType>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(cls.py(), IOB_STRINGS)
    }

    /// The analysis of the word form, a MorphAnalysis.
    ///
    /// Assign an analysis of the same vocab; ValueError (E1013) for another one.
    #[getter]
    // stub: -> MorphAnalysis
    fn morph<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let key = self.attr(py, AttrId::MORPH)?;
        python_side::MORPH_ANALYSIS.get(py)?.call_method1("from_id", (self.vocab(py), key))
    }

    #[setter(morph)]
    // stub: (value: MorphAnalysis)
    fn assign_morph(&self, py: Python<'_>, morph: &Bound<'_, PyAny>) -> PyResult<()> {
        if !morph.is_instance(&python_side::MORPH_ANALYSIS.get(py)?)? {
            let class = morph.get_type().name()?;
            let text = format!("token.morph must be a MorphAnalysis, not {class}; see set_morph");
            return Err(PyTypeError::new_err(text));
        }
        if !morph.getattr("vocab")?.is(self.doc.get().py_vocab()) {
            let text = "[E1013] the analysis belongs to another vocab; see set_morph";
            return Err(PyValueError::new_err(text));
        }
        self.change(py, AttrId::MORPH, morph.getattr("key")?.extract()?)
    }

    /// Sets the analysis of the word form.
    ///
    /// features: a string of UD features ("Case=Nom|Number=Sing"), a dict of them, the id of such a
    ///     string, a MorphAnalysis, or None to unset it.
    // stub: (features: Any)
    fn set_morph(&self, py: Python<'_>, features: &Bound<'_, PyAny>) -> PyResult<()> {
        if features.is_none() {
            return self.change(py, AttrId::MORPH, 0);
        }
        if features.is_instance(&python_side::MORPH_ANALYSIS.get(py)?)? {
            return self.assign_morph(py, features);
        }
        let vocab = self.doc.get().py_vocab().bind(py);
        let features = if features.is_instance_of::<PyInt>() {
            vocab.getattr("strings")?.get_item(features)?
        } else {
            features.clone()
        };
        let key = vocab.getattr("morphology")?.call_method1("add", (features,))?;
        self.change(py, AttrId::MORPH, key.extract()?)
    }

    /// Returns True if an analysis of the word form is set.
    fn has_morph(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.attr(py, AttrId::MORPH)? != 0)
    }

    /// True if a sentence starts here, False if not, None if unknown.
    ///
    /// Assigning raises ValueError: E043 if the document is parsed, E044 for another value.
    #[getter]
    fn is_sent_start(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        self.with(py, |token| match token.record().sent_start() {
            0 => None,
            start => Some(start > 0),
        })
    }

    #[setter]
    // stub: (value: bool | None)
    fn set_is_sent_start(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.doc.get().read(py)?.attrs().has_annotation(AttrId::DEP, false) {
            let text = "[E043] sentence starts of a parsed document follow from its tree";
            return Err(PyValueError::new_err(text));
        }
        let start = if value.is_none() {
            0
        } else if value.is_exact_instance_of::<PyBool>() {
            if value.is_truthy()? { 1 } else { u64::MAX }
        } else {
            let text = format!("[E044] is_sent_start must be True, False or None, not {value:?}");
            return Err(PyValueError::new_err(text));
        };
        self.change(py, AttrId::SENT_START, start)
    }

    /// Deprecated: `is_sent_start`, as a number; False for the first token.
    #[getter]
    // stub: -> int
    fn sent_start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.position(py)? == 0 {
            return Ok(PyBool::new(py, false).to_owned().into_any());
        }
        let start = self.with(py, |token| token.record().sent_start())?;
        Ok(start.into_pyobject(py)?.into_any())
    }

    #[setter]
    // stub: (value: bool | None)
    fn set_sent_start(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_is_sent_start(py, value)
    }

    /// True if a sentence ends here, False if not, None if unknown. Read-only: it follows from the
    /// next token's `is_sent_start` (ValueError E196).
    #[getter]
    fn is_sent_end(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        let (doc, i) = self.read(py)?;
        Ok(match doc.tokens().get(i + 1) {
            None => Some(true),
            Some(next) if next.sent_start() == 0 => None,
            Some(next) => Some(next.sent_start() > 0),
        })
    }

    #[setter]
    // stub: (value: object)
    fn set_is_sent_end(&self, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = "[E196] is_sent_end is read-only; set is_sent_start of the next token";
        Err(PyValueError::new_err(text))
    }

    /// Returns True if a flag, given by number or by name, is set.
    // stub: (flag_id: _Attr)
    fn check_flag(&self, py: Python<'_>, flag_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let attr = attr_of(flag_id)?;
        Ok(attr.is_flag() && self.attr(py, attr)? != 0)
    }

    /// Returns the token `i` positions further on (or back, if negative). Raises IndexError (E042).
    #[pyo3(signature = (i=1))]
    fn nbor<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyToken>> {
        let (doc, own) = self.read(py)?;
        match own.checked_add_signed(i) {
            Some(at) if at < doc.len() => PyToken::make(self.owner(py), &doc, at),
            _ => {
                let len = doc.len();
                let text = format!("[E042] token {own} of {len} has no neighbour at {i:+}");
                Err(PyIndexError::new_err(text))
            }
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |token| token.len())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        // The address distinguishes documents, a multiple of a large odd number the positions.
        let doc = self.doc.as_ptr() as u64 >> 4;
        Ok(doc ^ (self.position(py)? as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    // stub: (other: Token | None)
    fn __richcmp__(
        &self,
        py: Python<'_>,
        other: Option<&Bound<'_, PyToken>>,
        op: CompareOp,
    ) -> PyResult<bool> {
        // Every token is greater than None.
        let Some(other) = other.map(Bound::get) else {
            return Ok(op.matches(std::cmp::Ordering::Greater));
        };
        let same_doc = self.doc.is(&other.doc);
        let idx = |token: &PyToken| token.with(py, |token| token.idx());
        let (own, others) = (idx(self)?, idx(other)?);
        Ok(match op {
            CompareOp::Eq => same_doc && own == others,
            CompareOp::Ne => !same_doc || own != others,
            _ => op.matches(own.cmp(&others)),
        })
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.attr_text(py, AttrId::ORTH)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.attr_text(py, AttrId::ORTH)
    }

    fn __bytes__(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.with(py, |token| token.text().as_bytes().to_vec())
    }

    fn __reduce__(&self) -> PyResult<()> {
        let text = "[E111] a token is a view and cannot be pickled; pickle its document";
        Err(PyNotImplementedError::new_err(text))
    }
}

// SAFETY: a token owns a reference to its document and nothing else, and `release` gives it up by
// the C API.
unsafe impl FreeListed for PyToken {
    fn free_list() -> &'static FreeList<PyToken> {
        static FREE_LIST: FreeList<PyToken> = FreeList::new();
        &FREE_LIST
    }

    unsafe fn release(self) {
        // SAFETY: the thread is attached, and the reference is the token's own.
        unsafe { ffi::Py_DECREF(self.doc.into_ptr()) }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyToken>(module)?;
    cython_class::for_cython::<PyToken>(module.py())?;
    free_list::install::<PyToken>(module.py())?;
    attribute_slots::install::<PyToken>(module.py(), attribute_slots::LEXICAL)?;
    attribute_slots::install::<PyToken>(module.py(), attribute_slots::ANNOTATED)?;
    property_cache::install::<PyToken>(module.py());
    Ok(())
}
