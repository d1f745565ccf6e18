//! Converts Python objects to values, by the type that an op declares.
//!
//! Holds unsafe code (invariants G1 to G3 of [`ops`](super)): reads objects through the C API, and
//! small ints and NumPy's arrays by the struct layouts of their versions.

use std::mem::MaybeUninit;

use lexpool::registry::plugin::ValueC;
use lexpool::registry::{Gil, Type, Value};
use pyo3::ffi;
use pyo3::prelude::*;

use super::borrows::CallBorrows;
use super::{arrays, containers, functions, instance};
use crate::memory::handle::Handle;
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;

/// A failed conversion of an argument.
pub(super) enum ConversionError {
    /// A wrong type. `expected` replaces the declared type in the message, `given` the argument's
    /// own type.
    Type { expected: Option<String>, given: Option<String> },
    /// An exception that was raised by the conversion.
    Raised(PyErr),
    /// An exception that is set already.
    Set,
}

impl ConversionError {
    pub(super) const TYPE: ConversionError = ConversionError::Type { expected: None, given: None };
}

impl From<PyErr> for ConversionError {
    fn from(error: PyErr) -> ConversionError {
        ConversionError::Raised(error)
    }
}

/// Converts an argument into its place.
///
/// # Safety
///
/// `given` is an object that lives for as long as the value is used, as do the things in `borrows`;
/// the GIL is held.
#[inline]
pub(super) unsafe fn put(
    ty: &Type,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
    place: &mut MaybeUninit<ValueC>,
) -> Result<(), Box<ConversionError>> {
    // Common types are written in place: a returned value is written in halves and read as a whole,
    // which stalls on store forwarding. SAFETY: G1, G2, by the contract of this function.
    unsafe {
        match ty {
            Type::Int => {
                if let Some(small) = small_int(given) {
                    place.write(Value::int(small).to_c());
                    return Ok(());
                }
            }
            Type::Str => {
                if let Some(text) = text(given) {
                    place.write(text.to_c());
                    return Ok(());
                }
            }
            Type::Object(_) => {
                if let Some(object) = instance::find(given) {
                    place.write(object.to_c());
                    return Ok(());
                }
            }
            _ => {}
        }
        place.write(take(ty, given, borrows, gil).map_err(Box::new)?);
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
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1 to G3, by this function's contract.
    unsafe {
        match ty {
            Type::Int => int(given),
            Type::Str => string(given),
            Type::Float => float(given),
            Type::Array(dtype, ndim) => arrays::take(given, *dtype, *ndim, borrows),
            Type::List(inner) => containers::list(inner, given, borrows, gil),
            Type::Callable => functions::take(given, borrows),
            Type::Object(_) => instance::find(given).map(Value::to_c).ok_or(ConversionError::TYPE),
            _ => uncommon(ty, given, borrows, gil),
        }
    }
}

/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn uncommon(
    ty: &Type,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
    gil: Gil,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        match ty {
            Type::None if ffi::Py_IsNone(given) == 1 => Ok(Value::NONE.to_c()),
            Type::Bool if ffi::PyBool_Check(given) == 1 => {
                Ok(Value::bool(given == ffi::Py_True()).to_c())
            }
            Type::Optional(inner) => match ffi::Py_IsNone(given) {
                1 => Ok(Value::NONE.to_c()),
                _ => take(inner, given, borrows, gil),
            },
            Type::Bytes => arrays::bytes(given, borrows),
            Type::Map(key, value) => containers::map(key, value, given, borrows, gil),
            Type::Records(name) => records(name, false, given, borrows),
            Type::RecordsMut(name) => records(name, true, given, borrows),
            Type::Doc => doc(given, borrows),
            Type::Vocab => vocab(given),
            Type::Any => containers::any(given, borrows, gil),
            _ => Err(ConversionError::TYPE),
        }
    }
}

/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn int(given: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if let Some(small) = small_int(given) {
            return Ok(Value::int(small).to_c());
        }
        large_int(given)
    }
}

/// Reads an int of at most one digit from the object itself.
///
/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn small_int(given: *mut ffi::PyObject) -> Option<i64> {
    #[cfg(not(any(Py_GIL_DISABLED, Py_3_14)))]
    // SAFETY: G1, G2; the exact type is checked, and these versions have this layout.
    unsafe {
        #[repr(C)]
        struct Int {
            head: ffi::PyObject,
            tag: isize,
            digit: u32,
        }
        if ffi::Py_TYPE(given) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let int = &*given.cast::<Int>();
        // Up to 3.11 the tag is the number of digits, with the sign of the number.
        #[cfg(not(Py_3_12))]
        if int.tag.unsigned_abs() <= 1 {
            return Some(int.tag as i64 * i64::from(int.digit));
        }
        // Since 3.12 its two low bits are the sign, and the number of digits begins at bit 3.
        #[cfg(Py_3_12)]
        if usize::try_from(int.tag).is_ok_and(|tag| tag < 2 << 3) {
            return Some((1 - (int.tag as i64 & 3)) * i64::from(int.digit));
        }
    }
    let _ = given;
    None
}

/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn large_int(given: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let mut index = None;
        let mut int = given;
        if ffi::PyLong_Check(given) == 0 {
            // NumPy's ints, and other objects with `__index__`. A float has none.
            if ffi::PyIndex_Check(given) == 0 {
                return Err(ConversionError::TYPE);
            }
            int = ffi::PyNumber_Index(given);
            if int.is_null() {
                return Err(ConversionError::Set);
            }
            index = Some(int);
        }
        let mut overflow = 0;
        let value = ffi::PyLong_AsLongLongAndOverflow(int, &raw mut overflow);
        if let Some(index) = index {
            ffi::Py_DECREF(index);
        }
        if overflow != 0 {
            let text = "an int that does not fit in 64 bits with a sign".to_owned();
            return Err(ConversionError::Type { expected: None, given: Some(text) });
        }
        if value == -1 && !ffi::PyErr_Occurred().is_null() {
            return Err(ConversionError::Set);
        }
        Ok(Value::int(value).to_c())
    }
}

/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn float(given: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::PyFloat_Check(given) == 0 && ffi::PyLong_Check(given) == 0 {
            let number = (*ffi::Py_TYPE(given)).tp_as_number;
            if number.is_null() || ((*number).nb_float.is_none() && (*number).nb_index.is_none()) {
                return Err(ConversionError::TYPE);
            }
        }
        let value = ffi::PyFloat_AsDouble(given);
        if value.to_bits() == (-1.0_f64).to_bits() && !ffi::PyErr_Occurred().is_null() {
            return Err(ConversionError::Set);
        }
        Ok(Value::float(value).to_c())
    }
}

/// Borrows a compact ASCII string, whose UTF-8 is the string itself; `None` for other objects.
///
/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn text<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: G1, G2; a compact ASCII string has its characters behind its header.
    unsafe {
        if ffi::PyUnicode_Check(given) == 0 || ffi::PyUnicode_IS_COMPACT_ASCII(given) == 0 {
            return None;
        }
        let at = ffi::PyUnicode_1BYTE_DATA(given);
        let len = ffi::PyUnicode_GET_LENGTH(given).unsigned_abs();
        Value::str(std::str::from_utf8_unchecked(std::slice::from_raw_parts(at, len)))
    }
}

/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn string(given: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2; the cached UTF-8 lives as long as the string.
    unsafe {
        if ffi::PyUnicode_Check(given) == 0 {
            return Err(ConversionError::TYPE);
        }
        let mut len = 0;
        let utf8 = ffi::PyUnicode_AsUTF8AndSize(given, &raw mut len);
        if utf8.is_null() {
            return Err(ConversionError::Set);
        }
        let bytes = std::slice::from_raw_parts(utf8.cast::<u8>(), len.unsigned_abs());
        let value = Value::str(std::str::from_utf8_unchecked(bytes));
        value.map(Value::to_c).ok_or_else(too_long)
    }
}

#[cold]
pub(super) fn too_long() -> ConversionError {
    let text = "more than 4 GiB or 2^32 items".to_owned();
    ConversionError::Type { expected: None, given: Some(text) }
}

/// # Safety
///
/// As for [`take`].
unsafe fn records(
    name: &str,
    writable: bool,
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        if let Ok(handle) = given.cast::<Handle>() {
            return borrows.records(handle, name, writable);
        }
        let tokens = !writable && name == "TokenC";
        match given.cast::<PyDoc>() {
            Ok(doc) if tokens => borrows.tokens(doc),
            _ => Err(ConversionError::Type {
                expected: writable.then(|| format!("{name} records under a lease")),
                given: None,
            }),
        }
    })
}

/// # Safety
///
/// As for [`take`].
unsafe fn doc(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let doc = given.cast::<PyDoc>().map_err(|_| ConversionError::TYPE)?;
        borrows.doc(doc)
    })
}

/// # Safety
///
/// As for [`take`].
unsafe fn vocab(given: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G2.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let vocab = given.cast::<PyVocab>().map_err(|_| ConversionError::TYPE)?;
        let vocab = lexpool::registry::lend_vocab(vocab.get().vocab());
        Ok(Value::vocab(vocab).to_c())
    })
}
