//! Attribute getters of a vocab, converted from and to Python.

use std::sync::Arc;

use lexpool::structs::AttrId;
use lexpool::vocab::{AttrValue, Getter, Getters};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use super::{PyVocab, attr_of};
use crate::object::lex_attrs::{PyLexAttrGetter, PyWordLists};
use crate::object::strings::id_of;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;
use crate::runtime::user_calls::CallUser;

/// A getter written in Python; the vocab's core shares the reference.
pub(super) type GetterFunction = (AttrId, Arc<Py<PyAny>>);

/// Getters for the core, and those of them that are Python functions.
pub(super) struct CompiledGetters {
    pub(super) getters: Getters,
    pub(super) functions: Vec<GetterFunction>,
}

impl CompiledGetters {
    /// Sorts the getters of a mapping into native ones and Python functions.
    pub(super) fn of_mapping(mapping: &Bound<'_, PyAny>) -> PyResult<CompiledGetters> {
        let compiled = python_side::COMPILED_GETTERS.call(mapping.py(), (mapping,))?;
        let (words, native, functions) = compiled.extract()?;
        let words: Py<PyWordLists> = words;
        CompiledGetters::new(words.get().getters(), &native, &functions)
    }

    /// Native getters of some attributes, and Python functions for others.
    fn new(
        words: &Getters,
        native: &Bound<'_, PyList>,
        functions: &Bound<'_, PyDict>,
    ) -> PyResult<CompiledGetters> {
        let mut getters = words.clone();
        for attr in words.native_attrs() {
            getters.unset(attr);
        }
        for attr in native {
            getters.set(attr_of(&attr)?, Getter::Native);
        }
        let mut attr_functions = Vec::with_capacity(functions.len());
        for (attr, function) in functions {
            let attr = attr_of(&attr)?;
            if !function.is_callable() {
                let name = attr.name().unwrap_or_default();
                return Err(PyValueError::new_err(format!("the getter of {name} is not callable")));
            }
            let function = Arc::new(function.unbind());
            getters.set(attr, custom(attr, Arc::clone(&function)));
            attr_functions.push((attr, function));
        }
        Ok(CompiledGetters { getters, functions: attr_functions })
    }
}

impl PyVocab {
    /// Installs new getters for new words.
    pub(super) fn install(&self, compiled: CompiledGetters) -> PyResult<()> {
        self.vocab.set_attrs(compiled.getters).or_raise()?;
        let old = std::mem::replace(&mut *self.functions(), compiled.functions);
        drop(old);
        Ok(())
    }

    /// Makes a table the source of new words' norms; called before the getters were ever requested.
    pub(super) fn take_norms(&self, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = table.py();
        let getters = self.getters_as_dict(py)?;
        python_side::EXTEND_NORMS.call(py, (&getters, table))?;
        self.install(CompiledGetters::of_mapping(&getters)?)?;
        self.set_part(|parts| &mut parts.getters, Some(getters.into_any().unbind()));
        Ok(())
    }

    /// The getters as a dict: native ones as objects, and the functions.
    fn getters_as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let getters = self.vocab.attrs();
        let words = Py::new(py, PyWordLists::new(Arc::clone(&getters)))?;
        for attr in getters.native_attrs() {
            let getter = PyLexAttrGetter::new(attr, words.clone_ref(py));
            dict.set_item(attr.number(), Py::new(py, getter)?)?;
        }
        let absent = python_side::ABSENT_GETTER.get(py)?;
        for attr in getters.missing() {
            dict.set_item(attr.number(), absent.call1((attr.number(),))?)?;
        }
        let functions: Vec<_> = self.functions().iter().cloned().collect();
        for (attr, function) in functions {
            dict.set_item(attr.number(), function.bind(py))?;
        }
        Ok(dict)
    }

    /// The Python getter of an attribute.
    pub(super) fn function<'py>(&self, py: Python<'py>, attr: AttrId) -> Option<Bound<'py, PyAny>> {
        let functions = self.functions();
        let entry = functions.iter().find(|(own, _)| *own == attr);
        entry.map(|(_, function)| function.bind(py).clone())
    }
}

#[pymethods]
impl PyVocab {
    /// The getters of new words' attributes: attribute id -> callable. Changing the mapping affects
    /// words added later; present words keep their attributes.
    #[getter]
    // stub: -> LexAttrGetters
    pub(super) fn lex_attr_getters<'py>(slf: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let live = python_side::LEX_ATTR_GETTERS.get(py)?;
        let getters =
            this.part(py, |parts| &mut parts.getters, || Ok(this.getters_as_dict(py)?.into_any()))?;
        if getters.is_instance(&live)? {
            return Ok(getters);
        }
        let getters = live.call1((slf, getters))?;
        let mut parts = this.parts();
        // Another thread may have set it meanwhile.
        match &parts.getters {
            Some(present) if present.bind(py).get_type().is(&live) => Ok(present.bind(py).clone()),
            _ => {
                parts.getters = Some(getters.clone().unbind());
                Ok(getters)
            }
        }
    }

    #[setter]
    // stub: (value: Mapping[Any, _Getter])
    fn set_lex_attr_getters(slf: &Bound<'_, PyVocab>, getters: &Bound<'_, PyAny>) -> PyResult<()> {
        PyVocab::lex_attr_getters(slf)?.call_method1("replace", (getters,))?;
        Ok(())
    }

    /// Installs the getters of a mapping; called by the mapping when it has changed.
    // stub: (mapping: Mapping[int, Callable[[str], Any]])
    fn _take_getters(&self, mapping: &Bound<'_, PyAny>) -> PyResult<()> {
        self.install(CompiledGetters::of_mapping(mapping)?)
    }

    /// Adds a flag to all words, present and future.
    ///
    /// flag_getter: a callable (str) -> bool.
    /// flag_id (int): a bit from 1 to 63, or -1 for the lowest bit without a getter.
    ///
    /// Returns the bit, for `check_flag`. Raises ValueError: E062 if no bit is free, E063 for
    /// another bit.
    #[pyo3(signature = (flag_getter, flag_id=-1))]
    // stub: (flag_getter: Callable[[str], object])
    fn add_flag(
        slf: &Bound<'_, PyVocab>,
        flag_getter: &Bound<'_, PyAny>,
        flag_id: i64,
    ) -> PyResult<i64> {
        let getters = PyVocab::lex_attr_getters(slf)?;
        let flag_id = match flag_id {
            -1 => free_flag(&getters)?,
            1..=63 => flag_id,
            _ => return Err(super::not_a_flag(&flag_id.to_string())),
        };
        let attr = AttrId::new(u32::try_from(flag_id).expect("from 1 to 63"));
        let vocab = slf.get().vocab();
        let snapshot = vocab.snapshot();
        // All values are computed before anything is changed, since the getter may fail.
        let mut flags = Vec::new();
        for ix in vocab.positions() {
            let lexeme = snapshot.lexeme(ix);
            let flag = flag_getter.call_user((lexeme.text(),))?.is_truthy()?;
            flags.push((lexeme, flag));
        }
        getters.set_item(flag_id, flag_getter)?;
        for (lexeme, flag) in flags {
            lexeme.cell().set_attr(attr, u64::from(flag)).or_raise()?;
        }
        Ok(flag_id)
    }
}

/// The lowest bit without a getter.
fn free_flag(getters: &Bound<'_, PyAny>) -> PyResult<i64> {
    for bit in 1..64 {
        if !getters.contains(bit)? {
            return Ok(bit);
        }
    }
    Err(PyValueError::new_err(
        "[E062] all 63 flags have getters; remove one from vocab.lex_attr_getters, or pass the \
         flag_id of the flag to replace",
    ))
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
    let value = function.call_user((word,))?;
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(string) = value.cast::<PyString>() {
        return with_utf8(string, |text| Ok(Some(AttrValue::Text(text.to_owned()))));
    }
    Ok(Some(AttrValue::Number(id_of(&value)?)))
}
