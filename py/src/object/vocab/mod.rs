//! `lexpool.vocab.Vocab`.

mod files;
mod getters;
mod image;
mod python_objects;
mod vectors;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::codes;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::lang::{self, Direction, LangData};
use lexpool::vocab::{Getters, Vocab};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyIterator, PyList, PyString};

use self::getters::{CompiledGetters, GetterFunction};
use self::python_objects::PythonObjects;
use crate::object::lexeme::PyLexeme;
use crate::object::lexeme_strings::LexemeStrings;
use crate::object::morphology::PyMorphology;
use crate::object::noun_chunks;
use crate::object::strings::{PyStringStore, id_of};
use crate::object::zone::PyZone;
use crate::runtime::classes::{self, class};
use crate::runtime::cython_class;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::memory_usage::PyMemoryUsage;
use crate::runtime::once_cell::OnceCell;
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;
use crate::runtime::user_calls::CallUser;

/// The word types of a language with their attributes and strings.
///
/// `vocab["word"]` returns the lexeme, which is added if it is new; `vocab[id]` returns the lexeme
/// of an id. Any number of threads may use a vocab at once.
#[pyclass(name = "Vocab", module = "lexpool.vocab", frozen, weakref)]
pub(crate) struct PyVocab {
    vocab: Arc<Vocab>,
    /// Cache of the Python strings of words.
    pub(crate) lexeme_strings: LexemeStrings,
    strings: OnceCell<Py<PyStringStore>>,
    morphology: OnceCell<Py<PyMorphology>>,
    /// The getters written in Python, which the vocab's core shares; visited by the garbage
    /// collector, since one may refer to this vocab.
    functions: Mutex<Vec<GetterFunction>>,
    parts: Mutex<PythonObjects>,
}

class!(PyVocab);

impl PyVocab {
    pub(crate) fn new(vocab: Arc<Vocab>) -> PyVocab {
        PyVocab {
            lexeme_strings: LexemeStrings::new(vocab.first_new()),
            vocab,
            strings: OnceCell::new(),
            morphology: OnceCell::new(),
            functions: Mutex::default(),
            parts: Mutex::default(),
        }
    }

    fn functions(&self) -> MutexGuard<'_, Vec<GetterFunction>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }
}

#[pymethods]
impl PyVocab {
    /// Vocab(lex_attr_getters=None, strings=(), lookups=None, oov_prob=-20.0, vectors_name=None,
    ///       writing_system={}, get_noun_chunks=None)
    ///
    /// lex_attr_getters: attribute id or name -> callable (str) -> str | int | bool | None, called
    ///     once for each new word. Without getters a lexeme has its text and length only.
    /// strings: words to add.
    /// lookups (Lookups | bool | None): lookup tables; a bool means none.
    /// oov_prob: the value of `cfg["oov_prob"]`.
    /// vectors_name: the name of the word vectors.
    /// writing_system (dict): settings of the script, kept for the user.
    /// get_noun_chunks: a callable for `Doc.noun_chunks`.
    ///
    /// Other keyword arguments, which spaCy once had, are ignored.
    #[new]
    #[pyo3(signature = (lex_attr_getters=None, strings=None, lookups=None, oov_prob=None,
                        vectors_name=None, writing_system=None, get_noun_chunks=None,
                        **_deprecated_kwargs))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's own")]
    // stub: (lex_attr_getters: dict[Any, _Getter] | None, strings: Iterable[str] | None,
    //     lookups: Lookups | bool | None, oov_prob: float | None, vectors_name: str | None,
    //     writing_system: dict[str, Any] | None, get_noun_chunks: Callable[..., Any] | None)
    fn py_new(
        py: Python<'_>,
        lex_attr_getters: Option<&Bound<'_, PyDict>>,
        strings: Option<&Bound<'_, PyAny>>,
        lookups: Option<&Bound<'_, PyAny>>,
        oov_prob: Option<&Bound<'_, PyAny>>,
        vectors_name: Option<Py<PyAny>>,
        writing_system: Option<Py<PyAny>>,
        get_noun_chunks: Option<Py<PyAny>>,
        _deprecated_kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyVocab> {
        let this = PyVocab::new(Vocab::new(Getters::default()).or_raise()?);
        let cfg = PyDict::new(py);
        match oov_prob {
            Some(prob) => cfg.set_item("oov_prob", prob)?,
            None => cfg.set_item("oov_prob", -20.0)?,
        }
        *this.parts() = PythonObjects {
            vectors_name,
            writing_system,
            noun_chunks: get_noun_chunks,
            cfg: Some(cfg.into_any().unbind()),
            ..PythonObjects::default()
        };
        if let Some(getters) = lex_attr_getters.filter(|getters| !getters.is_empty()) {
            let numbered = PyDict::new(py);
            for (attr, getter) in getters {
                numbered.set_item(attr_of(&attr)?.number(), getter)?;
            }
            this.install(CompiledGetters::of_mapping(&numbered)?)?;
            this.parts().getters = Some(numbered.into_any().unbind());
        }
        if let Some(lookups) = lookups.filter(|lookups| !lookups.is_instance_of::<PyBool>()) {
            this.parts().lookups = Some(lookups.clone().unbind());
            if lookups.call_method1("has_table", ("lexeme_norm",))?.is_truthy()? {
                let table = lookups.call_method1("get_table", ("lexeme_norm",))?;
                this.take_norms(&table)?;
            }
        }
        for string in strings.map(items::iterate).transpose()?.into_iter().flatten() {
            let string = string?.cast_into::<PyString>()?;
            with_utf8(&string, |text| this.vocab.lexeme(text).or_raise().map(drop))?;
        }
        Ok(this)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.functions().iter().try_for_each(|(_, function)| visit.call(&**function))?;
        self.parts().traverse(&visit)
    }

    fn __clear__(&self) {
        let functions = std::mem::take(&mut *self.functions());
        let parts = std::mem::take(&mut *self.parts());
        // Without getters nothing is stored, hence nothing can fail.
        let _ = self.vocab.set_attrs(Getters::default());
        drop((functions, parts));
    }

    /// The string store.
    #[getter]
    fn strings(&self, py: Python<'_>) -> PyResult<Py<PyStringStore>> {
        let make = || Py::new(py, PyStringStore::of(&self.vocab));
        Ok(self.strings.get_or_try_init(py, make)?.clone_ref(py))
    }

    /// The memory of words and strings; `mem.size` is in bytes.
    #[getter]
    fn mem(&self) -> PyMemoryUsage {
        PyMemoryUsage::of(self.vocab.stats())
    }

    /// The language code that the getter of LANG returns, None for no particular language; empty
    /// without such a getter.
    #[getter]
    // stub: -> str | None
    fn lang<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(function) = self.function(py, AttrId::LANG) {
            return function.call_user(("_",));
        }
        let getters = self.vocab.attrs();
        let is_native = getters.native_attrs().any(|attr| attr == AttrId::LANG);
        Ok(match getters.lang() {
            "" if is_native => py.None().into_bound(py),
            lang => PyString::new(py, if is_native { lang } else { "" }).into_any(),
        })
    }

    /// The number of lexemes.
    #[getter]
    fn length(&self) -> usize {
        self.vocab.len()
    }

    /// Settings: a dict with `oov_prob`.
    #[getter]
    // stub: -> dict[str, Any]
    fn cfg<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(
            py,
            |parts| &mut parts.cfg,
            || {
                if let Some(cfg) = self.setting(py, "cfg")? {
                    return Ok(cfg);
                }
                let cfg = PyDict::new(py);
                cfg.set_item("oov_prob", -20.0)?;
                Ok(cfg.into_any())
            },
        )
    }

    #[setter]
    // stub: (value: dict[str, Any])
    fn set_cfg(&self, cfg: Py<PyAny>) {
        self.set_part(|parts| &mut parts.cfg, Some(cfg));
    }

    /// The settings of the script: a dict, empty by default.
    #[getter]
    // stub: -> dict[str, Any]
    fn writing_system<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(
            py,
            |parts| &mut parts.writing_system,
            || {
                let setting = self.setting(py, "writing_system")?;
                Ok(setting.unwrap_or_else(|| PyDict::new(py).into_any()))
            },
        )
    }

    #[setter]
    // stub: (value: dict[str, Any])
    fn set_writing_system(&self, writing_system: Py<PyAny>) {
        self.set_part(|parts| &mut parts.writing_system, Some(writing_system));
    }

    /// The callable for `Doc.noun_chunks`, or None.
    #[getter(get_noun_chunks)]
    // stub: -> Callable[..., Any] | None
    fn noun_chunks(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.parts().noun_chunks.as_ref().map(|function| function.clone_ref(py))
    }

    #[setter(get_noun_chunks)]
    // stub: (value: Callable[..., Any] | None)
    pub(crate) fn set_noun_chunks(&self, function: Option<Py<PyAny>>) {
        self.set_part(|parts| &mut parts.noun_chunks, function);
    }

    /// The lookup tables of the language. If assigned tables contain `lexeme_norm`, new words get
    /// their norms from it.
    #[getter]
    // stub: -> Lookups
    fn lookups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.py_lookups(py)
    }

    #[setter]
    // stub: (value: Lookups)
    fn set_lookups(slf: &Bound<'_, PyVocab>, lookups: &Bound<'_, PyAny>) -> PyResult<()> {
        slf.get().set_part(|parts| &mut parts.lookups, Some(lookups.clone().unbind()));
        python_side::VOCAB_TAKE_NORMS.call(slf.py(), (slf,)).map(drop)
    }

    // stub: (key: str | _Id)
    pub(crate) fn __getitem__<'py>(
        slf: &Bound<'py, PyVocab>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyLexeme>> {
        let vocab = slf.get().vocab();
        let lexeme = match key.cast::<PyString>() {
            Ok(string) => with_utf8(string, |text| vocab.lexeme(text).or_raise())?,
            Err(_) => vocab.lexeme_of(StrId::new(id_of(key)?)).or_raise()?,
        };
        PyLexeme::make(slf, lexeme)
    }

    // stub: (key: str | bytes | _Id)
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

    // stub: -> Iterator[Lexeme]
    fn __iter__<'py>(slf: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
        let snapshot = slf.get().vocab().snapshot();
        let lexemes =
            slf.get().vocab.positions().map(|ix| PyLexeme::make(slf, snapshot.lexeme(ix)));
        let lexemes: Vec<_> = lexemes.collect::<PyResult<_>>()?;
        Ok(PyIterator::from_object(PyList::new(slf.py(), lexemes)?.as_any())?.into_any())
    }

    /// Opens a memory zone, as a context manager: words and strings added inside are dropped after
    /// its end, with the last document that refers to them. Zones do not nest: ZoneError.
    ///
    /// mem: the value that the `with` statement binds; None for the zone itself.
    #[pyo3(signature = (mem=None))]
    // stub: (mem: Any | None)
    fn memory_zone(slf: &Bound<'_, PyVocab>, mem: Option<Py<PyAny>>) -> PyZone {
        PyZone::of_vocab(slf.clone().unbind(), mem)
    }

    /// True while a zone is open.
    #[getter]
    fn in_memory_zone(&self) -> bool {
        self.vocab.in_zone()
    }

    /// Returns the memory of strings and lexemes: a dict of used_bytes, reserved_bytes, chunks and
    /// high_water_bytes.
    // stub: -> dict[str, int]
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
        format!("<Vocab {:?} of {} words>", self.vocab.attrs().lang(), self.vocab.len())
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

fn unknown_attr(name: &str) -> PyErr {
    let text = format!(
        "[E983] unknown attribute {name}; lexpool.attrs.IDS has all names, such as 'LOWER'"
    );
    PyKeyError::new_err(text)
}

/// The error for an unknown flag number.
pub(crate) fn not_a_flag(number: &str) -> PyErr {
    PyValueError::new_err(format!("[E063] expected a flag from 1 to 63, not {number}"))
}

/// Returns an empty vocab with the lexical attributes and the noun chunks of a language. Raises
/// UnknownLanguageError.
#[pyfunction]
fn vocab_of_language<'py>(py: Python<'py>, lang: &str) -> PyResult<Bound<'py, PyVocab>> {
    let data = lang::load_vocab(lang).or_raise()?;
    let vocab = Vocab::new(Getters::from(&data)).or_raise()?;
    Bound::new(py, with_language(py, vocab, &data)?)
}

/// Gives a vocab of a saved pipeline, by default a new one, the getters of a language, but with the
/// norms that all languages share: the networks of a saved pipeline read the norms of spaCy, which
/// come from these, from the table `lexeme_norm` and from the special cases of the tokenizer's
/// file.
///
/// Returns the vocab; None if lexpool lacks the language.
#[pyfunction]
#[pyo3(signature = (lang, vocab=None))]
fn vocab_of_saved<'py>(
    py: Python<'py>,
    lang: &str,
    vocab: Option<Bound<'py, PyVocab>>,
) -> PyResult<Option<Bound<'py, PyVocab>>> {
    let data = match lang::load_vocab(lang) {
        Err(error) if error.code() == codes::UNKNOWN_LANGUAGE.as_str() => return Ok(None),
        data => data.or_raise()?,
    };
    let mut getters = Getters::from(&data);
    getters.norms = lang::load_vocab("xx").or_raise()?.norms.into_iter().collect();
    let vocab = match vocab {
        Some(vocab) => vocab,
        None => Bound::new(py, PyVocab::new(Vocab::new(Getters::default()).or_raise()?))?,
    };
    let this = vocab.get();
    this.install(CompiledGetters { getters, functions: Vec::new() })?;
    this.set_part(|parts| &mut parts.getters, None);
    this.set_language(py, &data)?;
    Ok(Some(vocab))
}

/// Wraps a vocab, with the script and the noun chunks of a language.
pub(crate) fn with_language(
    py: Python<'_>,
    vocab: Arc<Vocab>,
    data: &LangData,
) -> PyResult<PyVocab> {
    let vocab = PyVocab::new(vocab);
    vocab.set_language(py, data)?;
    Ok(vocab)
}

impl PyVocab {
    /// Sets the script and the noun chunks of a language.
    fn set_language(&self, py: Python<'_>, data: &LangData) -> PyResult<()> {
        self.set_noun_chunks(noun_chunks::of_language(py, &data.code)?.map(Bound::unbind));
        let script = data.writing_system;
        let direction = match script.direction {
            Direction::LeftToRight => "ltr",
            Direction::RightToLeft => "rtl",
        };
        let settings = PyDict::new(py);
        settings.set_item("direction", direction)?;
        settings.set_item("has_case", script.has_case)?;
        settings.set_item("has_letters", script.has_letters)?;
        self.set_writing_system(settings.into_any().unbind());
        Ok(())
    }
}

/// Returns the codes of the languages that have rules: `lexpool.blank` takes them.
#[pyfunction]
fn languages() -> Vec<&'static str> {
    lang::languages().collect()
}

/// Returns the code of a language for a code or an alias of ISO 639, such as "deu"; None for an
/// unknown one.
#[pyfunction]
fn resolve_language(code: &str) -> Option<&'static str> {
    lang::resolve(code)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(vocab_of_language, module)?)?;
    module.add_function(wrap_pyfunction!(vocab_of_saved, module)?)?;
    module.add_function(wrap_pyfunction!(languages, module)?)?;
    module.add_function(wrap_pyfunction!(resolve_language, module)?)?;
    classes::add::<PyVocab>(module)?;
    cython_class::for_cython::<PyVocab>(module.py())?;
    classes::add::<PyZone>(module)
}
