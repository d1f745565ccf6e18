//! Encoder of messages: one item at a time, appended to a byte vector.

use rmp::encode::{self, ValueWriteError};

use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};

/// Writes a message item by item, into memory.
///
/// The caller must write as many members after the header of an array or a map as it announces.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Creates an empty message.
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Creates an empty message with memory for a number of bytes.
    ///
    /// # Errors
    ///
    /// `out-of-memory`.
    pub fn try_with_capacity(bytes: usize) -> Result<Writer> {
        let mut writer = Writer::default();
        writer.reserve(bytes)?;
        Ok(writer)
    }

    /// Returns the bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Returns the bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// Writes nil.
    pub fn nil(&mut self) {
        done(encode::write_nil(&mut self.out).map_err(ValueWriteError::InvalidMarkerWrite));
    }

    /// Writes a boolean.
    pub fn bool(&mut self, value: bool) {
        done(encode::write_bool(&mut self.out, value).map_err(ValueWriteError::InvalidDataWrite));
    }

    /// Writes an integer of 0 or more.
    pub fn uint(&mut self, value: u64) {
        done(encode::write_uint(&mut self.out, value));
    }

    /// Writes a signed integer. One of 0 or more is written as by [`uint`](Writer::uint).
    pub fn int(&mut self, value: i64) {
        done(encode::write_sint(&mut self.out, value));
    }

    /// Writes a float, as a double.
    pub fn float(&mut self, value: f64) {
        done(encode::write_f64(&mut self.out, value));
    }

    /// Writes text.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 4 GiB or more, which the format cannot express; `out-of-memory`.
    pub fn str(&mut self, value: &str) -> Result<()> {
        self.reserve(value.len())?;
        done(encode::write_str_len(&mut self.out, length(value.len(), "a text")?));
        self.out.extend_from_slice(value.as_bytes());
        Ok(())
    }

    /// Writes binary data.
    ///
    /// # Errors
    ///
    /// As for [`str`](Writer::str).
    pub fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.reserve(value.len())?;
        self.bytes_header(value.len())?;
        self.out.extend_from_slice(value);
        Ok(())
    }

    /// Writes the header of binary data. The caller writes so many bytes next, or puts them behind
    /// the bytes of this message.
    ///
    /// # Errors
    ///
    /// As for [`str`](Writer::str).
    pub fn bytes_header(&mut self, len: usize) -> Result<()> {
        done(encode::write_bin_len(&mut self.out, length(len, "binary data")?));
        Ok(())
    }

    /// Writes the header of an array. The caller writes its items next.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 2^32 items or more.
    pub fn array(&mut self, len: usize) -> Result<()> {
        done(encode::write_array_len(&mut self.out, length(len, "an array")?));
        Ok(())
    }

    /// Writes the header of a map. The caller writes that many pairs of key and value next.
    ///
    /// # Errors
    ///
    /// As for [`array`](Writer::array).
    pub fn map(&mut self, len: usize) -> Result<()> {
        done(encode::write_map_len(&mut self.out, length(len, "a map")?));
        Ok(())
    }

    /// Appends items that are encoded already.
    pub fn packed(&mut self, message: &[u8]) {
        self.out.extend_from_slice(message);
    }

    /// Makes room for a value of so many bytes and its header.
    #[inline]
    fn reserve(&mut self, bytes: usize) -> Result<()> {
        /// Bytes of the longest header: a marker and a length of 32 bits.
        const HEADER: usize = 5;
        self.out.try_reserve(bytes.saturating_add(HEADER)).map_err(|cause| {
            let text = format!("no memory for {bytes} more bytes of a message");
            Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text).caused_by(cause)
        })
    }
}

fn length(len: usize, what: &str) -> Result<u32> {
    u32::try_from(len).map_err(|_| {
        let text =
            format!("{what} of length {len} is too long for the format: at most {}", u32::MAX);
        Error::value(codes::MSGPACK_SIZE, text)
    })
}

fn done<T>(written: Result<T, ValueWriteError>) {
    written.expect("writing to a vector does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_appended_in_order() {
        let mut out = Writer::try_with_capacity(100).unwrap();
        assert!(out.out.capacity() >= 100);
        out.array(8).unwrap();
        out.nil();
        out.bool(true);
        out.uint(200);
        out.int(-2);
        out.float(0.5);
        out.bytes_header(2).unwrap();
        assert_eq!(out.as_bytes(), b"\x98\xc0\xc3\xcc\xc8\xfe\xcb\x3f\xe0\0\0\0\0\0\0\xc4\x02");
        let written = out.as_bytes().len();
        out.packed(b"ab");
        out.map(1).unwrap();
        out.str("k").unwrap();
        out.bytes(b"v").unwrap();
        assert_eq!(out.clone().into_bytes()[written..], *b"ab\x81\xa1k\xc4\x01v");
    }

    #[test]
    fn a_length_that_the_format_cannot_express_is_refused() {
        let error = length(1 << 32, "a text").unwrap_err();
        assert_eq!(error.code(), "msgpack-size");
        assert!(error.message().contains("a text of length 4294967296"), "{error}");
        assert_eq!(length(u32::MAX as usize, "a text").unwrap(), u32::MAX);
    }
}
