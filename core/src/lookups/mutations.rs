//! Damaged files of tables: flipped bits, truncations, and invalid contents with valid checksums.

use proptest::prelude::*;

use super::manifest::{KIND, MANIFEST};
use super::*;
use crate::Result;
use crate::container::{Container, NewSection};
use crate::msgpack::Value;
use crate::strings::StrId;

/// A file of this version or an older one, from tests/files.
const FILE: &[u8] = include_bytes!("../../../tests/files/xx.lookups");

/// The tables of the file.
fn tables() -> Vec<(&'static str, LookupTable)> {
    let text = |text: &str| Value::Str(text.to_owned());
    let list = |texts: &[&str]| Value::Array(texts.iter().map(|one| text(one)).collect());
    let table = |entries: &[(&str, Value)]| {
        let mut table = LookupTable::default();
        for (word, value) in entries {
            table.set(StrId::of(word), value.clone());
        }
        table
    };
    let lemmas = ["went", "goes", "gone", "going"].map(|word| (word, text("go")));
    let more = [("", text("nothing")), ("NOUN", text("a symbol")), ("mice", text("mouse"))];
    let rules = [("noun", Value::Array(vec![list(&["s", ""]), list(&["ies", "y"])]))];
    let exceptions = [("noun", Value::Map(vec![(text("mice"), list(&["mouse"]))]))];
    let probabilities = [("the", Value::Float(-3.25)), ("of", Value::Int(-4))];
    vec![
        ("lemma_lookup", table(&[&lemmas[..], &more].concat())),
        ("lemma_rules", table(&rules)),
        ("lemma_exc", table(&exceptions)),
        ("lexeme_prob", table(&probabilities)),
        ("empty", LookupTable::default()),
    ]
}

fn build(tables: &[(&str, LookupTable)]) -> Vec<u8> {
    let mut builder = LookupsBuilder::new("xx");
    for (name, table) in tables {
        builder.add(name, table, None).unwrap();
    }
    builder.finish().unwrap()
}

fn open(bytes: &[u8]) -> Result<MappedLookups> {
    MappedLookups::from_bytes(bytes.to_vec())
}

fn entries(table: &LookupTable) -> Vec<(StrId, Value)> {
    table.iter().map(|(word, value)| (word, value.clone())).collect()
}

/// Calls all operations and ignores the results.
fn exercise(lookups: &MappedLookups) {
    let _ = lookups.verify();
    for table in lookups.tables() {
        for word in ["went", "NOUN", "", "other"] {
            let word = StrId::of(word);
            let _ = (table.get(word), table.text(word), table.contains(word));
        }
        let _ = (table.word(0), table.word(table.len()), table.to_table());
    }
}

/// Returns the file with other bytes in its sections, under right checksums.
fn changed(change: impl Fn(&str, &mut Vec<u8>)) -> Vec<u8> {
    let container = Container::read(&KIND, FILE).unwrap();
    let sections: Vec<_> = container
        .sections()
        .iter()
        .map(|section| {
            let mut bytes = section.bytes(FILE).to_vec();
            change(section.name(), &mut bytes);
            (section.name(), bytes)
        })
        .collect();
    let sections: Vec<_> =
        sections.iter().map(|(name, bytes)| NewSection::new(name, bytes)).collect();
    KIND.to_bytes(&sections).unwrap()
}

#[test]
fn a_file_of_an_older_version_opens() {
    let lookups = open(FILE).unwrap();
    lookups.verify().unwrap();
    assert_eq!(lookups.lang(), "xx");
    for (name, table) in tables() {
        let mapped = lookups.table(name).unwrap();
        assert_eq!(entries(&mapped.to_table().unwrap()), entries(&table), "{name}");
        let kind = match name {
            "lemma_lookup" | "empty" => ValueKind::Text,
            "lexeme_prob" => ValueKind::Scalar,
            _ => ValueKind::Any,
        };
        assert_eq!(mapped.values_kind(), kind, "{name}");
    }
    // The bytes of a version do not change.
    assert_eq!(build(&tables()), FILE);
}

#[test]
fn a_changed_bit_is_noticed_and_a_changed_length_too() {
    for at in 0..FILE.len() {
        for bit in 0..8 {
            let mut changed = FILE.to_vec();
            changed[at] ^= 1 << bit;
            let opened = open(&changed);
            if let Ok(lookups) = opened {
                exercise(&lookups);
                // The bytes between tables belong to none.
                let is_of_a_table = tables().iter().any(|(name, own)| {
                    let table = lookups.table(name).unwrap();
                    table.to_table().map_or(true, |found| entries(&found) != entries(own))
                });
                let verified = lookups.verify();
                assert!(verified.is_err() || !is_of_a_table, "bit {bit} of byte {at}");
            }
        }
    }
    for len in 0..FILE.len() {
        assert!(open(&FILE[..len]).is_err(), "{len} bytes");
    }
    let longer = [FILE, &[0; 64]].concat();
    assert_eq!(open(&longer).unwrap_err().code(), "container-truncated");
}

#[test]
fn each_kind_of_damage_has_its_code() {
    let code = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = FILE.to_vec();
        change(&mut bytes);
        open(&bytes).and_then(|lookups| lookups.verify()).unwrap_err().code()
    };
    assert_eq!(code(&|bytes| bytes[0] = b'L'), "container-kind");
    assert_eq!(code(&|bytes| bytes[20] = 2), "container-version");
    assert_eq!(code(&|bytes| bytes.truncate(20)), "container-truncated");
    assert_eq!(code(&|bytes| bytes.truncate(100)), "container-truncated");
    assert_eq!(code(&|bytes| *bytes.last_mut().unwrap() = b'!'), "container-checksum");
    assert_eq!(code(&|bytes| bytes[64] ^= 1), "container-checksum");
    let manifest = |from: &str, to: &str| {
        let bytes = changed(|name, bytes| {
            if name == MANIFEST {
                *bytes = std::str::from_utf8(bytes).unwrap().replacen(from, to, 1).into_bytes();
            }
        });
        assert_ne!(bytes, FILE, "{from}");
        open(&bytes).and_then(|lookups| lookups.verify()).unwrap_err().code()
    };
    for (from, to) in [
        ("\"lang\"", "\"land\""),
        ("{", "["),
        ("\"words\": 7", "\"words\": 7000000"),
        ("\"words\": 7", "\"words\": -1"),
        ("{\"words\": 7", "{}, {\"words\": 7"),
        ("\"text\"", "\"texts\""),
    ] {
        assert_eq!(manifest(from, to), "lookups-manifest", "{from} {to}");
    }
    // A table with a right checksum is checked by its contents.
    assert_eq!(manifest("\"any\"", "\"scalar\""), "lookups-table");
    for sections in [vec![], vec![NewSection::new("tables/t", b"")]] {
        let bytes = KIND.to_bytes(&sections).unwrap();
        assert_eq!(open(&bytes).unwrap_err().code(), "lookups-manifest");
    }
}

#[test]
fn a_table_of_a_name_is_added_once() {
    let mut builder = LookupsBuilder::new("xx");
    builder.add("t", &LookupTable::default(), None).unwrap();
    let error = builder.add("t", &LookupTable::default(), None).unwrap_err();
    assert_eq!(error.code(), "lookups-limit");
}

#[test]
fn values_that_are_shared_cost_no_more_than_the_file() {
    // Each of a thousand words has the one large value, which no builder writes.
    let mut table = LookupTable::default();
    for word in 0..1000 {
        table.set(StrId::new(word), Value::Str("x".repeat(100) + &word.to_string()));
    }
    let mut bytes = build(&[("t", table)]);
    let starts = 64 + 12 * 1000;
    bytes[starts..starts + 4000].fill(0);
    let opened = open(&bytes).unwrap();
    let table = opened.table("t").unwrap();
    assert!(table.iter().all(|entry| entry.is_ok()), "strings of the size of the file");
    let large = Value::Array(vec![Value::Nil; 60_000]);
    let mut table = LookupTable::default();
    for word in 0..1000 {
        table.set(StrId::new(word), if word == 0 { large.clone() } else { Value::Nil });
    }
    let mut bytes = build(&[("t", table)]);
    bytes[starts..starts + 4000].fill(0);
    let opened = open(&bytes).unwrap();
    let errors = opened.table("t").unwrap().iter().filter_map(Result::err);
    assert_eq!(errors.map(|error| error.code()).next(), Some("lookups-table"));
}

#[test]
fn tables_are_found_and_read_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    let json = r#"{"went": "go", "NOUN": ["a", 1, -2, 0.1, null, true], "went": {"x": "\u00e4"}}"#;
    write("xx_lemma_lookup.json", json.as_bytes());
    let gzip = |text: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, text).unwrap();
        gzip.finish().unwrap()
    };
    write("xx_lemma_lookup.json.gz", &gzip(b"{}"));
    write("xx_lexeme_norm.json.gz", &gzip(br#"{"n't": "not"}"#));
    for name in ["xx_license.txt", "lemma.json", "yy_t.json"] {
        write(name, b"[]");
    }
    let found = TableSource::find(folder.path()).unwrap();
    let names: Vec<_> = found.iter().map(|one| (one.lang.as_str(), one.table.as_str())).collect();
    assert_eq!(names, [("xx", "lemma_lookup"), ("xx", "lexeme_norm"), ("yy", "t")]);
    let table = found[0].read().unwrap();
    let map = Value::Map(vec![(Value::Str("x".into()), Value::Str("\u{e4}".into()))]);
    assert_eq!(entries(&table)[0], (StrId::of("went"), map));
    let mixed = [
        Value::Str("a".into()),
        Value::UInt(1),
        Value::Int(-2),
        Value::Float(0.1),
        Value::Nil,
        Value::Bool(true),
    ];
    assert_eq!(entries(&table)[1], (StrId::of("NOUN"), Value::Array(mixed.to_vec())));
    assert_eq!(found[2].read().unwrap_err().code(), "lookups-json");
    let built = || {
        let mut builder = LookupsBuilder::new("xx");
        for source in TableSource::find(folder.path()).unwrap().iter().filter(|s| s.lang == "xx") {
            let origin = source.origin().unwrap();
            builder.add(&source.table, &source.read().unwrap(), Some(origin)).unwrap();
        }
        open(&builder.finish().unwrap()).unwrap()
    };
    let lookups = built();
    assert!(lookups.is_current(folder.path()));
    assert_eq!(lookups.table("lexeme_norm").unwrap().text(StrId::of("n't")), Some("not"));
    write("xx_lexeme_norm.json.gz", &gzip(br#"{"n't": "nor"}"#));
    assert!(!lookups.is_current(folder.path()), "another text of the same length");
    let lookups = built();
    write("xx_lemma_lookup.json", json.replace("went", "gone").as_bytes());
    assert!(!lookups.is_current(folder.path()));
    let lookups = built();
    write("xx_more.json", b"{}");
    assert!(!lookups.is_current(folder.path()), "a new table");
    std::fs::remove_file(folder.path().join("xx_more.json")).unwrap();
    std::fs::remove_file(folder.path().join("xx_lexeme_norm.json.gz")).unwrap();
    assert!(!lookups.is_current(folder.path()), "a table that is gone");
}

#[test]
fn a_compressed_file_that_is_cut_or_no_json_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, name) in [(&b"\x1f\x8b"[..], "xx_t.json.gz"), (b"{\"a\": ", "yy_t.json")] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let sources = TableSource::find(folder.path()).unwrap();
        let source = sources.iter().find(|one| one.path.ends_with(name)).unwrap();
        let error = source.read().unwrap_err();
        assert_eq!(error.code(), "lookups-json");
        assert!(error.to_string().contains(name), "{error}");
    }
    assert_eq!(TableSource::find(&folder.path().join("x")).unwrap_err().code(), "file-not-found");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<u64>().prop_map(Value::UInt),
        (i64::MIN..0).prop_map(Value::Int),
        (-1e9..1e9).prop_map(Value::Float),
        "[a-c\u{e4}]{0,4}".prop_map(Value::Str),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((inner.clone(), inner), 0..3).prop_map(Value::Map),
        ]
    })
}

proptest! {
    /// The mapped table is the table in memory: the same words, values and order.
    #[test]
    fn a_mapped_table_has_what_was_put_into_it(
        given in prop::collection::vec((0..200_u64, value()), 0..60),
        missing in any::<u64>(),
    ) {
        let mut table = LookupTable::default();
        for (word, value) in given {
            table.set(StrId::new(word), value);
        }
        let lookups = open(&build(&[("other", LookupTable::default()), ("t", table.clone())])).unwrap();
        lookups.verify().unwrap();
        let mapped = lookups.table("t").unwrap();
        prop_assert_eq!(mapped.len(), table.len());
        prop_assert_eq!(entries(&mapped.to_table().unwrap()), entries(&table));
        for word in (0..200).map(StrId::new).chain([StrId::new(missing)]) {
            let found = mapped.get(word).unwrap();
            prop_assert_eq!(found.as_ref(), table.get(word));
            prop_assert_eq!(mapped.contains(word), table.get(word).is_some());
        }
        for (position, (word, _)) in table.iter().enumerate() {
            prop_assert_eq!(mapped.word(position).unwrap(), word);
        }
    }

    /// Bytes of any kind in a file with valid checksums are read without a panic.
    #[test]
    fn whatever_a_file_says_nothing_crashes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let bytes = changed(|_, bytes| {
            let len = bytes.len();
            for (at, byte) in changes.iter().filter(|_| len > 0) {
                bytes[at.index(len)] = *byte;
            }
        });
        if let Ok(lookups) = open(&bytes) {
            exercise(&lookups);
        }
    }
}
