//! Conversion of ints, floats and strings to values.
//!
//! Holds unsafe code (invariants G1, G2 of [`ops`](super)): reads objects through the C API, and
//! small ints by the struct layouts of their versions.

use std::ffi::CStr;

use lexpool_ops::Value;
use lexpool_ops::plugin::ValueC;
use pyo3::ffi;

use super::conversion_error::ConversionError;

/// Converts an int, or an object with `__index__`.
///
/// # Safety
///
/// `argument` is an object that lives for as long as the value is used; the GIL is held.
#[inline]
pub(super) unsafe fn int(argument: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if let Some(small) = small_int(argument) {
            return Ok(Value::int(small).to_c());
        }
        large_int(argument)
    }
}

/// Reads an int of at most one digit from the object itself.
///
/// # Safety
///
/// As for [`int`].
#[inline]
pub(super) unsafe fn small_int(argument: *mut ffi::PyObject) -> Option<i64> {
    #[cfg(not(any(Py_GIL_DISABLED, Py_3_14)))]
    // SAFETY: G1, G2; the exact type is checked, and these versions have this layout.
    unsafe {
        #[repr(C)]
        struct Int {
            head: ffi::PyObject,
            tag: isize,
            digit: u32,
        }
        if ffi::Py_TYPE(argument) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let int = &*argument.cast::<Int>();
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
    let _ = argument;
    None
}

/// Converts an integer of any size, or an object with `__index__`.
///
/// # Safety
///
/// As for [`int`].
#[cold]
unsafe fn large_int(argument: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let mut index = None;
        let mut int = argument;
        if ffi::PyLong_Check(argument) == 0 {
            // NumPy's ints, and other objects with `__index__`. A float has none.
            if ffi::PyIndex_Check(argument) == 0 {
                return Err(ConversionError::TYPE);
            }
            int = ffi::PyNumber_Index(argument);
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
            return Err(ConversionError::Type { expected: None, actual: Some(text) });
        }
        if value == -1 && !ffi::PyErr_Occurred().is_null() {
            return Err(ConversionError::Set);
        }
        Ok(Value::int(value).to_c())
    }
}

/// Converts a float, or an object with `__float__` or `__index__`.
///
/// # Safety
///
/// As for [`int`].
pub(super) unsafe fn float(argument: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::PyFloat_Check(argument) == 0 && ffi::PyLong_Check(argument) == 0 {
            let number = (*ffi::Py_TYPE(argument)).tp_as_number;
            if number.is_null() || ((*number).nb_float.is_none() && (*number).nb_index.is_none()) {
                return Err(ConversionError::TYPE);
            }
        }
        let value = ffi::PyFloat_AsDouble(argument);
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
/// As for [`int`].
#[inline]
pub(super) unsafe fn text<'a>(argument: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: G1, G2; a compact ASCII string has its characters behind its header.
    unsafe {
        if ffi::PyUnicode_Check(argument) == 0 || ffi::PyUnicode_IS_COMPACT_ASCII(argument) == 0 {
            return None;
        }
        let at = ffi::PyUnicode_1BYTE_DATA(argument);
        let len = ffi::PyUnicode_GET_LENGTH(argument).unsigned_abs();
        Value::str(std::str::from_utf8_unchecked(std::slice::from_raw_parts(at, len)))
    }
}

/// Borrows the UTF-8 of a string, which the string caches.
///
/// # Safety
///
/// As for [`int`].
pub(super) unsafe fn string(argument: *mut ffi::PyObject) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2; the cached UTF-8 lives as long as the string.
    unsafe {
        if ffi::PyUnicode_Check(argument) == 0 {
            return Err(ConversionError::TYPE);
        }
        let mut len = 0;
        let utf8 = ffi::PyUnicode_AsUTF8AndSize(argument, &raw mut len);
        if utf8.is_null() {
            return Err(ConversionError::Set);
        }
        let bytes = std::slice::from_raw_parts(utf8.cast::<u8>(), len.unsigned_abs());
        let value = Value::str(std::str::from_utf8_unchecked(bytes));
        value.map(Value::to_c).ok_or_else(ConversionError::too_long)
    }
}

/// Converts a NumPy scalar, which exports a buffer but is not an array; `None` for any other
/// object.
///
/// # Safety
///
/// As for [`int`].
pub(super) unsafe fn numpy_scalar(
    argument: *mut ffi::PyObject,
) -> Option<Result<ValueC, ConversionError>> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let class = ffi::Py_TYPE(argument);
        let name = CStr::from_ptr((*class).tp_name).to_bytes();
        let kind = name.strip_prefix(b"numpy.")?;
        if matches!(kind, b"bool" | b"bool_") {
            let truth = ffi::PyObject_IsTrue(argument);
            return Some(match truth {
                -1 => Err(ConversionError::Set),
                _ => Ok(Value::bool(truth == 1).to_c()),
            });
        }
        if kind.starts_with(b"int") || kind.starts_with(b"uint") {
            return Some(int(argument));
        }
        kind.starts_with(b"float").then(|| float(argument))
    }
}
