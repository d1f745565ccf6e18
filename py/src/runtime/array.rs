//! Arrays for Python: NumPy arrays if NumPy is installed, else memoryviews of the same shape.
//!
//! lexpool never requires NumPy; it is imported when the first array is needed.
//!
//! Unsafe code: writes the elements of a new NumPy array through the pointer in its object. The
//! fields of that object are part of NumPy's ABI (`PyArrayObject_fields`). The buffer protocol
//! would cost more than filling a short array.
//!
//! Invariants:
//! - **A1** [`NumPy`] exists only after the fields of a trial array were compared with the buffer
//!   protocol's description of it.
//! - **A2** [`NumPy::checked`] accepts exact `ndarray` objects only, whose fields say that they own
//!   the requested number of elements of the requested type, contiguous, aligned and writable.
//!   (`numpy.empty` can be replaced by users.)
//! - **A3** Nobody else has a reference to the array before its elements are written.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyModule, PyTuple};

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
        let mut made = made?;
        // SAFETY: A2, A3: `numpy_array` checked the array and returned the only reference.
        let places = unsafe { elements::<T>(&mut made, numbers.len()) };
        for (place, number) in places.iter_mut().zip(numbers) {
            place.write(*number);
        }
        return Ok(made);
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
        let mut made = made?;
        // SAFETY: A2, A3: `numpy_array` checked the array and returned the only reference.
        let fresh = unsafe { elements::<T>(&mut made, len) };
        let width = shape.iter().skip(1).product();
        unlocked(py, size / READ_BYTES, || fill_in_blocks(fresh, width, &mut fill));
        return Ok(made);
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
    let known = NUMPY.get_or_try_init(py, || {
        let Ok(module) = py.import("numpy") else { return Ok(None) };
        NumPy::of(&module).map(Some)
    });
    let numpy = match known {
        Ok(Some(numpy)) => numpy,
        Ok(None) => return None,
        Err(error) => return Some(Err(error)),
    };
    Some(numpy.make::<T>(py, shape))
}

/// NumPy's objects that allocate arrays.
struct NumPy {
    module: Py<PyModule>,
    ndarray: Py<PyAny>,
    empty: Py<PyAny>,
}

impl NumPy {
    /// # Errors
    ///
    /// `RuntimeError` if the memory layout of arrays is not the expected one.
    fn of(module: &Bound<'_, PyModule>) -> PyResult<NumPy> {
        let numpy = NumPy {
            module: module.clone().unbind(),
            ndarray: module.getattr("ndarray")?.unbind(),
            empty: module.getattr("empty")?.unbind(),
        };
        let mut trial = numpy.make::<f32>(module.py(), &[2, 3])?;
        let buffer = PyBuffer::<f32>::get(&trial)?;
        // SAFETY: A3, and the type is exact (`checked`); only the address of the elements is read,
        // which makes A1 true.
        let first = unsafe { elements::<f32>(&mut trial, 6) }.as_mut_ptr();
        if buffer.shape() != [2, 3] || !buffer.is_c_contiguous() || buffer.buf_ptr() != first.cast()
        {
            return Err(unknown_array());
        }
        Ok(numpy)
    }

    fn make<'py, T: Element>(
        &self,
        py: Python<'py>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let find =
            || Ok::<_, PyErr>(self.module.bind(py).call_method1("dtype", (T::DTYPE,))?.unbind());
        let dtype = T::dtype().get_or_try_init(py, find)?;
        let made = self.empty.bind(py).call1((PyTuple::new(py, shape)?, dtype))?;
        self.checked(made, shape, dtype)
    }

    /// Returns the array if it is a new one of this shape and type.
    fn checked<'py>(
        &self,
        made: Bound<'py, PyAny>,
        shape: &[usize],
        dtype: &Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !made.get_type().is(&self.ndarray) {
            return Err(unknown_array());
        }
        // SAFETY: the type is exactly `ndarray`, which begins with these fields (A1, or this is the
        // trial array for it); `dims` has `nd` numbers.
        let is_fresh = unsafe {
            let fields = &*made.as_ptr().cast::<ArrayFields>();
            usize::try_from(fields.nd) == Ok(shape.len())
                && (0..shape.len()).all(|i| usize::try_from(*fields.dims.add(i)) == Ok(shape[i]))
                && fields.base.is_null()
                && fields.descr == dtype.as_ptr()
                && fields.flags & FRESH == FRESH
        };
        if is_fresh { Ok(made) } else { Err(unknown_array()) }
    }
}

/// The first fields of `PyArrayObject_fields`, the same in NumPy 1 and 2.
#[repr(C)]
struct ArrayFields {
    head: ffi::PyObject,
    data: *mut u8,
    nd: c_int,
    dims: *const ffi::Py_ssize_t,
    strides: *const ffi::Py_ssize_t,
    base: *mut ffi::PyObject,
    descr: *mut ffi::PyObject,
    flags: c_int,
}

/// NumPy's flags `C_CONTIGUOUS`, `OWNDATA`, `ALIGNED` and `WRITEABLE`.
const FRESH: c_int = 0x1 | 0x4 | 0x100 | 0x400;

fn unknown_array() -> PyErr {
    let text = "numpy.empty did not return a new array of the requested shape and type; was it \
                replaced?";
    PyRuntimeError::new_err(text)
}

/// The elements of an array, possibly uninitialised.
///
/// # Safety
///
/// [`NumPy::make`] has just returned the array, with `len` elements, and nobody else has a
/// reference to it.
unsafe fn elements<'a, T>(array: &'a mut Bound<'_, PyAny>, len: usize) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: A2: an exact `ndarray` of `len` elements, whose data pointer is never null; A3:
    // nobody else reaches them.
    unsafe {
        let first = (&raw const (*array.as_ptr().cast::<ArrayFields>()).data).read();
        slice::from_raw_parts_mut(first.cast(), len)
    }
}
