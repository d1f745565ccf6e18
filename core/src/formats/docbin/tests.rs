use std::sync::Arc;

use lexpool_structs::AttrId;
use proptest::prelude::*;

use super::*;
use crate::Result;
use crate::formats::span_group;
use crate::formats::zlib::{self, InflateLimit};
use crate::structs::SpanC;
use crate::tokens::{Annotations, Doc};
use crate::vocab::{Getters, Vocab};

fn vocab() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

fn annotated(vocab: &Arc<Vocab>) -> Doc {
    let words = [("Ada", true), ("slee\u{304}ps", false), ("!", true)];
    let mut doc = Doc::from_words(vocab, &words).unwrap();
    let some = |names: [&str; 3]| Some(names.map(str::to_owned).to_vec());
    let given = Annotations {
        tags: some(["NNP", "VBZ", "."]),
        lemmas: some(["Ada", "sleep", "!"]),
        heads: Some(vec![Some(1), Some(1), Some(1)]),
        deps: Some(["nsubj", "ROOT", "punct"].map(|dep| Some(dep.to_owned())).to_vec()),
        ents: Some(["B-PERSON", "O", "O"].map(|ent| Some(ent.to_owned())).to_vec()),
        ..Annotations::default()
    };
    doc.annotate(&given).unwrap();
    doc
}

fn carried() -> DocExtras {
    DocExtras {
        cats: b"\x81\xa1a\xc3"[..].into(),
        user_data: Some(b"\x81\xa1k\x01"[..].into()),
        ..DocExtras::default()
    }
}

fn bin() -> DocBin {
    let vocab = vocab();
    let mut bin = DocBin::new(&DocBin::ALL_ATTRS, true);
    bin.add(&annotated(&vocab), carried()).unwrap();
    bin.add(&Doc::empty(&vocab), DocExtras::default()).unwrap();
    let plain = Doc::from_words(&vocab, &[("a", true), ("b", true)]).unwrap();
    bin.add(&plain.with_unknown_spaces(), DocExtras::default()).unwrap();
    bin
}

/// Content of a document of a bin: its text, its rows, whether its spaces are unknown, its extras.
type Content = (String, Vec<u64>, bool, DocExtras);

fn contents(bin: &DocBin) -> Result<Vec<Content>> {
    let reader = bin.reader(&vocab().snapshot())?;
    let doc = |i| {
        let doc = reader.doc(bin, i)?;
        let rows = doc.attrs().to_array(&DocBin::ALL_ATTRS);
        let extras = bin.extras(i).unwrap().clone();
        Ok((doc.text().to_owned(), rows, doc.has_unknown_spaces(), extras))
    };
    (0..bin.len()).map(doc).collect()
}

#[test]
fn documents_come_back_with_all_that_they_carry() {
    let own = contents(&bin()).unwrap();
    assert_eq!(own[0].0, "Ada slee\u{304}ps! ");
    assert_eq!(own[0].1, annotated(&vocab()).attrs().to_array(&DocBin::ALL_ATTRS));
    assert_eq!(own[2].0, "a b ");
    assert!(own[2].2);
    let again = DocBin::from_bytes(&bin().to_bytes().unwrap()).unwrap();
    let read = contents(&again).unwrap();
    assert_eq!(read[0], own[0]);
    assert_eq!((read[1].0.as_str(), read[2].0.as_str()), ("", "a b "));
}

#[test]
fn fewer_attributes_can_be_asked_for() {
    let vocab = vocab();
    let mut bin = DocBin::new(&[AttrId::TAG, AttrId::SPACY, AttrId::LEMMA], false);
    assert_eq!(bin.attrs(), [AttrId::ORTH, AttrId::LEMMA, AttrId::TAG]);
    bin.add(&annotated(&vocab), carried()).unwrap();
    let again = DocBin::from_bytes(&bin.to_bytes().unwrap()).unwrap();
    let doc = again.reader(&super::tests::vocab().snapshot()).unwrap().doc(&again, 0).unwrap();
    let last = doc.token(2).unwrap();
    assert_eq!((last.text_of(AttrId::TAG), last.text_of(AttrId::DEP)), (".", ""));
    assert_eq!(again.extras(0).unwrap().user_data, None, "user data was not asked for");
}

#[test]
fn bins_merge_if_they_keep_the_same() {
    let mut both = bin();
    both.merge(&bin()).unwrap();
    assert_eq!(both.len(), 6);
    let read = contents(&DocBin::from_bytes(&both.to_bytes().unwrap()).unwrap()).unwrap();
    assert_eq!(read[3], contents(&bin()).unwrap()[0]);
    let error = both.merge(&DocBin::new(&[AttrId::TAG], true)).unwrap_err();
    assert_eq!(error.code(), "E166");
    assert_eq!(both.merge(&DocBin::default()).unwrap_err().code(), "E166");
}

#[test]
fn a_document_whose_ids_have_no_strings_is_not_added() {
    let mut doc = annotated(&vocab());
    doc.attrs_mut().set(0, AttrId::TAG, 12345).unwrap();
    let mut bin = bin();
    assert_eq!(bin.add(&doc, DocExtras::default()).unwrap_err().code(), "E018");
    assert_eq!(bin.len(), 3);
    let groups = span_group::SpanGroup {
        name: "far",
        attrs: b"\x80",
        spans: vec![SpanC { end: 9, ..SpanC::default() }],
    };
    let span_groups = [&b"\x81\xc4\x40"[..], &groups.to_bytes().unwrap(), b"\x91\xa1k"].concat();
    let extras = DocExtras { span_groups: span_groups.into(), ..DocExtras::default() };
    assert!(bin.add(&annotated(&vocab()), extras).is_err());
    assert_eq!(bin.len(), 3);
}

#[test]
fn a_file_that_breaks_off_is_refused_wherever_it_does() {
    let bytes = bin().to_bytes().unwrap();
    for end in 0..bytes.len() {
        let error = DocBin::from_bytes(&bytes[..end]).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Value, "{error}");
    }
    let message = zlib::decompress(&bytes, InflateLimit::new(1 << 20)).unwrap();
    for end in 1..message.len() {
        let error = DocBin::from_bytes(&zlib::compress(&message[..end])).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Value, "{error}");
    }
}

#[test]
fn a_flipped_bit_is_found_or_changes_nothing() {
    let bytes = bin().to_bytes().unwrap();
    let own = contents(&DocBin::from_bytes(&bytes).unwrap()).unwrap();
    let check =
        |bytes: &[u8], what: &str| match DocBin::from_bytes(bytes).and_then(|bin| contents(&bin)) {
            Ok(read) => assert_eq!(read, own, "{what}"),
            Err(error) => assert_eq!(error.kind(), crate::ErrorKind::Value, "{what}: {error}"),
        };
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        check(&flipped, &format!("bit {bit} of the file"));
    }
    let message = zlib::decompress(&bytes, InflateLimit::new(1 << 20)).unwrap();
    for bit in 0..message.len() * 8 {
        let mut flipped = message.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        check(&zlib::compress(&flipped), &format!("bit {bit} of the message"));
    }
}

/// The message of a file without its checksum, as spaCy writes it.
fn unsealed() -> Vec<u8> {
    let message = zlib::decompress(&bin().to_bytes().unwrap(), InflateLimit::new(1 << 20)).unwrap();
    let key = b"\xa5crc32";
    let at = message.windows(key.len()).position(|window| window == key).unwrap();
    let mut message = message[..at].to_vec();
    message[0] -= 1;
    message
}

#[test]
fn without_a_checksum_every_value_is_validated() {
    let message = unsealed();
    assert!(DocBin::from_bytes(&zlib::compress(&message)).is_ok());
    for bit in 0..message.len() * 8 {
        let mut flipped = message.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let read = DocBin::from_bytes(&zlib::compress(&flipped));
        if let Err(error) = read.and_then(|bin| contents(&bin)) {
            assert_eq!(error.kind(), crate::ErrorKind::Value, "bit {bit}: {error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn documents_of_any_words_come_back(
        docs in prop::collection::vec(
            prop::collection::vec(("[a-z\u{e9}\u{1f600}]{1,6}", any::<bool>()), 0..12), 0..6),
    ) {
        let vocab = vocab();
        let mut bin = DocBin::default();
        let mut texts = Vec::new();
        for words in &docs {
            let doc = Doc::from_words(&vocab, words).unwrap();
            bin.add(&doc, DocExtras::default()).unwrap();
            texts.push(doc.text().to_owned());
        }
        let again = DocBin::from_bytes(&bin.to_bytes().unwrap()).unwrap();
        let read: Vec<_> = contents(&again).unwrap().into_iter().map(|doc| doc.0).collect();
        prop_assert_eq!(read, texts);
    }
}
