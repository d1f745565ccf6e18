//! A matrix over numbers that lie elsewhere.

/// A matrix in a slice: its rows lie `stride` numbers apart, or its columns if it is transposed.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    pub(super) numbers: &'a [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    // At least the length of what lies side by side; `numbers` ends behind the last element.
    pub(super) stride: usize,
    pub(super) transposed: bool,
}

impl<'a> Matrix<'a> {
    /// Makes a matrix of rows that lie `stride` numbers apart. Returns `None` if `stride` is less
    /// than a row, or `numbers` ends before the last row.
    ///
    /// ```
    /// use lexpool_nn::{Matrix, gemm};
    ///
    /// let x = Matrix::new(&[1.0, 2.0, 3.0, 4.0], 2, 2, 2).unwrap();
    /// let mut product = [0.0; 4];
    /// gemm(x, x.transpose(), &mut product, 2);
    /// assert_eq!(product, [5.0, 11.0, 11.0, 25.0]);
    /// ```
    pub fn new(
        numbers: &'a [f32],
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Option<Matrix<'a>> {
        let fits = stride >= columns && extent(rows, columns, stride)? <= numbers.len();
        fits.then_some(Matrix { numbers, rows, columns, stride, transposed: false })
    }

    /// Returns the matrix with rows and columns exchanged, over the same numbers.
    #[must_use]
    pub fn transpose(self) -> Matrix<'a> {
        let (rows, columns) = (self.columns, self.rows);
        Matrix { rows, columns, transposed: !self.transposed, ..self }
    }
}

/// Returns how many numbers a matrix covers, from its first element to its last; `None` if they
/// exceed the address space.
pub(super) fn extent(rows: usize, columns: usize, stride: usize) -> Option<usize> {
    if rows == 0 || columns == 0 {
        return Some(0);
    }
    (rows - 1).checked_mul(stride)?.checked_add(columns)
}
