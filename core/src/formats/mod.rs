//! Documents as bytes, in the formats that spaCy reads and writes.
//!
//! [`doc_bytes`] encodes one document, [`DocBin`] many, and [`span_group`] the groups of spans of a
//! document. Values that only the caller can interpret, such as categories and user data, are
//! passed in and out as packed msgpack messages. These modules do not touch files; the crate
//! `lexpool-io` does. Depends on [`tokens`](crate::tokens) and [`msgpack`](crate::msgpack).
//!
//! Bytes are validated before they become a document: every length, offset and number is checked,
//! and the checksum, if there is one (spaCy ignores it). Truncated or changed bytes are an error of
//! the kind `Value`, never another document.

#![forbid(unsafe_code)]

mod attr_rows;
mod checksum;
pub mod doc_bytes;
mod doc_strings;
mod docbin;
mod float_array;
pub mod span_group;
pub mod zlib;

pub use doc_strings::bounds;
pub use docbin::{Columns, DeflatedColumn, DeflatedPiece, Strings, write_file};
pub use docbin::{DocBin, DocExtras, DocReader};
