//! A matrix of weights, packed for products with many rows.
//!
//! The weights of 16 outputs lie side by side for each input number, and a tile of sums, some rows
//! by some panels, stays in registers. Each output number still is one sum over the inputs in
//! order, as in [`multiply`](crate::multiply), whatever the number of rows and the instructions:
//! packing changes the speed and no bit. Source: the packing of `GotoBLAS` (Goto and van de Geijn,
//! 2008).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(avx512)]
#[clippy::msrv = "1.89"]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::ops::Range;

use crate::infer::panels::{PANEL, Panel, Panels};
use crate::infer::processor::Instructions;
use crate::infer::sums::GemmOrder;

/// Number of rows of a tile without special instructions: their sums fill half of the registers of
/// SSE2.
const ROWS: usize = 2;

/// The weights of some outputs, ready for products.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedWeights(Panels<f32>);

impl PackedWeights {
    /// Packs rows of `width` numbers, one for each output.
    pub fn new(weights: &[f32], width: usize) -> PackedWeights {
        PackedWeights(Panels::new(weights, width))
    }

    /// Returns the number of inputs.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.0.outputs
    }

    /// Multiplies rows of `width` numbers, in an order of additions.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows.
    pub fn multiply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        let Panels { width, outputs, .. } = self.0;
        assert_eq!(rows.len() % width.max(1), 0, "rows of {width} numbers");
        let starts: Vec<usize> = (0..rows.len()).step_by(width.max(1)).collect();
        let mut out = vec![0.0; starts.len() * outputs];
        self.multiply_at(order, rows, &starts, &mut out);
        out
    }

    /// Multiplies the rows of `width` numbers that begin at `starts`; they may overlap. Writes a
    /// row of outputs for each to `out`.
    ///
    /// # Panics
    ///
    /// If a row ends outside of `source`, or `out` has another length.
    pub fn multiply_at(&self, order: GemmOrder, source: &[f32], starts: &[usize], out: &mut [f32]) {
        self.multiply_with(Instructions::best(), order, source, starts, out);
    }

    /// Multiplies with the given instructions, as [`multiply_at`](PackedWeights::multiply_at) does.
    fn multiply_with(
        &self,
        instructions: Instructions,
        order: GemmOrder,
        source: &[f32],
        starts: &[usize],
        out: &mut [f32],
    ) {
        assert_eq!(out.len(), starts.len() * self.outputs(), "a row of outputs for each start");
        match instructions {
            #[cfg(avx512)]
            Instructions::Avx512(avx512) => {
                avx512::multiply(avx512, &self.0, order, source, starts, out);
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(avx2) => {
                avx2::multiply(avx2, &self.0, order, source, starts, out);
            }
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon(neon) => {
                neon::multiply(neon, &self.0, order, source, starts, out);
            }
            Instructions::Plain => self.multiply_plainly(order, source, starts, out),
        }
    }

    /// Multiplies with the instructions that each processor of the target has.
    fn multiply_plainly(
        &self,
        order: GemmOrder,
        source: &[f32],
        starts: &[usize],
        out: &mut [f32],
    ) {
        let Panels { weights, width, outputs } = &self.0;
        let (width, outputs) = (*width, *outputs);
        if outputs == 0 {
            return;
        }
        for (number, panel) in weights.chunks_exact(width).enumerate() {
            let first = number * PANEL;
            let in_panel = (outputs - first).min(PANEL);
            for (group, out) in starts.chunks(ROWS).zip(out.chunks_mut(ROWS * outputs)) {
                if let [first_row, second_row] = group {
                    let rows = [*first_row, *second_row].map(|at| &source[at..at + width]);
                    let sums = sums(order, rows, panel);
                    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(outputs)) {
                        out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                    }
                } else {
                    let [sums] = sums(order, [&source[group[0]..group[0] + width]], panel);
                    out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                }
            }
        }
    }
}

/// Returns the sums of `N` rows for the outputs of a panel.
fn sums<const N: usize>(
    order: GemmOrder,
    rows: [&[f32]; N],
    panel: &[Panel<f32>],
) -> [Panel<f32>; N] {
    let mut total = [[0.0; PANEL]; N];
    for (number, block) in order.blocks(panel.len()).enumerate() {
        let sums = block_sums::<N>(order, rows, panel, block);
        if number == 0 {
            total = sums;
        } else {
            for (total, sums) in total.iter_mut().zip(&sums) {
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
            }
        }
    }
    total
}

#[inline]
fn block_sums<const N: usize>(
    order: GemmOrder,
    rows: [&[f32]; N],
    panel: &[Panel<f32>],
    block: Range<usize>,
) -> [Panel<f32>; N] {
    let mut sums = [[0.0_f32; PANEL]; N];
    let inputs = rows.map(|row| &row[block.clone()]);
    for (at, weights) in panel[block.clone()].iter().enumerate() {
        for (sums, inputs) in sums.iter_mut().zip(inputs) {
            let input = inputs[at];
            if order.is_fused() {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = input.mul_add(*weight, *sum);
                }
            } else {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += input * weight;
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::infer::multiply;
    use crate::infer::weights::tests::{bits, numbers};

    const ORDERS: [GemmOrder; 4] =
        [GemmOrder::Generic, GemmOrder::Haswell, GemmOrder::Skylake, GemmOrder::Chain];

    proptest! {
        #[test]
        fn neither_packing_nor_instructions_change_a_bit(
            n_rows in 0..20_usize,
            outputs in 0..90_usize,
            width in 1..600_usize,
        ) {
            let rows = numbers(0..n_rows * width);
            let weights = numbers(7..7 + outputs * width);
            let packed = PackedWeights::new(&weights, width);
            let starts: Vec<usize> = (0..n_rows).map(|row| row * width).collect();
            for order in ORDERS {
                let expected = bits(&multiply(order, &rows, &weights, width));
                prop_assert_eq!(&bits(&packed.multiply(order, &rows)), &expected);
                for instructions in Instructions::all() {
                    let mut out = vec![f32::NAN; n_rows * outputs];
                    packed.multiply_with(instructions, order, &rows, &starts, &mut out);
                    prop_assert_eq!(&bits(&out), &expected, "{:?}", instructions);
                }
            }
        }

        #[test]
        fn rows_may_begin_anywhere(
            starts in prop::collection::vec(0..50_usize, 0..20),
            outputs in 0..90_usize,
            width in 1..600_usize,
        ) {
            let source = numbers(0..width + 50);
            let rows: Vec<f32> =
                starts.iter().flat_map(|at| source[*at..at + width].iter().copied()).collect();
            let weights = numbers(7..7 + outputs * width);
            let packed = PackedWeights::new(&weights, width);
            for order in ORDERS {
                let expected = bits(&multiply(order, &rows, &weights, width));
                for instructions in Instructions::all() {
                    let mut out = vec![f32::NAN; starts.len() * outputs];
                    packed.multiply_with(instructions, order, &source, &starts, &mut out);
                    prop_assert_eq!(&bits(&out), &expected, "{:?}", instructions);
                }
            }
        }
    }
}
