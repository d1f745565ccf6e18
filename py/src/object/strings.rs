//! `lexpool.strings`: the string store and the functions on ids.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use lexpool::Error;
use lexpool::strings::{self, JsonLayout, StrId};
use lexpool::vocab::Vocab;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyIterator, PyList, PyString};

use crate::object::zone::PyZone;
use crate::runtime::atomic_file;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::interned_strings::InternedStrings;
use crate::runtime::items;
use crate::runtime::text::with_utf8;

/// Maps strings to 64-bit ids and back.
///
/// Ids are hashes (MurmurHash64A, seed 1) and are the same in all processes, on all machines and in
/// spaCy. `store["text"]` returns the id without storing anything; `store.add` stores a string;
/// `store[id]` returns the string.
#[pyclass(name = "StringStore", module = "lexpool.strings", frozen, weakref)]
pub(crate) struct PyStringStore {
    store: Arc<strings::StringStore>,
    interned: InternedStrings,
}

class!(PyStringStore);

impl PyStringStore {
    pub(crate) fn of(vocab: &Vocab) -> PyStringStore {
        let store = Arc::clone(vocab.strings());
        PyStringStore { interned: InternedStrings::new(&store), store }
    }

    pub(crate) fn store(&self) -> &Arc<strings::StringStore> {
        &self.store
    }

    /// The Python string of an id, cached.
    pub(crate) fn string<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Bound<'py, PyString>> {
        let string = self.interned.get(py, &self.store, StrId::new(id))?;
        string.ok_or_else(|| unknown_id(id))
    }

    /// The Python string of a permanent id (outside of zones), cached.
    pub(crate) fn permanent<'py>(
        &self,
        py: Python<'py>,
        id: u64,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        self.interned.permanent(py, &self.store, StrId::new(id))
    }

    /// The id of a string, which is stored, or an id whose string is known.
    pub(crate) fn add_or_find(&self, key: &Bound<'_, PyAny>) -> PyResult<u64> {
        match key.cast::<PyString>() {
            Ok(string) => {
                with_utf8(string, |text| Ok(self.store.add_permanent(text).or_raise()?.get()))
            }
            Err(_) => id_of(key),
        }
    }
}

pub(crate) fn unknown_id(id: u64) -> PyErr {
    PyKeyError::new_err(format!(
        "[E018] this store has no string with the id {id}; ids are hashes, so a string must be \
         added (`strings.add`) before its id is known"
    ))
}

#[pymethods]
impl PyStringStore {
    /// StringStore(strings=None, freeze=False)
    ///
    /// strings: an iterable of strings to add.
    /// freeze: accepted for compatibility with spaCy, and ignored.
    #[new]
    #[pyo3(signature = (strings=None, freeze=false))]
    // stub: (strings: Iterable[str | bytes] | None)
    fn new(strings: Option<&Bound<'_, PyAny>>, freeze: bool) -> PyResult<PyStringStore> {
        let _ = freeze;
        let store = Arc::new(strings::StringStore::new());
        let store = PyStringStore { interned: InternedStrings::new(&store), store };
        if let Some(strings) = strings {
            for string in items::iterate(strings)? {
                store.add(&string?, Some(false))?;
            }
        }
        Ok(store)
    }

    /// Stores a string and returns its id.
    ///
    /// string (str | bytes): the string; the empty string and symbols have ids of their own.
    /// allow_transient (bool | None): True if the string may be dropped with the open memory zone;
    ///     None means True.
    ///
    /// Raises TypeError (E017) for another type.
    #[pyo3(signature = (string, allow_transient=None))]
    // stub: (string: str | bytes)
    fn add(&self, string: &Bound<'_, PyAny>, allow_transient: Option<bool>) -> PyResult<u64> {
        let add = |text: &str| {
            let store = &self.store;
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
        let class = string.get_type().name()?;
        Err(PyTypeError::new_err(format!("[E017] add() expected a str or bytes, not {class}")))
    }

    // stub: (key: str | bytes, /) -> int
    // stub: (key: _Id, /) -> str
    pub(crate) fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
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

    // stub: (key: str | _Id)
    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = match key.cast::<PyString>() {
            Ok(string) => with_utf8(string, |text| Ok(StrId::of(text).get()))?,
            Err(_) => id_of(key)?,
        };
        Ok(self.store.contains(StrId::new(id)))
    }

    fn __len__(&self) -> usize {
        self.store.len()
    }

    // stub: -> Iterator[str]
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyIterator::from_object(self.keys(py)?.as_any())?.into_any())
    }

    /// Returns the stored strings in the order in which they were added, those of an open zone
    /// last.
    // stub: -> list[str]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |_, string| Ok(PyString::new(py, string).into_any()))
    }

    /// Returns the ids of the stored strings, in the same order.
    // stub: -> list[int]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |id, _| Ok(id.get().into_pyobject(py)?.into_any()))
    }

    /// Returns the stored strings with their ids, in the same order.
    // stub: -> list[tuple[str, int]]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |id, string| Ok((string, id.get()).into_pyobject(py)?.into_any()))
    }

    /// Returns the id of a string; any other object is returned unchanged.
    #[expect(clippy::unused_self, reason = "a method in Python")]
    // stub: (key: str) -> int
    // stub: (key: _T) -> _T
    fn as_int<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match key.cast::<PyString>() {
            Ok(string) => {
                let id = with_utf8(string, |text| Ok(StrId::of(text).get()))?;
                Ok(id.into_pyobject(key.py())?.into_any())
            }
            Err(_) => Ok(key.clone()),
        }
    }

    /// Returns the string of an id; a string is returned unchanged. Raises KeyError (E018) for an
    /// unknown id.
    // stub: (key: str | _Id) -> str
    // stub: (key: bytes) -> int
    fn as_string<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if key.is_instance_of::<PyString>() { Ok(key.clone()) } else { self.__getitem__(key) }
    }

    /// Opens a memory zone, as a context manager: strings added inside are dropped at its end,
    /// unless they are added with `allow_transient=False`. Zones do not nest: ZoneError.
    ///
    /// mem: the value that the `with` statement binds; None for the zone itself.
    #[pyo3(signature = (mem=None))]
    // stub: (mem: Any | None)
    fn memory_zone(&self, mem: Option<Py<PyAny>>) -> PyZone {
        PyZone::of_strings(&self.store, mem)
    }

    /// Returns the strings, sorted, as a JSON list.
    #[pyo3(signature = (**_kwargs))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        _kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        crate::runtime::array::bytes(py, self.store.to_json(JsonLayout::Compact).as_bytes())
    }

    /// Adds the strings of a JSON list (bytes or str) to those already stored, and returns the
    /// store.
    ///
    /// Raises ValueError for any other data; then nothing is added.
    #[pyo3(signature = (bytes_data, **_kwargs))]
    // stub: (bytes_data: bytes | str)
    fn from_bytes<'py>(
        slf: &Bound<'py, PyStringStore>,
        bytes_data: &Bound<'py, PyAny>,
        _kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyStringStore>> {
        let store = &slf.get().store;
        match bytes_data.cast::<PyString>() {
            Ok(text) => with_utf8(text, |text| store.add_json(text.as_bytes()).or_raise())?,
            Err(_) => store.add_json(bytes_data.extract()?).or_raise()?,
        }
        Ok(slf.clone())
    }

    /// Writes the strings, sorted, to a file as a JSON list. Raises OSError.
    #[expect(clippy::needless_pass_by_value, reason = "a path from Python is made for the call")]
    fn to_disk(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        atomic_file::write(py, &path, self.store.to_json(JsonLayout::Lines).as_bytes())
    }

    /// Adds the strings of a file with a JSON list, and returns the store.
    ///
    /// Raises OSError, and ValueError for a file with other data.
    fn from_disk<'py>(
        slf: &Bound<'py, PyStringStore>,
        path: PathBuf,
    ) -> PyResult<Bound<'py, PyStringStore>> {
        let read = move || fs::read(&path).map_err(|error| Error::io("read", &path, error));
        let json = detached(slf.py(), read).or_raise()?;
        slf.get().store.add_json(&json).or_raise()?;
        Ok(slf.clone())
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyStringStore>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let reduced = (slf.get_type(), (slf.get().keys(py)?,));
        Ok(reduced.into_pyobject(py)?.into_any())
    }

    /// The number of additions of a string whose id belongs to another stored string.
    #[getter]
    fn collisions(&self) -> u64 {
        self.store.collisions()
    }

    /// Makes a collision of ids raise HashCollisionError instead of counting it.
    fn set_strict(&self, strict: bool) {
        self.store.set_strict(strict);
    }

    fn __repr__(&self) -> String {
        format!("<StringStore of {} strings>", self.store.len())
    }
}

impl PyStringStore {
    fn list<'py>(
        &self,
        py: Python<'py>,
        mut make: impl FnMut(StrId, &str) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut result = Ok(());
        self.store.for_each(|id, string| {
            if result.is_ok() {
                result = make(id, string).and_then(|item| list.append(item));
            }
        });
        result.map(|()| list)
    }
}

/// An id given as a number; NumPy integers and truncated floats are accepted, as in spaCy.
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
    let class = key.get_type().name()?;
    Err(PyTypeError::new_err(format!("expected a string or an id, not {class}")))
}

/// Returns the plain hash of a string, without the exceptions for symbols and the empty string.
#[pyfunction]
fn hash_string(string: &Bound<'_, PyString>) -> PyResult<u64> {
    with_utf8(string, |text| Ok(strings::hash_string(text)))
}

/// Returns the id of a string (0 for "", a small number for a symbol); a number is returned
/// unchanged.
#[pyfunction]
// stub: (key: str | SupportsIndex) -> int
// stub: (key: object) -> Any
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
    classes::add::<PyStringStore>(module)?;
    module.add_function(wrap_pyfunction!(hash_string, module)?)?;
    module.add_function(wrap_pyfunction!(get_string_id, module)?)
}
