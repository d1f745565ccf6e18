//! Parsing by transitions: [`lexpool_parse::transition`], and its way from and to documents.
//!
//! [`token_facts`] reads what a [`ParseState`] starts from; [`AnnotateDoc`] writes what a final
//! state holds.
//!
//! ```
//! use lexpool::tokens::Doc;
//! use lexpool::transition::{AnnotateDoc, BiluoPushDown, ParseState, TransitionSystem, token_facts};
//! use lexpool::vocab::{Getters, Vocab};
//!
//! let vocab = Vocab::new(Getters::native("en"))?;
//! let mut doc = Doc::from_words(&vocab, &[("to", true), ("New", true), ("York", false)])?;
//! doc.snapshot().add("GPE")?;
//!
//! let mut moves = BiluoPushDown::new();
//! moves.actions_mut().initialize([
//!     (1, vec![("GPE", 1)]), (2, vec![("GPE", 1)]), (3, vec![("GPE", 1)]), (5, vec![("", 1)]),
//! ])?;
//! let mut state = ParseState::new(token_facts(&doc), 0)?;
//! for name in ["O", "B-GPE", "L-GPE"] {
//!     let class = moves.actions().find_name(name)?.unwrap();
//!     assert!(moves.is_valid(&state, class));
//!     moves.apply(&mut state, class)?;
//! }
//! moves.annotate(&state, &mut doc)?;
//! let entities = doc.entities().spans()?;
//! assert_eq!((entities[0].start, entities[0].end), (1, 3));
//! # Ok::<(), lexpool::Error>(())
//! ```

#![forbid(unsafe_code)]

mod annotate;
mod facts;
#[cfg(test)]
mod tests;

pub use lexpool_parse::transition::*;

pub use annotate::AnnotateDoc;
pub use facts::token_facts;
