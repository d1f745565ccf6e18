//! Zlib streams over whole messages in memory.
//!
//! **Invariant.** Every stream that is written here, or padded by `pad`, is within the default
//! limit of readers ([`InflateLimit::for_stream`]).

use std::io::{self, Write};
use std::ops::{Deref, Range};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Limit of the memory reserved before anything is inflated.
const FIRST_STEP: usize = 16 << 20;

/// The number of bytes inflated at a time: they are in the cache since they were zeroed.
const STEP: usize = 1 << 18;

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
pub fn compress_by(bytes: &[u8], level: Compression) -> Vec<u8> {
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

/// An inflated message, in memory that is aligned for 64-bit numbers.
pub struct Inflated {
    words: Vec<u64>,
    /// The number of bytes, which fill all words or end in the last one.
    len: usize,
}

impl Inflated {
    /// Converts the little-endian numbers of a part of the message, eight bytes each. They keep the
    /// memory of the message; a part that ends within a number loses that.
    pub(crate) fn into_numbers(self, part: Range<usize>) -> Vec<u64> {
        let mut numbers = self.words;
        let len = part.len() / 8;
        bytemuck::cast_slice_mut::<u64, u8>(&mut numbers).copy_within(part, 0);
        numbers.truncate(len);
        numbers.shrink_to_fit();
        for number in &mut numbers {
            *number = u64::from_le(*number);
        }
        numbers
    }
}

impl Deref for Inflated {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

/// Inflates a message, which must be a map. Memory grows with the data inflated.
///
/// # Errors
///
/// `E1014` for bytes that are not a complete zlib stream, `zlib-message` if its content is not a
/// map, `zlib-limit` if the message exceeds the limit; `out-of-memory`.
pub fn decompress(bytes: &[u8], limit: InflateLimit) -> Result<Inflated> {
    let mut decoder = Decompress::new(true);
    let mut message = Inflated { words: Vec::new(), len: 0 };
    // Most messages fit at once.
    let mut reserved = bytes.len().saturating_mul(16).clamp(1 << 10, FIRST_STEP);
    loop {
        let start = message.len;
        if start == reserved {
            reserved = reserved.saturating_mul(2);
        }
        // One byte more than the limit tells a message of that size from a larger one.
        reserved = reserved.min(limit.0.saturating_add(1));
        let end = reserved.min(start.saturating_add(STEP));
        // Reserved here, so that too large a message is an error and does not abort the process.
        let more = reserved.div_ceil(8) - message.words.len();
        if message.words.try_reserve_exact(more).is_err() {
            let text = format!("out of memory for a message of more than {start} bytes");
            return Err(Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text));
        }
        message.words.resize(end.div_ceil(8), 0);
        let out = &mut bytemuck::cast_slice_mut(&mut message.words)[start..end];
        let done = usize::try_from(decoder.total_in()).unwrap_or(bytes.len());
        let status = decoder.decompress(&bytes[done..], out, FlushDecompress::None);
        let status = status.map_err(|error| no_stream(&decoder, bytes).caused_by(error))?;
        message.len = usize::try_from(decoder.total_out()).unwrap_or(usize::MAX).min(end);
        if message.len > limit.0 {
            return Err(too_large(bytes, limit));
        }
        match status {
            Status::StreamEnd => {
                check_head(&message)?;
                message.words.truncate(message.len.div_ceil(8));
                return Ok(message);
            }
            _ if message.len < end => return Err(no_stream(&decoder, bytes)),
            _ => check_head(&message)?,
        }
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
        inflate_within(bytes, InflateLimit::for_stream(bytes.len()))
    }

    fn inflate_within(bytes: &[u8], limit: InflateLimit) -> Result<Vec<u8>> {
        decompress(bytes, limit).map(|message| message.to_vec())
    }

    #[test]
    fn numbers_of_a_part_come_from_any_place() {
        let numbers: Vec<u64> = (0..100).map(|i| i << 56 | (3 * i)).collect();
        for start in 1..20 {
            let mut bytes = vec![0x80; start];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let end = bytes.len();
            bytes.extend([7; 5]);
            let message = || decompress(&compress(&bytes), InflateLimit::new(10_000)).unwrap();
            assert_eq!(message().into_numbers(start..end), numbers);
            assert_eq!(message().into_numbers(start..end - 1), numbers[..99]);
        }
    }

    #[test]
    fn messages_of_all_sizes_come_back() {
        for len in [0, 1, 1023, 1024, 1025, 100_000, STEP - 1, STEP, 5 * STEP / 2] {
            let mut message = vec![0x80];
            message.extend((0..len).map(|i: usize| (i * i).to_le_bytes()[1]));
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
            assert_eq!(inflate_within(&stream, InflateLimit::new(len)).unwrap(), message);
            for most in [0, len / 2, len - 1] {
                let error = inflate_within(&stream, InflateLimit::new(most)).unwrap_err();
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
        let trusted = inflate_within(&bomb, InflateLimit::new(message.len())).unwrap();
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
