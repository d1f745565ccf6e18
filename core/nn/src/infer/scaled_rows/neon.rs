//! Sums of multiplied rows with NEON, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for NEON. Invariants:
//!
//! - `P1`: a value of [`Neon`] exists only if the processor has NEON. The functions of this module
//!   are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to slices of `LANES` of them.
//!
//! A block of columns has up to 24 registers of sums, of the 32; they are stored after all rows.
#![expect(unsafe_code, reason = "instructions of NEON")]

use std::arch::aarch64::{float32x4_t, vdupq_n_f32, vfmaq_f32, vld1q_f32, vst1q_f32};

use super::row::ScaledRow;
use crate::infer::processor::Neon;

/// The number of floats in a register.
const LANES: usize = 4;

/// Adds the products of rows of a table with numbers to `sums`.
///
/// # Panics
///
/// If a row ends outside of the table.
pub(super) fn add_scaled_rows(_: Neon, rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    // SAFETY: P1.
    unsafe { by_columns(rows, table, sums) };
}

/// Adds block by block of columns.
///
/// # Safety
///
/// The processor must have NEON, as for all functions of this module.
#[target_feature(enable = "neon")]
unsafe fn by_columns(rows: &[ScaledRow], table: &[f32], sums: &mut [f32]) {
    let (mut first, mut rest) = (0, sums);
    loop {
        let registers = rest.len() / LANES;
        let n = match registers {
            24.. => 24,
            12.. => 12,
            6.. => 6,
            3.. => 3,
            _ => registers,
        };
        let (block, after) = rest.split_at_mut(n * LANES);
        // SAFETY: P1.
        unsafe {
            match n {
                24 => add_block::<24>(rows, table, first, block),
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
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn add_block<const N: usize>(
    rows: &[ScaledRow],
    table: &[f32],
    first: usize,
    sums: &mut [f32],
) {
    // SAFETY: P1; P2: the sums and each row have `N` registers of numbers.
    unsafe {
        let mut registers = [vdupq_n_f32(0.0); N];
        // By index, so that the loops are unrolled and the sums stay in registers.
        for (at, register) in registers.iter_mut().enumerate() {
            *register = load(&sums[at * LANES..(at + 1) * LANES]);
        }
        for ScaledRow { factor, start } in rows {
            let row = &table[*start as usize + first..][..N * LANES];
            let factor = vdupq_n_f32(*factor);
            for (at, register) in registers.iter_mut().enumerate() {
                let x = load(&row[at * LANES..(at + 1) * LANES]);
                *register = vfmaq_f32(*register, x, factor);
            }
        }
        for (at, register) in registers.iter().enumerate() {
            vst1q_f32(sums[at * LANES..(at + 1) * LANES].as_mut_ptr(), *register);
        }
    }
}

/// Adds the columns from `first` on, fewer than a register has.
///
/// # Safety
///
/// The processor must have NEON.
#[target_feature(enable = "neon")]
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
/// The processor must have NEON, and `numbers` must have at least `LANES` numbers.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(numbers: &[f32]) -> float32x4_t {
    // SAFETY: P2.
    unsafe { vld1q_f32(numbers.as_ptr()) }
}
