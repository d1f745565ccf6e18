//! Sums of multiplied rows with AVX2, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX2 and FMA. Invariants:
//!
//! - `P1`: a value of [`Avx2`] exists only if the processor has AVX2 and FMA. The functions of this
//!   module are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to slices of `LANES` of them.
//!
//! A block of columns has up to 12 registers of sums, of the 16; they are stored after all rows.
#![expect(unsafe_code, reason = "instructions of AVX2")]

use std::arch::x86_64::{
    __m256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use super::row::ScaledRow;
use crate::infer::processor::Avx2;

/// The number of floats in a register.
const LANES: usize = 8;

/// Adds the products of rows of a table with numbers to `sums`.
///
/// # Panics
///
/// If a row ends outside of the table.
pub(super) fn add_scaled_rows(_: Avx2, rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    // SAFETY: P1.
    unsafe { by_columns(rows, table, sums) };
}

/// Adds block by block of columns.
///
/// # Safety
///
/// The processor must have AVX2 and FMA, as for all functions of this module.
#[target_feature(enable = "avx2,fma")]
unsafe fn by_columns(rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    let (mut first, mut rest) = (0, sums);
    loop {
        let registers = rest.len() / LANES;
        let n = match registers {
            12.. => 12,
            6.. => 6,
            3.. => 3,
            _ => registers,
        };
        let (block, after) = rest.split_at_mut(n * LANES);
        // SAFETY: P1.
        unsafe {
            match n {
                12 => add_block::<12>(rows, table, first, block),
                6 => add_block::<6>(rows, table, first, block),
                3 => add_block::<3>(rows, table, first, block),
                2 => add_block::<2>(rows, table, first, block),
                1 => add_block::<1>(rows, table, first, block),
                _ => {
                    add_rest(rows, table, first, after);
                    return;
                }
            }
        }
        (first, rest) = (first + n * LANES, after);
    }
}

/// Adds the columns from `first` on, `N` registers of them.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn add_block<const N: usize>(
    rows: &[ScaledRow],
    table: &[f32],
    first: usize,
    sums: &mut [f32],
) {
    let mut registers = [_mm256_setzero_ps(); N];
    // By index, so that the loops are unrolled and the sums stay in registers.
    for (at, register) in registers.iter_mut().enumerate() {
        // SAFETY: P1; P2: the sums have `N` registers of numbers.
        *register = unsafe { load(&sums[at * LANES..(at + 1) * LANES]) };
    }
    for ScaledRow { factor, start } in rows {
        let row = &table[*start as usize + first..][..N * LANES];
        let factor = _mm256_set1_ps(*factor);
        for (at, register) in registers.iter_mut().enumerate() {
            // SAFETY: P1; P2: the row has `N` registers of numbers.
            let x = unsafe { load(&row[at * LANES..(at + 1) * LANES]) };
            *register = _mm256_fmadd_ps(factor, x, *register);
        }
    }
    for (at, register) in registers.iter().enumerate() {
        let column = &mut sums[at * LANES..(at + 1) * LANES];
        // SAFETY: P2: the column has `LANES` numbers.
        unsafe { _mm256_storeu_ps(column.as_mut_ptr(), *register) };
    }
}

/// Adds the columns from `first` on, fewer than a register has.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn add_rest(rows: &[ScaledRow], table: &[f32], first: usize, sums: &mut [f32]) {
    for ScaledRow { factor, start } in rows {
        let row = &table[*start as usize + first..][..sums.len()];
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = factor.mul_add(*x, *sum));
    }
}

/// Loads a register.
///
/// # Safety
///
/// The processor must have AVX2 and FMA, and `numbers` must have at least `LANES` numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn load(numbers: &[f32]) -> __m256 {
    // SAFETY: P2.
    unsafe { _mm256_loadu_ps(numbers.as_ptr()) }
}
