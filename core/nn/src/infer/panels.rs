//! The layout of packed weights.

/// The number of outputs whose weights lie side by side.
pub(crate) const PANEL: usize = 16;

/// The weights of a panel for one input.
pub(crate) type Panel<T> = [T; PANEL];

/// The weights of some outputs in panels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panels<T> {
    /// For each panel the weights of its outputs for each input; zeros beyond the last output.
    pub(crate) weights: Vec<Panel<T>>,
    /// The number of weights of an output.
    pub(crate) width: usize,
    pub(crate) outputs: usize,
}

impl<T: Copy + Default> Panels<T> {
    /// Packs rows of `width` weights, one for each output.
    pub(crate) fn new(weights: &[T], width: usize) -> Panels<T> {
        let outputs = weights.len().checked_div(width).unwrap_or(0);
        let mut panels = vec![[T::default(); PANEL]; outputs.div_ceil(PANEL) * width];
        for (output, row) in weights.chunks_exact(width.max(1)).enumerate() {
            for (inputs, weight) in panels[output / PANEL * width..].iter_mut().zip(row) {
                inputs[output % PANEL] = *weight;
            }
        }
        Panels { weights: panels, width, outputs }
    }
}
