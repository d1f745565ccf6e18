//! `lexpool.strings`: the string store and the functions on ids.

use std::sync::Arc;

use lexpool::strings::{self, StrId};
use lexpool::vocab::Vocab;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};

use crate::error::OrRaise;
use crate::interned::Interned;
use crate::text::with_utf8;

/// Maps strings to 64-bit ids and back.
///
/// Ids are hashes (MurmurHash64A, seed 1) and agree between processes, machines and with spaCy.
/// `store["text"]` gives the id without storing anything; `store.add` stores; `store[id]` gives
/// the string back.
#[pyclass(name = "StringStore", module = "lexpool.strings", frozen, weakref)]
pub(crate) struct PyStringStore {
    store: Store,
    interned: Interned,
}

/// A store of its own, or a vocab's.
enum Store {
    Own(Arc<strings::StringStore>),
    Of(Arc<Vocab>),
}

impl PyStringStore {
    pub(crate) fn of(vocab: &Arc<Vocab>) -> PyStringStore {
        PyStringStore { store: Store::Of(Arc::clone(vocab)), interned: Interned::default() }
    }

    fn store(&self) -> &strings::StringStore {
        match &self.store {
            Store::Own(store) => store,
            Store::Of(vocab) => vocab.strings(),
        }
    }

    /// The string of an id, made once.
    pub(crate) fn string<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Bound<'py, PyString>> {
        let string = self.interned.get(py, self.store(), StrId::new(id))?;
        string.ok_or_else(|| unknown_id(id))
    }
}

fn unknown_id(id: u64) -> PyErr {
    PyKeyError::new_err(format!(
        "[E018] no string has the id {id} in this store; \
         ids are hashes, so a string has to be added once (`strings.add`) before its id is known"
    ))
}

#[pymethods]
impl PyStringStore {
    /// StringStore(strings=None, freeze=False)
    ///
    /// `strings`: an iterable of strings to add. `freeze` is accepted for spaCy's sake.
    #[new]
    #[pyo3(signature = (strings=None, freeze=false))]
    fn new(strings: Option<&Bound<'_, PyAny>>, freeze: bool) -> PyResult<PyStringStore> {
        let _ = freeze;
        let store = Store::Own(Arc::new(strings::StringStore::new()));
        let store = PyStringStore { store, interned: Interned::default() };
        if let Some(strings) = strings {
            for string in strings.try_iter()? {
                store.add(&string?, None)?;
            }
        }
        Ok(store)
    }

    /// Store a string and give its id.
    ///
    /// string (str | bytes): what to store; empty strings and symbols have ids of their own.
    /// allow_transient (bool | None): whether the string may go with the open memory zone;
    /// None means yes.
    ///
    /// Raises TypeError (E017) for anything else.
    #[pyo3(signature = (string, allow_transient=None))]
    fn add(&self, string: &Bound<'_, PyAny>, allow_transient: Option<bool>) -> PyResult<u64> {
        let add = |text: &str| {
            let store = self.store();
            let id = if allow_transient == Some(false) {
                store.add_permanent(text)
            } else {
                store.add(text)
            };
            Ok(id.or_raise()?.get())
        };
        if let Ok(string) = string.cast::<PyString>() {
            return with_utf8(string, add);
        }
        if let Ok(bytes) = string.cast::<PyBytes>() {
            return with_utf8(&bytes.call_method1("decode", ("utf8",))?.cast_into()?, add);
        }
        let given = string.get_type().name()?;
        Err(PyTypeError::new_err(format!("[E017] add() takes a str or bytes, not {given}")))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(string) = key.cast::<PyString>() {
            let id = with_utf8(string, |text| Ok(StrId::of(text).get()))?;
            return Ok(id.into_pyobject(py)?.into_any());
        }
        if let Ok(id) = key.extract::<u64>() {
            return Ok(self.string(py, id)?.into_any());
        }
        if let Ok(bytes) = key.cast::<PyBytes>() {
            let id = strings::hash64(bytes.as_bytes(), 1);
            return Ok(id.into_pyobject(py)?.into_any());
        }
        Ok(self.string(py, id_of(key)?)?.into_any())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = match key.cast::<PyString>() {
            Ok(string) => with_utf8(string, |text| Ok(StrId::of(text).get()))?,
            Err(_) => id_of(key)?,
        };
        Ok(self.store().contains(StrId::new(id)))
    }

    fn __len__(&self) -> usize {
        self.store().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let list = PyList::empty(py);
        let mut result = Ok(());
        self.store().for_each(|_, string| {
            if result.is_ok() {
                result = list.append(string);
            }
        });
        result?;
        Ok(list.try_iter()?.into_any())
    }

    /// The id of a string, or an id as it is.
    #[expect(clippy::unused_self, reason = "a method in Python")]
    fn as_int(&self, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        match key.cast::<PyString>() {
            Ok(string) => with_utf8(string, |text| Ok(StrId::of(text).get())),
            Err(_) => id_of(key),
        }
    }

    /// The string of an id, or a string as it is.
    fn as_string<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        match key.cast::<PyString>() {
            Ok(string) => Ok(string.clone()),
            Err(_) => self.string(key.py(), id_of(key)?),
        }
    }

    /// How often a string was added whose id belongs to another stored string.
    #[getter]
    fn collisions(&self) -> u64 {
        self.store().collisions()
    }

    /// Make a collision of ids raise HashCollisionError instead of being counted.
    fn set_strict(&self, strict: bool) {
        self.store().set_strict(strict);
    }

    fn __repr__(&self) -> String {
        format!("<StringStore of {} strings>", self.store().len())
    }
}

/// An id given as a number; numpy's integers and truncated floats count, as in spaCy.
pub(crate) fn id_of(key: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(id) = key.extract::<u64>() {
        return Ok(id);
    }
    if key.is_instance_of::<PyInt>() {
        return key.extract::<u64>();
    }
    if let Ok(float) = key.extract::<f64>() {
        let truncated = key.py().get_type::<PyInt>().call1((float,))?;
        return truncated.extract::<u64>();
    }
    let given = key.get_type().name()?;
    Err(PyTypeError::new_err(format!("expected a string or an id, not {given}")))
}

/// The plain hash of a string, without the exceptions for symbols and the empty string.
#[pyfunction]
fn hash_string(string: &Bound<'_, PyString>) -> PyResult<u64> {
    with_utf8(string, |text| Ok(strings::hash_string(text)))
}

/// The id of a string (0 for "", a small number for a symbol), or a number as it is.
#[pyfunction]
fn get_string_id<'py>(key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = key.py();
    if let Ok(string) = key.cast::<PyString>() {
        let id = with_utf8(string, |text| Ok(StrId::of(text).get()))?;
        return Ok(id.into_pyobject(py)?.into_any());
    }
    match key.extract::<u64>() {
        Ok(id) => Ok(id.into_pyobject(py)?.into_any()),
        Err(_) => Ok(key.clone()),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyStringStore>()?;
    module.add_function(wrap_pyfunction!(hash_string, module)?)?;
    module.add_function(wrap_pyfunction!(get_string_id, module)?)
}
