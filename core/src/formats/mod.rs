//! Documents as bytes, in the forms that spaCy reads and writes.
//!
//! [`doc_bytes`] is one document, [`DocBin`] many, [`span_group`] the spans that a document carries
//! beside its entities. What only a caller can know the meaning of, such as categories or user
//! data, goes in and out as packed messages. [`corpus`](crate::corpus) puts such bytes into files;
//! these modules know no files. Calls [`tokens`](crate::tokens) and [`msgpack`](crate::msgpack).
//!
//! Bytes are judged before they become a document: every length, offset and number is checked, and
//! a checksum, which spaCy passes over, is compared if there is one. Bytes that break off or were
//! changed are an error of the kind `Value`, never another document.

mod checksum;
pub mod doc_bytes;
mod docbin;
mod gather;
mod rows;
pub mod span_group;
pub mod zlib;

pub(crate) use docbin::{Column, Columns, Segment, Strings, write_file};
pub use docbin::{DocBin, DocExtras, DocReader};
