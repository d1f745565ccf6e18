//! Items appended to bytes.

use rmp::encode::{self, ValueWriteError};

use super::{MAX_DEPTH, Value, too_deep};
use crate::{Error, Result};

/// Writes a message item by item, into memory.
///
/// The caller sees to it that an array or a map is followed by as many items as its header says.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// An empty message.
    pub fn new() -> Writer {
        Writer::default()
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// What was written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// The absent value.
    pub fn nil(&mut self) {
        done(encode::write_nil(&mut self.out).map_err(ValueWriteError::InvalidMarkerWrite));
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        done(encode::write_bool(&mut self.out, value).map_err(ValueWriteError::InvalidDataWrite));
    }

    /// A number that is not negative.
    pub fn uint(&mut self, value: u64) {
        done(encode::write_uint(&mut self.out, value));
    }

    /// A number with a sign; one that is not negative is written as by [`uint`](Writer::uint).
    pub fn int(&mut self, value: i64) {
        done(encode::write_sint(&mut self.out, value));
    }

    /// A number with a fraction, as a double.
    pub fn float(&mut self, value: f64) {
        done(encode::write_f64(&mut self.out, value));
    }

    /// Text.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 4 GiB or more, as the format has it.
    pub fn str(&mut self, value: &str) -> Result<()> {
        done(encode::write_str_len(&mut self.out, length(value.len(), "a text")?));
        self.out.extend_from_slice(value.as_bytes());
        Ok(())
    }

    /// Binary data.
    ///
    /// # Errors
    ///
    /// As for [`str`](Writer::str).
    pub fn bytes(&mut self, value: &[u8]) -> Result<()> {
        done(encode::write_bin_len(&mut self.out, length(value.len(), "binary data")?));
        self.out.extend_from_slice(value);
        Ok(())
    }

    /// The header of an array; its items follow.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 2^32 items or more.
    pub fn array(&mut self, len: usize) -> Result<()> {
        done(encode::write_array_len(&mut self.out, length(len, "an array")?));
        Ok(())
    }

    /// The header of a map; that many pairs of a key and a value follow.
    ///
    /// # Errors
    ///
    /// As for [`array`](Writer::array).
    pub fn map(&mut self, len: usize) -> Result<()> {
        done(encode::write_map_len(&mut self.out, length(len, "a map")?));
        Ok(())
    }

    /// Items that were packed before, as they are.
    pub fn packed(&mut self, message: &[u8]) {
        self.out.extend_from_slice(message);
    }

    /// A value with all that lies in it.
    ///
    /// # Errors
    ///
    /// `msgpack-size` as above; `msgpack-depth` for what lies deeper than
    /// [`MAX_DEPTH`](super::MAX_DEPTH). A part may have been written then.
    pub fn value(&mut self, value: &Value) -> Result<()> {
        self.nested(value, 0)
    }

    fn nested(&mut self, value: &Value, depth: usize) -> Result<()> {
        match value {
            Value::Nil => self.nil(),
            Value::Bool(value) => self.bool(*value),
            Value::UInt(value) => self.uint(*value),
            Value::Int(value) => self.int(*value),
            Value::Float(value) => self.float(*value),
            Value::Str(value) => self.str(value)?,
            Value::Bytes(value) => self.bytes(value)?,
            Value::Array(_) | Value::Map(_) if depth == MAX_DEPTH => return Err(too_deep()),
            Value::Array(items) => {
                self.array(items.len())?;
                for item in items {
                    self.nested(item, depth + 1)?;
                }
            }
            Value::Map(pairs) => {
                self.map(pairs.len())?;
                for (key, value) in pairs {
                    self.nested(key, depth + 1)?;
                    self.nested(value, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn length(len: usize, what: &str) -> Result<u32> {
    u32::try_from(len).map_err(|_| {
        let text =
            format!("{what} of length {len} is too long for the format: at most {}", u32::MAX);
        Error::value("msgpack-size", text)
    })
}

fn done<T>(written: Result<T, ValueWriteError>) {
    written.expect("a vector takes all that is written");
}
