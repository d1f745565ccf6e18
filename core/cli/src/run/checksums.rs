//! Checksums that detect changes of files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crc32fast::Hasher as Crc;
use twox_hash::XxHash3_128;

use super::super::failure::Check;
use lexpool::{Error, Result};

/// Size and 128-bit XXH3 of an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputDigest {
    pub(super) bytes: u64,
    pub(super) xxh3: String,
}

/// Size and CRC-32 of an output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutputChecksum {
    pub(super) bytes: u64,
    pub(super) crc32: u32,
}

/// Bytes read between two checks for an interruption.
const AT_ONCE: usize = 1 << 20;

impl InputDigest {
    /// Computes the digest of a file.
    pub(super) fn of_file(path: &Path, check: Check<'_>) -> Result<InputDigest> {
        let mut hasher = XxHash3_128::with_seed(0);
        let bytes = each_part(path, check, &mut |part| hasher.write(part))?;
        Ok(InputDigest { bytes, xxh3: hex(hasher.finish_128()) })
    }
}

impl OutputChecksum {
    /// Computes the checksum of a file.
    pub(super) fn of_file(path: &Path, check: Check<'_>) -> Result<OutputChecksum> {
        let mut crc = Crc::new();
        let bytes = each_part(path, check, &mut |part| crc.update(part))?;
        Ok(OutputChecksum { bytes, crc32: crc.finalize() })
    }
}

/// Computes the digest of a text.
pub(super) fn text_digest(text: &str) -> String {
    hex(XxHash3_128::oneshot(text.as_bytes()))
}

fn hex(sum: u128) -> String {
    format!("{sum:032x}")
}

/// Calls `each` with all parts of a file; returns the size.
fn each_part(path: &Path, check: Check<'_>, each: &mut dyn FnMut(&[u8])) -> Result<u64> {
    let failed = |error| Error::io("read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut part, mut bytes) = (vec![0; AT_ONCE], 0);
    loop {
        check()?;
        match file.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(read) => {
                each(&part[..read]);
                bytes += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Sink that computes the checksum of what is written.
pub(super) struct ChecksumWriter<W> {
    sink: W,
    crc: Crc,
    bytes: u64,
}

impl<W: Write> ChecksumWriter<W> {
    pub(super) fn new(sink: W) -> ChecksumWriter<W> {
        ChecksumWriter { sink, crc: Crc::new(), bytes: 0 }
    }

    pub(super) fn into_parts(self) -> (W, OutputChecksum) {
        (self.sink, OutputChecksum { bytes: self.bytes, crc32: self.crc.finalize() })
    }
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
