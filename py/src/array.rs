//! Arrays on their way to Python: NumPy's if NumPy is there, else memoryviews of the same shape.
//!
//! lexpool never needs NumPy; it is imported when the first array is asked for.
//!
//! Holds unsafe code: a fresh array of NumPy's is written where its object says that its elements lie. The
//! fields of that object are part of NumPy's ABI (`PyArrayObject_fields`). Asking the buffer protocol instead
//! costs more than filling a short array.
//!
//! **Invariants.** (1) [`NumPy`] is made after an array's fields were compared with what the buffer protocol
//! says of it. (2) [`NumPy::checked`] lets only exact `ndarray`s through, whose fields say that they own as
//! many elements of the type as were asked for, in one piece and to be written: `numpy.empty` can be replaced.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::slice;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyModule, PyTuple};

/// A number type that arrays are made of.
pub(crate) trait Element: bytemuck::Pod + pyo3::buffer::Element {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
    /// The `struct` module's letter for it.
    const FORMAT: &'static str;
    /// NumPy's dtype, once it was asked for.
    fn dtype() -> &'static PyOnceLock<Py<PyAny>>;
}

macro_rules! elements {
    ($($type:ident $dtype:literal $format:literal;)*) => {$(
        impl Element for $type {
            const DTYPE: &'static str = $dtype;
            const FORMAT: &'static str = $format;

            fn dtype() -> &'static PyOnceLock<Py<PyAny>> {
                static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
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

/// Bytes of Python's with these contents; a MemoryError where there is no room for them.
pub(crate) fn bytes<'py>(py: Python<'py>, contents: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, contents.len(), |room| {
        room.copy_from_slice(contents);
        Ok(())
    })
}

/// A writable array of its own memory; the product of `shape` is the number of elements.
pub(crate) fn array<'py, T: Element>(
    py: Python<'py>,
    numbers: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    assert_eq!(numbers.len(), shape.iter().product::<usize>(), "a number for each place");
    if let Some(made) = numpy_array::<T>(py, shape, Fresh::Chance) {
        let made = made?;
        if !numbers.is_empty() {
            // SAFETY: `numpy_array` has made an array of as many elements that nobody else knows.
            unsafe {
                elements::<T>(&made)
                    .as_ptr()
                    .copy_from_nonoverlapping(numbers.as_ptr(), numbers.len());
            }
        }
        return Ok(made);
    }
    array_with(py, shape, |out: &mut [T]| out.copy_from_slice(numbers))
}

/// A writable array of its own memory, which is zeros before `fill` writes it.
pub(crate) fn array_with<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    fill: impl FnOnce(&mut [T]),
) -> PyResult<Bound<'py, PyAny>> {
    let size = shape.iter().try_fold(size_of::<T>(), |size, side| size.checked_mul(*side));
    let Some(size) = size.filter(|size| isize::try_from(*size).is_ok()) else {
        let text = format!("an array of the shape {shape:?} is larger than memory can be");
        return Err(PyMemoryError::new_err(text));
    };
    let len = size / size_of::<T>();
    // Zeros of the system's are there at once, but not for little memory.
    let fresh = if size < ZEROED_FROM { Fresh::Chance } else { Fresh::Zeros };
    if let Some(made) = numpy_array::<T>(py, shape, fresh) {
        let made = made?;
        if len > 0 {
            let first = elements::<T>(&made).as_ptr();
            // SAFETY: `numpy_array` has made an array of `len` elements that nobody else knows; zeros are a
            // value of every `Pod`.
            fill(unsafe {
                if matches!(fresh, Fresh::Chance) {
                    first.write_bytes(0, len);
                }
                slice::from_raw_parts_mut(first, len)
            });
        }
        return Ok(made);
    }
    let bytes = PyByteArray::new_with(py, size, |out| {
        if let Ok(numbers) = bytemuck::try_cast_slice_mut(out) {
            fill(numbers);
        } else {
            // Bytes that are not aligned, as CPython's always are.
            let mut numbers = vec![T::zeroed(); len];
            fill(&mut numbers);
            out.copy_from_slice(bytemuck::cast_slice(&numbers));
        }
        Ok(())
    })?;
    let view = py.import("builtins")?.getattr("memoryview")?.call1((bytes,))?;
    // A memoryview cannot be cast to a shape with a zero in it.
    if len == 0 {
        return view.call_method1("cast", (T::FORMAT,));
    }
    view.call_method1("cast", (T::FORMAT, PyList::new(py, shape)?))
}

/// Arrays of so many bytes are made of the system's zeros.
const ZEROED_FROM: usize = 1 << 17;

/// The elements of a fresh array.
#[derive(Clone, Copy)]
enum Fresh {
    Zeros,
    /// Not initialised: to be written before they are shown.
    Chance,
}

/// A fresh, contiguous array of NumPy's; none without NumPy.
fn numpy_array<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    fresh: Fresh,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    static NUMPY: PyOnceLock<Option<NumPy>> = PyOnceLock::new();
    let known = NUMPY.get_or_try_init(py, || {
        let Ok(module) = py.import("numpy") else { return Ok(None) };
        NumPy::of(&module).map(Some)
    });
    let numpy = match known {
        Ok(Some(numpy)) => numpy,
        Ok(None) => return None,
        Err(error) => return Some(Err(error)),
    };
    Some(numpy.make::<T>(py, shape, fresh))
}

/// Objects of NumPy's that make arrays.
struct NumPy {
    module: Py<PyModule>,
    ndarray: Py<PyAny>,
    empty: Py<PyAny>,
    zeros: Py<PyAny>,
}

impl NumPy {
    /// # Errors
    ///
    /// `RuntimeError` if arrays are laid out in another way than is known here.
    fn of(module: &Bound<'_, PyModule>) -> PyResult<NumPy> {
        let numpy = NumPy {
            module: module.clone().unbind(),
            ndarray: module.getattr("ndarray")?.unbind(),
            empty: module.getattr("empty")?.unbind(),
            zeros: module.getattr("zeros")?.unbind(),
        };
        let trial = numpy.make::<f32>(module.py(), &[2, 3], Fresh::Zeros)?;
        let buffer = PyBuffer::<f32>::get(&trial)?;
        let first = elements::<f32>(&trial).as_ptr();
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
        fresh: Fresh,
    ) -> PyResult<Bound<'py, PyAny>> {
        let maker = match fresh {
            Fresh::Chance => &self.empty,
            Fresh::Zeros => &self.zeros,
        };
        let find =
            || Ok::<_, PyErr>(self.module.bind(py).call_method1("dtype", (T::DTYPE,))?.unbind());
        let dtype = T::dtype().get_or_try_init(py, find)?;
        let made = maker.bind(py).call1((PyTuple::new(py, shape)?, dtype))?;
        self.checked(made, shape, dtype)
    }

    /// The array, if it is a fresh one of this shape and type.
    fn checked<'py>(
        &self,
        made: Bound<'py, PyAny>,
        shape: &[usize],
        dtype: &Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !made.get_type().is(&self.ndarray) {
            return Err(unknown_array());
        }
        // SAFETY: an exact `ndarray`, which begins with these fields (invariant 1, or the trial of it); its
        // `dims` has `nd` numbers.
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

/// The head of `PyArrayObject_fields`, the same in NumPy 1 and 2.
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
    let text = "numpy.empty and numpy.zeros give something other than fresh arrays of the shape and type that \
                were asked for; was one of them replaced?";
    PyRuntimeError::new_err(text)
}

/// Returns the place of the elements of an array that was checked.
fn elements<T>(array: &Bound<'_, PyAny>) -> NonNull<T> {
    // SAFETY: an exact `ndarray` (invariant 2); the pointer to its elements is never null.
    unsafe { (&raw const (*array.as_ptr().cast::<ArrayFields>()).data).cast::<NonNull<T>>().read() }
}
