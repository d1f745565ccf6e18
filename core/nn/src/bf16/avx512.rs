//! Products of bf16 with AVX-512, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX-512 and its instructions for bf16. Invariants:
//!
//! - `P1`: a value of [`Avx512Bf16`] exists only if the processor has AVX-512 F and BF16. The
//!   functions of this module are reached through one alone.
//! - `P2`: pairs and sums are loaded and stored by references to arrays of [`PANEL`] of them, which
//!   fill a register.
//! - `P3`: registers of integers and of bf16 have one size, and each value of their bits is valid.
//!
//! A whole tile of 8 rows by 3 panels has 24 of the 32 registers for its sums, as that of floats
//! in [`packed`](crate::packed).

use std::arch::x86_64::{
    __m512, __m512bh, __m512i, _mm512_dpbf16_ps, _mm512_loadu_si512, _mm512_set1_epi32,
    _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps,
};
use std::mem::transmute;

use crate::panels::{PANEL, Panel, Panels};
use crate::processor::Avx512Bf16;

/// The number of panels of a whole tile.
const WIDE: usize = 3;

/// The sums of `N` rows for the outputs of `P` panels.
type Tile<const N: usize, const P: usize> = [[__m512; P]; N];

/// Rows of a product: where each begins in a source, and their results.
struct Rows<'a> {
    source: &'a [u32],
    starts: &'a [usize],
    out: &'a mut [f32],
}

/// Multiplies the rows that begin at `starts` with the weights of panels.
///
/// # Panics
///
/// If a row ends outside of `source`.
pub(super) fn multiply(
    _: Avx512Bf16,
    panels: &Panels<u32>,
    source: &[u32],
    starts: &[usize],
    out: &mut [f32],
) {
    if out.is_empty() {
        return;
    }
    // SAFETY: P1.
    unsafe { all_rows(panels, Rows { source, starts, out }) };
}

/// Multiplies whole groups of rows, and then those that are left: four, two and one.
#[target_feature(enable = "avx512f,avx512bf16")]
fn all_rows(panels: &Panels<u32>, rows: Rows<'_>) {
    let rows = by_panels::<8>(panels, rows);
    let rows = by_panels::<4>(panels, rows);
    let rows = by_panels::<2>(panels, rows);
    by_panels::<1>(panels, rows);
}

/// Multiplies groups of `N` rows with all panels. Returns the rows that are left.
#[target_feature(enable = "avx512f,avx512bf16")]
fn by_panels<'a, const N: usize>(panels: &Panels<u32>, rows: Rows<'a>) -> Rows<'a> {
    let Rows { source, starts, out } = rows;
    let n_rows = starts.len() / N * N;
    let (starts, rest) = starts.split_at(n_rows);
    let (out, rest_out) = out.split_at_mut(n_rows * panels.outputs);
    let mut whole = Rows { source, starts, out };
    if n_rows > 0 {
        let mut groups = panels.weights.chunks_exact(WIDE * panels.width);
        let mut first = 0;
        for group in groups.by_ref() {
            tiles::<N, WIDE>(panels, group, &mut whole, first);
            first += WIDE * PANEL;
        }
        let left = groups.remainder();
        match left.len() / panels.width {
            0 => {}
            1 => tiles::<N, 1>(panels, left, &mut whole, first),
            _ => tiles::<N, 2>(panels, left, &mut whole, first),
        }
    }
    Rows { source, starts: rest, out: rest_out }
}

/// Multiplies groups of `N` rows with a group of `P` panels, whose outputs begin at `first`.
#[target_feature(enable = "avx512f,avx512bf16")]
fn tiles<const N: usize, const P: usize>(
    panels: &Panels<u32>,
    group: &[Panel<u32>],
    rows: &mut Rows<'_>,
    first: usize,
) {
    let (n_pairs, outputs) = (panels.width, panels.outputs);
    let mut weights: [&[Panel<u32>]; P] = [&[]; P];
    for (panel, pairs) in weights.iter_mut().zip(group.chunks_exact(n_pairs)) {
        *panel = pairs;
    }
    let all = rows.starts.chunks_exact(N).zip(rows.out.chunks_exact_mut(N * outputs));
    for (starts, out) in all {
        let mut inputs: [&[u32]; N] = [&[]; N];
        for (inputs, start) in inputs.iter_mut().zip(starts) {
            *inputs = &rows.source[*start..*start + n_pairs];
        }
        let tile = sums::<N, P>(inputs, weights, n_pairs);
        for (sums, out) in tile.iter().zip(out.chunks_exact_mut(outputs)) {
            for (panel, sums) in sums.iter().enumerate() {
                let out = &mut out[first + panel * PANEL..];
                if let Some(out) = out.first_chunk_mut() {
                    store(*sums, out);
                } else {
                    let mut numbers = [0.0; PANEL];
                    store(*sums, &mut numbers);
                    out.copy_from_slice(&numbers[..out.len()]);
                }
            }
        }
    }
}

/// Returns the sums of some rows over `n_pairs` pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn sums<const N: usize, const P: usize>(
    mut inputs: [&[u32]; N],
    mut panels: [&[Panel<u32>]; P],
    n_pairs: usize,
) -> Tile<N, P> {
    // Slices of one length, so that the loop over pairs has no check of a bound.
    for inputs in &mut inputs {
        *inputs = &inputs[..n_pairs];
    }
    for panel in &mut panels {
        *panel = &panel[..n_pairs];
    }
    let mut sums = [[_mm512_setzero_ps(); P]; N];
    for at in 0..n_pairs {
        let mut factors = [bf16(_mm512_setzero_si512()); P];
        for (factor, panel) in factors.iter_mut().zip(panels) {
            *factor = load(&panel[at]);
        }
        for row in 0..N {
            let input = bf16(_mm512_set1_epi32(inputs[row][at].cast_signed()));
            for panel in 0..P {
                sums[row][panel] = _mm512_dpbf16_ps(sums[row][panel], input, factors[panel]);
            }
        }
    }
    sums
}

/// Returns the same bits as pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn bf16(pairs: __m512i) -> __m512bh {
    // SAFETY: P3.
    unsafe { transmute(pairs) }
}

/// Loads the pairs of a panel.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn load(pairs: &Panel<u32>) -> __m512bh {
    // SAFETY: P2.
    bf16(unsafe { _mm512_loadu_si512(pairs.as_ptr().cast()) })
}

/// Stores the sums of a panel.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn store(sums: __m512, out: &mut [f32; PANEL]) {
    // SAFETY: P2.
    unsafe { _mm512_storeu_ps(out.as_mut_ptr(), sums) };
}
