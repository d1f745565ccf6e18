//! `MessagePack`, the binary format in which spaCy keeps most of its data.
//!
//! A [`Writer`] appends items to a byte vector, a [`Reader`] reads items from bytes without
//! copying, and a [`Value`] holds a whole message. The bytes written are those of Python's
//! `msgpack` with `use_bin_type`, as called by `srsly.msgpack_dumps`: numbers and lengths in their
//! shortest form, floats as doubles, text and binary data told apart.
//!
//! ```
//! use lexpool_msgpack::{Reader, Value, Writer};
//!
//! let mut out = Writer::new();
//! out.map(1)?;
//! out.str("rows")?;
//! out.uint(300);
//! let bytes = out.into_bytes();
//! assert_eq!(bytes, b"\x81\xa4rows\xcd\x01\x2c");
//! assert_eq!(Value::from_bytes(&bytes)?.get("rows"), Some(&Value::UInt(300)));
//! # Ok::<(), lexpool_error::Error>(())
//! ```

#![forbid(unsafe_code)]

mod depth;
mod float_array;
mod reader;
mod value;
mod writer;

pub use depth::MAX_DEPTH;
pub use reader::{Item, Reader};
pub use value::Value;
pub use writer::Writer;
