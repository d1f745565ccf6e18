//! Trees without crossing arcs: [`lexpool_parse::projective`], and its inverse on a document.

#![forbid(unsafe_code)]

mod restore;

pub use lexpool_parse::projective::*;

pub use restore::deprojectivize;
