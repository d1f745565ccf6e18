//! `lexpool.vocab.Vocab`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::lex_attrs::NumWords;
use lexpool::vocab::{AttrValue, Getter, Getters, Vocab};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::error::{OrRaise, from_py};
use crate::handle::Handle;
use crate::lexeme::PyLexeme;
use crate::strings::{PyStringStore, id_of};
use crate::text::with_utf8;

/// The word types of a language with their attributes and strings.
///
/// `vocab["word"]` gives the lexeme, entering it if it is new; `vocab[id]` the lexeme of an id.
/// Any number of threads may use a vocab at once.
#[pyclass(name = "Vocab", module = "lexpool.vocab", frozen, weakref)]
pub(crate) struct PyVocab {
    vocab: Arc<Vocab>,
    strings: PyOnceLock<Py<PyStringStore>>,
    /// The getters written in Python, each also held by the vocab: for the garbage collector, since
    /// one may refer to this very vocab.
    functions: Mutex<Vec<Arc<Py<PyAny>>>>,
}

impl PyVocab {
    pub(crate) fn new(vocab: Arc<Vocab>) -> PyVocab {
        PyVocab { vocab, strings: PyOnceLock::new(), functions: Mutex::default() }
    }

    fn with_getters(getters: Getters, functions: Vec<Arc<Py<PyAny>>>) -> PyResult<PyVocab> {
        let vocab = PyVocab::new(Vocab::new(getters).or_raise()?);
        *vocab.functions() = functions;
        Ok(vocab)
    }

    fn functions(&self) -> MutexGuard<'_, Vec<Arc<Py<PyAny>>>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }
}

#[pymethods]
impl PyVocab {
    /// Vocab(lex_attr_getters=None, strings=())
    ///
    /// `lex_attr_getters`: attribute id or name -> callable (str) -> str | int | bool | None, asked
    /// once for each new word. Without getters a lexeme has its text and length only.
    /// `strings`: words to enter.
    #[new]
    #[pyo3(signature = (lex_attr_getters=None, strings=None))]
    fn py_new(
        lex_attr_getters: Option<&Bound<'_, PyDict>>,
        strings: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyVocab> {
        let mut getters = Getters::default();
        let mut held = Vec::new();
        if let Some(functions) = lex_attr_getters {
            held = add_functions(&mut getters, functions)?;
        }
        let owner = PyVocab::with_getters(getters, held)?;
        let vocab = owner.vocab();
        if let Some(strings) = strings {
            for string in strings.try_iter()? {
                let string = string?.cast_into::<PyString>()?;
                with_utf8(&string, |text| vocab.lexeme(text).or_raise().map(drop))?;
            }
        }
        Ok(owner)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Locked only for a moment, and never while Python code runs.
        self.functions().iter().try_for_each(|function| visit.call(&**function))
    }

    fn __clear__(&self) {
        self.functions().clear();
        // Without getters there is nothing to store, hence nothing that can fail.
        let _ = self.vocab.set_attrs(Getters::default());
    }

    /// A vocab with native getters for a language, some replaced or left out.
    ///
    /// `absent`: attributes without a getter; `functions`: attribute -> callable; word lists as
    /// the native getters use them.
    #[staticmethod]
    #[pyo3(signature = (lang, *, stop_words, norms, number_words=Vec::new(), ordinal_words=Vec::new(),
                        ordinal_suffixes=Vec::new(), absent=None, functions=None))]
    #[expect(clippy::too_many_arguments, reason = "one a word list, all by keyword")]
    fn _with_native_getters(
        lang: &str,
        stop_words: Vec<String>,
        norms: HashMap<String, String>,
        number_words: Vec<String>,
        ordinal_words: Vec<String>,
        ordinal_suffixes: Vec<String>,
        absent: Option<&Bound<'_, PyList>>,
        functions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyVocab> {
        let mut getters = Getters::native(lang);
        getters.stop_words = stop_words.into_iter().collect();
        getters.norms = norms.into_iter().collect();
        getters.num_words = NumWords::new(number_words, ordinal_words, ordinal_suffixes);
        for attr in absent.into_iter().flatten() {
            getters.unset(attr_of(&attr)?);
        }
        let mut held = Vec::new();
        if let Some(functions) = functions {
            held = add_functions(&mut getters, functions)?;
        }
        PyVocab::with_getters(getters, held)
    }

    /// The strings behind the ids.
    #[getter]
    fn strings(&self, py: Python<'_>) -> PyResult<Py<PyStringStore>> {
        let make = || Py::new(py, PyStringStore::of(&self.vocab));
        Ok(self.strings.get_or_try_init(py, make)?.clone_ref(py))
    }

    /// The code of the language.
    #[getter]
    fn lang(&self) -> String {
        self.vocab.attrs().lang().to_owned()
    }

    fn __getitem__(slf: &Bound<'_, PyVocab>, key: &Bound<'_, PyAny>) -> PyResult<PyLexeme> {
        let vocab = slf.get().vocab();
        let lexeme = match key.cast::<PyString>() {
            Ok(string) => with_utf8(string, |text| vocab.lexeme(text).or_raise())?,
            Err(_) => vocab.lexeme_of(StrId::new(id_of(key)?)).or_raise()?,
        };
        Ok(PyLexeme::new(slf.clone().unbind(), lexeme))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = if let Ok(string) = key.cast::<PyString>() {
            with_utf8(string, |text| Ok(StrId::of(text)))?
        } else if let Ok(bytes) = key.cast::<PyBytes>() {
            StrId::new(lexpool::strings::hash64(bytes.as_bytes(), 1))
        } else {
            StrId::new(id_of(key)?)
        };
        Ok(self.vocab.contains(id))
    }

    fn __len__(&self) -> usize {
        self.vocab.len()
    }

    fn __iter__<'py>(slf: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
        let scope = slf.get().vocab().scope();
        let lexemes = slf
            .get()
            .vocab
            .positions()
            .map(|ix| Py::new(slf.py(), PyLexeme::new(slf.clone().unbind(), scope.lexeme(ix))));
        let lexemes: Vec<_> = lexemes.collect::<PyResult<_>>()?;
        Ok(PyList::new(slf.py(), lexemes)?.try_iter()?.into_any())
    }

    /// Open a zone, as a context manager: words and strings first met inside of it are dropped
    /// after its end, with the last document that refers to them. Zones do not nest.
    fn memory_zone(slf: &Bound<'_, PyVocab>) -> PyZone {
        PyZone { vocab: slf.clone().unbind() }
    }

    /// Whether a zone is open.
    #[getter]
    fn in_memory_zone(&self) -> bool {
        self.vocab.in_zone()
    }

    /// Memory held by strings and lexemes: a dict of used_bytes, reserved_bytes, chunks and
    /// high_water_bytes.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.vocab.stats();
        let dict = PyDict::new(py);
        dict.set_item("used_bytes", stats.used_bytes)?;
        dict.set_item("reserved_bytes", stats.reserved_bytes)?;
        dict.set_item("chunks", stats.chunks)?;
        dict.set_item("high_water_bytes", stats.high_water_bytes)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("<Vocab {:?} of {} words>", self.lang(), self.vocab.len())
    }
}

/// The zone of a vocab while a `with` block runs.
#[pyclass(name = "MemoryZone", module = "lexpool.vocab", frozen)]
pub(crate) struct PyZone {
    vocab: Py<PyVocab>,
}

#[pymethods]
impl PyZone {
    fn __enter__(slf: PyRef<'_, PyZone>) -> PyResult<PyRef<'_, PyZone>> {
        slf.vocab.get().vocab.open_zone().or_raise()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.vocab.get().vocab.close_zone().or_raise()
    }
}

/// An attribute given by number or by name.
pub(crate) fn attr_of(attr: &Bound<'_, PyAny>) -> PyResult<AttrId> {
    if let Ok(name) = attr.cast::<PyString>() {
        let name = name.to_str()?;
        return AttrId::from_name(name).ok_or_else(|| unknown_attr(&format!("{name:?}")));
    }
    let number = attr.extract::<u32>()?;
    if AttrId::new(number).name().is_none() {
        return Err(unknown_attr(&number.to_string()));
    }
    Ok(AttrId::new(number))
}

fn unknown_attr(given: &str) -> PyErr {
    let text = format!(
        "[E983] no attribute {given}; attributes are named in lexpool.attrs.IDS, such as 'LOWER'"
    );
    pyo3::exceptions::PyKeyError::new_err(text)
}

/// Sets getters written in Python, and gives them back to be known to the garbage collector.
fn add_functions(
    getters: &mut Getters,
    functions: &Bound<'_, PyDict>,
) -> PyResult<Vec<Arc<Py<PyAny>>>> {
    let mut held = Vec::with_capacity(functions.len());
    for (attr, function) in functions {
        let attr = attr_of(&attr)?;
        if !function.is_callable() {
            let name = attr.name().unwrap_or_default();
            return Err(PyValueError::new_err(format!("the getter of {name} is not callable")));
        }
        let function = Arc::new(function.unbind());
        getters.set(attr, custom(attr, Arc::clone(&function)));
        held.push(function);
    }
    Ok(held)
}

fn custom(attr: AttrId, function: Arc<Py<PyAny>>) -> Getter {
    Getter::Custom(Arc::new(move |word| {
        Python::attach(|py| {
            ask(function.bind(py), word).map_err(|error| {
                let name = attr.name().unwrap_or_default();
                from_py(py, error, &format!("the getter of {name} failed on {word:?}"))
            })
        })
    }))
}

fn ask(function: &Bound<'_, PyAny>, word: &str) -> PyResult<Option<AttrValue>> {
    let value = function.call1((word,))?;
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(string) = value.cast::<PyString>() {
        return Ok(Some(AttrValue::Text(string.to_str()?.to_owned())));
    }
    Ok(Some(AttrValue::Number(id_of(&value)?)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyVocab>()?;
    module.add_class::<PyZone>()?;
    module.add_class::<Handle>()
}
