//! Zlib streams over whole messages in memory.
//!
//! **Invariant.** Every stream that is written here, or padded by `pad`, is within the default
//! limit of readers ([`InflateLimit::for_stream`]).

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Limit of the memory reserved before anything is inflated.
const FIRST_STEP: usize = 16 << 20;

/// Limit of the size that a compressed stream may inflate to.
///
/// Zlib can expand a byte to a thousand, so a small file could exhaust the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InflateLimit(usize);

impl InflateLimit {
    /// The lowest default limit: 64 MiB.
    pub const FLOOR: usize = 64 << 20;

    /// The default ratio of inflated to compressed size allowed above
    /// [`FLOOR`](InflateLimit::FLOOR). Documents of different texts inflate less than 8 times, one
    /// text repeated 50 to 180 times.
    pub const RATIO: usize = 256;

    /// Creates a limit of this many bytes, whatever the size of the stream.
    pub const fn new(bytes: usize) -> InflateLimit {
        InflateLimit(bytes)
    }

    /// Returns the default limit for a stream of this many bytes: [`RATIO`](InflateLimit::RATIO)
    /// times as many, at least [`FLOOR`](InflateLimit::FLOOR).
    pub const fn for_stream(bytes: usize) -> InflateLimit {
        let limit = bytes.saturating_mul(InflateLimit::RATIO);
        InflateLimit(if limit < InflateLimit::FLOOR { InflateLimit::FLOOR } else { limit })
    }

    /// Returns `true` for a size within the limit.
    pub const fn allows(self, bytes: u64) -> bool {
        bytes <= self.0 as u64
    }
}

/// Compresses a message.
pub fn compress(message: &[u8]) -> Vec<u8> {
    compress_by(message, Compression::fast())
}

/// Compresses bytes at a level.
pub(crate) fn compress_by(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), level);
    let stream = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let mut stream = stream.expect("writing to a vector does not fail");
    let mut padding = Vec::new();
    pad(&mut padding, bytes.len() as u64, stream.len() as u64)
        .expect("writing to a vector does not fail");
    // The first block begins after the header of two bytes.
    stream.splice(2..2, padding);
    stream
}

/// An empty stored block that begins on a whole byte (RFC 1951, 3.2.4).
const EMPTY_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];

/// Pads a stream of `written` bytes until the default limit of readers allows it to inflate to
/// `len` bytes.
///
/// Zlib compresses equal bytes by a factor of a thousand, and a reader cannot tell such a stream
/// from a zip bomb. `out` must be between two blocks, on a whole byte.
///
/// # Errors
///
/// Errors of `out`.
pub(crate) fn pad(out: &mut impl Write, len: u64, written: u64) -> io::Result<()> {
    if len <= InflateLimit::FLOOR as u64 {
        return Ok(());
    }
    let missing = len.div_ceil(InflateLimit::RATIO as u64).saturating_sub(written);
    (0..missing.div_ceil(EMPTY_BLOCK.len() as u64)).try_for_each(|_| out.write_all(&EMPTY_BLOCK))
}

/// Inflates a message, which must be a map. Memory grows with the data inflated.
///
/// # Errors
///
/// `E1014` for bytes that are not a complete zlib stream, `zlib-message` if its content is not a
/// map, `zlib-limit` if the message exceeds the limit; `out-of-memory`.
pub fn decompress(bytes: &[u8], limit: InflateLimit) -> Result<Vec<u8>> {
    let mut decoder = Decompress::new(true);
    let mut message = Vec::new();
    // Most messages fit at once. One byte more than the limit tells a message of that size from a
    // larger one.
    let room = |len: usize, more: usize| more.min(limit.0.saturating_add(1).saturating_sub(len));
    let mut more = bytes.len().saturating_mul(16).clamp(1 << 10, FIRST_STEP);
    loop {
        // Reserved here, so that too large a message is an error and does not abort the process.
        if message.try_reserve_exact(room(message.len(), more)).is_err() {
            let text = format!("out of memory for a message of more than {} bytes", message.len());
            return Err(Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text));
        }
        let done = usize::try_from(decoder.total_in()).unwrap_or(bytes.len());
        let rest = &bytes[done..];
        let status = decoder.decompress_vec(rest, &mut message, FlushDecompress::None);
        let status = status.map_err(|error| no_stream(&decoder, bytes).caused_by(error))?;
        if message.len() > limit.0 {
            return Err(too_large(bytes, limit));
        }
        match status {
            Status::StreamEnd => {
                check_head(&message)?;
                return Ok(message);
            }
            _ if message.len() < message.capacity() => return Err(no_stream(&decoder, bytes)),
            _ => check_head(&message)?,
        }
        more = message.len();
    }
}

fn too_large(bytes: &[u8], limit: InflateLimit) -> Error {
    let text = format!(
        "a stream of {} bytes inflates to more than {} bytes, which files of documents hardly ever \
         do; if you trust it, read it with a higher limit (max_bytes)",
        bytes.len(),
        limit.0
    );
    Error::value(codes::ZLIB_LIMIT, text)
}

fn no_stream(decoder: &Decompress, bytes: &[u8]) -> Error {
    let text = format!(
        "not a zlib stream, or truncated or changed, at byte {} of {}: expected the bytes of a \
         DocBin",
        decoder.total_in(),
        bytes.len()
    );
    Error::value(codes::E1014, text)
}

/// Checks the first byte of a message, before the rest is inflated.
fn check_head(message: &[u8]) -> Result<()> {
    match message.first() {
        Some(0x80..=0x8f | 0xde | 0xdf) => Ok(()),
        _ => {
            Err(Error::value(codes::ZLIB_MESSAGE, "the zlib stream does not contain a msgpack map"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflate(bytes: &[u8]) -> Result<Vec<u8>> {
        decompress(bytes, InflateLimit::for_stream(bytes.len()))
    }

    #[test]
    fn messages_of_all_sizes_come_back() {
        for len in [0, 1, 1023, 1024, 1025, 100_000, 300_000] {
            let mut message = vec![0x80];
            message.extend((0..len).map(|i: u32| i.to_le_bytes()[1]));
            assert_eq!(inflate(&compress(&message)).unwrap(), message);
        }
    }

    #[test]
    fn a_stream_that_breaks_off_is_refused() {
        let stream = compress(&[0x81; 200]);
        for end in 0..stream.len() {
            let error = inflate(&stream[..end]).unwrap_err();
            assert!(["E1014", "zlib-message"].contains(&error.code()), "{error}");
        }
    }

    #[test]
    fn a_bomb_is_refused_by_its_first_byte() {
        let error = inflate(&compress(&vec![0; 50_000_000])).unwrap_err();
        assert_eq!(error.code(), "zlib-message");
    }

    #[test]
    fn a_message_of_the_most_bytes_is_read_and_a_larger_one_refused() {
        for len in [1, 1000, 1024, 1025, 70_000] {
            let mut message = vec![0x80];
            message.resize(len, 7);
            let stream = compress(&message);
            assert_eq!(decompress(&stream, InflateLimit::new(len)).unwrap(), message);
            for most in [0, len / 2, len - 1] {
                let error = decompress(&stream, InflateLimit::new(most)).unwrap_err();
                assert_eq!(error.code(), "zlib-limit");
                assert!(error.message().contains("max_bytes"), "{error}");
            }
        }
    }

    #[test]
    fn a_bomb_that_begins_as_a_map_is_refused_with_the_memory_of_the_limit() {
        let mut message = vec![0xdf];
        message.resize(3 * InflateLimit::FLOOR, 0);
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&message).unwrap();
        let bomb = encoder.finish().unwrap();
        assert!(bomb.len() < message.len() / InflateLimit::RATIO);
        assert_eq!(inflate(&bomb).unwrap_err().code(), "zlib-limit");
        let trusted = decompress(&bomb, InflateLimit::new(message.len())).unwrap();
        assert_eq!(trusted.len(), message.len());
    }

    #[test]
    fn a_message_of_equal_bytes_is_written_so_that_it_is_read_by_default() {
        for len in [InflateLimit::FLOOR, InflateLimit::FLOOR + 1, 3 * InflateLimit::FLOOR] {
            let mut message = vec![0xdf];
            message.resize(len, 7);
            let stream = compress(&message);
            assert!(stream.len() <= len / 64, "{} bytes for {len}", stream.len());
            assert!(inflate(&stream).unwrap() == message);
        }
    }

    #[test]
    fn the_default_follows_the_size_of_the_stream() {
        assert_eq!(InflateLimit::for_stream(0), InflateLimit::new(64 << 20));
        assert_eq!(InflateLimit::for_stream(1 << 20), InflateLimit::new(256 << 20));
        assert_eq!(InflateLimit::for_stream(usize::MAX), InflateLimit::new(usize::MAX));
    }
}
