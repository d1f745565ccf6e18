//! CRC-32 checksum, stored as the last pair of a message's map. spaCy ignores the key.

use crate::codes;
use crate::msgpack::{Reader, Writer};
use crate::{Error, Result};

/// Key of the checksum. The value is the CRC-32 of all bytes of the message before the key.
pub(super) const KEY: &str = "crc32";

/// Appends the checksum of the bytes written so far.
pub(super) fn write(out: &mut Writer) -> Result<()> {
    let sum = of(out.as_bytes());
    out.str(KEY)?;
    out.uint(sum.into());
    Ok(())
}

/// Reads a checksum, whose key begins at byte `at`, and compares it with the bytes before the key.
pub(super) fn check(reader: &mut Reader<'_>, message: &[u8], at: usize) -> Result<()> {
    let stored_sum = reader.uint()?;
    let sum = of(&message[..at]);
    if stored_sum == u64::from(sum) {
        return Ok(());
    }
    let text = format!(
        "the bytes were changed after they were written: the checksum of the first {at} bytes is \
         {sum:#010x}, but {stored_sum:#010x} is stored"
    );
    Err(Error::value(codes::CHECKSUM, text))
}

fn of(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
