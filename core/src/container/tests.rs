use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const KIND: Kind = Kind::new("example", 3, "file of examples");

fn example() -> Vec<u8> {
    let sections = [
        NewSection::new("empty", b""),
        NewSection::new("words", b"one two three"),
        NewSection::of_parts("numbers", vec![&[1; 60], &[2; 68]]).items_of(8),
    ];
    KIND.to_bytes(&sections).unwrap()
}

/// Returns the code that the bytes are refused with, by opening or by the verification after it.
fn code(bytes: &[u8]) -> &'static str {
    let verified = Container::read(&KIND, bytes).and_then(|container| container.verify(bytes));
    verified.unwrap_err().code()
}

/// Writes the checksum of the header and the table anew.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let table = usize::from(bytes[32]) + 256 * usize::from(bytes[33]);
    sealing::seal_table(&mut bytes, table);
    bytes
}

#[test]
fn a_container_with_any_bit_flipped_is_refused_by_name() {
    let mut bytes = example();
    Container::read(&KIND, &bytes).unwrap().verify(&bytes).unwrap();
    let padding = 64 + 13..128;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            let expected = match at {
                0..16 => "container-kind",
                16..24 => "container-version",
                24..32 => "container-truncated",
                _ if padding.contains(&at) => "container-table",
                _ => "container-checksum",
            };
            assert_eq!(code(&bytes), expected, "byte {at}, bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
}

#[test]
fn a_container_of_any_other_length_is_refused_by_name() {
    let mut bytes = example();
    for length in 0..bytes.len() {
        assert_eq!(code(&bytes[..length]), "container-truncated", "{length} bytes");
    }
    bytes.push(0);
    assert_eq!(code(&bytes), "container-truncated");
}

#[test]
fn a_wrong_table_under_a_right_checksum_is_refused() {
    let bytes = example();
    let table = 256;
    let entry = |number: usize| table + ENTRY * number;
    for (at, value, why) in [
        (40, 2, "a section less than names"),
        (40, 4, "a section more than entries"),
        (43, 255, "billions of sections"),
        (entry(0), 128, "a section that begins elsewhere"),
        (entry(1) + 8, 255, "one that reaches into the table"),
        (entry(2) + 15, 255, "one beyond what a machine can have"),
        (entry(2) + 16, 0, "items of no bytes"),
        (entry(2) + 16, 7, "items that do not divide a section"),
        (entry(0) + 24, 0, "a name of no bytes"),
        (entry(0) + 24, 6, "names that are longer than their bytes"),
        (entry(3), 0xff, "a name that is not UTF-8"),
    ] {
        let mut changed = bytes.clone();
        changed[at] = value;
        assert_eq!(code(&sealed(changed)), "container-table", "{why}");
    }
    let mut same = bytes.clone();
    same[entry(3)..entry(3) + 5].copy_from_slice(b"words");
    assert_eq!(code(&sealed(same)), "container-table");
}

#[test]
fn sections_with_other_names_are_not_those_that_a_kind_has() {
    let bytes = example();
    let container = || Container::read(&KIND, &bytes).unwrap();
    let layout = [("empty", 1), ("words", 1), ("numbers", 8)];
    let [_, words, numbers] = container().exactly(layout).unwrap();
    assert_eq!(words.bytes(&bytes), b"one two three");
    assert_eq!((numbers.count(), numbers.item_size()), (16, 8));
    for (at, other) in [(1, ("numbers", 1)), (2, ("digits", 8)), (2, ("numbers", 4))] {
        let mut layout = layout;
        layout[at] = other;
        assert_eq!(container().exactly(layout).unwrap_err().code(), "container-table");
    }
    assert_eq!(container().exactly([("empty", 1)]).unwrap_err().code(), "container-table");
}

#[test]
fn items_are_read_in_place_and_only_if_they_have_their_size() {
    let bytes = example();
    let aligned: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
    let bytes = &bytemuck::cast_slice(&aligned)[..bytes.len()];
    let container = Container::read(&KIND, bytes).unwrap();
    let numbers = container.get("numbers").unwrap();
    assert_eq!(numbers.items::<u64>(bytes)[..7], [0x0101_0101_0101_0101; 7]);
    assert_eq!(numbers.items::<u64>(bytes).len(), 16);
    assert!(container.get("words").unwrap().items::<u32>(bytes).is_empty());
}

#[test]
fn sections_that_no_reader_would_take_are_not_written() {
    let bytes = |sections: &[NewSection<'_>]| KIND.to_bytes(sections).unwrap_err().code();
    let words = NewSection::new("words", b"12345");
    assert_eq!(bytes(&[words.clone(), words.clone()]), "container-table");
    assert_eq!(bytes(&[NewSection::new("", b"")]), "container-table");
    assert_eq!(bytes(&[words.clone().items_of(2)]), "container-table");
    assert_eq!(bytes(&[words.items_of(0)]), "container-table");
}

#[test]
fn a_file_of_another_kind_is_named_in_the_message() {
    let other = Kind::new("examples", 3, "file of more examples");
    let error = Container::read(&other, &example()).unwrap_err();
    let expected = "the file is no file of more examples: it begins with 'lexpool\\x00example\\x00' \
                    instead of 'lexpool\\x00examples'";
    assert_eq!((error.code(), error.message()), ("container-kind", expected));
}

proptest! {
    #[test]
    fn sections_come_back_whatever_they_hold(
        sections in vec((vec(any::<u8>(), 0..200), 0..3_usize), 0..6),
    ) {
        let names: Vec<String> = (0..sections.len()).map(|number| format!("{number}")).collect();
        let new: Vec<_> = sections
            .iter()
            .zip(&names)
            .map(|((bytes, cut), name)| {
                let parts = bytes.split_at(cut * bytes.len() / 3);
                NewSection::of_parts(name, vec![parts.0, parts.1])
            })
            .collect();
        let bytes = KIND.to_bytes(&new).unwrap();
        let container = Container::read(&KIND, &bytes).unwrap();
        container.verify(&bytes).unwrap();
        prop_assert_eq!(container.sections().len(), sections.len());
        for (section, (expected, _)) in container.sections().iter().zip(&sections) {
            prop_assert_eq!(section.bytes(&bytes), &expected[..]);
            prop_assert_eq!(section.range().start % ALIGN, 0);
        }
    }
}
