//! Arrays in both directions without a copy: buffers, NumPy's arrays, DLPack; and bytes.
//!
//! Holds unsafe code (invariants G1 to G3 of [`ops`](super)): views that CPython fills, the first
//! fields of NumPy's array struct, which have not changed since its first version, and the structs
//! of DLPack.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use lexpool::registry::Value;
use lexpool::registry::plugin::{ArrayC, Dtype, Owned, ValueC, copy_array};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use super::borrows::{CallBorrows, dtype_of};
use super::from_python::{self, ConversionError};
use super::ssize;

use crate::runtime::classes::{self, class};

/// Converts an argument to an array of a declared type.
///
/// # Safety
///
/// As for [`from_python::put`](super::from_python::put).
pub(super) unsafe fn take(
    given: *mut ffi::PyObject,
    dtype: Dtype,
    ndim: Option<u32>,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    let array = unsafe {
        note_ndarray(ffi::Py_TYPE(given));
        buffer(given, borrows)?
    };
    if !fits(&array, dtype, ndim) {
        return Err(other_array(&array));
    }
    Ok(borrows.array(array))
}

/// Checks the dtype and dimensions of an array against the declared type.
#[inline]
pub(super) fn fits(array: &ArrayC, dtype: Dtype, ndim: Option<u32>) -> bool {
    array.dtype() == Some(dtype)
        && ndim.is_none_or(|ndim| array.shape().len() == ndim as usize)
        && array.is_contiguous()
}

/// Converts a NumPy scalar, which exports a buffer but is not an array; `None` for any other
/// object.
///
/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn scalar(given: *mut ffi::PyObject) -> Option<Result<ValueC, ConversionError>> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let class = ffi::Py_TYPE(given);
        let name = CStr::from_ptr((*class).tp_name).to_bytes();
        let kind = name.strip_prefix(b"numpy.")?;
        if matches!(kind, b"bool" | b"bool_") {
            let truth = ffi::PyObject_IsTrue(given);
            return Some(match truth {
                -1 => Err(ConversionError::Set),
                _ => Ok(Value::bool(truth == 1).to_c()),
            });
        }
        if kind.starts_with(b"int") || kind.starts_with(b"uint") {
            return Some(from_python::int(given));
        }
        kind.starts_with(b"float").then(|| from_python::float(given))
    }
}

/// Converts an argument to an array of its own type.
///
/// # Safety
///
/// As for [`from_python::take`](super::from_python::put).
pub(super) unsafe fn take_any(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let array = buffer(given, borrows)?;
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
    let given = format!("an array of {dtype} with the shape {:?}{order}", array.shape());
    ConversionError::Type { expected: None, given: Some(given) }
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
    given: *mut ffi::PyObject,
    dtype: Dtype,
    ndim: Option<u32>,
) -> Option<ArrayC> {
    const CONTIGUOUS: c_int = 0x0001;
    const WRITABLE: c_int = 0x0400;
    // SAFETY: the type says that it is NumPy's.
    unsafe {
        let class = ffi::Py_TYPE(given);
        if class != NDARRAY.load(Ordering::Relaxed) {
            return None;
        }
        let array = &*given.cast::<NumpyArray>();
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
        let own = numpy.and_then(|numpy| numpy.getattr("ndarray"));
        if own.is_ok_and(|own| own.as_ptr() == class.cast()) {
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
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ArrayC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        if ffi::PyObject_CheckBuffer(given) == 0 {
            return tensor(given, borrows);
        }
        let mut view = Box::new(std::mem::zeroed::<ffi::Py_buffer>());
        let flags = ffi::PyBUF_STRIDES | ffi::PyBUF_FORMAT;
        if ffi::PyObject_GetBuffer(given, &raw mut *view, flags) != 0 {
            return Err(ConversionError::Set);
        }
        let view = borrows.buffer(view);
        let format = if view.format.is_null() { c"B" } else { CStr::from_ptr(view.format) };
        let dtype = dtype_of(format.to_bytes(), view.itemsize.unsigned_abs());
        let Some(dtype) = dtype else {
            let format = format.to_string_lossy();
            let given = format!("a buffer of items of the format {format:?}");
            return Err(ConversionError::Type { expected: None, given: Some(given) });
        };
        let (shape, strides) = (view.shape.cast_const(), view.strides.cast_const());
        let ndim = view.ndim.unsigned_abs();
        Ok(ArrayC::new(dtype, view.buf.cast(), ndim, shape, strides, view.readonly == 0))
    }
}

/// Converts bytes, or an object that exports a buffer of bytes.
///
/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn bytes(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let bytes = if ffi::PyBytes_Check(given) == 1 {
            let at = ffi::PyBytes_AsString(given).cast::<u8>();
            std::slice::from_raw_parts(at, ffi::PyBytes_Size(given).unsigned_abs())
        } else {
            if ffi::PyObject_CheckBuffer(given) == 0 {
                return Err(ConversionError::TYPE);
            }
            let mut view = Box::new(std::mem::zeroed::<ffi::Py_buffer>());
            if ffi::PyObject_GetBuffer(given, &raw mut *view, ffi::PyBUF_SIMPLE) != 0 {
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
            || ConversionError::Type { expected: None, given: Some("more than 4 GiB".to_owned()) };
        Value::bytes(bytes).map(Value::to_c).ok_or_else(too_long)
    }
}

/// DLPack's device type of main memory.
const CPU: i32 = 1;

/// `DLTensor` of DLPack.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: [i32; 2],
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    offset: u64,
}

#[repr(C)]
struct DlManaged {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DlManaged)>,
}

/// A DLPack tensor, which is released after the call.
pub(super) struct Tensor {
    managed: *mut DlManaged,
    strides: Option<Box<[isize]>>,
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: G6: the consumer of a capsule calls its deleter once.
        unsafe {
            if let Some(deleter) = (*self.managed).deleter {
                deleter(self.managed);
            }
        }
    }
}

/// Borrows the numbers of an object through DLPack, if they lie in main memory.
///
/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn tensor(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ArrayC, ConversionError> {
    Python::attach(|py| {
        // SAFETY: G1, G2, by the contract of this function.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let Some(export) = given.getattr_opt(intern!(py, "__dlpack__"))? else {
            return Err(ConversionError::TYPE);
        };
        let capsule = export.call0()?;
        // SAFETY: the capsule is asked by its name, which says what it holds and that nobody has
        // taken it; it is renamed, as DLPack asks of who takes it.
        let managed = unsafe {
            let at = ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"dltensor".as_ptr());
            if at.is_null() {
                return Err(ConversionError::Set);
            }
            ffi::PyCapsule_SetName(capsule.as_ptr(), c"used_dltensor".as_ptr());
            at.cast::<DlManaged>()
        };
        // SAFETY: it is ours now.
        let held = unsafe { &(*managed).tensor };
        let mut tensor = Tensor { managed, strides: None };
        let dtype = match (held.code, held.bits, held.lanes) {
            (0, 8, 1) => Some(Dtype::I8),
            (0, 16, 1) => Some(Dtype::I16),
            (0, 32, 1) => Some(Dtype::I32),
            (0, 64, 1) => Some(Dtype::I64),
            (1, 8, 1) => Some(Dtype::U8),
            (1, 16, 1) => Some(Dtype::U16),
            (1, 32, 1) => Some(Dtype::U32),
            (1, 64, 1) => Some(Dtype::U64),
            (2, 32, 1) => Some(Dtype::F32),
            (2, 64, 1) => Some(Dtype::F64),
            (6, 8, 1) => Some(Dtype::Bool),
            _ => None,
        };
        let Some(dtype) = dtype.filter(|_| held.device[0] == CPU) else {
            let text = format!(
                "a tensor on device {} of type {} with {} bits",
                held.device[0], held.code, held.bits
            );
            return Err(ConversionError::Type { expected: None, given: Some(text) });
        };
        let ndim = held.ndim.unsigned_abs();
        if !held.strides.is_null() {
            // SAFETY: DLPack promises as many strides as dimensions, counted in items.
            let strides = unsafe { std::slice::from_raw_parts(held.strides, ndim as usize) };
            let bytes = |items: &i64| isize::try_from(*items).unwrap_or(0) * ssize(dtype.size());
            tensor.strides = Some(strides.iter().map(bytes).collect());
        }
        let strides = tensor.strides.as_ref().map_or(std::ptr::null(), |strides| strides.as_ptr());
        // SAFETY: the tensor is kept until the call has returned; lengths are of 64 bits, as
        // addresses.
        let array = unsafe {
            let data = held.data.cast::<u8>().add(usize::try_from(held.offset).unwrap_or(0));
            ArrayC::new(dtype, data, ndim, held.shape.cast(), strides, false)
        };
        borrows.tensor(tensor);
        Ok(array)
    })
}

/// An array returned by an op, exported in place through the buffer protocol.
#[pyclass(name = "Numbers", module = "lexpool.ops", frozen)]
pub(crate) struct PyNumbers {
    held: Owned<'static>,
    strides: Box<[isize]>,
}

class!(PyNumbers);

/// The `struct` module's format letter of a dtype.
fn format_of(dtype: Dtype) -> &'static CStr {
    match dtype {
        Dtype::Bool => c"?",
        Dtype::I8 => c"b",
        Dtype::I16 => c"h",
        Dtype::I32 => c"i",
        Dtype::I64 => c"q",
        Dtype::U16 => c"H",
        Dtype::U32 => c"I",
        Dtype::U64 => c"Q",
        Dtype::F32 => c"f",
        Dtype::F64 => c"d",
        _ => c"B",
    }
}

#[pymethods]
impl PyNumbers {
    /// # Safety
    ///
    /// For CPython: `view` is null or points to a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, PyNumbers>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let owner = slf.clone();
        let this = owner.get();
        let held = this.held.get();
        let array = held.as_array().filter(|_| !view.is_null());
        let Some(array) = array else {
            return Err(PyBufferError::new_err("no view to fill"));
        };
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE && !array.is_writable() {
            return Err(PyBufferError::new_err("the numbers are read-only"));
        }
        let dtype = array.dtype().unwrap_or(Dtype::U8);
        let asked = |flag: c_int| flags & flag == flag;
        let given = |flag, at: *mut isize| if asked(flag) { at } else { std::ptr::null_mut() };
        // SAFETY: `view` is a view to be filled; all it points to lives in this object, which the
        // view owns through `obj`.
        unsafe {
            (*view).buf = array.data().cast();
            (*view).len = ssize(array.len() * dtype.size());
            (*view).readonly = c_int::from(!array.is_writable());
            (*view).itemsize = ssize(dtype.size());
            (*view).format =
                given(ffi::PyBUF_FORMAT, format_of(dtype).as_ptr().cast_mut().cast()).cast();
            (*view).ndim = c_int::try_from(array.shape().len()).unwrap_or(0);
            (*view).shape = given(ffi::PyBUF_ND, array.shape().as_ptr().cast_mut());
            (*view).strides = given(ffi::PyBUF_STRIDES, this.strides.as_ptr().cast_mut());
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }

    /// The lengths of the dimensions.
    #[getter]
    // stub: -> tuple[int, ...]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let held = self.held.get();
        PyTuple::new(py, held.as_array().map_or(&[][..], ArrayC::shape))
    }

    fn __len__(&self) -> usize {
        let held = self.held.get();
        let first = held.as_array().and_then(|array| array.shape().first().copied());
        first.map_or(0, isize::unsigned_abs)
    }
}

/// Exposes an op's array in place: as a NumPy array if NumPy is installed, otherwise as a
/// memoryview.
pub(super) fn give(py: Python<'_>, held: Owned<'static>) -> PyResult<Py<PyAny>> {
    static VIEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let view = VIEW.get_or_try_init(py, || {
        let numpy = py.import("numpy").and_then(|numpy| numpy.getattr("asarray"));
        let view = numpy.or_else(|_| py.import("builtins")?.getattr("memoryview"));
        view.map(Bound::unbind)
    })?;
    let strides = {
        let array = held.get();
        let array = array.as_array().filter(|array| array.is_contiguous());
        let array = array.ok_or_else(|| PyValueError::new_err("an op gave an array with gaps"))?;
        let mut step = ssize(array.dtype().map_or(1, Dtype::size));
        let mut strides: Vec<_> = array
            .shape()
            .iter()
            .rev()
            .map(|len| {
                let stride = step;
                step *= (*len).max(1);
                stride
            })
            .collect();
        strides.reverse();
        strides.into()
    };
    view.call1(py, (Bound::new(py, PyNumbers { held, strides })?,))
}

/// Copies a borrowed array.
pub(super) fn copy(py: Python<'_>, given: Value<'_>) -> PyResult<Py<PyAny>> {
    let array = given.as_array().ok_or_else(|| PyValueError::new_err("no array in an array"))?;
    give(py, copy_array(array).map_err(|failed| super::raise(py, failed))?)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyNumbers>(module)
}
