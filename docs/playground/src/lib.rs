//! lexpool in a page, compiled to WebAssembly: tokens, their records, matches of patterns, and the
//! annotation of a trained pipeline.
//!
//! A page calls it through plain exports ([`exports`]): bytes in, JSON out, no glue that would have
//! to be generated. What it answers is [`session`]'s matter, which knows no WebAssembly and is
//! tested natively: [`tokens`] describes a text's tokens, [`reasons`] the rules that cut them,
//! [`patterns`] what a pattern finds, [`annotation`] what a pipeline gives, and [`layouts`] the
//! records. Anything given is answered, if with an error.

pub mod annotation;
pub mod exports;
pub mod layouts;
pub mod patterns;
#[cfg(target_family = "wasm")]
mod random;
pub mod reasons;
pub mod session;
pub mod tokens;
