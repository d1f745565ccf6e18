//! `MessagePack` from any bytes: what is read is written and read again as it is.

use lexpool::msgpack::{Reader, Value};

pub(crate) fn run(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let skipped = reader.skip().map(<[u8]>::len).ok();
    match Value::from_bytes(bytes) {
        Ok(value) => {
            assert_eq!(skipped, Some(bytes.len()), "a value that is read can be skipped");
            let written = value.to_bytes().expect("what was read can be written");
            let again = Value::from_bytes(&written).expect("what was written can be read");
            // Not by `==`, by which a NaN differs from itself.
            assert_eq!(again.to_bytes().unwrap(), written);
        }
        Err(error) => assert!(!error.message().is_empty()),
    }
    let mut reader = Reader::new(bytes);
    while reader.position() < bytes.len() {
        let before = reader.position();
        if reader.item().is_err() {
            break;
        }
        assert!(before < reader.position() && reader.position() <= bytes.len());
    }
}
