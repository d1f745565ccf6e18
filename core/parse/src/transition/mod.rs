//! Parsing by transitions: what is known of a sentence, and the moves that lead to the next state.
//!
//! A [`ParseState`] is a stack, a buffer, arcs and entities; it holds no document, so states are
//! made, copied and dropped on any thread. A [`TransitionSystem`] says which moves a state allows,
//! what they do, and what each costs beside a gold annotation; all else here is written for any of
//! them. Behaviour is spaCy's, down to its oddities, but what crashes there is an error here.
//!
//! | module | holds |
//! | --- | --- |
//! | `facts` | what moves ask of a token, taken from a document once |
//! | `arcs` | heads and children, in flat memory |
//! | `state` | the state |
//! | `features` | the tokens that a model looks at |
//! | `actions` | classes: moves with labels, in an order that lasts |
//! | `system` | what a transition system is |
//! | [`arc_eager`] | dependency trees |
//! | [`oracle`] | the classes that lead to a gold annotation |
//! | [`batch`] | many states, stepped together |
//! | [`beam`] | the best few parses, side by side |
//! | `violation` | where a beam and the gold annotation part most |
//! | `loss` | the loss of scores against costs, with its gradient |
//! | `pieces` | long documents, cut for training |
//! | `biluo` | entities, token by token |

mod actions;
pub mod arc_eager;
mod arcs;
pub mod batch;
pub mod beam;
mod biluo;
mod facts;
mod features;
mod loss;
pub mod oracle;
mod pieces;
mod state;
mod system;
mod violation;

pub use actions::{ActionKind, Actions, ClassIx, Run, Transition};
pub use arc_eager::{ArcEager, ArcEagerGold};
pub use arcs::ParseArc;
pub use batch::{Batching, FnScorer, Scorer};
pub use beam::{Beam, BeamUpdate, Guide};
pub use biluo::{BiluoGold, BiluoMove, BiluoPushDown};
pub use facts::TokenFacts;
pub use features::FEATURE_COUNTS;
pub use features::check_feature_count;
pub use loss::log_loss;
pub use pieces::pieces;
pub use state::ParseState;
pub use system::{INVALID_COST, TransitionSystem};
pub use violation::MaxViolation;

/// Sentinel for a missing token. States are shorter than this, so it is always out of bounds.
const NONE: u32 = u32::MAX;

/// A token's position, or none.
fn some(token: u32) -> Option<usize> {
    (token != NONE).then_some(token as usize)
}

#[cfg(test)]
mod tests;
