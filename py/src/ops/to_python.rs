//! Values to Python objects.

use std::sync::Arc;

use lexpool::registry::plugin::{Owned, Tag};
use lexpool::registry::{Arg, Failure, FailureKind, Value};
use lexpool::tokens::Doc;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use super::{arrays, failure, functions, objects};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;

/// How deep values nest, so that a hostile one does not fill the stack.
const DEEPEST: u32 = 200;

/// A result as an object; arrays, objects and functions go with it and are not copied.
pub(crate) fn owned(py: Python<'_>, result: Owned<'static>) -> PyResult<Py<PyAny>> {
    match result.get().tag() {
        Some(Tag::Array) => arrays::give(py, result),
        Some(Tag::Object) => objects::give(py, result),
        Some(Tag::Function) => functions::give(py, result),
        _ => value(py, result.get(), 0),
    }
}

/// A value that is only borrowed, as an object: what it points to is copied or counted once more.
pub(super) fn borrowed(py: Python<'_>, given: Value<'_>) -> PyResult<Py<PyAny>> {
    value(py, given, 0)
}

fn value(py: Python<'_>, given: Value<'_>, depth: u32) -> PyResult<Py<PyAny>> {
    if depth > DEEPEST {
        let text = format!("a result of lists in lists, more than {DEEPEST} deep");
        return Err(PyTypeError::new_err(text));
    }
    let nested = |item: &Value<'_>| value(py, *item, depth + 1);
    Ok(match given.tag() {
        Some(Tag::None) => py.None(),
        Some(Tag::Bool) => {
            PyBool::new(py, given.as_bool() == Some(true)).to_owned().into_any().unbind()
        }
        Some(Tag::Int) => PyInt::new(py, given.as_int().unwrap_or_default()).into_any().unbind(),
        Some(Tag::Float) => {
            PyFloat::new(py, given.as_float().unwrap_or_default()).into_any().unbind()
        }
        Some(Tag::Str) => PyString::new(py, given.as_str().unwrap_or_default()).into_any().unbind(),
        Some(Tag::Bytes) => {
            PyBytes::new(py, given.as_bytes().unwrap_or_default()).into_any().unbind()
        }
        Some(Tag::List) => {
            let items = given.as_list().unwrap_or_default().iter().map(nested);
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind()
        }
        Some(Tag::Map) => {
            let dict = PyDict::new(py);
            for [key, item] in given.as_map().unwrap_or_default() {
                dict.set_item(nested(key)?, nested(item)?)?;
            }
            dict.into_any().unbind()
        }
        Some(Tag::Array) => arrays::copy(py, given)?,
        Some(Tag::Object) => objects::borrow(py, given)?,
        Some(Tag::Function) => functions::borrow(py, given)?,
        Some(Tag::Doc) => doc(py, given)?,
        _ => {
            let text = format!("a result that is {} does not go to Python", given.type_name());
            let wrong = Failure::new(FailureKind::Type, "op-result", text);
            return Err(failure::raise(py, wrong));
        }
    })
}

/// A document that is borrows to a callback: a copy, which may be kept and changed.
fn doc(py: Python<'_>, given: Value<'_>) -> PyResult<Py<PyAny>> {
    let borrows = <&Doc as Arg>::from_value(given);
    let borrows = borrows.ok_or_else(|| PyTypeError::new_err("a document of somebody else's"))?;
    let copy = borrows.try_clone().or_raise()?;
    let vocab = Py::new(py, PyVocab::new(Arc::clone(copy.vocab())))?;
    Ok(Py::new(py, PyDoc::new(copy, vocab))?.into_any())
}
