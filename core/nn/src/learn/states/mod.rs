//! Networks that score the states of a parse, as they train: `spacy.TransitionBasedParser`.
//!
//! Weights do not change within an update. So the products of all tokens are computed once, states
//! are stepped to their end in any grouping, and one backward pass serves all steps. spaCy makes a
//! backward pass a step, whose sums are the same but for their order.
//!
//! | file | contents |
//! | --- | --- |
//! | `layers` | [`StateLayers`]: where the parameters of the two layers lie |
//! | `forward` | [`StateForward`]: products of tokens; scores of states |
//! | `tape` | [`StateTape`]: what a backward pass needs of each state |
//! | `backward` | gradients of both layers and of the tokens |
//! | `winners` | sums over the pieces that were the largest alone |
//!
//! Source: `precomputable_affine`, `parser_model` of spaCy 3.8.

mod backward;
mod forward;
mod layers;
mod tape;
#[cfg(test)]
mod tests;
mod winners;

pub use backward::backward;
pub use forward::StateForward;
pub use layers::{StateLayers, StateSizes};
pub use tape::StateTape;
