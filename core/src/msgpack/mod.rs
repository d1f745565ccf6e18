//! `MessagePack`, the binary form in which spaCy keeps most of its data.
//!
//! A [`Writer`] appends items to bytes, a [`Reader`] takes them from bytes without copying; a
//! [`Value`] holds any message whole. The bytes written are those of Python's `msgpack` with
//! `use_bin_type`, which is what `srsly.msgpack_dumps` calls: every number and length in its
//! shortest form, floats as doubles, text and binary data apart.
//!
//! ```
//! use lexpool::msgpack::{Reader, Value, Writer};
//!
//! let mut out = Writer::new();
//! out.map(1)?;
//! out.str("rows")?;
//! out.uint(300);
//! let bytes = out.into_bytes();
//! assert_eq!(bytes, b"\x81\xa4rows\xcd\x01\x2c");
//! assert_eq!(Value::from_bytes(&bytes)?.get("rows"), Some(&Value::UInt(300)));
//! # Ok::<(), lexpool::Error>(())
//! ```

mod reader;
mod value;
mod writer;

pub use reader::{Item, Reader};
pub use value::Value;
pub use writer::Writer;

/// How deep arrays and maps may lie in each other, both read and written.
pub const MAX_DEPTH: usize = 512;

fn too_deep() -> crate::Error {
    let text = format!("arrays and maps lie in each other more than {MAX_DEPTH} deep");
    crate::Error::value("msgpack-depth", text)
}
