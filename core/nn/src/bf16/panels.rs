//! The layout of packed weights.

/// The number of outputs whose weights lie side by side.
pub(super) const PANEL: usize = 16;

/// The pairs of weights of a panel for one pair of inputs.
pub(super) type PanelPairs = [u32; PANEL];

/// The weights of some outputs, of `n_pairs` pairs each, in panels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairPanels {
    /// For each panel the weights of its outputs for each pair of inputs; zeros beyond the last
    /// output.
    pub(super) weights: Vec<PanelPairs>,
    pub(super) n_pairs: usize,
    pub(super) outputs: usize,
}

impl PairPanels {
    /// Packs rows of `n_pairs` pairs, one for each output.
    pub(super) fn new(pairs: &[u32], n_pairs: usize) -> PairPanels {
        let outputs = pairs.len() / n_pairs;
        let mut weights = vec![[0; PANEL]; outputs.div_ceil(PANEL) * n_pairs];
        for (output, row) in pairs.chunks_exact(n_pairs).enumerate() {
            for (panel, pair) in weights[output / PANEL * n_pairs..].iter_mut().zip(row) {
                panel[output % PANEL] = *pair;
            }
        }
        PairPanels { weights, n_pairs, outputs }
    }
}
