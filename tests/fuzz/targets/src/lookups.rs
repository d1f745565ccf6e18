//! Tables of words from any bytes: spaCy's `lookups.bin`, and the memory-mapped file.
//!
//! The mapped file is read as it is, and with the right checksum of its header and table.

use lexpool::lookups::{Lookups, MappedLookups};
use lexpool::msgpack::Value;
use lexpool::strings::StrId;

use crate::container::sealed;

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(lookups) = Lookups::from_bytes(bytes) {
        for name in lookups.names() {
            let table = lookups.table(name).expect("the tables have these names");
            assert_eq!(table.iter().count(), table.len());
            assert!(table.iter().all(|(word, value)| same(table.get(word), Some(value))));
        }
    }
    open(bytes);
    sealed(bytes).as_deref().map(open);
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
