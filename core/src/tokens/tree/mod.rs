//! The dependency tree: the view of a document's tree, walks from tokens and spans, and what
//! follows from heads.

#![forbid(unsafe_code)]

mod children;
mod from_roots;
mod lca;
mod noun_chunks;
mod rebuild;
mod view;
mod walks;

pub(crate) use from_roots::{FromRoots, Top};
pub use noun_chunks::NounChunkRules;
pub(crate) use rebuild::head_ix;
pub use rebuild::{offset, rebuild};
pub use view::{Tree, TreeMut};
pub(crate) use walks::Depths;
