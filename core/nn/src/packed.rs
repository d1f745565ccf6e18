//! A matrix of weights, packed for products with many rows.
//!
//! The weights of 16 outputs lie side by side for each input number, and a tile of sums, some rows
//! by some panels, stays in registers. Each output number still is one sum over the inputs in
//! order, as in [`multiply`](crate::multiply), whatever the number of rows and the instructions:
//! packing changes the speed and no bit. Source: the packing of `GotoBLAS` (Goto and van de Geijn,
//! 2008).

#[cfg(target_arch = "x86_64")]
mod avx2;
mod panels;

use std::ops::Range;

use crate::sums::GemmOrder;
use panels::{PANEL, PanelWeights, Panels};

/// Number of rows of a tile without special instructions: their sums fill half of the registers of
/// SSE2.
const ROWS: usize = 2;

/// The weights of some outputs, ready for products.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PackedWeights(Panels);

impl PackedWeights {
    /// Packs rows of `width` numbers, one for each output.
    pub(crate) fn new(weights: &[f32], width: usize) -> PackedWeights {
        PackedWeights(Panels::new(weights, width))
    }

    /// Returns the number of inputs.
    pub(crate) fn width(&self) -> usize {
        self.0.width
    }

    /// Returns the number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.0.outputs
    }

    /// Multiplies rows of `width` numbers, in an order of additions.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows.
    pub(crate) fn multiply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        let mut out = self.zeros(rows);
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = avx2::Avx2::detect() {
            avx2.multiply(&self.0, order, rows, &mut out);
            return out;
        }
        self.multiply_plainly(order, rows, &mut out);
        out
    }

    fn zeros(&self, rows: &[f32]) -> Vec<f32> {
        let Panels { width, outputs, .. } = self.0;
        assert_eq!(rows.len() % width.max(1), 0, "rows of {width} numbers");
        vec![0.0; rows.len().checked_div(width).unwrap_or(0) * outputs]
    }

    /// Multiplies with the instructions that each processor of the target has.
    fn multiply_plainly(&self, order: GemmOrder, rows: &[f32], out: &mut [f32]) {
        if out.is_empty() {
            return;
        }
        let Panels { weights, width, outputs } = &self.0;
        let (width, outputs) = (*width, *outputs);
        for (number, panel) in weights.chunks_exact(width).enumerate() {
            let first = number * PANEL;
            let in_panel = (outputs - first).min(PANEL);
            for (group, out) in rows.chunks(ROWS * width).zip(out.chunks_mut(ROWS * outputs)) {
                if group.len() == ROWS * width {
                    let sums = sums::<ROWS>(order, group, panel, width);
                    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(outputs)) {
                        out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                    }
                } else {
                    let [sums] = sums::<1>(order, group, panel, width);
                    out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                }
            }
        }
    }
}

/// Returns the sums of `N` rows for the outputs of a panel.
fn sums<const N: usize>(
    order: GemmOrder,
    rows: &[f32],
    panel: &[PanelWeights],
    width: usize,
) -> [PanelWeights; N] {
    let mut total = [[0.0; PANEL]; N];
    for (number, block) in order.blocks(width).enumerate() {
        let sums = block_sums::<N>(order, rows, panel, width, block);
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
    rows: &[f32],
    panel: &[PanelWeights],
    width: usize,
    block: Range<usize>,
) -> [PanelWeights; N] {
    let mut sums = [[0.0_f32; PANEL]; N];
    let inputs: [&[f32]; N] = std::array::from_fn(|row| &rows[row * width..][block.clone()]);
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
    use crate::layers::tests::{bits, numbers};
    use crate::multiply;

    proptest! {
        #[test]
        fn neither_packing_nor_instructions_change_a_bit(
            n_rows in 0..20_usize,
            outputs in 0..40_usize,
            width in 1..600_usize,
        ) {
            let rows = numbers(0..n_rows * width);
            let weights = numbers(7..7 + outputs * width);
            let packed = PackedWeights::new(&weights, width);
            let mut plain = packed.zeros(&rows);
            for order in [GemmOrder::Generic, GemmOrder::Haswell, GemmOrder::Skylake] {
                let expected = bits(&multiply(order, &rows, &weights, width));
                prop_assert_eq!(&bits(&packed.multiply(order, &rows)), &expected);
                packed.multiply_plainly(order, &rows, &mut plain);
                prop_assert_eq!(&bits(&plain), &expected);
            }
        }
    }
}
