//! Converts Python objects to values, by the type that an op declares.
//!
//! Holds unsafe code (invariants G1 to G3, G6 of [`ops`](super)): reads objects through the C API.
//! Converting an item of a list may run Python code that changes the list, so a reference to each
//! item is taken first.

use std::mem::MaybeUninit;

use lexpool_ops::plugin::ValueC;
use lexpool_ops::{Gil, Type, Value};
use pyo3::ffi;
use pyo3::prelude::*;

use super::borrows::CallBorrows;
use super::c_ints::ssize;
use super::conversion_error::{ConversionError, type_name};
use super::scalars::{float, int, numpy_scalar, small_int, string, text};
use super::{arrays, conversion_hooks, instance};
use crate::memory::handle::Handle;
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;

/// Maximum nesting depth of lists and dicts whose type is not declared.
const MAX_DEPTH: u32 = 64;

/// Converts an argument into its place.
///
/// # Safety
///
/// `argument` is an object that lives for as long as the value is used, as do the things in
/// `borrows`; the GIL is held.
#[inline]
pub(super) unsafe fn put(
    ty: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
    place: &mut MaybeUninit<ValueC>,
) -> Result<(), Box<ConversionError>> {
    // Common types are written in place: a returned value is written in halves and read as a whole,
    // which stalls on store forwarding. SAFETY: G1, G2, by the contract of this function.
    unsafe {
        match ty {
            Type::Int => {
                if let Some(small) = small_int(argument) {
                    place.write(Value::int(small).to_c());
                    return Ok(());
                }
            }
            Type::Str => {
                if let Some(text) = text(argument) {
                    place.write(text.to_c());
                    return Ok(());
                }
            }
            Type::Object(_) => {
                if let Some(object) = instance::find(argument) {
                    place.write(object.to_c());
                    return Ok(());
                }
            }
            _ => {}
        }
        place.write(take(ty, argument, borrows, gil).map_err(Box::new)?);
    }
    Ok(())
}

/// Converts an argument.
///
/// # Safety
///
/// As for [`put`].
pub(super) unsafe fn take(
    ty: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1 to G3, by this function's contract.
    unsafe {
        match ty {
            Type::Int => int(argument),
            Type::Str => string(argument),
            Type::Float => float(argument),
            Type::Array(dtype, ndim) => arrays::take(argument, *dtype, *ndim, borrows),
            Type::List(inner) => list(inner, argument, borrows, gil),
            Type::Callable => callable(argument, borrows),
            Type::Object(_) => {
                instance::find(argument).map(Value::to_c).ok_or(ConversionError::TYPE)
            }
            _ => uncommon(ty, argument, borrows, gil),
        }
    }
}

/// Converts an argument as [`take`] does, for the types that are seldom given.
///
/// # Safety
///
/// As for [`take`].
unsafe fn uncommon(
    ty: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        match ty {
            Type::None if ffi::Py_IsNone(argument) == 1 => Ok(Value::NONE.to_c()),
            Type::Bool if ffi::PyBool_Check(argument) == 1 => {
                Ok(Value::bool(argument == ffi::Py_True()).to_c())
            }
            Type::Optional(inner) => match ffi::Py_IsNone(argument) {
                1 => Ok(Value::NONE.to_c()),
                _ => take(inner, argument, borrows, gil),
            },
            Type::Bytes => arrays::bytes(argument, borrows),
            Type::Map(key, value) => map(key, value, argument, borrows, gil),
            Type::Records(name) => records(name, false, argument, borrows),
            Type::RecordsMut(name) => records(name, true, argument, borrows),
            Type::Doc => doc(argument, borrows),
            Type::Vocab => vocab(argument),
            Type::Any => any(argument, borrows, gil),
            _ => Err(ConversionError::TYPE),
        }
    }
}

/// Borrows the records of a handle, or the tokens of a document.
///
/// # Safety
///
/// As for [`take`].
unsafe fn records(
    name: &str,
    writable: bool,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let argument = unsafe { Bound::from_borrowed_ptr(py, argument) };
        if let Ok(handle) = argument.cast::<Handle>() {
            return borrows.records(handle, name, writable);
        }
        let tokens = !writable && name == "TokenC";
        match argument.cast::<PyDoc>() {
            Ok(doc) if tokens => borrows.tokens(doc),
            _ => Err(ConversionError::Type {
                expected: writable.then(|| format!("{name} records under a lease")),
                actual: None,
            }),
        }
    })
}

/// Borrows a document.
///
/// # Safety
///
/// As for [`take`].
unsafe fn doc(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let argument = unsafe { Bound::from_borrowed_ptr(py, argument) };
        let doc = argument.cast::<PyDoc>().map_err(|_| ConversionError::TYPE)?;
        borrows.doc(doc)
    })
}

/// Borrows a vocab.
///
/// # Safety
///
/// As for [`take`].
unsafe fn vocab(argument: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let argument = unsafe { Bound::from_borrowed_ptr(py, argument) };
        let vocab = argument.cast::<PyVocab>().map_err(|_| ConversionError::TYPE)?;
        let vocab = lexpool_ops::lend_vocab(vocab.get().vocab());
        Ok(Value::vocab(vocab).to_c())
    })
}

/// Converts a callable to a function value.
///
/// # Safety
///
/// As for [`take`].
unsafe fn callable(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    let function = unsafe {
        if ffi::PyCallable_Check(argument) == 0 {
            return Err(ConversionError::TYPE);
        }
        (conversion_hooks::get().to_function)(argument)
    };
    let value = function.value().to_c();
    borrows.function(function);
    Ok(value)
}

/// Converts the items of a list or a tuple.
///
/// # Safety
///
/// As for [`take`].
#[inline]
unsafe fn list(
    inner: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let is_list = ffi::PyList_Check(argument) == 1;
        if !is_list && ffi::PyTuple_Check(argument) == 0 {
            return iterable(inner, argument, borrows, gil);
        }
        let len = ffi::Py_SIZE(argument).unsigned_abs();
        let start = borrows.room(len);
        for i in 0..len {
            // A strong reference first: the list may lose the item meanwhile, to Python code that
            // the conversion runs, or to another thread of a free-threaded build.
            let item = if is_list {
                ffi::compat::PyList_GetItemRef(argument, ssize(i))
            } else {
                ffi::Py_NewRef(ffi::PyTuple_GET_ITEM(argument, ssize(i)))
            };
            // Python code that a conversion runs may shorten the list.
            if item.is_null() {
                ffi::PyErr_Clear();
                return Err(ConversionError::Type {
                    expected: None,
                    actual: Some("a list that shrinks while it is read".to_owned()),
                });
            }
            // An int borrows nothing; other items are kept until the call has returned.
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
        Value::list(values).map(Value::to_c).ok_or_else(ConversionError::too_long)
    }
}

/// Converts an iterable other than a string by copying it to a list.
///
/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn iterable(
    inner: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let is_text = ffi::PyUnicode_Check(argument) == 1 || ffi::PyBytes_Check(argument) == 1;
        if is_text
            || (*ffi::Py_TYPE(argument)).tp_iter.is_none()
            || ffi::PyDict_Check(argument) == 1
        {
            return Err(ConversionError::TYPE);
        }
        let item_list = ffi::PySequence_List(argument);
        if item_list.is_null() {
            return Err(ConversionError::Set);
        }
        list(inner, borrows.keep(item_list), borrows, gil)
    }
}

/// Converts the keys and values of a dict.
///
/// # Safety
///
/// As for [`take`].
unsafe fn map(
    key: &Type,
    value: &Type,
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::PyDict_Check(argument) == 0 {
            return Err(ConversionError::TYPE);
        }
        // A copy of the items: converting them may run Python code that changes the dict.
        let items = ffi::PyDict_Items(argument);
        if items.is_null() {
            return Err(ConversionError::Set);
        }
        let item_list = borrows.keep(items);
        let len = ffi::Py_SIZE(item_list).unsigned_abs();
        let start = borrows.room(2 * len);
        for i in 0..len {
            let pair = ffi::PyList_GET_ITEM(item_list, ssize(i));
            let (name, item) = (ffi::PyTuple_GET_ITEM(pair, 0), ffi::PyTuple_GET_ITEM(pair, 1));
            let conversion = take(key, name, borrows, gil);
            let name = conversion.map_err(|refused| within(refused, name, "a key"))?;
            borrows.put(start + 2 * i, name);
            let conversion = take(value, item, borrows, gil);
            let item = conversion.map_err(|refused| within(refused, item, "a value"))?;
            borrows.put(start + 2 * i + 1, item);
        }
        Value::map(borrows.pairs(start, len)).map(Value::to_c).ok_or_else(ConversionError::too_long)
    }
}

/// Adds the place inside the argument to an error.
#[cold]
unsafe fn within(
    refused: ConversionError,
    item: *mut ffi::PyObject,
    place: &str,
) -> ConversionError {
    match refused {
        ConversionError::Type { expected, actual } => {
            // SAFETY: G1, G2.
            let actual = actual.unwrap_or_else(|| unsafe { type_name(item) });
            ConversionError::Type { expected, actual: Some(format!("{actual} for {place}")) }
        }
        other => other,
    }
}

/// Converts an object by its own type.
///
/// # Safety
///
/// As for [`take`].
unsafe fn any(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::Py_IsNone(argument) == 1 {
            return Ok(Value::NONE.to_c());
        } else if ffi::PyBool_Check(argument) == 1 {
            return uncommon(&Type::Bool, argument, borrows, gil);
        } else if ffi::PyLong_Check(argument) == 1 {
            return int(argument);
        } else if ffi::PyFloat_Check(argument) == 1 {
            return float(argument);
        } else if ffi::PyUnicode_Check(argument) == 1 {
            return string(argument);
        } else if ffi::PyBytes_Check(argument) == 1 {
            return arrays::bytes(argument, borrows);
        } else if ffi::PyDict_Check(argument) == 1 {
            return nested(borrows, |borrows| map(&Type::Any, &Type::Any, argument, borrows, gil));
        } else if ffi::PyList_Check(argument) == 1 || ffi::PyTuple_Check(argument) == 1 {
            return nested(borrows, |borrows| list(&Type::Any, argument, borrows, gil));
        }
        for way in [Type::Doc, Type::Vocab] {
            match uncommon(&way, argument, borrows, gil) {
                Err(ConversionError::Type { .. }) => {}
                settled => return settled,
            }
        }
        if let Some(scalar) = numpy_scalar(argument) {
            return scalar;
        }
        if let Some(object) = instance::find(argument) {
            return Ok(object.to_c());
        }
        if ffi::PyCallable_Check(argument) == 1 {
            return callable(argument, borrows);
        }
        arrays::take_any(argument, borrows)
    }
}

/// Enters a nested list or dict, up to the maximum depth.
fn nested(
    borrows: &mut CallBorrows,
    inner: impl FnOnce(&mut CallBorrows) -> Result<ValueC, ConversionError>,
) -> Result<ValueC, ConversionError> {
    if borrows.depth >= MAX_DEPTH {
        let text = format!("lists in lists, more than {MAX_DEPTH} deep");
        return Err(ConversionError::Type { expected: None, actual: Some(text) });
    }
    borrows.depth += 1;
    let conversion = inner(borrows);
    borrows.depth -= 1;
    conversion
}
