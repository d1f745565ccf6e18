//! Sums of rows that are multiplied with numbers: the products of training with gradients that are
//! mostly zeros.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(avx512)]
#[clippy::msrv = "1.89"]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod row;

use crate::infer::processor::Instructions;

pub use row::ScaledRow;

/// Adds the products of rows of a table with numbers to `sums`, whose length is that of the rows.
/// Each sum is a chain of fused operations in the order of `rows`.
///
/// # Panics
///
/// If a row ends outside of the table.
///
/// ```
/// use lexpool_nn::{ScaledRow, add_scaled_rows};
///
/// let mut sums = [0.5, 0.0];
/// let rows = [ScaledRow { factor: 2.0, start: 1 }, ScaledRow { factor: 1.0, start: 0 }];
/// add_scaled_rows(&rows, &[1.0, 10.0, 100.0], &mut sums);
/// assert_eq!(sums, [21.5, 210.0]);
/// ```
pub fn add_scaled_rows(rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    add_with(Instructions::best(), rows, table, sums);
}

fn add_with(with: Instructions, rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    match with {
        Instructions::Plain => add_plainly(rows, table, sums),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(avx2) => avx2::add_scaled_rows(avx2, rows, table, sums),
        #[cfg(avx512)]
        Instructions::Avx512(avx512) => avx512::add_scaled_rows(avx512, rows, table, sums),
        #[cfg(target_arch = "aarch64")]
        Instructions::Neon(neon) => neon::add_scaled_rows(neon, rows, table, sums),
    }
}

/// Adds with the instructions that each processor of the target has.
fn add_plainly(rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    for ScaledRow { factor, start } in rows {
        let row = &table[*start as usize..][..sums.len()];
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = factor.mul_add(*x, *sum));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn instructions_change_no_bit(
            rows in prop::collection::vec((-2.0..2.0_f32, 0..700_u32), 0..40),
            width in 0..300_usize,
        ) {
            let table: Vec<f32> = (0..1000).map(|at: u16| f32::from(at * 37 % 101) - 50.0).collect();
            let rows: Vec<ScaledRow> =
                rows.into_iter().map(|(factor, start)| ScaledRow { factor, start }).collect();
            let mut expected = vec![0.25; width];
            add_plainly(&rows, &table, &mut expected);
            for with in Instructions::all() {
                let mut sums = vec![0.25; width];
                add_with(with, &rows, &table, &mut sums);
                prop_assert_eq!(&sums, &expected, "{:?}", with);
            }
        }
    }

    #[test]
    #[should_panic = "out of range"]
    fn a_row_that_ends_outside_of_its_table_is_refused() {
        let rows = [ScaledRow { factor: 1.0, start: 90 }];
        add_scaled_rows(&rows, &[0.0; 100], &mut [0.0; 11]);
    }
}
