use proptest::prelude::*;

use super::*;
use crate::infer::weights::tests::{bits, numbers};

/// A product by its definition, as one chain of fused operations.
fn product(a: Matrix<'_>, b: Matrix<'_>) -> Vec<f32> {
    let at = |matrix: Matrix<'_>, row: usize, column: usize| {
        let (row, column) = if matrix.transposed { (column, row) } else { (row, column) };
        matrix.numbers[row * matrix.stride + column]
    };
    let mut product = Vec::new();
    for row in 0..a.rows {
        for column in 0..b.columns {
            let sum = |sum: f32, k| at(a, row, k).mul_add(at(b, k, column), sum);
            product.push((0..a.columns).fold(0.0, sum));
        }
    }
    product
}

/// A matrix of this many rows and columns, stored as it is or transposed.
fn matrix(numbers: &[f32], rows: usize, columns: usize, transposed: bool) -> Matrix<'_> {
    if transposed {
        Matrix::new(numbers, columns, rows, rows).unwrap().transpose()
    } else {
        Matrix::new(numbers, rows, columns, columns).unwrap()
    }
}

proptest! {
    #[test]
    fn each_number_is_one_chain_whatever_is_transposed_and_however_it_is_computed(
        rows in 0..150_usize,
        inner in prop_oneof![0..70_usize, 380..390_usize, 760..780_usize],
        columns in 0..50_usize,
        transposed in any::<[bool; 2]>(),
    ) {
        let (left, right) = (numbers(0..rows * inner), numbers(7..7 + inner * columns));
        let a = matrix(&left, rows, inner, transposed[0]);
        let b = matrix(&right, inner, columns, transposed[1]);
        let expected = bits(&product(a, b));
        let mut out = vec![f32::NAN; rows * columns];
        gemm(a, b, &mut out, columns);
        prop_assert_eq!(&bits(&out), &expected);
        if out.is_empty() || inner == 0 {
            return Ok(());
        }
        for kernel in [Kernel::best(), Kernel::Plain] {
            out.fill(f32::NAN);
            let mut output = Output { numbers: &mut out, stride: columns, transposed: false };
            multiply(a, b, &mut output, kernel);
            prop_assert_eq!(&bits(&out), &expected);
            out.fill(f32::NAN);
            let mut output = Output { numbers: &mut out, stride: columns, transposed: true };
            multiply(b.transpose(), a.transpose(), &mut output, kernel);
            prop_assert_eq!(&bits(&out), &expected);
        }
    }

    #[test]
    fn rows_may_lie_apart_and_what_lies_between_them_stays(
        rows in 1..20_usize,
        inner in 1..40_usize,
        columns in 1..40_usize,
        gap in 0..5_usize,
    ) {
        let (left, right) = (
            numbers(0..rows * (inner + gap)),
            numbers(7..7 + inner * (columns + gap)),
        );
        let a = Matrix::new(&left, rows, inner, inner + gap).unwrap();
        let b = Matrix::new(&right, inner, columns, columns + gap).unwrap();
        let mut out = vec![-1.0; rows * (columns + gap)];
        gemm(a, b, &mut out, columns + gap);
        for (row, expected) in out.chunks(columns + gap).zip(product(a, b).chunks(columns)) {
            prop_assert_eq!(bits(&row[..columns]), bits(expected));
            prop_assert!(row[columns..].iter().all(|number| *number == -1.0));
        }
    }
}

#[test]
fn more_columns_than_a_block_has_are_multiplied_too() {
    let (rows, inner, columns) = (3, 5, MAX_COLUMNS + 17);
    let (left, right) = (numbers(0..rows * inner), numbers(0..inner * columns));
    let (a, b) = (matrix(&left, rows, inner, false), matrix(&right, inner, columns, false));
    let mut out = vec![0.0; rows * columns];
    let mut output = Output { numbers: &mut out, stride: columns, transposed: false };
    multiply(a, b, &mut output, Kernel::best());
    assert_eq!(bits(&out), bits(&product(a, b)));
}

#[test]
fn a_matrix_needs_all_of_its_numbers() {
    assert!(Matrix::new(&[0.0; 5], 2, 3, 3).is_none());
    assert!(Matrix::new(&[0.0; 6], 2, 3, 2).is_none());
    assert!(Matrix::new(&[0.0; 5], 2, 2, 3).is_some());
    assert!(Matrix::new(&[], usize::MAX, usize::MAX, usize::MAX).is_none());
    assert!(Matrix::new(&[], 0, 3, 3).is_some());
}
