//! The records of lexpool, each described once.
//!
//! A record is plain data without pointers or padding, so the same bytes serve in a pool, in a
//! mapped file, in an Arrow buffer and in a kernel written in C or Cython. Each is declared by one
//! `record!`, from which come the Rust struct, its checked layout, and the [`RecordInfo`] that
//! [`emit`] turns into a C header, a Cython `.pxd`, a buffer format, an Arrow type and a table.
//!
//! The crate also has spaCy's numbers that records contain: [`AttrId`], [`Pos`], the [`symbols`],
//! and [`StrId`], the id of a string. It does not allocate records or store strings.
//!
//! ```
//! use lexpool_structs::{Record, TokenC};
//!
//! let token = TokenC { idx: 6, ..TokenC::default() }.with_spacy(true);
//! assert!(token.spacy());
//! assert_eq!(TokenC::INFO.size, 16);
//! ```

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod annotation;
mod attrs;
pub mod emit;
mod lexeme;
mod murmur2;
mod pos;
mod record;
mod spacy;
mod span;
mod str_id;
mod symbol_hashes;
pub mod symbols;
mod token;

pub use annotation::{EntityC, SyntaxC, TagC};
pub use attrs::{AttrId, IOB_STRINGS};
pub use lexeme::LexemeC;
pub use murmur2::{hash_string, hash64};
pub use pos::Pos;
pub use record::{Bits, Field, Kind, Record, RecordInfo};
pub use spacy::SpacyTokenC;
pub use span::SpanC;
pub use str_id::{StrId, symbol_name};
pub use token::TokenC;

/// The version of the layout of records. It grows whenever the meaning of a byte of a record
/// changes.
pub const ABI_VERSION: u32 = 1;

/// Returns the layouts of lexpool's own records, in the order of the C header.
///
/// ```
/// let names: Vec<_> = lexpool_structs::records().iter().map(|info| info.name).collect();
/// assert_eq!(names, ["LexemeC", "TokenC", "TagC", "SyntaxC", "EntityC", "SpanC"]);
/// ```
pub const fn records() -> &'static [&'static RecordInfo] {
    &[&LexemeC::INFO, &TokenC::INFO, &TagC::INFO, &SyntaxC::INFO, &EntityC::INFO, &SpanC::INFO]
}
