//! Containers: the one format of the files that lexpool maps into memory or goes on from.
//!
//! A container has a header, named sections, each at a multiple of 64, and a table of the sections,
//! which ends the file. All numbers are little-endian. Opening reads header and table, whose
//! checksum it verifies; the bytes of a section are verified where its reader asks for it, so that
//! opening costs the same for a file of any size.
//!
//! | bytes | header |
//! | --- | --- |
//! | 0 to 7 | `lexpool` and a zero byte |
//! | 8 to 15 | the kind, such as `training`, padded with zero bytes |
//! | 16 to 19 | version of the container: 1 |
//! | 20 to 23 | version of the kind |
//! | 24 to 31 | size of the file in bytes |
//! | 32 to 39 | offset of the table |
//! | 40 to 43 | number of sections |
//! | 44 to 47 | CRC-32 (that of zlib) of the other bytes of the header and of the table |
//! | 48 to 63 | zero |
//!
//! The table has an entry of 32 bytes for each section, in their order, and then their names in
//! UTF-8, one after another:
//!
//! | bytes | entry |
//! | --- | --- |
//! | 0 to 7 | offset of the section |
//! | 8 to 15 | its size in bytes |
//! | 16 to 19 | size of its items in bytes, which divides that of the section |
//! | 20 to 23 | CRC-32 of its bytes |
//! | 24 to 27 | size of its name in bytes |
//! | 28 to 31 | zero |
//!
//! Sections lie side by side, with fewer than 64 bytes of padding between them. Those with items
//! of more than one byte are arrays as they are in memory, so that only a little-endian machine
//! reads and writes them.
//!
//! ```
//! use lexpool::container::{Container, Kind, NewSection};
//!
//! const COUNTS: Kind = Kind::new("counts", 1, "table of counts");
//! let counts = [3_u32.to_le_bytes(), 5_u32.to_le_bytes()].concat();
//! let bytes = COUNTS.to_bytes(&[NewSection::new("counts", &counts).items_of(4)])?;
//! let container = Container::read(&COUNTS, &bytes)?;
//! let section = container.get("counts").expect("it was written");
//! section.verify(&bytes)?;
//! assert_eq!((section.count(), section.bytes(&bytes)), (2, &counts[..]));
//! # Ok::<(), lexpool::Error>(())
//! ```

mod read;
#[cfg(test)]
pub(crate) mod sealing;
mod write;

use crate::{Code, Error, Result, codes};

pub use read::{Container, Section};
pub use write::NewSection;

const MAGIC: &[u8; 8] = b"lexpool\0";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const ENTRY: usize = 32;
/// The place of the checksum in the header.
const CHECKSUM: usize = 44;
/// Sections begin at multiples of this.
pub const ALIGN: usize = 64;

/// A kind of container: the name in its files, its version, and a noun for messages.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    name: &'static str,
    version: u32,
    noun: &'static str,
}

impl Kind {
    /// Creates a kind. Every change of what its sections hold needs another version.
    ///
    /// # Panics
    ///
    /// If the name is empty, has more than eight bytes, or others than letters of ASCII.
    pub const fn new(name: &'static str, version: u32, noun: &'static str) -> Kind {
        assert!(!name.is_empty() && name.len() <= 8, "a name of one to eight bytes");
        let mut at = 0;
        while at < name.len() {
            assert!(name.as_bytes()[at].is_ascii_alphabetic(), "a name of letters");
            at += 1;
        }
        Kind { name, version, noun }
    }

    /// Returns the bytes that files of this kind begin with, and no others.
    pub fn magic(&self) -> [u8; 16] {
        let mut magic = [0; 16];
        magic[..8].copy_from_slice(MAGIC);
        magic[8..8 + self.name.len()].copy_from_slice(self.name.as_bytes());
        magic
    }
}

/// The error of contents that are wrong at a byte of a file.
pub fn invalid_at(code: Code, offset: usize, text: impl AsRef<str>) -> Error {
    Error::value(code, format!("at byte {offset}: {}", text.as_ref()))
}

/// Refuses arrays on a big-endian machine.
fn check_endian(kind: &Kind, mut item_sizes: impl Iterator<Item = usize>) -> Result<()> {
    if cfg!(target_endian = "big") && item_sizes.any(|size| size > 1) {
        let text = format!("a {} is little-endian, this machine is big-endian", kind.noun);
        return Err(Error::value(codes::CONTAINER_ENDIAN, text));
    }
    Ok(())
}

/// Returns the CRC-32 of a table and of a header without the field of the checksum.
fn checksum_of(header: &[u8], table: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..CHECKSUM]);
    hasher.update(&header[CHECKSUM + 4..]);
    hasher.update(table);
    hasher.finalize()
}

#[cfg(test)]
mod tests;
