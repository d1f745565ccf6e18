//! `lexpool.lex_attrs`: the native attribute getters as objects, and their word lists.

use std::collections::HashMap;
use std::sync::Arc;

use lexpool::structs::AttrId;
use lexpool::tokenizer::lang;
use lexpool::vocab::lex_attrs::{NumWords, NumberForm};
use lexpool::vocab::{AttrValue, Getters};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use crate::object::vocab::attr_of;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;

/// Word lists of the native getters of a language.
///
/// lang: the language code that LANG returns.
/// stop_words: lower-case words for which IS_STOP is true.
/// norms: words with their NORM.
/// number_words: lower-case words for which LIKE_NUM is true.
/// ordinal_suffixes: suffixes that turn digits into an ordinal.
/// number_form: the marks and endings of numbers, as JSON; empty for those of English.
/// currency_words: words for which IS_CURRENCY is true besides signs.
/// norm_suffixes: endings that a word's NORM lacks, longer ones first.
#[pyclass(name = "WordLists", module = "lexpool.lex_attrs", frozen)]
pub(crate) struct PyWordLists {
    getters: Arc<Getters>,
}

class!(PyWordLists);

impl PyWordLists {
    pub(crate) fn new(getters: Arc<Getters>) -> PyWordLists {
        PyWordLists { getters }
    }

    pub(crate) fn getters(&self) -> &Getters {
        &self.getters
    }
}

#[pymethods]
impl PyWordLists {
    #[new]
    #[pyo3(signature = (lang="", *, stop_words=Items::default(), norms=HashMap::new(),
                        number_words=Items::default(), ordinal_suffixes=Items::default(), number_form="",
                        currency_words=Items::default(), norm_suffixes=Items::default()))]
    // stub: (norms: dict[str, str])
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn py_new(
        lang: &str,
        stop_words: Items<String>,
        norms: HashMap<String, String>,
        number_words: Items<String>,
        ordinal_suffixes: Items<String>,
        number_form: &str,
        currency_words: Items<String>,
        norm_suffixes: Items<String>,
    ) -> PyResult<PyWordLists> {
        let mut getters = Getters::native(lang);
        getters.stop_words = stop_words.into_iter().collect();
        getters.norms = norms.into_iter().collect();
        getters.num_words =
            NumWords::new(number_words.into_vec(), Vec::new(), ordinal_suffixes.into_vec());
        if !number_form.is_empty() {
            let form = NumberForm::from_json(number_form).or_raise()?;
            getters.num_words = getters.num_words.with_form(form);
        }
        getters.currency_words = currency_words.into_iter().collect();
        getters.norm_suffixes = norm_suffixes.into_vec();
        Ok(PyWordLists::new(Arc::new(getters)))
    }

    /// The language code.
    #[getter]
    fn lang(&self) -> &str {
        self.getters.lang()
    }

    /// The stop words, sorted.
    #[getter]
    fn stop_words(&self) -> Vec<&str> {
        sorted(self.getters.stop_words.iter().map(String::as_str))
    }

    /// The norms by word.
    #[getter]
    // stub: -> dict[str, str]
    fn norms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let mut norms: Vec<_> = self.getters.norms.iter().collect();
        norms.sort_unstable();
        norms.into_iter().try_for_each(|(word, norm)| dict.set_item(word, norm))?;
        Ok(dict)
    }

    /// The number words, sorted.
    #[getter]
    fn number_words(&self) -> Vec<&str> {
        sorted(self.getters.num_words.words())
    }

    /// The suffixes that turn digits into an ordinal, sorted.
    #[getter]
    fn ordinal_suffixes(&self) -> Vec<&str> {
        sorted(self.getters.num_words.ordinal_suffixes())
    }

    /// The marks and endings of numbers, as JSON; empty for those of English.
    #[getter]
    fn number_form(&self) -> String {
        self.getters.num_words.form().map_or_else(String::new, NumberForm::to_json)
    }

    /// The words for currencies, sorted.
    #[getter]
    fn currency_words(&self) -> Vec<&str> {
        sorted(self.getters.currency_words.iter().map(String::as_str))
    }

    /// The endings that a word's norm lacks, longer ones first.
    #[getter]
    fn norm_suffixes(&self) -> Vec<&str> {
        self.getters.norm_suffixes.iter().map(String::as_str).collect()
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyWordLists>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let lists = PyDict::new(py);
        lists.set_item("stop_words", this.stop_words())?;
        lists.set_item("norms", this.norms(py)?)?;
        lists.set_item("number_words", this.number_words())?;
        lists.set_item("ordinal_suffixes", this.ordinal_suffixes())?;
        lists.set_item("number_form", this.number_form())?;
        lists.set_item("currency_words", this.currency_words())?;
        lists.set_item("norm_suffixes", this.norm_suffixes())?;
        let restore = python_side::WORD_LISTS.get(py)?;
        Ok((restore, (this.lang(), lists)).into_pyobject(py)?.into_any())
    }
}

fn sorted<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut words: Vec<_> = words.collect();
    words.sort_unstable();
    words
}

/// A native getter as a function: `LexAttrGetter(SHAPE)("Coffee")` is "Xxxxx".
///
/// A vocab computes the attribute of such a getter without calling Python.
#[pyclass(name = "LexAttrGetter", module = "lexpool.lex_attrs", frozen)]
pub(crate) struct PyLexAttrGetter {
    attr: AttrId,
    words: Py<PyWordLists>,
}

class!(PyLexAttrGetter);

impl PyLexAttrGetter {
    pub(crate) fn new(attr: AttrId, words: Py<PyWordLists>) -> PyLexAttrGetter {
        PyLexAttrGetter { attr, words }
    }
}

#[pymethods]
impl PyLexAttrGetter {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.words)
    }

    /// LexAttrGetter(attr, words=None)
    ///
    /// attr (int | str): the attribute.
    /// words (WordLists | None): its word lists.
    ///
    /// Raises ValueError for an attribute without a native getter.
    #[new]
    #[pyo3(signature = (attr, words=None))]
    // stub: (attr: _Attr)
    fn py_new(
        attr: &Bound<'_, PyAny>,
        words: Option<Py<PyWordLists>>,
    ) -> PyResult<PyLexAttrGetter> {
        let id = attr_of(attr)?;
        let words = match words {
            Some(words) => words,
            None => Py::new(attr.py(), PyWordLists::new(Arc::new(Getters::native(""))))?,
        };
        if words.get().getters().native_attrs().all(|native| native != id) {
            let name = id.name().unwrap_or_default();
            return Err(PyValueError::new_err(format!("{name} has no native getter")));
        }
        Ok(PyLexAttrGetter::new(id, words))
    }

    /// The attribute's number.
    #[getter]
    fn attr(&self) -> u32 {
        self.attr.number()
    }

    /// The word lists.
    #[getter]
    fn words(&self, py: Python<'_>) -> Py<PyWordLists> {
        self.words.clone_ref(py)
    }

    // stub: -> Any
    fn __call__<'py>(&self, word: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = word.py();
        let value =
            with_utf8(word, |word| Ok(self.words.get().getters.native_value(self.attr, word)))?;
        Ok(match value {
            Some(AttrValue::Text(text)) => PyString::new(py, &text).into_any(),
            Some(AttrValue::Number(flag)) => PyBool::new(py, flag != 0).to_owned().into_any(),
            None => py.None().into_bound(py),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyLexAttrGetter>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        Ok((slf.get_type(), (this.attr(), this.words(py))).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<LexAttrGetter {}>", self.attr.name().unwrap_or_default())
    }
}

/// Returns the numbers of the attributes with native getters.
#[pyfunction]
// stub: -> list[int]
fn native_attrs(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    PyList::new(py, Getters::native("").native_attrs().map(AttrId::number).collect::<Vec<_>>())
}

/// Returns the norms that all languages share, by word.
#[pyfunction]
// stub: -> dict[str, str]
fn base_norms(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let data = lang::load_vocab("xx").or_raise()?;
    let dict = PyDict::new(py);
    data.norms.iter().try_for_each(|(word, norm)| dict.set_item(word, norm))?;
    Ok(dict)
}

/// Returns the number of an attribute, given by number or by name. Raises KeyError (E983).
#[pyfunction]
// stub: (attr: _Attr)
fn attr_number(attr: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(attr_of(attr)?.number())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyWordLists>(module)?;
    classes::add::<PyLexAttrGetter>(module)?;
    module.add_function(wrap_pyfunction!(native_attrs, module)?)?;
    module.add_function(wrap_pyfunction!(base_norms, module)?)?;
    module.add_function(wrap_pyfunction!(attr_number, module)?)
}
