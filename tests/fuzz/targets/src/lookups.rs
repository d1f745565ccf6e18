//! Tables of words from any bytes: spaCy's `lookups.bin`, and the memory-mapped file.
//!
//! The mapped file is read as it is, and with the right checksum of its header and table.

use lexpool::lookups::{Lookups, MappedLookups};
use lexpool::msgpack::Value;
use lexpool::strings::StrId;

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(lookups) = Lookups::from_bytes(bytes) {
        for name in lookups.names() {
            let table = lookups.table(name).expect("the tables have these names");
            assert_eq!(table.iter().count(), table.len());
            assert!(table.iter().all(|(word, value)| same(table.get(word), Some(value))));
        }
    }
    open(bytes);
    let mut sealed = bytes.to_vec();
    if seal(&mut sealed).is_some() && sealed != bytes {
        open(&sealed);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    vec![crate::file("xx.lookups")]
}

/// Compares values by their bytes, as a NaN differs from itself.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    let bytes = |value: Option<&Value>| value.map(|value| value.to_bytes().expect("a value"));
    bytes(one) == bytes(other)
}

fn open(file: &[u8]) {
    let Ok(lookups) = MappedLookups::from_bytes(file.to_vec()) else { return };
    let is_whole = lookups.verify().is_ok();
    for table in lookups.tables() {
        for word in ["went", "NOUN", "", "other"].map(StrId::of) {
            let _ = (table.get(word), table.text(word), table.contains(word));
        }
        let _ = (table.word(0), table.word(table.len()));
        let copy = table.to_table();
        if let (true, Ok(copy)) = (is_whole, copy) {
            for (word, value) in copy.iter() {
                assert!(same(table.get(word).ok().flatten().as_ref(), Some(value)));
            }
        }
    }
}

/// Puts the checksum of the header and the table right; see `core/src/container/mod.rs`.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let table = usize::try_from(u64::from_le_bytes(bytes.get(32..40)?.try_into().ok()?)).ok()?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(bytes.get(..44)?);
    checksum.update(bytes.get(48..64)?);
    checksum.update(bytes.get(table..)?);
    bytes.get_mut(44..48)?.copy_from_slice(&checksum.finalize().to_le_bytes());
    Some(())
}
