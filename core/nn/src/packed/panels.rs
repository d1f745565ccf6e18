//! The layout of packed weights.

/// Number of outputs whose weights lie side by side.
pub(super) const PANEL: usize = 16;

/// The weights of a panel for one input number.
pub(super) type PanelWeights = [f32; PANEL];

/// The weights of some outputs, of `width` numbers each, in panels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panels {
    /// For each panel the weights of its outputs for each input number; zeros beyond the last
    /// output.
    pub(super) weights: Vec<PanelWeights>,
    pub(super) width: usize,
    pub(super) outputs: usize,
}

impl Panels {
    /// Packs rows of `width` numbers, one for each output.
    pub(super) fn new(weights: &[f32], width: usize) -> Panels {
        let outputs = weights.len().checked_div(width).unwrap_or(0);
        let mut panels = vec![[0.0; PANEL]; outputs.div_ceil(PANEL) * width];
        for (output, row) in weights.chunks_exact(width.max(1)).enumerate() {
            for (inputs, weight) in panels[output / PANEL * width..].iter_mut().zip(row) {
                inputs[output % PANEL] = *weight;
            }
        }
        Panels { weights: panels, width, outputs }
    }
}
