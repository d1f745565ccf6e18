//! Loops over arrays that thinc asks of its backends, in the order of additions of its own.

use crate::infer::processor::vectorized;

/// Finds the largest of the `pieces` numbers behind each other for every output, and its number.
/// The first of equal numbers is the largest; a NaN is as thinc's `maxout` treats it.
///
/// # Panics
///
/// If `pieces` is 0, or the lengths do not fit.
///
/// ```
/// let (mut best, mut which) = ([0.0; 2], [0; 2]);
/// lexpool_nn::maxout(&[1.0, 3.0, 2.0, 5.0, 5.0, 4.0], 3, &mut best, &mut which);
/// assert_eq!((best, which), ([3.0, 5.0], [1, 0]));
/// ```
pub fn maxout(numbers: &[f32], pieces: usize, best: &mut [f32], which: &mut [i32]) {
    assert!(pieces > 0, "a piece for each output");
    assert_eq!(numbers.len(), best.len() * pieces, "pieces for each output");
    assert_eq!(best.len(), which.len(), "two results for each output");
    match pieces {
        2 => vectorized(
            #[inline(always)]
            || each(numbers, best, which, of_two),
        ),
        3 => vectorized(
            #[inline(always)]
            || each(numbers, best, which, of_three),
        ),
        _ => {
            for ((numbers, best), which) in numbers.chunks_exact(pieces).zip(best).zip(which) {
                (*best, *which) = (numbers[0], 0);
                for (number, at) in numbers.iter().zip(0..) {
                    if *number > *best {
                        (*best, *which) = (*number, at);
                    }
                }
            }
        }
    }
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn each<const P: usize>(
    numbers: &[f32],
    best: &mut [f32],
    which: &mut [i32],
    largest: impl Fn([f32; P]) -> (f32, i32),
) {
    for ((numbers, best), which) in numbers.chunks_exact(P).zip(best).zip(which) {
        let Some(numbers) = numbers.first_chunk() else { break };
        (*best, *which) = largest(*numbers);
    }
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn of_two([first, second]: [f32; 2]) -> (f32, i32) {
    if second > first { (second, 1) } else { (first, 0) }
}

/// Compares the last two before the first, as thinc does: a NaN among them changes the result.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn of_three([first, second, third]: [f32; 3]) -> (f32, i32) {
    let (best, which) = if third > second { (third, 2) } else { (second, 1) };
    if best > first { (best, which) } else { (first, 0) }
}

/// Writes the sum of some rows of a table to each row of `out`: `per_row` indices for each, added
/// to 0 in order. Returns `false` if an index is beyond the table; rows before it are written.
///
/// # Panics
///
/// If `width` is 0, or the lengths do not fit.
pub fn gather_add(table: &[f32], width: usize, indices: &[u32], out: &mut [f32]) -> bool {
    assert!(width > 0 && out.len() % width == 0, "rows of {width} numbers");
    let n_rows = out.len() / width;
    if n_rows == 0 {
        return true;
    }
    assert_eq!(indices.len() % n_rows, 0, "indices for each of {n_rows} rows");
    vectorized(
        #[inline(always)]
        || add_rows(table, width, indices, out),
    )
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn add_rows(table: &[f32], width: usize, indices: &[u32], out: &mut [f32]) -> bool {
    out.fill(0.0);
    let per_row = indices.len() / (out.len() / width);
    if per_row == 0 {
        return true;
    }
    for (indices, out) in indices.chunks_exact(per_row).zip(out.chunks_exact_mut(width)) {
        for index in indices {
            let row = usize::try_from(*index).ok().and_then(|at| {
                let start = at.checked_mul(width)?;
                table.get(start..start.checked_add(width)?)
            });
            let Some(row) = row else { return false };
            out.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
    }
    true
}

/// Adds the products of a factor with numbers to other numbers, without rounding the products.
///
/// # Panics
///
/// If the lengths differ.
pub fn axpy(factor: f32, numbers: &[f32], sums: &mut [f32]) {
    assert_eq!(numbers.len(), sums.len(), "a number for each sum");
    #[expect(clippy::float_cmp, reason = "the product with 1 is exact")]
    if factor == 1.0 {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        return;
    }
    vectorized(
        #[inline(always)]
        || {
            sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum = factor.mul_add(*x, *sum));
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::weights::tests::{bits, numbers};

    #[test]
    fn the_first_of_equal_pieces_is_the_largest() {
        for pieces in 1..6 {
            let rows = numbers(0..60 * pieces);
            let (mut best, mut which) = (vec![0.0; 60], vec![0; 60]);
            maxout(&rows, pieces, &mut best, &mut which);
            for (row, (best, which)) in rows.chunks(pieces).zip(best.iter().zip(which)) {
                let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                assert_eq!((*best, row[usize::try_from(which).unwrap()]), (largest, largest));
                let first = row.iter().position(|x| *x == largest).unwrap();
                assert_eq!(usize::try_from(which), Ok(first));
            }
        }
    }

    #[test]
    fn a_nan_is_compared_in_the_order_of_thinc() {
        let nan = f32::NAN;
        let rows = [[1.0, nan, 2.0], [nan, 1.0, 2.0], [1.0, 2.0, nan]];
        let (mut best, mut which) = ([0.0; 3], [0; 3]);
        maxout(rows.as_flattened(), 3, &mut best, &mut which);
        assert_eq!(which, [0, 0, 1]);
        assert!(best[1].is_nan());
        assert_eq!((best[0], best[2]), (1.0, 2.0));
    }

    #[test]
    fn rows_of_a_table_are_added_in_order() {
        let table = numbers(0..5 * 19);
        let indices = [4, 0, 0, 2, 3, 1];
        let mut out = vec![f32::NAN; 2 * 19];
        assert!(gather_add(&table, 19, &indices, &mut out));
        for (indices, out) in indices.chunks(3).zip(out.chunks(19)) {
            let mut sums = vec![0.0; 19];
            for index in indices {
                axpy(1.0, &table[*index as usize * 19..][..19], &mut sums);
            }
            assert_eq!(bits(out), bits(&sums));
        }
        assert!(!gather_add(&table, 19, &[5], &mut out[..19]));
    }

    #[test]
    fn a_factor_is_fused_with_the_addition() {
        let (given, mut sums) = (numbers(0..21), numbers(21..42));
        let expected: Vec<f32> =
            given.iter().zip(&sums).map(|(x, sum)| 0.3_f32.mul_add(*x, *sum)).collect();
        axpy(0.3, &given, &mut sums);
        assert_eq!(bits(&sums), bits(&expected));
    }
}
