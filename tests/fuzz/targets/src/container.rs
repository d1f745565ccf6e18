//! Checksums of containers, put right, so that what was changed is read at all.

/// Returns the bytes with the right checksums of the sections, the header and the table; `None` for
/// right ones, and for bytes without a table. `core/src/container/mod.rs` describes the bytes.
pub(crate) fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut sealed = bytes.to_vec();
    let number = |at: usize| {
        let field = bytes.get(at..at + 8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(field)).ok()
    };
    let (table, count) = (number(32)?, number(40)? & 0xffff_ffff);
    for entry in (table..bytes.len()).step_by(32).take(count) {
        let Some((start, size)) = number(entry).zip(number(entry + 8)) else { break };
        let Some(place) = sealed.get_mut(entry + 20..entry + 24) else { break };
        if let Some(section) = bytes.get(start..start.saturating_add(size)) {
            place.copy_from_slice(&crc32fast::hash(section).to_le_bytes());
        }
    }
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(sealed.get(..44)?);
    checksum.update(sealed.get(48..64)?);
    checksum.update(sealed.get(table..)?);
    sealed.get_mut(44..48)?.copy_from_slice(&checksum.finalize().to_le_bytes());
    (sealed != bytes).then_some(sealed)
}
