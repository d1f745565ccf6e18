//! Sums that tell whether a file is still the one it was.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crc32fast::Hasher as Crc;
use twox_hash::XxHash3_128;

use super::super::Check;
use lexpool::{Error, Result};

/// A file's size and XXH3 of 128 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) bytes: u64,
    pub(super) xxh3: String,
}

/// What was written: its size and CRC-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) crc32: u32,
}

/// So much is read between two looks at whether to go on.
const AT_ONCE: usize = 1 << 20;

impl Digest {
    /// Of a file. Reads all of it.
    pub(super) fn of_file(path: &Path, check: Check<'_>) -> Result<Digest> {
        let mut hasher = XxHash3_128::with_seed(0);
        let bytes = each_part(path, check, &mut |part| hasher.write(part))?;
        Ok(Digest { bytes, xxh3: hex(hasher.finish_128()) })
    }
}

impl Written {
    /// Of a file. Reads all of it.
    pub(super) fn of_file(path: &Path, check: Check<'_>) -> Result<Written> {
        let mut crc = Crc::new();
        let bytes = each_part(path, check, &mut |part| crc.update(part))?;
        Ok(Written { bytes, crc32: crc.finalize() })
    }
}

/// The sum of a text.
pub(super) fn of_text(text: &str) -> String {
    hex(XxHash3_128::oneshot(text.as_bytes()))
}

fn hex(sum: u128) -> String {
    format!("{sum:032x}")
}

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

/// A sink that keeps the sum of what goes through it.
pub(super) struct Summed<W> {
    sink: W,
    crc: Crc,
    bytes: u64,
}

impl<W: Write> Summed<W> {
    pub(super) fn new(sink: W) -> Summed<W> {
        Summed { sink, crc: Crc::new(), bytes: 0 }
    }

    pub(super) fn into_parts(self) -> (W, Written) {
        (self.sink, Written { bytes: self.bytes, crc32: self.crc.finalize() })
    }
}

impl<W: Write> Write for Summed<W> {
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
