//! JSON for the Python package, in the form of Python's `json`, whose import takes a quarter of the
//! time in which a packed pipeline loads.

use lexpool::config::{Section, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

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
    let value = from_object(value, 0)?;
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
        Value::Section(section) => {
            let dict = PyDict::new(py);
            for (name, value) in section.iter() {
                dict.set_item(name, to_object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Subclasses may have another form, so that only exact types are converted, and dicts.
fn from_object(object: &Bound<'_, PyAny>, depth: usize) -> Option<Value> {
    if object.is_none() {
        return Some(Value::Null);
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return text.to_str().ok().map(Value::from);
    }
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Some(Value::Bool(value.is_true()));
    }
    if let Ok(value) = object.cast_exact::<PyInt>() {
        return value.extract().ok().map(Value::Int);
    }
    if let Ok(value) = object.cast_exact::<PyFloat>() {
        return Some(Value::Float(value.value()));
    }
    if depth == MAX_DEPTH {
        return None;
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        let items = list.iter().map(|item| from_object(&item, depth + 1));
        return items.collect::<Option<_>>().map(Value::List);
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        let items = tuple.iter().map(|item| from_object(&item, depth + 1));
        return items.collect::<Option<_>>().map(Value::List);
    }
    let dict = object.cast::<PyDict>().ok()?;
    // A subclass, such as a counter, may have items of its own.
    let exact = dict.is_exact_instance_of::<PyDict>();
    let items = if exact { dict.items().into_any() } else { dict.call_method0("items").ok()? };
    let mut section = Section::default();
    for item in items::iterate(&items).ok()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.ok()?.extract().ok()?;
        let name = match name.cast_exact::<PyString>() {
            Ok(name) => name.to_str().ok()?.to_owned(),
            Err(_) => name.cast_exact::<PyInt>().ok()?.extract::<i64>().ok()?.to_string(),
        };
        if section.contains(&name) {
            // Python writes the names of 1 and "1" both.
            return None;
        }
        section.set(&name, from_object(&value, depth + 1)?);
    }
    Some(Value::Section(section))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_json, module)?)?;
    module.add_function(wrap_pyfunction!(write_json, module)?)
}
