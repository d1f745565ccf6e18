//! Morphological analysis with dictionaries: readers of the binary files of Sudachi (Japanese) and
//! `MeCab` (Korean), lattices of words, and the Viterbi search for the path of least cost.
//!
//! | item | contents |
//! | --- | --- |
//! | [`sudachi`] | Sudachi's `system.dic`, and its analysis with the default plugins |
//! | [`mecab`] | a compiled dictionary of `MeCab`'s, such as mecab-ko-dic, and its analysis |
//! | [`Lattice`] | the words that a text may consist of, and the path of least cost through them |
//! | [`ConnectionCosts`] | the costs of neighbours, by their connection ids |
//! | [`DoubleArray`], [`PairArray`] | tries that map the words of a dictionary to its entries |
//!
//! A dictionary is bytes of a file, usually mapped, that all threads share; nothing of it is copied
//! but small tables. Positions in a file are checked where they are used: bytes that are damaged
//! make wrong words at worst, never a panic or a read out of bounds.
//!
//! The crate opens no file, reads no environment variable and uses no network.

#![forbid(unsafe_code)]

mod costs;
mod damaged;
mod double_array;
mod lattice;
mod le;
pub mod mecab;
pub mod sudachi;

pub use costs::{ConnectionCosts, CostRow};
pub use double_array::{DoubleArray, PairArray, Prefix};
pub use lattice::{Lattice, LatticeNode, Ties, Word};
