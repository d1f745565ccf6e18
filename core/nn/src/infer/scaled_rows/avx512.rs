//! Sums of multiplied rows with AVX-512, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX-512. Invariants:
//!
//! - `P1`: a value of [`Avx512`] exists only if the processor has AVX-512 F. The functions of this
//!   module are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to slices of `LANES` of them.
//!
//! A block of columns has up to 12 registers of sums. An addition takes four cycles, and two begin
//! in a cycle, so that 8 sums at least are to be added to at a time; rows are divided evenly.
#![expect(unsafe_code, reason = "instructions of AVX-512")]

use std::arch::x86_64::{
    __m512, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

use super::row::ScaledRow;
use crate::infer::processor::Avx512;

/// The number of floats in a register.
const LANES: usize = 16;
/// The most registers of sums of a block.
const REGISTERS: usize = 12;

/// Adds the products of rows of a table with numbers to `sums`.
///
/// # Panics
///
/// If a row ends outside of the table.
pub(super) fn add_scaled_rows(_: Avx512, rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    // SAFETY: P1.
    unsafe { by_columns(rows, table, sums) };
}

/// Adds block by block of columns.
///
/// # Safety
///
/// The processor must have AVX-512 F, as for all functions of this module.
#[target_feature(enable = "avx512f")]
unsafe fn by_columns(rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    let n_registers = sums.len() / LANES;
    let n_blocks = n_registers.div_ceil(REGISTERS);
    let (mut first, mut rest) = (0, sums);
    for block in 0..n_blocks {
        let n = n_registers / n_blocks + usize::from(block < n_registers % n_blocks);
        let (own, after) = rest.split_at_mut(n * LANES);
        // SAFETY: P1.
        unsafe {
            match n {
                1 => add_block::<1>(rows, table, first, own),
                2 => add_block::<2>(rows, table, first, own),
                3 => add_block::<3>(rows, table, first, own),
                4 => add_block::<4>(rows, table, first, own),
                5 => add_block::<5>(rows, table, first, own),
                6 => add_block::<6>(rows, table, first, own),
                7 => add_block::<7>(rows, table, first, own),
                8 => add_block::<8>(rows, table, first, own),
                9 => add_block::<9>(rows, table, first, own),
                10 => add_block::<10>(rows, table, first, own),
                11 => add_block::<11>(rows, table, first, own),
                _ => add_block::<REGISTERS>(rows, table, first, own),
            }
        }
        (first, rest) = (first + n * LANES, after);
    }
    // SAFETY: P1.
    unsafe { add_rest(rows, table, first, rest) };
}

/// Adds the columns from `first` on, `N` registers of them.
///
/// # Safety
///
/// The processor must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add_block<const N: usize>(
    rows: &[ScaledRow],
    table: &[f32],
    first: usize,
    sums: &mut [f32],
) {
    let mut registers = [_mm512_setzero_ps(); N];
    // By index, so that the loops are unrolled and the sums stay in registers.
    for (at, register) in registers.iter_mut().enumerate() {
        // SAFETY: P1; P2: the sums have `N` registers of numbers.
        *register = unsafe { load(&sums[at * LANES..(at + 1) * LANES]) };
    }
    for ScaledRow { factor, start } in rows {
        let row = &table[*start as usize + first..][..N * LANES];
        let factor = _mm512_set1_ps(*factor);
        for (at, register) in registers.iter_mut().enumerate() {
            // SAFETY: P1; P2: the row has `N` registers of numbers.
            let x = unsafe { load(&row[at * LANES..(at + 1) * LANES]) };
            *register = _mm512_fmadd_ps(factor, x, *register);
        }
    }
    for (at, register) in registers.iter().enumerate() {
        let column = &mut sums[at * LANES..(at + 1) * LANES];
        // SAFETY: P2: the column has `LANES` numbers.
        unsafe { _mm512_storeu_ps(column.as_mut_ptr(), *register) };
    }
}

/// Adds the columns from `first` on, fewer than a register has.
///
/// # Safety
///
/// The processor must have AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn add_rest(rows: &[ScaledRow], table: &[f32], first: usize, sums: &mut [f32]) {
    if sums.is_empty() {
        return;
    }
    for ScaledRow { factor, start } in rows {
        let row = &table[*start as usize + first..][..sums.len()];
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = factor.mul_add(*x, *sum));
    }
}

/// Loads a register.
///
/// # Safety
///
/// The processor must have AVX-512 F, and `numbers` must have at least `LANES` numbers.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(numbers: &[f32]) -> __m512 {
    // SAFETY: P2.
    unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
}
