//! Lists and dicts to values, and objects by what they are themselves.
//!
//! Holds unsafe code: reads objects through the C API. Taking an item may run code of Python's that
//! changes the list, so what an item lends is kept before it is looked at.

use lexpool::registry::plugin::ValueC;
use lexpool::registry::{Gil, Type, Value};
use pyo3::ffi;

use super::borrows::CallBorrows;
use super::from_python::{
    ConversionError, float, int, small_int, string, take, too_long, uncommon,
};
use super::{arrays, failure, functions, instance, ssize};

/// How deep lists and dicts nest where their depth is not declared.
const DEEPEST: u32 = 64;

/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn list(
    inner: &Type,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: as the caller promises.
    unsafe {
        let is_list = ffi::PyList_Check(given) == 1;
        if !is_list && ffi::PyTuple_Check(given) == 0 {
            return iterable(inner, given, borrows, gil);
        }
        let len = ffi::Py_SIZE(given).unsigned_abs();
        let start = borrows.room(len);
        for i in 0..len {
            // A reference of our own before it is looked at: the list may lose the item meanwhile, to code
            // that taking it runs, or to another thread of a free-threaded Python.
            let item = if is_list {
                ffi::compat::PyList_GetItemRef(given, ssize(i))
            } else {
                ffi::Py_NewRef(ffi::PyTuple_GET_ITEM(given, ssize(i)))
            };
            // Taking an item may run code that shortens the list.
            if item.is_null() {
                ffi::PyErr_Clear();
                return Err(ConversionError::Type {
                    expected: None,
                    given: Some("a list that shrinks while it is read".to_owned()),
                });
            }
            // An int borrows nothing; all else is kept until the call has returned.
            if matches!(inner, Type::Int) {
                if let Some(small) = small_int(item) {
                    borrows.put(start + i, Value::int(small).to_c());
                    ffi::Py_DECREF(item);
                    continue;
                }
            }
            let value = take(inner, borrows.keep(item), borrows, gil);
            let value = value.map_err(|refused| within(refused, item, &format!("item {i}")))?;
            borrows.put(start + i, value);
        }
        let values = borrows.values(start, len);
        Value::list(values).map(Value::to_c).ok_or_else(too_long)
    }
}

/// Any other iterable but a string, by way of a list.
///
/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn iterable(
    inner: &Type,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: as the caller promises.
    unsafe {
        let is_text = ffi::PyUnicode_Check(given) == 1 || ffi::PyBytes_Check(given) == 1;
        if is_text || (*ffi::Py_TYPE(given)).tp_iter.is_none() || ffi::PyDict_Check(given) == 1 {
            return Err(ConversionError::TYPE);
        }
        let made = ffi::PySequence_List(given);
        if made.is_null() {
            return Err(ConversionError::Set);
        }
        list(inner, borrows.keep(made), borrows, gil)
    }
}

/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn map(
    key: &Type,
    value: &Type,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: as the caller promises.
    unsafe {
        if ffi::PyDict_Check(given) == 0 {
            return Err(ConversionError::TYPE);
        }
        // The items as they are now, for taking them may run code that changes the dict.
        let items = ffi::PyDict_Items(given);
        if items.is_null() {
            return Err(ConversionError::Set);
        }
        let kept = borrows.keep(items);
        let len = ffi::Py_SIZE(kept).unsigned_abs();
        let start = borrows.room(2 * len);
        for i in 0..len {
            let pair = ffi::PyList_GET_ITEM(kept, ssize(i));
            let (name, item) = (ffi::PyTuple_GET_ITEM(pair, 0), ffi::PyTuple_GET_ITEM(pair, 1));
            let taken = take(key, name, borrows, gil);
            let taken = taken.map_err(|refused| within(refused, name, "a key"))?;
            borrows.put(start + 2 * i, taken);
            let taken = take(value, item, borrows, gil);
            let taken = taken.map_err(|refused| within(refused, item, "a value"))?;
            borrows.put(start + 2 * i + 1, taken);
        }
        Value::map(borrows.pairs(start, len)).map(Value::to_c).ok_or_else(too_long)
    }
}

/// A refusal of something inside of an argument.
#[cold]
unsafe fn within(
    refused: ConversionError,
    item: *mut ffi::PyObject,
    place: &str,
) -> ConversionError {
    match refused {
        ConversionError::Type { expected, given } => {
            // SAFETY: the item lives.
            let given = given.unwrap_or_else(|| unsafe { failure::type_name(item) });
            ConversionError::Type { expected, given: Some(format!("{given} for {place}")) }
        }
        other => other,
    }
}

/// A value by what the object itself is.
///
/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn any(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: as the caller promises.
    unsafe {
        if ffi::Py_IsNone(given) == 1 {
            return Ok(Value::NONE.to_c());
        } else if ffi::PyBool_Check(given) == 1 {
            return uncommon(&Type::Bool, given, borrows, gil);
        } else if ffi::PyLong_Check(given) == 1 {
            return int(given);
        } else if ffi::PyFloat_Check(given) == 1 {
            return float(given);
        } else if ffi::PyUnicode_Check(given) == 1 {
            return string(given);
        } else if ffi::PyBytes_Check(given) == 1 {
            return arrays::bytes(given, borrows);
        } else if ffi::PyDict_Check(given) == 1 {
            return nested(borrows, |borrows| map(&Type::Any, &Type::Any, given, borrows, gil));
        } else if ffi::PyList_Check(given) == 1 || ffi::PyTuple_Check(given) == 1 {
            return nested(borrows, |borrows| list(&Type::Any, given, borrows, gil));
        }
        for way in [Type::Doc, Type::Vocab] {
            match uncommon(&way, given, borrows, gil) {
                Err(ConversionError::Type { .. }) => {}
                settled => return settled,
            }
        }
        if let Some(scalar) = arrays::scalar(given) {
            return scalar;
        }
        if let Some(object) = instance::find(given) {
            return Ok(object.to_c());
        }
        if ffi::PyCallable_Check(given) == 1 {
            return functions::take(given, borrows);
        }
        arrays::take_any(given, borrows)
    }
}

/// Goes into a list or dict, but not too deep.
fn nested(
    borrows: &mut CallBorrows,
    inner: impl FnOnce(&mut CallBorrows) -> Result<ValueC, ConversionError>,
) -> Result<ValueC, ConversionError> {
    if borrows.depth >= DEEPEST {
        let text = format!("lists in lists, more than {DEEPEST} deep");
        return Err(ConversionError::Type { expected: None, given: Some(text) });
    }
    borrows.depth += 1;
    let taken = inner(borrows);
    borrows.depth -= 1;
    taken
}
