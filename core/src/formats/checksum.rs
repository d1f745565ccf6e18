//! A checksum as the last pair of a message's map. spaCy looks up the keys it knows and passes over
//! this one.

use crate::msgpack::{Reader, Writer};
use crate::{Error, Result};

/// The key; its value is the CRC-32 of all bytes of the message before the key.
pub(super) const KEY: &str = "crc32";

/// Writes the pair after what was written.
pub(super) fn seal(out: &mut Writer) -> Result<()> {
    let sum = of(out.as_bytes());
    out.str(KEY)?;
    out.uint(sum.into());
    Ok(())
}

/// Compares the value that comes next, whose key begins at a position, with the bytes before that.
pub(super) fn check(reader: &mut Reader<'_>, message: &[u8], at: usize) -> Result<()> {
    let given = reader.uint()?;
    let sum = of(&message[..at]);
    if given == u64::from(sum) {
        return Ok(());
    }
    let text = format!(
        "the bytes were changed after they had been written: the checksum of the first {at} is \
         {sum:#010x}, not {given:#010x}"
    );
    Err(Error::value("checksum", text))
}

fn of(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
