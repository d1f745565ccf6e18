use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::ErrorKind;
use crate::structs::SpanC;
use crate::tokens::Annotations;
use crate::vocab::{Getters, Vocab};

fn vocab() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

fn annotated() -> Doc {
    let words = [("Z\u{fc}rich", true), ("sleeps", false), ("!", true)];
    let mut doc = Doc::from_words(&vocab(), &words).unwrap();
    let names = |names: [&str; 3]| Some(names.map(str::to_owned).to_vec());
    let given = Annotations {
        tags: names(["NNP", "VBZ", "."]),
        pos: names(["PROPN", "VERB", "PUNCT"]),
        lemmas: names(["Z", "sleep", "!"]),
        heads: Some(vec![Some(1), Some(1), Some(1)]),
        deps: Some(["nsubj", "ROOT", "punct"].map(|dep| Some(dep.to_owned())).to_vec()),
        ents: Some(["B-GPE", "O", "O"].map(|ent| Some(ent.to_owned())).to_vec()),
        ..Annotations::default()
    };
    doc.annotate(&given).unwrap();
    doc.snapshot().add("errors").unwrap();
    doc
}

/// The bytes of one group of one span, the first token.
fn groups() -> Vec<u8> {
    let label = crate::strings::StrId::of("errors").get();
    let spans = vec![SpanC { end: 1, end_char: 6, label, ..SpanC::default() }];
    let group = span_group::SpanGroup { name: "g", attrs: b"\x80", spans };
    let mut out = Writer::new();
    out.map(1).unwrap();
    out.bytes(&group.to_bytes().unwrap()).unwrap();
    out.array(1).unwrap();
    out.str("g").unwrap();
    out.into_bytes()
}

fn read(bytes: &[u8]) -> Result<(Doc, Extras<'_>)> {
    from_bytes(&vocab().snapshot(), bytes, &[])
}

fn same(doc: &Doc, other: &Doc) -> bool {
    doc.text() == other.text()
        && doc.attrs().to_array(&ARRAY_ATTRS) == other.attrs().to_array(&ARRAY_ATTRS)
        && doc.has_unknown_spaces() == other.has_unknown_spaces()
}

#[test]
fn a_tensor_comes_back_in_the_form_of_numpys_arrays() {
    let mut doc = annotated();
    let tensor = Tensor::new(2, vec![0.5, -1.0, f32::MIN_POSITIVE, 3.0, 0.0, f32::MAX]).unwrap();
    doc.set_tensor(Some(Arc::new(tensor))).unwrap();
    let bytes = to_bytes(&doc, &Extras::default(), &[]).unwrap();
    let (again, extras) = read(&bytes).unwrap();
    assert_eq!(again.tensor(), doc.tensor());
    let packed = extras.tensor.unwrap();
    assert!(packed.starts_with(b"\x85\xc4\x02nd\xc3\xc4\x04type\xa3<f4\xc4\x04kind\xc4\x00"));
    let (without, _) = from_bytes(&vocab().snapshot(), &bytes, &["tensor"]).unwrap();
    assert!(without.tensor().is_none());
    let bytes = to_bytes(&doc, &Extras::default(), &["tensor"]).unwrap();
    assert!(read(&bytes).unwrap().0.tensor().is_none());
}

#[test]
fn an_array_that_does_not_fit_the_tokens_is_left_to_the_caller() {
    let doc = annotated();
    let packed = |shape: &[usize], numbers: &[f32]| {
        let mut out = Writer::new();
        out.float_array(shape, numbers).unwrap();
        out.into_bytes()
    };
    let fit = packed(&[3, 1], &[1.0, 2.0, 3.0]);
    let dtype = fit.windows(4).position(|bytes| bytes == b"\xa3<f4").unwrap();
    let doubles = [&fit[..dtype], b"\xa3<f8", &fit[dtype + 4..]].concat();
    let cut = [&fit[..fit.len() - 14], b"\xc4\x08", &fit[fit.len() - 8..]].concat();
    let others = [packed(&[2, 1], &[1.0, 2.0]), packed(&[3], &[1.0; 3]), packed(&[3, 0], &[])];
    for tensor in others.iter().chain([&doubles, &cut, &NO_TENSOR.to_vec(), &vec![0xc0]]) {
        let extras = Extras { tensor: Some(tensor), ..Extras::default() };
        let bytes = to_bytes(&doc, &extras, &[]).unwrap();
        let (again, extras) = read(&bytes).unwrap();
        assert!(again.tensor().is_none(), "{tensor:?}");
        assert_eq!(extras.tensor, Some(&tensor[..]));
    }
    let extras = Extras { tensor: Some(&fit), ..Extras::default() };
    let bytes = to_bytes(&doc, &extras, &[]).unwrap();
    assert_eq!(read(&bytes).unwrap().0.tensor().unwrap().row(2), [3.0]);
}

#[test]
fn a_document_comes_back_with_what_it_carries() {
    let (doc, groups) = (annotated(), groups());
    let extras = Extras {
        sentiment: -0.5,
        cats: Some(b"\x81\xa1a\xc3"),
        tensor: Some(NO_TENSOR),
        spans: Some(&groups),
        user_data_keys: Some(b"\x91\x01"),
        user_data_values: Some(b"\x91\xc0"),
    };
    let bytes = to_bytes(&doc, &extras, &[]).unwrap();
    let (again, carried) = read(&bytes).unwrap();
    assert!(same(&again, &doc));
    assert_eq!(carried, extras);
    assert_eq!(again.token(0).unwrap().head().text(), "sleeps");
    assert_eq!(again.entities().spans().unwrap().len(), 1);
    assert_eq!(again.snapshot().string(crate::strings::StrId::of("errors")), Some("errors"));
}

#[test]
fn short_bytes_hold_the_same() {
    let doc = annotated();
    let short = to_short_bytes(&doc, &Extras::default(), &[]).unwrap();
    assert!(same(&read(&short).unwrap().0, &doc));
    let plain = Doc::from_words(&vocab(), &[("a", true); 100]).unwrap();
    let short = to_short_bytes(&plain, &Extras::default(), &[]).unwrap();
    assert!(same(&read(&short).unwrap().0, &plain));
    assert!(short.len() < to_bytes(&plain, &Extras::default(), &[]).unwrap().len() / 3);
    let mut odd = Doc::from_words(&vocab(), &[("a", true), ("b", false)]).unwrap();
    odd.attrs_mut().set(0, AttrId::SENT_START, 0).unwrap();
    odd.attrs_mut().set(1, AttrId::HEAD, u64::MAX).unwrap();
    let short = to_short_bytes(&odd, &Extras::default(), &[]).unwrap();
    assert!(same(&read(&short).unwrap().0, &odd));
    let empty = to_short_bytes(&Doc::empty(&vocab()), &Extras::default(), &[]).unwrap();
    assert!(read(&empty).unwrap().0.is_empty());
}

#[test]
fn parts_can_be_left_out() {
    let doc = annotated().with_unknown_spaces();
    let extras = Extras { user_data_keys: Some(b"\x90"), ..Extras::default() };
    let bytes = to_bytes(&doc, &extras, &["user_data", "cats", "has_unknown_spaces"]).unwrap();
    let (again, carried) = read(&bytes).unwrap();
    assert_eq!((carried.cats, carried.user_data_keys), (None, None));
    assert!(!again.has_unknown_spaces());
    let bytes = to_bytes(&doc, &Extras::default(), &[]).unwrap();
    let without =
        from_bytes(&vocab().snapshot(), &bytes, &["strings", "has_unknown_spaces"]).unwrap();
    assert_eq!(without.0.token(1).unwrap().text_of(AttrId::TAG), "", "no strings were entered");
    assert!(!without.0.has_unknown_spaces());
}

#[test]
fn bytes_of_spacys_are_read() {
    // Doc(Vocab(), words=["Hi"]).to_bytes(), without norms and span groups.
    let mut bytes = b"\x84\xa4text\xa3Hi \xaaarray_head\x93GQA\xaaarray_body\x85\xc4\x02nd\xc3\
        \xc4\x04type\xa3<u8\xc4\x04kind\xc4\x00\xc4\x05shape\x92\x01\x03\xc4\x04data\xc4\x18"
        .to_vec();
    bytes.extend([2_u64, 1, crate::strings::StrId::of("Hi").get()].map(u64::to_le_bytes).concat());
    bytes.extend(b"\xb2has_unknown_spaces\xc3");
    let (doc, _) = read(&bytes).unwrap();
    assert_eq!(doc.text(), "Hi ");
    assert!(doc.has_unknown_spaces());
}

#[test]
fn bytes_that_break_off_are_refused_wherever_they_do() {
    let bytes = to_bytes(&annotated(), &Extras::default(), &[]).unwrap();
    for end in 0..bytes.len() {
        assert_eq!(read(&bytes[..end]).unwrap_err().kind(), ErrorKind::Value);
    }
}

#[test]
fn a_flipped_bit_is_found_or_changes_nothing() {
    let (doc, groups) = (annotated(), groups());
    let extras = Extras { spans: Some(&groups), ..Extras::default() };
    let bytes = to_bytes(&doc, &extras, &[]).unwrap();
    let own = read(&bytes).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match read(&flipped) {
            Ok((doc, carried)) => assert!(same(&doc, &own.0) && carried == own.1, "bit {bit}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Value, "bit {bit}: {error}"),
        }
    }
}

#[test]
fn without_a_checksum_every_value_is_validated() {
    let bytes = to_bytes(&annotated(), &Extras::default(), &[]).unwrap();
    let at = bytes.windows(6).position(|window| window == b"\xa5crc32").unwrap();
    let mut bytes = bytes[..at].to_vec();
    bytes[0] -= 1;
    assert!(read(&bytes).is_ok());
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Err(error) = read(&flipped) {
            assert_eq!(error.kind(), ErrorKind::Value, "bit {bit}: {error}");
        }
    }
}

#[test]
fn tokens_that_do_not_tile_the_text_are_refused() {
    let message = |text: &str, rows: &[u64]| {
        let mut out = Writer::new();
        out.map(3).unwrap();
        out.str("text").unwrap();
        out.str(text).unwrap();
        out.str("array_head").unwrap();
        out.array(2).unwrap();
        out.uint(AttrId::LENGTH.number().into());
        out.uint(AttrId::SPACY.number().into());
        out.str("array_body").unwrap();
        out.map(3).unwrap();
        out.str("type").unwrap();
        out.str("<u8").unwrap();
        out.str("shape").unwrap();
        out.array(2).unwrap();
        out.uint(rows.len() as u64 / 2);
        out.uint(2);
        out.str("data").unwrap();
        out.bytes(&rows::to_le(rows)).unwrap();
        out.into_bytes()
    };
    assert_eq!(read(&message("a\u{e9} b", &[2, 1, 1, 0])).unwrap().0.len(), 2);
    let code = |bytes: &[u8]| read(bytes).unwrap_err().code();
    for (text, rows) in [
        ("ab", &[3, 0][..]),
        ("ab", &[u64::MAX, 0]),
        ("ab", &[1, 0]),
        ("ab", &[1, 1, 1, 0]),
        ("a", &[1, 1]),
    ] {
        assert_eq!(code(&message(text, rows)), "doc-bytes", "{text} {rows:?}");
    }
    assert_eq!(code(&message("a", &[0, 0, 1, 0])), "E031");
    assert_eq!(code(&message("a", &[1, 2])), "attribute-value");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn documents_of_any_words_come_back(
        words in prop::collection::vec(("[a-z\u{e9}\u{1f600}]{1,6}", any::<bool>()), 0..20),
        tags in prop::collection::vec("[A-Z]{0,3}", 20),
    ) {
        let mut doc = Doc::from_words(&vocab(), &words).unwrap();
        let tags = tags[..words.len()].to_vec();
        doc.annotate(&Annotations { tags: Some(tags), ..Annotations::default() }).unwrap();
        let bytes = to_bytes(&doc, &Extras::default(), &[]).unwrap();
        prop_assert!(same(&read(&bytes).unwrap().0, &doc));
    }
}
