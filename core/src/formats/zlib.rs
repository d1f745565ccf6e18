//! Zlib streams over messages that are held in memory whole.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use crate::{Error, ErrorKind, Result};

/// The most that a message may inflate to: the columns of a `DocBin` end at 4 GiB each.
const MOST_BYTES: usize = 16 << 30;

/// Compresses a message.
pub fn compress(message: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(message).and_then(|()| encoder.finish());
    written.expect("a Vec refuses no bytes")
}

/// Gives the message back, which has to be a map.
///
/// # Errors
///
/// `E1014` for what is no zlib stream or breaks off, `zlib-message` for one over something else;
/// `out-of-memory`.
pub fn decompress(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut decoder = Decompress::new(true);
    let mut message = Vec::new();
    // Most messages fit at once; what is not written to is not there.
    let mut more = bytes.len().saturating_mul(16).clamp(1 << 10, 1 << 30);
    loop {
        // Grown by hand, so that too large a message is an error and not the end of the process.
        if message.try_reserve_exact(more).is_err() || message.len() > MOST_BYTES {
            let text = format!("no memory for a message of more than {} bytes", message.len());
            return Err(Error::new(ErrorKind::Memory, "out-of-memory", text));
        }
        let done = usize::try_from(decoder.total_in()).unwrap_or(bytes.len());
        let rest = &bytes[done..];
        let status = decoder.decompress_vec(rest, &mut message, FlushDecompress::None);
        match status.map_err(|error| no_stream(&decoder, bytes).caused_by(error))? {
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

fn no_stream(decoder: &Decompress, bytes: &[u8]) -> Error {
    let text = format!(
        "at byte {} of {} this is no zlib stream, or breaks off: it is no DocBin, or was cut or \
         changed",
        decoder.total_in(),
        bytes.len()
    );
    Error::value("E1014", text)
}

/// Checks how a message begins, before the rest is inflated.
fn check_head(message: &[u8]) -> Result<()> {
    match message.first() {
        Some(0x80..=0x8f | 0xde | 0xdf) => Ok(()),
        _ => Err(Error::value("zlib-message", "the stream holds no msgpack map")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_sizes_come_back() {
        for len in [0, 1, 1023, 1024, 1025, 100_000, 300_000] {
            let mut message = vec![0x80];
            message.extend((0..len).map(|i: u32| i.to_le_bytes()[1]));
            assert_eq!(decompress(&compress(&message)).unwrap(), message);
        }
    }

    #[test]
    fn a_stream_that_breaks_off_is_refused() {
        let stream = compress(&[0x81; 200]);
        for end in 0..stream.len() {
            let error = decompress(&stream[..end]).unwrap_err();
            assert!(["E1014", "zlib-message"].contains(&error.code()), "{error}");
        }
    }

    #[test]
    fn a_bomb_is_refused_by_its_first_byte() {
        let error = decompress(&compress(&vec![0; 50_000_000])).unwrap_err();
        assert_eq!(error.code(), "zlib-message");
    }
}
