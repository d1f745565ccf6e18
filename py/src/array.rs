//! Arrays on their way to Python: NumPy's if NumPy is there, else memoryviews of the same shape.
//!
//! lexpool never needs NumPy; it is imported when the first array is asked for.
//!
//! Holds unsafe code: a fresh array of NumPy's is written where its object says that its elements
//! lie. That place is part of NumPy's ABI, and compared with what the buffer protocol says before it
//! is first relied on: asking the protocol each time costs more than filling a short array.

use std::ptr::NonNull;
use std::slice;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyTuple};

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
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ZEROS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (function, name) = match fresh {
        Fresh::Chance => (&EMPTY, "empty"),
        Fresh::Zeros => (&ZEROS, "zeros"),
    };
    let import = || Ok::<_, PyErr>(py.import("numpy")?.getattr(name)?.unbind());
    let maker = function.get_or_try_init(py, import).ok()?;
    let make = |dtype: &Py<PyAny>| maker.bind(py).call1((PyTuple::new(py, shape)?, dtype));
    if let Some(dtype) = T::dtype().get(py) {
        return Some(make(dtype));
    }
    Some((|| {
        let dtype = py.import("numpy")?.call_method1("dtype", (T::DTYPE,))?.unbind();
        let trial = maker.bind(py).call1((3, &dtype))?;
        let buffer = PyBuffer::<T>::get(&trial)?;
        if buffer.item_count() != 3 || buffer.buf_ptr() != elements::<T>(&trial).as_ptr().cast() {
            let text = "this NumPy lays its arrays out in a way that lexpool does not know";
            return Err(PyRuntimeError::new_err(text));
        }
        make(T::dtype().get_or_init(py, || dtype))
    })())
}

/// Where an array of NumPy's says that its elements lie.
fn elements<T>(array: &Bound<'_, PyAny>) -> NonNull<T> {
    // SAFETY: an ndarray's object begins with Python's header and the pointer to its elements.
    unsafe { array.as_ptr().cast::<ffi::PyObject>().add(1).cast::<NonNull<T>>().read() }
}
