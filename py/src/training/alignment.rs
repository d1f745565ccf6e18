//! `lexpool.training.AlignmentArray`, and the alignment of two tokenizations.

use lexpool::alignment::{Alignment, Ragged};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PySlice, PyType};

use crate::runtime::array::array;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items::{self, Items};
use crate::runtime::once_cell::OnceCell;

/// AlignmentArray(alignment)
///
/// For each token of one tokenization, the tokens of another that it overlaps. `a[i]` is an int32
/// array of positions, `a[i:j]` the concatenated positions of several tokens.
///
/// alignment: an iterable of positions for each token.
#[pyclass(name = "AlignmentArray", module = "lexpool.training.alignment_array", frozen)]
pub(crate) struct PyAlignmentArray {
    rows: Ragged,
    data: OnceCell<Py<PyAny>>,
}

class!(PyAlignmentArray);

impl PyAlignmentArray {
    /// The positions of each token.
    pub(crate) fn rows(&self) -> &Ragged {
        &self.rows
    }

    fn of(rows: Ragged) -> PyAlignmentArray {
        PyAlignmentArray { rows, data: OnceCell::new() }
    }

    /// The whole data as one array, of which rows are slices; created on first access.
    fn array<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let data = self.rows.data();
        let made = self
            .data
            .get_or_try_init(py, || PyResult::Ok(array(py, data, &[data.len()])?.unbind()))?;
        Ok(made.bind(py))
    }
}

#[pymethods]
impl PyAlignmentArray {
    #[new]
    // stub: (alignment: Iterable[Iterable[SupportsIndex]])
    fn py_new(alignment: &Bound<'_, PyAny>) -> PyResult<PyAlignmentArray> {
        let row = |row| items::read(&row, |number| number.extract::<i32>());
        let rows = items::read(alignment, row)?;
        let rows = Ragged::from_rows(rows)
            .ok_or_else(|| PyOverflowError::new_err("more positions than 32 bits can represent"))?;
        Ok(PyAlignmentArray::of(rows))
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    // stub: (key: SupportsIndex | slice) -> _Positions
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (key.py(), self.rows.len());
        let rows = if let Ok(slice) = key.cast::<PySlice>() {
            let step = slice.getattr("step")?;
            if !step.is_none() && !step.eq(1)? {
                let text = format!(
                    "[E1027] AlignmentArray only supports slicing with a step of 1, but it was {step}"
                );
                return Err(PyValueError::new_err(text));
            }
            let bounds = slice.indices(isize::try_from(len)?)?;
            let start = usize::try_from(bounds.start)?;
            start..start.max(usize::try_from(bounds.stop)?)
        } else if let Ok(index) = key.extract::<isize>() {
            let outside = || {
                let text = format!(
                    "[E1035] token {index} is out of range for an alignment of \
                                    {len} tokens"
                );
                PyIndexError::new_err(text)
            };
            let index = if index < 0 { index.checked_add_unsigned(len) } else { Some(index) };
            let index = index.and_then(|index| usize::try_from(index).ok());
            let index = index.filter(|&index| index < len).ok_or_else(outside)?;
            index..index + 1
        } else {
            let text = format!(
                "[E1028] AlignmentArray only supports indexing using an int or a slice, but was \
                 given {key}"
            );
            return Err(PyValueError::new_err(text));
        };
        let span = self.rows.span(rows).expect("the rows were held to the length");
        self.array(py)?.get_item(PySlice::new(
            py,
            isize::try_from(span.start)?,
            isize::try_from(span.end)?,
            1,
        ))
    }

    /// All positions, concatenated: int32.
    #[getter]
    // stub: -> _Positions
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py).cloned()
    }

    /// The number of positions of each token: int32.
    #[getter]
    // stub: -> _Positions
    fn lengths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = self.rows.starts().iter().zip(self.rows.ends());
        let lengths: Vec<i32> = bounds.map(|(start, end)| end - start).collect();
        numbers(py, &lengths)
    }

    /// The offset in `data` of each token's first position: int32.
    #[getter]
    // stub: -> _Positions
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numbers(py, self.rows.starts())
    }

    /// The offset in `data` after each token's last position: int32.
    #[getter]
    // stub: -> _Positions
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numbers(py, self.rows.ends())
    }

    /// Returns for each token its position if it has exactly one, else None.
    fn _singles(&self) -> Vec<Option<i32>> {
        self.rows.singles().collect()
    }

    /// Returns for each token the value that all its positions have in common, else None.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn _common(&self, values: Items<u64>) -> Vec<Option<u64>> {
        self.rows.common(&values).map(Option::<&u64>::copied).collect()
    }

    // stub: (other: object)
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyAlignmentArray>().is_ok_and(|other| other.get().rows == self.rows)
    }

    fn __repr__(&self) -> String {
        format!("AlignmentArray({:?})", self.rows.to_vecs())
    }

    // stub: -> tuple[Any, tuple[list[list[int]]]]
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        (py.get_type::<PyAlignmentArray>(), (self.rows.to_vecs(),))
    }
}

/// Positions for each token.
type Rows = Vec<Vec<i32>>;

/// A class, and the rows to call it with.
type Reduced<'py> = (Bound<'py, PyType>, (Rows,));

fn numbers<'py>(py: Python<'py>, numbers: &[i32]) -> PyResult<Bound<'py, PyAny>> {
    array(py, numbers, &[numbers.len()])
}

fn align(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Alignment> {
    let words = |words: &Bound<'_, PyAny>| -> PyResult<Vec<PyBackedStr>> {
        items::read(words, |word| word.extract())
    };
    let (x, y) = (words(x)?, words(y)?);
    let x: Vec<&str> = x.iter().map(|word| &**word).collect();
    let y: Vec<&str> = y.iter().map(|word| &**word).collect();
    Alignment::of(&x, &y).or_raise()
}

/// Returns for each word of either tokenization the positions of the other's words that it shares
/// characters with, ascending; case and whitespace are ignored.
///
/// Raises ValueError (E949) for texts that differ otherwise.
#[pyfunction]
#[expect(non_snake_case, reason = "the arguments are called so in spaCy")]
// stub: (A: Iterable[str], B: Iterable[str]) -> tuple[list[list[int]], list[list[int]]]
fn get_alignments(A: &Bound<'_, PyAny>, B: &Bound<'_, PyAny>) -> PyResult<(Rows, Rows)> {
    let alignment = align(A, B)?;
    Ok((alignment.x2y.to_vecs(), alignment.y2x.to_vecs()))
}

/// Returns the two arrays that `get_alignments` returns as lists.
#[pyfunction]
// stub: (x: Iterable[str], y: Iterable[str])
fn alignment_arrays(
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
) -> PyResult<(PyAlignmentArray, PyAlignmentArray)> {
    let alignment = align(x, y)?;
    Ok((PyAlignmentArray::of(alignment.x2y), PyAlignmentArray::of(alignment.y2x)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyAlignmentArray>(module)?;
    module.add_function(wrap_pyfunction!(get_alignments, module)?)?;
    module.add_function(wrap_pyfunction!(alignment_arrays, module)?)
}
