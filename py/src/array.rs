//! Arrays on their way to Python: NumPy's if NumPy is there, else memoryviews of the same shape.
//!
//! lexpool never needs NumPy; it is imported when the first array is asked for.

use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};

/// A number type that arrays are made of.
pub(crate) trait Element: bytemuck::Pod {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
    /// The `struct` module's letter for it.
    const FORMAT: &'static str;
}

macro_rules! elements {
    ($($type:ident $dtype:literal $format:literal;)*) => {$(
        impl Element for $type {
            const DTYPE: &'static str = $dtype;
            const FORMAT: &'static str = $format;
        }
    )*};
}

elements! {
    u64 "uint64" "Q";
    i32 "int32" "i";
    u8 "uint8" "B";
    f32 "float32" "f";
}

/// A writable array of its own memory; the product of `shape` is the number of elements.
pub(crate) fn array<'py, T: Element>(
    py: Python<'py>,
    numbers: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    debug_assert_eq!(numbers.len(), shape.iter().product::<usize>());
    array_with(py, shape, |out: &mut [T]| out.copy_from_slice(numbers))
}

/// A writable array of its own memory, written by `fill`, which is given zeros.
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
    if let Ok(numpy) = py.import(intern!(py, "numpy")) {
        let flat = numpy.call_method1(intern!(py, "frombuffer"), (bytes, T::DTYPE))?;
        if shape.len() == 1 {
            return Ok(flat);
        }
        return flat.call_method1(intern!(py, "reshape"), (shape.to_vec(),));
    }
    let view = py.import("builtins")?.getattr("memoryview")?.call1((bytes,))?;
    // A memoryview cannot be cast to a shape with a zero in it.
    if len == 0 {
        return view.call_method1("cast", (T::FORMAT,));
    }
    view.call_method1("cast", (T::FORMAT, PyList::new(py, shape)?))
}
