//! The example kernels as a Python module of another crate: it knows the records' layout from
//! `lexpool-structs`, and gets at them through the buffer protocol of `doc.c`.
//!
//! Holds unsafe code: reads the memory of a buffer as a slice of records.

use std::marker::PhantomData;
use std::slice;

use lexpool_structs::{AttrId, LexemeC, Record, TokenC};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The records of a handle, kept and readable for as long as this lives.
struct Records<T> {
    buffer: PyUntypedBuffer,
    of: PhantomData<T>,
}

impl<T: Record> Records<T> {
    /// Those of a handle such as `doc.c`. A `TypeError` for records of another type, with gaps,
    /// or that somebody may write.
    fn of(handle: &Bound<'_, PyAny>) -> PyResult<Records<T>> {
        let name: String = handle.getattr("record")?.extract()?;
        let buffer = PyUntypedBuffer::get(handle)?;
        let aligned = buffer.buf_ptr().align_offset(align_of::<T>()) == 0;
        let fits = name == T::INFO.name && buffer.item_size() == size_of::<T>();
        if !(fits && aligned && buffer.readonly() && buffer.is_c_contiguous()) {
            let text = format!("expected {} side by side and read-only, not {name}", T::INFO.name);
            return Err(PyTypeError::new_err(text));
        }
        Ok(Records { buffer, of: PhantomData })
    }

    fn as_slice(&self) -> &[T] {
        let len = self.buffer.item_count();
        if len == 0 {
            return &[];
        }
        // SAFETY: the buffer is of so many records of this type, aligned and side by side (`of` has
        // looked); it is read-only, and held by `self`.
        unsafe { slice::from_raw_parts(self.buffer.buf_ptr().cast(), len) }
    }
}

/// How many sentences begin with a capital, and the longest run of punctuation.
///
/// segments: `doc.vocab.c.segments`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a list from Python is made for the call")]
fn kernel(
    py: Python<'_>,
    tokens: &Bound<'_, PyAny>,
    segments: Vec<Bound<'_, PyAny>>,
) -> PyResult<(usize, usize)> {
    let tokens = Records::<TokenC>::of(tokens)?;
    let segments = segments.iter().map(Records::<LexemeC>::of).collect::<PyResult<Vec<_>>>()?;
    let tokens = tokens.as_slice();
    let segments: Vec<&[LexemeC]> = segments.iter().map(Records::as_slice).collect();
    // Nothing of Python's from here on.
    Ok(py.detach(|| {
        let lexemes: Vec<&LexemeC> = segments.iter().copied().flatten().collect();
        let flag = |token: &TokenC, attr| {
            let lexeme = lexemes.get(token.lex_index() as usize);
            lexeme.is_some_and(|lexeme| lexeme.flag(attr))
        };
        let is_start = |token: &&TokenC| token.sent_start() == 1 && flag(token, AttrId::IS_TITLE);
        let runs = tokens.split(|token| !flag(token, AttrId::IS_PUNCT));
        (tokens.iter().filter(is_start).count(), runs.map(<[TokenC]>::len).max().unwrap_or(0))
    }))
}

#[pymodule]
fn rust_kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kernel, module)?)
}
