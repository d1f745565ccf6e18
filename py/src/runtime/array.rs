//! Arrays for Python: NumPy arrays if NumPy is installed, else memoryviews of the same shape.
//!
//! lexpool never requires NumPy; it is imported when the first array is needed.
//!
//! Unsafe code: calls a function of NumPy's C API, and writes the elements of the new array through
//! the pointer in its object (`PyArrayObject_fields`). Both are part of NumPy's ABI. The buffer
//! protocol would cost more than filling a short array.
//!
//! Invariants:
//! - **A1** The capsule `_ARRAY_API` contains the table of NumPy's C API, whose places keep their
//!   functions (NEP 53 and the headers of NumPy 1 and 2).
//! - **A2** [`NumPy`] exists only after a trial array was compared with the buffer protocol's
//!   description of it: arrays that [`NumPy::make`] returns own the requested number of elements of
//!   the requested type, contiguous, aligned and writable, and the field `data` is their address.
//! - **A3** Nobody else has a reference to the array before its elements are written.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::{ptr, slice};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyModule, PyType};

use crate::runtime::gil::unlocked;
use crate::runtime::once_cell::OnceCell;

/// A number type of array elements.
pub(crate) trait Element: bytemuck::Pod + Send + Sync + pyo3::buffer::Element {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
    /// The format letter of the type in the `struct` module.
    const FORMAT: &'static str;
    /// NumPy's dtype object, cached after the first look-up.
    fn dtype() -> &'static OnceCell<Py<PyAny>>;
}

macro_rules! elements {
    ($($type:ident $dtype:literal $format:literal;)*) => {$(
        impl Element for $type {
            const DTYPE: &'static str = $dtype;
            const FORMAT: &'static str = $format;

            fn dtype() -> &'static OnceCell<Py<PyAny>> {
                static DTYPE: OnceCell<Py<PyAny>> = OnceCell::new();
                &DTYPE
            }
        }
    )*};
}

elements! {
    u64 "uint64" "Q";
    i32 "int32" "i";
    u8 "uint8" "B";
    f32 "float32" "f";
}

/// Python `bytes` with these contents.
///
/// # Errors
///
/// `MemoryError` if they cannot be allocated.
pub(crate) fn bytes<'py>(py: Python<'py>, contents: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, contents.len(), |room| {
        room.copy_from_slice(contents);
        Ok(())
    })
}

/// Builds a writable array that owns a copy of `numbers`. The product of `shape` is their number.
pub(crate) fn array<'py, T: Element>(
    py: Python<'py>,
    numbers: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    assert_eq!(numbers.len(), shape.iter().product::<usize>(), "a number for each place");
    if let Some(made) = numpy_array::<T>(py, shape) {
        let mut array = made?;
        // SAFETY: A2, A3: `numpy_array` returned a new array and the only reference to it.
        let places = unsafe { elements::<T>(&mut array, numbers.len()) };
        for (place, number) in places.iter_mut().zip(numbers) {
            place.write(*number);
        }
        return Ok(array);
    }
    let width: usize = shape.iter().skip(1).product();
    array_with(py, shape, |rows, out| {
        out.copy_from_slice(&numbers[rows.start * width..rows.end * width]);
    })
}

/// Number of bytes that count as one number for [`unlocked`], whatever the element type is.
const READ_BYTES: usize = size_of::<u64>();

/// Builds a writable array that owns its memory. `fill` is called for consecutive ranges of rows,
/// which are zero before.
///
/// Large arrays are filled without the GIL.
///
/// # Errors
///
/// `MemoryError` if the size does not fit in memory.
pub(crate) fn array_with<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    mut fill: impl FnMut(Range<usize>, &mut [T]) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let size = shape.iter().try_fold(size_of::<T>(), |size, side| size.checked_mul(*side));
    let Some(size) = size.filter(|size| isize::try_from(*size).is_ok()) else {
        let text = format!("an array of the shape {shape:?} exceeds the address space");
        return Err(PyMemoryError::new_err(text));
    };
    let len = size / size_of::<T>();
    if let Some(made) = numpy_array::<T>(py, shape) {
        let mut array = made?;
        // SAFETY: A2, A3: `numpy_array` returned a new array and the only reference to it.
        let fresh = unsafe { elements::<T>(&mut array, len) };
        let width = shape.iter().skip(1).product();
        unlocked(py, size / READ_BYTES, || fill_in_blocks(fresh, width, &mut fill));
        return Ok(array);
    }
    let bytes = PyByteArray::new_with(py, size, |out| {
        unlocked(py, size / READ_BYTES, || {
            if let Ok(numbers) = bytemuck::try_cast_slice_mut(out) {
                fill(0..shape[0], numbers);
            } else {
                // Unaligned memory; CPython itself always aligns it.
                let mut numbers = vec![T::zeroed(); len];
                fill(0..shape[0], &mut numbers);
                out.copy_from_slice(bytemuck::cast_slice(&numbers));
            }
        });
        Ok(())
    })?;
    let view = py.import("builtins")?.getattr("memoryview")?.call1((bytes,))?;
    // A memoryview cannot be cast to a shape that contains a zero.
    if len == 0 {
        return view.call_method1("cast", (T::FORMAT,));
    }
    view.call_method1("cast", (T::FORMAT, PyList::new(py, shape)?))
}

/// Maximum number of elements of a block, unless one row has more. A block of this size stays in
/// the L1 cache between zeroing and filling.
const BLOCK: usize = 1 << 11;

/// Zeroes and fills new memory block by block; a block is a number of whole rows.
fn fill_in_blocks<T: Element>(
    fresh: &mut [MaybeUninit<T>],
    width: usize,
    fill: &mut impl FnMut(Range<usize>, &mut [T]),
) {
    let rows = (BLOCK / width.max(1)).max(1);
    for (n, block) in fresh.chunks_mut(rows * width.max(1)).enumerate() {
        let (first, len) = (block.as_mut_ptr(), block.len());
        // SAFETY: A3: the block is borrowed exclusively, and all-zero bytes are a valid value of
        // every `Pod` type.
        let block = unsafe {
            first.write_bytes(0, len);
            slice::from_raw_parts_mut(first.cast::<T>(), len)
        };
        fill(n * rows..n * rows + len / width, block);
    }
}

/// Allocates a contiguous NumPy array with uninitialised elements. Returns `None` without NumPy.
fn numpy_array<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> Option<PyResult<Bound<'py, PyAny>>> {
    static NUMPY: OnceCell<Option<NumPy>> = OnceCell::new();
    let module = NUMPY.get_or_try_init(py, || {
        let Ok(module) = py.import("numpy") else { return Ok(None) };
        NumPy::of(&module).map(Some)
    });
    let numpy = match module {
        Ok(Some(numpy)) => numpy,
        Ok(None) => return None,
        Err(error) => return Some(Err(error)),
    };
    Some(numpy.make::<T>(py, shape))
}

/// Allocator of NumPy arrays. Calling `numpy.empty` would cost as much as filling a short array.
struct NumPy {
    ndarray: Py<PyType>,
    new_from_descr: NewFromDescr,
}

/// `PyArray_NewFromDescr`, which takes over the reference to the dtype.
type NewFromDescr = unsafe extern "C" fn(
    class: *mut ffi::PyTypeObject,
    dtype: *mut ffi::PyObject,
    axes: c_int,
    shape: *const ffi::Py_ssize_t,
    strides: *const ffi::Py_ssize_t,
    elements: *mut c_void,
    flags: c_int,
    parent: *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// The place of `PyArray_NewFromDescr` in the table of NumPy's C API, the same in NumPy 1 and 2.
const NEW_FROM_DESCR: usize = 94;

impl NumPy {
    /// Looks up NumPy's C API in its module, and checks its layout of arrays.
    ///
    /// # Errors
    ///
    /// `RuntimeError` if NumPy's C API or the memory layout of arrays is not the expected one.
    fn of(module: &Bound<'_, PyModule>) -> PyResult<NumPy> {
        let py = module.py();
        let multiarray = py
            .import("numpy._core._multiarray_umath")
            .or_else(|_| py.import("numpy.core._multiarray_umath"))?;
        let api = multiarray.getattr("_ARRAY_API")?;
        // SAFETY: the function raises for any object but a capsule without a name.
        let table = unsafe { ffi::PyCapsule_GetPointer(api.as_ptr(), ptr::null()) };
        if table.is_null() {
            return Err(PyErr::fetch(py));
        }
        let numpy = NumPy {
            ndarray: module.getattr("ndarray")?.cast_into::<PyType>()?.unbind(),
            // SAFETY: A1: the capsule's table has this function in this place.
            new_from_descr: unsafe { table.cast::<NewFromDescr>().add(NEW_FROM_DESCR).read() },
        };
        let mut trial = numpy.make::<f32>(py, &[2, 3])?;
        let buffer = PyBuffer::<f32>::get(&trial)?;
        // SAFETY: A3; only the address of the elements is read, which makes A2 true.
        let first = unsafe { elements::<f32>(&mut trial, 6) }.as_mut_ptr();
        if buffer.shape() != [2, 3]
            || !buffer.is_c_contiguous()
            || buffer.readonly()
            || buffer.buf_ptr() != first.cast()
        {
            let text = "NumPy's arrays have an unknown layout; lexpool knows NumPy 1 and 2";
            return Err(PyRuntimeError::new_err(text));
        }
        Ok(numpy)
    }

    fn make<'py, T: Element>(
        &self,
        py: Python<'py>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let find = || {
            let dtype = py.import("numpy")?.call_method1("dtype", (T::DTYPE,))?;
            Ok::<_, PyErr>(dtype.unbind())
        };
        let dtype = T::dtype().get_or_try_init(py, find)?.clone_ref(py);
        let axes = c_int::try_from(shape.len()).expect("arrays here have one or two axes");
        // SAFETY: A1: `shape` has `axes` numbers, which are below `isize::MAX`: `array_with` checks
        // them, and slices are no longer. Without elements given, NumPy allocates them.
        unsafe {
            let array = (self.new_from_descr)(
                self.ndarray.as_ptr().cast(),
                dtype.into_ptr(),
                axes,
                shape.as_ptr().cast(),
                ptr::null(),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
            );
            Bound::from_owned_ptr_or_err(py, array)
        }
    }
}

/// The first fields of `PyArrayObject_fields`, the same in NumPy 1 and 2.
#[repr(C)]
struct ArrayFields {
    head: ffi::PyObject,
    data: *mut u8,
}

/// The elements of an array, possibly uninitialised.
///
/// # Safety
///
/// [`NumPy::make`] has just returned the array, with `len` elements, and nobody else has a
/// reference to it.
unsafe fn elements<'a, T>(array: &'a mut Bound<'_, PyAny>, len: usize) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: A2: an array of `len` elements, whose data pointer is never null; A3: nobody else
    // reaches them.
    unsafe {
        let first = (&raw const (*array.as_ptr().cast::<ArrayFields>()).data).read();
        slice::from_raw_parts_mut(first.cast(), len)
    }
}
