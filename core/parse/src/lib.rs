//! Parsing by transitions, and projective trees, with spaCy's behaviour.
//!
//! A [`ParseState`](transition::ParseState) is a stack, a buffer, arcs and entities; a
//! [`TransitionSystem`](transition::TransitionSystem) defines the moves between states and their
//! costs. States need no document: they are made of [`TokenFacts`](transition::TokenFacts).
//!
//! ```
//! use lexpool_parse::transition::{ArcEager, ParseState, TokenFacts, TransitionSystem};
//!
//! let mut system = ArcEager::new();
//! for (action, label) in [(0, ""), (1, ""), (2, "nsubj"), (3, "dobj"), (4, "ROOT")] {
//!     system.actions_mut().add(action, label)?;
//! }
//! // "Rats bite": shift "Rats", then attach it to the left of "bite".
//! let mut state = ParseState::new(vec![TokenFacts::default(); 2].into(), 0)?;
//! for name in ["S", "L-nsubj"] {
//!     let class = system.actions().find_name(name)?.expect("the system has this class");
//!     system.apply(&mut state, class)?;
//! }
//! assert_eq!(state.h(0), Some(1));
//! # Ok::<(), lexpool_error::Error>(())
//! ```
//!
//! | item | role |
//! | --- | --- |
//! | [`ParseState`](transition::ParseState) | stack, buffer, arcs and entities of one sequence of tokens |
//! | [`TransitionSystem`](transition::TransitionSystem) | valid moves, their effects and their costs |
//! | [`ArcEager`](transition::ArcEager), [`BiluoPushDown`](transition::BiluoPushDown) | the systems for dependency trees and for entities |
//! | [`Actions`](transition::Actions) | the classes of a system: moves with labels, in an order that lasts |
//! | [`transition::oracle`] | sequences of moves that lead to a gold annotation |
//! | [`transition::batch`] | many states, stepped together with a model's scores |
//! | [`Beam`](transition::Beam), [`MaxViolation`](transition::MaxViolation) | beam search, and where it leaves the gold annotation |
//! | [`projective`] | crossing arcs: how to find them, and how to lift them |
//!
//! `lexpool` re-exports both modules and adds what needs a document.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]

pub mod projective;
pub mod transition;
