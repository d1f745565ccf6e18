//! Conversion of arrays and bytes to values without a copy: buffers, NumPy's arrays, DLPack.
//!
//! Holds unsafe code (invariants G1 to G3 of [`ops`](super)): views that CPython fills, and the
//! first fields of NumPy's array struct, which have not changed since its first version.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use lexpool_ops::Value;
use lexpool_ops::plugin::{ArrayC, Dtype, ValueC};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::borrows::CallBorrows;
use super::conversion_error::ConversionError;
use super::dlpack;

/// Converts an argument to an array of a declared type.
///
/// # Safety
///
/// As for [`from_python::put`](super::from_python::put).
pub(super) unsafe fn take(
    argument: *mut ffi::PyObject,
    dtype: Dtype,
    ndim: Option<u32>,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    let array = unsafe {
        if is_listed(argument) {
            listed(argument, dtype, borrows)?
        } else {
            note_ndarray(ffi::Py_TYPE(argument));
            buffer(argument, borrows)?
        }
    };
    if !fits(&array, dtype, ndim) {
        return Err(other_array(&array));
    }
    Ok(borrows.array(array))
}

/// Returns whether an argument is a list or a tuple.
///
/// # Safety
///
/// As for [`take`].
unsafe fn is_listed(argument: *mut ffi::PyObject) -> bool {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { ffi::PyList_Check(argument) == 1 || ffi::PyTuple_Check(argument) == 1 }
}

/// Copies numbers of a list or tuple into an array of one dimension, by Python's `array`.
///
/// Cost: a pass over the items.
///
/// # Safety
///
/// As for [`take`].
unsafe fn listed(
    argument: *mut ffi::PyObject,
    dtype: Dtype,
    borrows: &mut CallBorrows,
) -> Result<ArrayC, ConversionError> {
    let code = match dtype {
        Dtype::I8 => "b",
        Dtype::U8 => "B",
        Dtype::I16 => "h",
        Dtype::U16 => "H",
        Dtype::I32 => "i",
        Dtype::U32 => "I",
        Dtype::I64 => "q",
        Dtype::U64 => "Q",
        Dtype::F32 => "f",
        Dtype::F64 => "d",
        _ => return Err(ConversionError::TYPE),
    };
    Python::attach(|py| {
        // SAFETY: G2, by the contract of this function.
        let items = unsafe { Bound::from_borrowed_ptr(py, argument) };
        let numbers = py.import("array")?.getattr("array")?.call1((code, items));
        let numbers = numbers.map_err(|error| {
            let is_item = error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyOverflowError>(py);
            if !is_item {
                return ConversionError::Raised(error);
            }
            let reason = error.value(py).to_string();
            let actual = Some(format!("a list with an item that is no such number ({reason})"));
            ConversionError::Type { expected: None, actual }
        })?;
        // SAFETY: G1: the view that `borrows` keeps has a reference to `numbers`.
        unsafe { buffer(numbers.as_ptr(), borrows) }
    })
}

/// Checks the dtype and dimensions of an array against the declared type.
#[inline]
pub(super) fn fits(array: &ArrayC, dtype: Dtype, ndim: Option<u32>) -> bool {
    array.dtype() == Some(dtype)
        && ndim.is_none_or(|ndim| array.shape().len() == ndim as usize)
        && array.is_contiguous()
}

/// Converts an argument to an array of its own type.
///
/// # Safety
///
/// As for [`from_python::put`](super::from_python::put).
pub(super) unsafe fn take_any(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let array = buffer(argument, borrows)?;
        if !array.is_contiguous() {
            return Err(other_array(&array));
        }
        Ok(borrows.array(array))
    }
}

#[cold]
fn other_array(array: &ArrayC) -> ConversionError {
    let dtype = array.dtype().map_or("unknown", Dtype::name);
    let order = if array.is_contiguous() { "" } else { ", not in C order" };
    let actual = format!("an array of {dtype} with the shape {:?}{order}", array.shape());
    ConversionError::Type { expected: None, actual: Some(actual) }
}

/// The first fields of NumPy's array struct.
#[repr(C)]
struct NumpyArray {
    head: ffi::PyObject,
    data: *mut u8,
    ndim: c_int,
    shape: *const isize,
    strides: *const isize,
    base: *mut ffi::PyObject,
    descr: *const NumpyDescr,
    flags: c_int,
}

/// The first fields of NumPy's dtype struct.
#[repr(C)]
struct NumpyDescr {
    head: ffi::PyObject,
    typeobj: *mut ffi::PyTypeObject,
    kind: c_char,
    letter: c_char,
    byteorder: u8,
    flags: c_char,
    number: c_int,
}

/// `numpy.ndarray`, once the first array was seen.
static NDARRAY: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(std::ptr::null_mut());

/// Converts an exact `numpy.ndarray` by its own fields: the number of its dtype, and the flag that
/// its items are contiguous.
///
/// # Safety
///
/// As for [`take`]; the result holds until code of Python's runs.
#[inline]
pub(super) unsafe fn numpy_of(
    argument: *mut ffi::PyObject,
    dtype: Dtype,
    ndim: Option<u32>,
) -> Option<ArrayC> {
    const CONTIGUOUS: c_int = 0x0001;
    const WRITABLE: c_int = 0x0400;
    // SAFETY: the type says that it is NumPy's.
    unsafe {
        let class = ffi::Py_TYPE(argument);
        if class != NDARRAY.load(Ordering::Relaxed) {
            return None;
        }
        let array = &*argument.cast::<NumpyArray>();
        let descr = &*array.descr;
        let number = usize::try_from(descr.number).ok()?;
        let native = matches!(descr.byteorder, b'=' | b'|');
        let fits = native
            && NUMBERS.get(number) == Some(&dtype)
            && array.flags & CONTIGUOUS != 0
            && ndim.is_none_or(|ndim| array.ndim.unsigned_abs() == ndim);
        let writable = array.flags & WRITABLE != 0;
        let (ndim, gaps) = (array.ndim.unsigned_abs(), std::ptr::null());
        fits.then(|| ArrayC::new(dtype, array.data, ndim, array.shape, gaps, writable))
    }
}

/// The dtypes by NumPy's type numbers, from `bool` to `float64`.
const NUMBERS: [Dtype; 13] = {
    let (long, ulong) = match size_of::<std::ffi::c_long>() {
        8 => (Dtype::I64, Dtype::U64),
        _ => (Dtype::I32, Dtype::U32),
    };
    [
        Dtype::Bool,
        Dtype::I8,
        Dtype::U8,
        Dtype::I16,
        Dtype::U16,
        Dtype::I32,
        Dtype::U32,
        long,
        ulong,
        Dtype::I64,
        Dtype::U64,
        Dtype::F32,
        Dtype::F64,
    ]
};

/// Remembers NumPy's array type when the first array is seen.
///
/// # Safety
///
/// The type lives, and the GIL is held.
unsafe fn note_ndarray(class: *mut ffi::PyTypeObject) {
    // SAFETY: a type that lives has a name.
    let is_named = || unsafe { CStr::from_ptr((*class).tp_name) }.to_bytes() == b"numpy.ndarray";
    if !NDARRAY.load(Ordering::Relaxed).is_null() || !is_named() {
        return;
    }
    Python::attach(|py| {
        // A class of another library may have the same name.
        let numpy = py.import("sys").and_then(|sys| sys.getattr("modules")?.get_item("numpy"));
        let ndarray = numpy.and_then(|numpy| numpy.getattr("ndarray"));
        if ndarray.is_ok_and(|ndarray| ndarray.as_ptr() == class.cast()) {
            // SAFETY: kept for good, so that no other type gets its address.
            unsafe { ffi::Py_INCREF(class.cast()) };
            NDARRAY.store(class, Ordering::Relaxed);
        }
    });
}

/// Borrows the numbers of an object through the buffer protocol or, failing that, DLPack.
///
/// # Safety
///
/// As for [`take`].
unsafe fn buffer(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ArrayC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::PyObject_CheckBuffer(argument) == 0 {
            let (array, tensor) = dlpack::import(argument)?;
            borrows.tensor(tensor);
            return Ok(array);
        }
        let mut view = Box::new(std::mem::zeroed::<ffi::Py_buffer>());
        let flags = ffi::PyBUF_STRIDES | ffi::PyBUF_FORMAT;
        if ffi::PyObject_GetBuffer(argument, &raw mut *view, flags) != 0 {
            return Err(ConversionError::Set);
        }
        let view = borrows.buffer(view);
        let format = if view.format.is_null() { c"B" } else { CStr::from_ptr(view.format) };
        let dtype = dtype_of(format.to_bytes(), view.itemsize.unsigned_abs());
        let Some(dtype) = dtype else {
            let format = format.to_string_lossy();
            let actual = format!("a buffer of items of the format {format:?}");
            return Err(ConversionError::Type { expected: None, actual: Some(actual) });
        };
        let (shape, strides) = (view.shape.cast_const(), view.strides.cast_const());
        let ndim = view.ndim.unsigned_abs();
        // An empty `array.array` has an address of any alignment.
        let data = match view.len {
            0 => NonNull::<u128>::dangling().as_ptr().cast(),
            _ => view.buf.cast(),
        };
        Ok(ArrayC::new(dtype, data, ndim, shape, strides, view.readonly == 0))
    }
}

/// Converts bytes, or an object that exports a buffer of bytes.
///
/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn bytes(
    argument: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let bytes = if ffi::PyBytes_Check(argument) == 1 {
            let at = ffi::PyBytes_AsString(argument).cast::<u8>();
            std::slice::from_raw_parts(at, ffi::PyBytes_Size(argument).unsigned_abs())
        } else {
            if ffi::PyObject_CheckBuffer(argument) == 0 {
                return Err(ConversionError::TYPE);
            }
            let mut view = Box::new(std::mem::zeroed::<ffi::Py_buffer>());
            if ffi::PyObject_GetBuffer(argument, &raw mut *view, ffi::PyBUF_SIMPLE) != 0 {
                return Err(ConversionError::Set);
            }
            let view = borrows.buffer(view);
            if view.buf.is_null() {
                &[]
            } else {
                std::slice::from_raw_parts(view.buf.cast(), view.len.unsigned_abs())
            }
        };
        let too_long =
            || ConversionError::Type { expected: None, actual: Some("more than 4 GiB".to_owned()) };
        Value::bytes(bytes).map(Value::to_c).ok_or_else(too_long)
    }
}

/// Converts a format of the `struct` module, with the size of an item, to a dtype.
fn dtype_of(format: &[u8], size: usize) -> Option<Dtype> {
    let native: &[u8] = match format {
        [b'@' | b'=', rest @ ..] => rest,
        #[cfg(target_endian = "little")]
        [b'<', rest @ ..] => rest,
        #[cfg(target_endian = "big")]
        [b'>' | b'!', rest @ ..] => rest,
        _ => format,
    };
    let &[letter] = native else { return None };
    match (letter, size) {
        (b'?', 1) => Some(Dtype::Bool),
        (b'b', 1) => Some(Dtype::I8),
        (b'B', 1) => Some(Dtype::U8),
        (b'h', 2) => Some(Dtype::I16),
        (b'H', 2) => Some(Dtype::U16),
        (b'i' | b'l' | b'q' | b'n', 4) => Some(Dtype::I32),
        (b'I' | b'L' | b'Q' | b'N', 4) => Some(Dtype::U32),
        (b'i' | b'l' | b'q' | b'n', 8) => Some(Dtype::I64),
        (b'I' | b'L' | b'Q' | b'N', 8) => Some(Dtype::U64),
        (b'f', 4) => Some(Dtype::F32),
        (b'd', 8) => Some(Dtype::F64),
        _ => None,
    }
}
