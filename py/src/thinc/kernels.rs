//! Kernels on NumPy's arrays. `lexpool.thinc` decides which arrays they get; they check them again.

use lexpool::nn::{Matrix, gather_add, gemm, maxout};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arrays::{Input, Output};
use crate::runtime::gil::unlocked;

/// The number of multiplications that take as long as reading a number.
const PRODUCTS: usize = 16;

/// Writes the product of two float32 matrices to a third, each of the factors transposed if wanted.
/// The arrays must be contiguous, and the third shares no memory with the others.
///
/// Raises ValueError if the shapes do not fit.
#[pyfunction]
// stub: (x: Any, y: Any, out: Any, trans1: bool, trans2: bool)
pub(super) fn thinc_gemm(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    trans1: bool,
    trans2: bool,
) -> PyResult<()> {
    let (x, y) = (Input::<f32>::of(x, 2)?, Input::<f32>::of(y, 2)?);
    let shape = |side: &Input<f32>, transposed: bool| {
        let (rows, columns) = (side.len_of(0), side.len_of(1));
        if transposed { (columns, rows) } else { (rows, columns) }
    };
    let ((rows, inner), (inner_of_y, columns)) = (shape(&x, trans1), shape(&y, trans2));
    let (Some(a), Some(b)) = (matrix(&x, trans1), matrix(&y, trans2)) else {
        return Err(PyValueError::new_err("[thinc-array] a matrix beyond the address space"));
    };
    if inner != inner_of_y {
        let text = format!(
            "[thinc-array] matrices of {rows} x {inner} and {inner_of_y} x {columns} numbers have no product"
        );
        return Err(PyValueError::new_err(text));
    }
    let mut out = Output::<f32>::of(out, &[rows, columns])?.apart(&x)?.apart(&y)?;
    let out = out.numbers();
    let work = out.len().saturating_mul(inner) / PRODUCTS;
    unlocked(py, work, || gemm(a, b, out, columns));
    Ok(())
}

fn matrix(array: &Input<f32>, transposed: bool) -> Option<Matrix<'_>> {
    let (rows, columns) = (array.len_of(0), array.len_of(1));
    let matrix = Matrix::new(array.numbers(), rows, columns, columns)?;
    Some(if transposed { matrix.transpose() } else { matrix })
}

/// Writes the largest of the pieces of each output, and its number. The arrays must be contiguous:
/// float32 of 3 dimensions, float32 and int32 of the first two.
///
/// Raises ValueError if the shapes do not fit.
#[pyfunction]
// stub: (pieces: Any, best: Any, which: Any)
pub(super) fn thinc_maxout(
    py: Python<'_>,
    pieces: &Bound<'_, PyAny>,
    best: &Bound<'_, PyAny>,
    which: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let x = Input::<f32>::of(pieces, 3)?;
    let (shape, pieces) = ([x.len_of(0), x.len_of(1)], x.len_of(2));
    if pieces == 0 {
        return Err(PyValueError::new_err("[thinc-array] outputs of 0 pieces have no largest one"));
    }
    let mut best = Output::<f32>::of(best, &shape)?.apart(&x)?;
    let mut which = Output::<i32>::of(which, &shape)?.apart(&x)?.apart_from(&best)?;
    let (numbers, best, which) = (x.numbers(), best.numbers(), which.numbers());
    unlocked(py, numbers.len(), || maxout(numbers, pieces, best, which));
    Ok(())
}

/// Writes the sums of rows of a float32 table, whose indices each row of a uint32 array has.
/// Returns False if an index is beyond the table.
///
/// Raises ValueError if the shapes do not fit.
#[pyfunction]
// stub: (table: Any, indices: Any, out: Any)
pub(super) fn thinc_gather_add(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (table, indices) = (Input::<f32>::of(table, 2)?, Input::<u32>::of(indices, 2)?);
    let (rows, width) = (indices.len_of(0), table.len_of(1));
    let mut out = Output::<f32>::of(out, &[rows, width])?.apart(&table)?.apart(&indices)?;
    let (table, indices, out) = (table.numbers(), indices.numbers(), out.numbers());
    if width == 0 {
        return Ok(true);
    }
    let work = indices.len().saturating_mul(width);
    Ok(unlocked(py, work, || gather_add(table, width, indices, out)))
}
