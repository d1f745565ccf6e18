//! The parameters of a network of states.

use lexpool_error::{Error, Result, codes, limits};

use crate::describe::NodeIx;
use crate::learn::parameters::{Parameters, TensorIx};

/// The sizes of a network of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSizes {
    /// The number of features of a state.
    pub features: usize,
    /// The number of outputs of the hidden layer.
    pub outputs: usize,
    /// The number of pieces of each output, of which the largest counts.
    pub pieces: usize,
    /// The number of numbers of a token.
    pub inputs: usize,
    /// The number of scores of a state.
    pub classes: usize,
}

impl StateSizes {
    /// Returns an estimate of the bytes of an update of so many tokens and states: the products of
    /// the tokens, the tapes of the states, which grow by doubling, their join, and the gradients
    /// of the hidden layer.
    pub fn n_bytes(&self, n_tokens: usize, n_states: usize) -> usize {
        const NUMBER: usize = size_of::<f32>();
        let token = (self.features * self.outputs * self.pieces + self.inputs) * NUMBER;
        let tape = (self.features + self.outputs + self.classes) * NUMBER + self.outputs;
        let state = 5 * tape / 2 + self.outputs * NUMBER;
        n_tokens.saturating_mul(token).saturating_add(n_states.saturating_mul(state))
    }
}

/// The tensors of a network of states in [`Parameters`]: a layer over the features of a state, and
/// an affine one above it. Without the upper layer the hidden outputs are the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLayers {
    sizes: StateSizes,
    /// Weights by feature, output, piece, input.
    pub(super) weights: TensorIx,
    /// By output, piece.
    pub(super) bias: TensorIx,
    /// The products of a missing token, by feature, output, piece.
    pub(super) padding: TensorIx,
    pub(super) upper: Option<UpperLayer>,
}

/// The tensors of the upper layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UpperLayer {
    /// By class, output.
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
}

impl StateLayers {
    /// Finds the tensors of a network: of its node `precomputable_affine`, and of the affine layer
    /// above it, if there is one.
    ///
    /// # Errors
    ///
    /// `model-structure` if a tensor is missing, or shapes do not fit each other.
    pub fn find(
        parameters: &Parameters,
        lower: NodeIx,
        upper: Option<NodeIx>,
    ) -> Result<StateLayers> {
        let find = |node: NodeIx, name: &str| {
            let missing = || structure(&format!("the node {} has no {name:?}", node.get()));
            parameters.find(node, name).ok_or_else(missing)
        };
        let (weights, bias) = (find(lower, "W")?, find(lower, "b")?);
        let padding = find(lower, "pad")?;
        let upper = match upper {
            Some(node) => Some(UpperLayer { weights: find(node, "W")?, bias: find(node, "b")? }),
            None => None,
        };
        let shape = |ix: TensorIx| parameters.tensor(ix).shape();
        let &[features, outputs, pieces, inputs] = shape(weights) else {
            return Err(structure(&format!("\"W\" has the shape {:?}", shape(weights))));
        };
        let classes =
            upper.map_or(outputs, |upper| shape(upper.bias).first().copied().unwrap_or(0));
        let sizes = StateSizes { features, outputs, pieces, inputs, classes };
        let fits = shape(bias) == [outputs, pieces]
            && shape(padding) == [1, features, outputs, pieces]
            && upper.is_none_or(|upper| {
                shape(upper.weights) == [classes, outputs] && shape(upper.bias) == [classes]
            })
            && [features, outputs, inputs].iter().all(|size| *size > 0)
            && pieces > 0;
        if !fits {
            let upper = upper.map(|upper| (shape(upper.weights), shape(upper.bias)));
            let text = format!(
                "\"W\" has the shape {:?}, \"b\" {:?}, \"pad\" {:?}; above it {upper:?}",
                shape(weights),
                shape(bias),
                shape(padding),
            );
            return Err(structure(&text));
        }
        // A winner is a byte with a mark.
        limits::NETWORK_PIECES.check(pieces, "the network of states: the number of pieces")?;
        Ok(StateLayers { sizes, weights, bias, padding, upper })
    }

    /// Returns the sizes.
    pub fn sizes(&self) -> StateSizes {
        self.sizes
    }
}

fn structure(text: &str) -> Error {
    Error::value(codes::MODEL_STRUCTURE, format!("the network of states: {text}"))
}
