//! Trees without crossing arcs: [`lexpool_parse::projective`], and its inverse on a document.

#![forbid(unsafe_code)]

mod lifted_tree;
mod nearest;
mod restore;
mod search;

pub use lexpool_parse::projective::*;

pub use restore::deprojectivize;
