//! JSON for the Python package, in the form of Python's `json`, whose import takes a quarter of the
//! time in which a packed pipeline loads.

use std::fmt;

use lexpool::config::{Section, Value};
use lexpool::{Error, codes};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::runtime::error::to_py;
use crate::runtime::items;

/// The number of nested lists and dicts that are written.
const MAX_DEPTH: usize = 100;

/// read_json(text) -> object
///
/// Read a JSON text as `json.loads` does. Raises ValueError for invalid JSON, and for
/// integers beyond 64 bits, surrogates without their pair and more than 100 levels, which `json`
/// reads.
#[pyfunction]
// stub: (text: str) -> Any
fn read_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value = Value::from_json(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    to_object(py, &value)
}

/// write_json(value, compact=False) -> str | None
///
/// Write a value as `json.dumps` does; compact, without spaces after commas and colons. Returns
/// None if it contains anything but None, booleans, integers of 64 bits, floats, strings, and
/// lists, tuples and dicts of them, whose keys may be integers, or more than 100 levels.
#[pyfunction(signature = (value, compact=false))]
// stub: (value: object) -> str | None
fn write_json(value: &Bound<'_, PyAny>, compact: bool) -> Option<String> {
    let value = from_object(value, 0).ok()?;
    Some(if compact { value.to_compact_json() } else { value.to_json() })
}

pub(crate) fn to_object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::Text(text) => PyString::new(py, text).into_any(),
        Value::List(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(to_object(py, item)?))?;
            list.into_any()
        }
        Value::Section(section) => to_dict(py, section)?.into_any(),
    })
}

/// Converts a section into a dict.
pub(crate) fn to_dict<'py>(py: Python<'py>, section: &Section) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in section.iter() {
        dict.set_item(name, to_object(py, value)?)?;
    }
    Ok(dict)
}

/// A setting that a caller passed, which may be a value of any kind. The extraction raises as that
/// of [`Settings`] does.
pub(crate) struct Setting(pub(crate) Value);

impl<'py> FromPyObject<'_, 'py> for Setting {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Setting> {
        from_object(&object, 0).map(Setting).map_err(|refusal| to_py(&refusal.into()))
    }
}

/// The settings of a dict that a caller passed.
///
/// The extraction raises ConfigError (E961) with the key of a value that JSON cannot have.
pub(crate) struct Settings(pub(crate) Section);

impl<'py> FromPyObject<'_, 'py> for Settings {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Settings> {
        let Ok(dict) = object.cast::<PyDict>() else {
            let name = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a dict of settings, not {name}")));
        };
        let section = section_of(&dict, |value| from_object(value, 0));
        section.map(Settings).map_err(|refusal| to_py(&refusal.into()))
    }
}

/// An object that JSON cannot have.
pub(crate) struct JsonRefusal {
    /// The keys that lead to the object, the innermost first.
    keys: Vec<String>,
    reason: String,
}

impl JsonRefusal {
    fn new(reason: impl Into<String>) -> JsonRefusal {
        JsonRefusal { keys: Vec::new(), reason: reason.into() }
    }

    fn of_type(object: &Bound<'_, PyAny>) -> JsonRefusal {
        let kind = object.get_type().name().map(|name| name.to_string());
        let kind = kind.unwrap_or_else(|_| "object".to_owned());
        JsonRefusal::new(format!("is of the type {kind}, which cannot be written as JSON"))
    }

    fn under(mut self, key: &str) -> JsonRefusal {
        self.keys.push(key.to_owned());
        self
    }
}

impl fmt::Display for JsonRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<&str> = self.keys.iter().rev().map(String::as_str).take(8).collect();
        let rest = if self.keys.len() > path.len() { ". ..." } else { "" };
        write!(f, "{}{rest} {}", path.join("."), self.reason)
    }
}

impl From<JsonRefusal> for Error {
    fn from(refusal: JsonRefusal) -> Error {
        Error::value(codes::E961, refusal.to_string())
    }
}

/// Converts an object as `json.dumps` writes it: a subclass of `str`, `int`, `float`, `list` or
/// `tuple` as its base, a dict by its method `items`.
pub(crate) fn from_object(object: &Bound<'_, PyAny>, depth: usize) -> Result<Value, JsonRefusal> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = object.cast::<PyString>() {
        let text = text.to_str().map_err(|_| JsonRefusal::new("has a surrogate alone"))?;
        return Ok(Value::from(text));
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if let Ok(value) = object.cast::<PyInt>() {
        let number = value.extract().map(Value::Int);
        return number.map_err(|_| JsonRefusal::new("is an integer of more than 64 bits"));
    }
    if let Ok(value) = object.cast::<PyFloat>() {
        return Ok(Value::Float(value.value()));
    }
    if depth == MAX_DEPTH {
        return Err(JsonRefusal::new("is nested in more than 100 levels; write it flatter"));
    }
    let item = |(position, item): (usize, Bound<'_, PyAny>)| {
        from_object(&item, depth + 1).map_err(|refusal| refusal.under(&position.to_string()))
    };
    if let Ok(list) = object.cast::<PyList>() {
        return list.iter().enumerate().map(item).collect::<Result<_, _>>().map(Value::List);
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter().enumerate().map(item).collect::<Result<_, _>>().map(Value::List);
    }
    let dict = object.cast::<PyDict>().map_err(|_| JsonRefusal::of_type(object))?;
    section_of(dict, |value| from_object(value, depth + 1)).map(Value::Section)
}

/// Converts a dict, with a function that converts its values.
fn section_of(
    dict: &Bound<'_, PyDict>,
    value_of: impl Fn(&Bound<'_, PyAny>) -> Result<Value, JsonRefusal>,
) -> Result<Section, JsonRefusal> {
    let failed = |_| JsonRefusal::of_type(dict);
    // A subclass, such as a counter, may have items of its own.
    let is_exact = dict.is_exact_instance_of::<PyDict>();
    let items = if is_exact {
        dict.items().into_any()
    } else {
        dict.call_method0("items").map_err(failed)?
    };
    let mut section = Section::default();
    for item in items::iterate(&items).map_err(failed)? {
        let item = item.and_then(|item| item.extract());
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.map_err(failed)?;
        let name = match key.cast::<PyString>() {
            Ok(key) => key.to_str().map(str::to_owned),
            Err(_) => match key.cast_exact::<PyInt>() {
                Ok(key) => key.extract().map(|number: i64| number.to_string()),
                Err(_) => return Err(JsonRefusal::of_type(&key).under("a key")),
            },
        };
        let name = name.map_err(|_| JsonRefusal::new("has a key that UTF-8 cannot encode"))?;
        if section.contains(&name) {
            // Python writes the names of 1 and "1" both.
            return Err(JsonRefusal::new(format!("has the key {name:?} twice")));
        }
        let converted = value_of(&value).map_err(|refusal| refusal.under(&name))?;
        section.set(&name, converted);
    }
    Ok(section)
}
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_json, module)?)?;
    module.add_function(wrap_pyfunction!(write_json, module)?)
}
