//! lexpool's error type, and the catalogue of the codes that it carries.
//!
//! ```
//! use lexpool_error::{Error, ErrorKind, codes};
//!
//! let error = Error::new(ErrorKind::Index, codes::E040, "no token 7 in a document of 3 tokens");
//! assert_eq!(error.to_string(), "[E040] no token 7 in a document of 3 tokens");
//!
//! let entry = codes::find(error.code()).expect("each code of lexpool's is in the catalogue");
//! assert_eq!(entry.raised[0].name(), "IndexError");
//! assert!(entry.remedy.starts_with("Give a position"));
//! ```
//!
//! | item | what it is |
//! | --- | --- |
//! | [`Error`] | the opaque error of lexpool's crates: kind, code, message, cause |
//! | [`ErrorKind`] | the family of an error, for callers that handle families alike |
//! | [`Code`] | a stable code, such as `E040` or `file-not-found` |
//! | [`codes`] | the catalogue: a constant for each code, with its form and its remedy |
//! | [`limits`] | the table of limits of numbers that are read, and [`Limit`](limits::Limit) |
//! | [`escape`] | untrusted text in messages, with control characters escaped |
//!
//! Depends on `lexpool-pool` alone, whose errors become [`Error`]s.

#![forbid(unsafe_code)]

pub mod codes;
mod error;
pub mod escape;
pub mod limits;

pub use codes::Code;
pub use error::{Error, ErrorKind, Result};
