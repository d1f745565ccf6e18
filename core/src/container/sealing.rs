//! Checksums that are right again after a test has changed bytes.

use super::{CHECKSUM, ENTRY, HEADER, checksum_of};

/// Writes the checksums of the header, of the table, and of all sections that lie in the bytes.
pub(crate) fn seal(bytes: &mut [u8]) {
    let Some(table) = bytes.get(..HEADER).map(|header| number(header, 32)) else { return };
    if table > bytes.len() {
        return;
    }
    let entries = (table..bytes.len()).step_by(ENTRY).take(number(bytes, 40) & 0xffff_ffff);
    for entry in entries.take_while(|entry| entry + ENTRY <= bytes.len()).collect::<Vec<_>>() {
        let start = number(bytes, entry);
        let end = start.saturating_add(number(bytes, entry + 8));
        let checksum = bytes.get(start..end).map(crc32fast::hash).unwrap_or_default();
        bytes[entry + 20..entry + 24].copy_from_slice(&checksum.to_le_bytes());
    }
    seal_table(bytes, table);
}

/// Writes the checksum of the header and of a table at a place.
pub(crate) fn seal_table(bytes: &mut [u8], table: usize) {
    let checksum = checksum_of(&bytes[..HEADER], &bytes[table..]);
    bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&checksum.to_le_bytes());
}

fn number(bytes: &[u8], at: usize) -> usize {
    let number = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    usize::try_from(number).unwrap_or(usize::MAX)
}
