//! Converts values to Python objects.

use std::sync::Arc;

use lexpool::tokens::Doc;
use lexpool_ops::plugin::{Owned, Tag};
use lexpool_ops::{Arg, Failure, FailureKind, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use super::{conversion_hooks, numbers};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;
use crate::runtime::op_failure::raise;

/// Maximum nesting depth of a value, so that a hostile one cannot overflow the stack.
const MAX_DEPTH: u32 = 200;

/// Converts a result. Arrays, objects and functions move into the Python object without a copy.
pub(crate) fn owned(py: Python<'_>, result: Owned<'static>) -> PyResult<Py<PyAny>> {
    match result.get().tag() {
        Some(Tag::Array) => numbers::give(py, result),
        Some(Tag::Object) => (conversion_hooks::get().wrap_object)(py, result),
        Some(Tag::Function) => (conversion_hooks::get().wrap_function)(py, result),
        _ => value(py, result.get(), 0),
    }
}

/// Converts a borrowed value: what it points to is copied or gets one more reference.
pub(super) fn borrowed(py: Python<'_>, op_value: Value<'_>) -> PyResult<Py<PyAny>> {
    value(py, op_value, 0)
}

fn value(py: Python<'_>, op_value: Value<'_>, depth: u32) -> PyResult<Py<PyAny>> {
    if depth > MAX_DEPTH {
        let text = format!("a result of lists nested more than {MAX_DEPTH} deep");
        return Err(PyTypeError::new_err(text));
    }
    let nested = |item: &Value<'_>| value(py, *item, depth + 1);
    Ok(match op_value.tag() {
        Some(Tag::None) => py.None(),
        Some(Tag::Bool) => {
            PyBool::new(py, op_value.as_bool() == Some(true)).to_owned().into_any().unbind()
        }
        Some(Tag::Int) => PyInt::new(py, op_value.as_int().unwrap_or_default()).into_any().unbind(),
        Some(Tag::Float) => {
            PyFloat::new(py, op_value.as_float().unwrap_or_default()).into_any().unbind()
        }
        Some(Tag::Str) => {
            PyString::new(py, op_value.as_str().unwrap_or_default()).into_any().unbind()
        }
        Some(Tag::Bytes) => {
            PyBytes::new(py, op_value.as_bytes().unwrap_or_default()).into_any().unbind()
        }
        Some(Tag::List) => {
            let items = op_value.as_list().unwrap_or_default().iter().map(nested);
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind()
        }
        Some(Tag::Map) => {
            let dict = PyDict::new(py);
            for [key, item] in op_value.as_map().unwrap_or_default() {
                dict.set_item(nested(key)?, nested(item)?)?;
            }
            dict.into_any().unbind()
        }
        Some(Tag::Array) => numbers::copy(py, op_value)?,
        Some(Tag::Object) => (conversion_hooks::get().wrap_object)(py, reference(op_value))?,
        Some(Tag::Function) => (conversion_hooks::get().wrap_function)(py, reference(op_value))?,
        Some(Tag::Doc) => doc(py, op_value)?,
        _ => {
            let text = format!(
                "a result of type {} cannot be converted to a Python object",
                op_value.type_name()
            );
            let wrong = Failure::new(FailureKind::Type, "op-result", text);
            return Err(raise(py, wrong));
        }
    })
}

/// Takes a reference of its own to a borrowed object or function.
fn reference(op_value: Value<'_>) -> Owned<'static> {
    op_value.to_reference().unwrap_or(Owned::NONE)
}

/// Copies a document that is passed to a callback, which may keep and change the copy.
fn doc(py: Python<'_>, op_value: Value<'_>) -> PyResult<Py<PyAny>> {
    let borrows = <&Doc as Arg>::from_value(op_value);
    let borrows = borrows.ok_or_else(|| PyTypeError::new_err("a document of another library"))?;
    let copy = borrows.try_clone().or_raise()?;
    let vocab = Py::new(py, PyVocab::new(Arc::clone(copy.vocab())))?;
    Ok(Py::new(py, PyDoc::new(copy, vocab))?.into_any())
}
