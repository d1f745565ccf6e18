//! Rows and keys together, and their forms as bytes.

use super::*;

fn letters() -> Vectors {
    let mut vectors = Vectors::with_shape(3, 2).unwrap();
    vectors.add(97, None, Some(&[1.0, 2.0])).unwrap();
    vectors.add(98, Some(2), Some(&[3.0, 4.0])).unwrap();
    vectors
}

fn floret() -> Vectors {
    let settings = Floret {
        minn: 2,
        maxn: 3,
        hash_count: 2,
        hash_seed: 7,
        bow: "\u{e9}".into(),
        eow: "/".into(),
    };
    Vectors::floret(RowTable::new(vec![0.5; 20], 10, 2).unwrap(), settings).unwrap()
}

#[test]
fn a_new_key_takes_the_lowest_free_row() {
    let mut vectors = letters();
    assert_eq!(vectors.keys().get(97), Some(0));
    assert!(!vectors.is_full() && vectors.is_free(1) && !vectors.is_free(2));
    assert_eq!(vectors.add(99, None, None).unwrap(), 1);
    assert!(vectors.is_full());
    assert_eq!(vectors.add(100, None, None).unwrap_err().code(), "E060");
    assert_eq!(vectors.add(97, None, None).unwrap(), 0);
    assert_eq!(vectors.add(97, Some(2), None).unwrap(), 2);
    assert_eq!(vectors.get(97), Some(&[3.0, 4.0][..]));
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut vectors = letters();
    assert_eq!(vectors.add(99, Some(3), None).unwrap_err().code(), "E197");
    assert_eq!(vectors.add(99, None, Some(&[1.0])).unwrap_err().code(), "vectors-shape");
    assert_eq!(vectors.set(99, &[1.0, 2.0]).unwrap_err().code(), "E058");
    assert_eq!(vectors.set(97, &[1.0]).unwrap_err().code(), "vectors-shape");
    assert_eq!(vectors.resize(usize::MAX, 2).unwrap_err().code(), "vectors-memory");
    assert_eq!(vectors, letters());
    let mut floret = floret();
    assert_eq!(floret.add(1, None, None).unwrap_err().code(), "E858");
    assert_eq!(floret.resize(1, 1).unwrap_err().code(), "E858");
    assert_eq!(floret.clear().unwrap_err().code(), "E859");
    assert_eq!(floret.most_similar(&[1.0, 1.0], 1, 1, 1).unwrap_err().code(), "E858");
}

#[test]
fn given_rows_count_as_taken_until_the_table_is_resized() {
    let mut vectors = Vectors::from_rows(RowTable::new(vec![1.0; 4], 2, 2).unwrap());
    assert!(vectors.is_full());
    vectors.add(5, Some(1), None).unwrap();
    assert_eq!(vectors.resize(2, 1).unwrap(), []);
    assert!(vectors.is_free(0) && !vectors.is_free(1));
    assert_eq!(vectors.resize(1, 1).unwrap(), [(5, 1)]);
    assert_eq!(vectors.keys().len(), 0);
    vectors.clear().unwrap();
    assert!(vectors.is_free(0) && !vectors.is_free(1));
}

#[test]
fn bytes_come_back_as_the_same_vectors() {
    for vectors in [letters(), floret(), Vectors::with_shape(0, 0).unwrap()] {
        let bytes = vectors.to_bytes(Some("[\"a\"]"), VectorParts::default()).unwrap();
        let loaded = Vectors::read_bytes(&bytes, VectorParts::default()).unwrap();
        assert_eq!(loaded.strings(), Some("[\"a\"]"));
        let mut read = Vectors::with_shape(1, 1).unwrap();
        read.apply(loaded);
        assert_eq!(read, vectors);
        for end in 0..bytes.len() {
            assert!(Vectors::read_bytes(&bytes[..end], VectorParts::default()).is_err());
        }
        let folder = tempfile::tempdir().unwrap();
        vectors.to_folder(folder.path(), VectorParts::default()).unwrap();
        let mut read = letters();
        read.apply(Vectors::read_folder(folder.path(), VectorParts::default()).unwrap());
        assert_eq!(read, vectors);
    }
}

#[test]
fn keys_of_a_message_come_besides_those_that_still_have_a_row() {
    let mut vectors = Vectors::with_shape(4, 2).unwrap();
    vectors.add(1, Some(1), None).unwrap();
    vectors.add(2, Some(3), None).unwrap();
    let bytes = letters().to_bytes(None, VectorParts::default()).unwrap();
    vectors.apply(Vectors::read_bytes(&bytes, VectorParts::default()).unwrap());
    assert_eq!(vectors.keys().iter().collect::<Vec<_>>(), [(1, 1), (97, 0), (98, 2)]);
    assert!(vectors.is_full());
}

#[test]
fn parts_can_be_left_out() {
    let none = VectorParts { keys: false, table: false, old_keys: false };
    let bytes = letters().to_bytes(None, none).unwrap();
    assert_eq!(bytes, [0x80]);
    let bytes = letters().to_bytes(None, VectorParts::default()).unwrap();
    let mut vectors = floret();
    vectors.apply(Vectors::read_bytes(&bytes, none).unwrap());
    assert_eq!(vectors, floret());
}

#[test]
fn bytes_that_make_no_sense_are_refused_by_name() {
    let read = |vectors: &Vectors, from: &[u8], to: &[u8]| {
        let bytes = vectors.to_bytes(None, VectorParts::default()).unwrap();
        let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
        let changed = [&bytes[..at], to, &bytes[at + from.len()..]].concat();
        Vectors::read_bytes(&changed, VectorParts::default()).unwrap_err().code()
    };
    assert_eq!(read(&letters(), b"<f4", b"<O4"), "vectors-type");
    assert_eq!(read(&letters(), b"\x92\x03\x02", b"\x92\x03\x01"), "vectors-shape");
    assert_eq!(read(&letters(), b"b\x02", b"b\x03"), "vectors-row");
    assert_eq!(read(&letters(), b"default", b"florets"), "E202");
    assert_eq!(read(&floret(), b"\"hash_count\":2", b"\"hash_count\":9"), "E862");
    assert_eq!(read(&floret(), b"\"minn\":2", b"\"minn\":x"), "vectors-settings");
    assert_eq!(read(&floret(), b"\"minn\":2", b"\"minn\":9"), "E863");
}
