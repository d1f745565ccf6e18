//! `lexpool.lexeme.Lexeme`.
//!
//! Unsafe code: allocates lexemes from a free list.

use std::cmp::Ordering;
use std::ffi::CStr;

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::{LexIx, Lexeme, LexemeCell};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString};

use crate::object::attribute_slots::{self, HasAttrs};
use crate::object::cosine;
use crate::object::lexeme_strings::{LexemeStrings, StringColumn};
use crate::object::strings::{id_of, unknown_id};
use crate::object::vocab::{PyVocab, attr_of, not_a_flag};
use crate::runtime::classes::{self, class};
use crate::runtime::cython_class;
use crate::runtime::error::{OrRaise, warn};
use crate::runtime::free_list::{self, FreeList, FreeListed};
use crate::runtime::property_cache::{self, HasProperties, PropertyTable};

/// A word type: its text and its lexical attributes.
///
/// A view on the vocab's record; made by `vocab["word"]`.
#[pyclass(name = "Lexeme", module = "lexpool.lexeme", frozen)]
pub(crate) struct PyLexeme {
    vocab: Py<PyVocab>,
    pub(crate) lexeme: Lexeme,
}

class!(PyLexeme);

impl PyLexeme {
    pub(crate) fn new(vocab: Py<PyVocab>, lexeme: Lexeme) -> PyLexeme {
        PyLexeme { vocab, lexeme }
    }

    /// The Python object of a lexeme.
    pub(crate) fn make<'py>(
        vocab: &Bound<'py, PyVocab>,
        lexeme: Lexeme,
    ) -> PyResult<Bound<'py, PyLexeme>> {
        free_list::make(vocab.py(), PyLexeme::new(vocab.clone().unbind(), lexeme))
    }

    /// The table of this name among the vocab's lookups; created if `create` is true.
    fn table<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        create: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let lookups = self.vocab.get().py_lookups(py)?;
        if lookups.call_method1("has_table", (name,))?.is_truthy()? {
            return lookups.call_method1("get_table", (name,)).map(Some);
        }
        if create { lookups.call_method1("add_table", (name,)).map(Some) } else { Ok(None) }
    }

    /// The word's entry in a table of the vocab's lookups.
    fn entry<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        default: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.table(py, table, false)? {
            Some(table) => table.call_method1("get", (self.lexeme.orth().get(), default)),
            None => Ok(default),
        }
    }

    fn set_entry<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        value: impl IntoPyObject<'py>,
    ) -> PyResult<()> {
        table.set_item(self.lexeme.orth().get(), value)
    }

    /// The order of the lexeme relative to another object; `None` for other objects than words.
    fn compare(&self, other: &Bound<'_, PyAny>) -> PyResult<Option<Ordering>> {
        let orth = self.lexeme.orth().get();
        if let Ok(other) = other.cast::<PyLexeme>() {
            return Ok(Some(orth.cmp(&other.get().lexeme.orth().get())));
        }
        if let Ok(text) = other.cast::<PyString>() {
            // Code points and UTF-8 have the same order; a string with a lone surrogate is not a
            // word.
            return Ok(text.to_str().ok().map(|text| self.lexeme.text().cmp(text)));
        }
        if other.is_instance_of::<PyInt>() {
            return Ok(Some(match other.extract::<u64>() {
                Ok(id) => orth.cmp(&id),
                Err(_) if other.lt(0)? => Ordering::Greater,
                Err(_) => Ordering::Less,
            }));
        }
        Ok(None)
    }
}

impl HasProperties for PyLexeme {
    fn table() -> &'static PropertyTable {
        static TABLE: PropertyTable = PropertyTable::new();
        &TABLE
    }
}

impl HasAttrs for PyLexeme {
    fn attr(&self, _py: Python<'_>, attr: AttrId) -> PyResult<u64> {
        Ok(self.lexeme.attr(attr))
    }

    #[inline]
    fn quick_word(&self, _py: Python<'_>) -> Option<&LexemeCell> {
        self.lexeme.snapshot().cell(self.lexeme.ix())
    }

    #[inline]
    fn lexeme_strings(&self, _column: StringColumn) -> Option<(&LexemeStrings, LexIx)> {
        Some((&self.vocab.get().lexeme_strings, self.lexeme.ix()))
    }

    fn quick_place(&self, _py: Python<'_>) -> Option<(u32, u32)> {
        None
    }

    fn quick_space(&self, _py: Python<'_>) -> Option<bool> {
        None
    }

    fn space(&self, _py: Python<'_>) -> PyResult<bool> {
        Err(PyTypeError::new_err("a word type has no following space"))
    }

    fn position(&self, _py: Python<'_>) -> PyResult<usize> {
        Err(PyTypeError::new_err("a word type has no position"))
    }

    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>> {
        let lexeme_strings = &self.vocab.get().lexeme_strings;
        let id = self.lexeme.attr(attr);
        let column = StringColumn::of(attr);
        let text = column.and_then(|c| lexeme_strings.get(py, self.lexeme.ix(), c, StrId::new(id)));
        if let Some(text) = text {
            return Ok(text);
        }
        if let Some(string) = self.vocab.get().permanent_string(py, id)? {
            lexeme_strings.keep(self.lexeme.ix(), attr, StrId::new(id), &string);
            return Ok(string);
        }
        // The lexeme keeps its zone's strings alive, even if the zone was closed since.
        match self.lexeme.snapshot().string(StrId::new(id)) {
            Some(text) => Ok(PyString::new(py, text)),
            None => Err(unknown_id(id)),
        }
    }

    fn is_writable(name: &CStr) -> bool {
        // The text of a word is read-only.
        ![c"orth", c"orth_", c"text"].contains(&name)
    }

    fn set_attr(&self, py: Python<'_>, attr: AttrId, value: u64) -> PyResult<()> {
        if attr == AttrId::NORM {
            // Norms are also stored in the lookups, so that data loaded later gives the word this
            // norm again.
            let norm = self.vocab.get().py_strings(py)?.get().string(py, value)?;
            let table = self.table(py, "lexeme_norm", true)?;
            self.set_entry(&table.expect("it is made if it is not there"), norm)?;
        }
        self.lexeme.cell().set_attr(attr, value).or_raise()
    }

    fn set_text(&self, py: Python<'_>, attr: AttrId, text: &str) -> PyResult<()> {
        // Stored permanently even if a zone is open: the lexeme may outlive the zone.
        let id = self.vocab.get().vocab().strings().add_permanent(text).or_raise()?;
        self.set_attr(py, attr, id.get())
    }
}

#[pymethods]
impl PyLexeme {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// Lexeme(vocab, orth): the word type with an id; it is added if only its string is known.
    ///
    /// Raises KeyError (E018) if the vocab does not know the string.
    #[new]
    // stub: (orth: _Id)
    fn py_new(vocab: Py<PyVocab>, orth: &Bound<'_, PyAny>) -> PyResult<PyLexeme> {
        let lexeme = vocab.get().vocab().lexeme_of(StrId::new(id_of(orth)?)).or_raise()?;
        Ok(PyLexeme::new(vocab, lexeme))
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// All flags as one number, one bit each.
    #[getter]
    fn flags(&self) -> u64 {
        self.lexeme.record().flags
    }

    #[setter]
    fn set_flags(&self, flags: u64) {
        self.lexeme.cell().set_flags(flags);
    }

    /// The word's entry in the table `lexeme_cluster` of the lookups, or 0. Setting it has no
    /// effect if the table does not exist.
    #[getter]
    // stub: -> Any
    fn cluster<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "lexeme_cluster", 0_i64.into_pyobject(py)?.into_any())
    }

    #[setter]
    // stub: (value: Any)
    fn set_cluster(&self, py: Python<'_>, cluster: i64) -> PyResult<()> {
        self.table(py, "lexeme_cluster", false)?
            .map_or(Ok(()), |table| self.set_entry(&table, cluster))
    }

    /// The logarithm of the word's probability: its entry in the table `lexeme_prob` of the
    /// lookups, or `oov_prob` of the table `lexeme_settings`, or -20. Setting it has no effect if
    /// the first table does not exist.
    #[getter]
    // stub: -> Any
    fn prob<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let unknown = (-20.0_f64).into_pyobject(py)?.into_any();
        let unknown = match self.table(py, "lexeme_settings", false)? {
            Some(settings) => settings.call_method1("get", ("oov_prob", unknown))?,
            None => unknown,
        };
        self.entry(py, "lexeme_prob", unknown)
    }

    #[setter]
    // stub: (value: Any)
    fn set_prob(&self, py: Python<'_>, prob: f32) -> PyResult<()> {
        self.table(py, "lexeme_prob", false)?
            .map_or(Ok(()), |table| self.set_entry(&table, f64::from(prob)))
    }

    /// The sentiment of the word: its entry in the table `lexeme_sentiment` of the lookups, or 0.
    #[getter]
    // stub: -> Any
    fn sentiment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "lexeme_sentiment", 0.0_f64.into_pyobject(py)?.into_any())
    }

    #[setter]
    // stub: (value: Any)
    fn set_sentiment(&self, py: Python<'_>, sentiment: f32) -> PyResult<()> {
        let table = self.table(py, "lexeme_sentiment", true)?;
        self.set_entry(&table.expect("it is made if it is not there"), f64::from(sentiment))
    }

    /// True if the word's id is not a key of the vocab's vectors.
    #[getter]
    fn is_oov(&self, py: Python<'_>) -> PyResult<bool> {
        match self.vocab.get().vectors_if_any(py) {
            Some(vectors) => Ok(!vectors.contains(self.lexeme.orth().get())?),
            None => Ok(true),
        }
    }

    /// True if the vocab has a vector for the word.
    #[getter]
    fn has_vector(&self, py: Python<'_>) -> PyResult<bool> {
        self.vocab.get().has_vector_of(py, &self.lexeme)
    }

    /// The word's vector, zeros if it has none: an array of `vocab.vectors_length` numbers.
    ///
    /// Raises ValueError: E010 if the vocab's vectors have no width, E073 for setting a vector of
    /// another length.
    #[getter]
    // stub: -> Any
    fn vector<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let vocab = self.vocab.get();
        if vocab.width(py)? == 0 {
            return Err(PyValueError::new_err(
                "[E010] the vocab has no word vectors, or they have no width; load a pipeline \
                 with vectors, or call vocab.set_vector or vocab.reset_vectors(width=...)",
            ));
        }
        vocab.vector_of(py, &self.lexeme)
    }

    #[setter]
    // stub: (value: Any)
    fn set_vector(&self, py: Python<'_>, vector: &Bound<'_, PyAny>) -> PyResult<()> {
        let vocab = self.vocab.get();
        let (given, width) = (vector.len()?, vocab.width(py)?);
        if isize::try_from(given) != Ok(width) {
            let text = format!(
                "[E073] the vector has {given} numbers, but the vocab's vectors have {width}; \
                 vocab.reset_vectors(width=...) changes the width"
            );
            return Err(PyValueError::new_err(text));
        }
        vocab.set_vector_of(&self.lexeme, vector)
    }

    /// The Euclidean length of the vector.
    #[getter]
    // stub: -> Any
    fn vector_norm<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        cosine::norm(&self.vector(py)?)
    }

    /// Returns the similarity to a document, span, token or lexeme: 1 for the same word, else the
    /// cosine of the vectors; 0, with a warning (W008), if one has none.
    // stub: (other: Any)
    fn similarity(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<f64> {
        if self.is_word(other)? {
            return Ok(1.0);
        }
        let norm: f64 = self.vector_norm(py)?.extract()?;
        let other_norm: f64 = other.getattr("vector_norm")?.extract()?;
        if norm == 0.0 || other_norm == 0.0 {
            warn(py, "[W008] the similarity is 0, because one of the two has an empty vector")?;
            return Ok(0.0);
        }
        cosine::cosine((&self.vector(py)?, norm), (&other.getattr("vector")?, other_norm))
    }

    /// Returns True if a flag, given by number or by name, is set.
    // stub: (flag_id: _Attr)
    fn check_flag(&self, flag_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let attr = attr_of(flag_id)?;
        Ok(attr.is_flag() && self.lexeme.attr(attr) != 0)
    }

    /// Sets or clears a flag, given by number or by name.
    ///
    /// Raises ValueError (E063) for an unknown flag.
    // stub: (flag_id: _Attr)
    fn set_flag(&self, flag_id: &Bound<'_, PyAny>, value: bool) -> PyResult<()> {
        let attr = attr_of(flag_id)?;
        if !attr.is_flag() || attr.number() == 0 {
            return Err(not_a_flag(&flag_id.to_string()));
        }
        self.lexeme.cell().set_attr(attr, u64::from(value)).or_raise()
    }

    /// Sets attributes by name, in any case: numbers and flags unchanged, strings by their ids.
    /// Unknown names and floats are ignored.
    #[pyo3(signature = (**attrs))]
    fn set_attrs(&self, attrs: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let mut changes = Vec::new();
        for (name, value) in attrs.into_iter().flatten() {
            let name: String = name.extract()?;
            let attr = AttrId::from_name(&name).or_else(|| AttrId::from_name(&name.to_uppercase()));
            let is_float = value.is_instance_of::<PyFloat>();
            let Some(attr) = attr.filter(|&attr| LexemeCell::is_settable(attr) && !is_float) else {
                continue;
            };
            let strings = self.vocab.get().py_strings(value.py())?;
            changes.push((attr, strings.get().add_or_find(&value)?));
        }
        changes
            .into_iter()
            .try_for_each(|(attr, value)| self.lexeme.cell().set_attr(attr, value).or_raise())
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.lexeme.attr(AttrId::LENGTH)).unwrap_or(usize::MAX)
    }

    fn __hash__(&self) -> u64 {
        self.lexeme.orth().get()
    }

    // stub: (other: object)
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
        if other.is_none() {
            return Ok(matches!(op, CompareOp::Gt | CompareOp::Ge | CompareOp::Ne));
        }
        // Any other object is greater than a word, as in spaCy.
        Ok(op.matches(self.compare(other)?.unwrap_or(Ordering::Less)))
    }

    #[expect(clippy::unused_self, reason = "a method in Python")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a lexeme is a view on its vocab and cannot be pickled; pickle its text or the vocab",
        ))
    }

    fn __str__(&self) -> &str {
        self.lexeme.text()
    }

    fn __repr__(&self) -> String {
        format!("<Lexeme {:?}>", self.lexeme.text())
    }
}

impl PyLexeme {
    /// Returns true if an object is this word, or a sequence that consists of it.
    fn is_word(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let orth = match other.getattr_opt("orth")? {
            Some(orth) => Some(orth),
            None if other.len().is_ok_and(|len| len == 1) => {
                other.get_item(0)?.getattr_opt("orth")?
            }
            None => None,
        };
        Ok(orth.is_some_and(|orth| {
            orth.extract().is_ok_and(|orth: u64| orth == self.lexeme.orth().get())
        }))
    }
}

// SAFETY: a lexeme owns a reference to its vocab, which `release` gives up by the C API, and the
// core's view, which contains no Python object.
unsafe impl FreeListed for PyLexeme {
    fn free_list() -> &'static FreeList<PyLexeme> {
        static FREE_LIST: FreeList<PyLexeme> = FreeList::new();
        &FREE_LIST
    }

    unsafe fn release(self) {
        let PyLexeme { vocab, lexeme } = self;
        drop(lexeme);
        // SAFETY: the thread is attached, and the reference is the lexeme's own.
        unsafe { ffi::Py_DECREF(vocab.into_ptr()) }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyLexeme>(module)?;
    cython_class::for_cython::<PyLexeme>(module.py())?;
    free_list::install::<PyLexeme>(module.py())?;
    attribute_slots::install::<PyLexeme>(module.py(), attribute_slots::LEXICAL)?;
    property_cache::install::<PyLexeme>(module.py());
    Ok(())
}
