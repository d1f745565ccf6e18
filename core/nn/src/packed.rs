//! A matrix of weights, packed for products with many rows.
//!
//! The weights of 16 outputs lie side by side for each input number, so that a compiler turns the
//! inner loop into vector operations over outputs. Each output number still is one sum over the
//! inputs in order, as in [`multiply`](crate::multiply), whatever the number of rows: packing
//! changes the speed and no bit. Source: the packing of `GotoBLAS` (Goto and van de Geijn, 2008).

use crate::sums::GemmOrder;

/// Number of outputs whose weights lie side by side.
const PANEL: usize = 16;
/// Number of rows that share a load of weights; two rows of sums fill half of SSE's registers.
const ROWS: usize = 2;

/// The weights of some outputs, of `width` numbers each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PackedWeights {
    /// For each panel and each input number the weights of the panel's outputs; zeros beyond the
    /// last output.
    panels: Vec<f32>,
    width: usize,
    outputs: usize,
}

impl PackedWeights {
    /// Packs rows of `width` numbers, one for each output.
    pub(crate) fn new(weights: &[f32], width: usize) -> PackedWeights {
        let outputs = weights.len().checked_div(width).unwrap_or(0);
        let mut panels = vec![0.0; outputs.div_ceil(PANEL) * PANEL * width];
        for (output, row) in weights.chunks_exact(width.max(1)).enumerate() {
            let start = output / PANEL * PANEL * width + output % PANEL;
            for (at, weight) in row.iter().enumerate() {
                panels[start + at * PANEL] = *weight;
            }
        }
        PackedWeights { panels, width, outputs }
    }

    /// Returns the number of inputs.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies rows of `width` numbers, in an order of additions.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows.
    pub(crate) fn multiply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        assert_eq!(rows.len() % self.width.max(1), 0, "rows of {} numbers", self.width);
        let n_rows = rows.len().checked_div(self.width).unwrap_or(0);
        let mut out = vec![0.0; n_rows * self.outputs];
        if self.outputs == 0 || n_rows == 0 {
            return out;
        }
        for (number, panel) in self.panels.chunks_exact(PANEL * self.width).enumerate() {
            let first = number * PANEL;
            let in_panel = (self.outputs - first).min(PANEL);
            let groups = rows.chunks(ROWS * self.width).zip(out.chunks_mut(ROWS * self.outputs));
            for (group, out) in groups {
                if group.len() == ROWS * self.width {
                    let sums = sums::<ROWS>(order, group, panel, self.width);
                    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(self.outputs)) {
                        out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                    }
                } else {
                    let [sums] = sums::<1>(order, group, panel, self.width);
                    out[first..first + in_panel].copy_from_slice(&sums[..in_panel]);
                }
            }
        }
        out
    }
}

/// Returns the sums of `N` rows for the outputs of a panel.
fn sums<const N: usize>(
    order: GemmOrder,
    rows: &[f32],
    panel: &[f32],
    width: usize,
) -> [[f32; PANEL]; N] {
    let mut total = [[0.0; PANEL]; N];
    let mut at = 0;
    while at < width {
        let end = at + order.block(width - at);
        let of_block = block_sums::<N>(order, rows, panel, width, at..end);
        if at == 0 {
            total = of_block;
        } else {
            for (total, block) in total.iter_mut().zip(&of_block) {
                total.iter_mut().zip(block).for_each(|(total, block)| *total += block);
            }
        }
        at = end;
    }
    total
}

#[inline]
fn block_sums<const N: usize>(
    order: GemmOrder,
    rows: &[f32],
    panel: &[f32],
    width: usize,
    block: std::ops::Range<usize>,
) -> [[f32; PANEL]; N] {
    let mut sums = [[0.0_f32; PANEL]; N];
    let inputs: [&[f32]; N] =
        std::array::from_fn(|row| &rows[row * width + block.start..row * width + block.end]);
    let weights = panel[block.start * PANEL..block.end * PANEL].chunks_exact(PANEL);
    for (at, weights) in weights.enumerate() {
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
        fn packing_changes_no_bit(n_rows in 0..7_usize, outputs in 0..40_usize, width in 1..600_usize) {
            let rows = numbers(0..n_rows * width);
            let weights = numbers(7..7 + outputs * width);
            let packed = PackedWeights::new(&weights, width);
            for order in [GemmOrder::Generic, GemmOrder::Haswell, GemmOrder::Skylake] {
                let expected = multiply(order, &rows, &weights, width);
                prop_assert_eq!(bits(&packed.multiply(order, &rows)), bits(&expected));
            }
        }
    }
}
