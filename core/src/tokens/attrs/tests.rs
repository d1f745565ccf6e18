use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::strings::StrId;
use crate::structs::Pos;
use crate::tokens::tests::{all_of, parsed, trees, vocab, words};
use crate::tokens::{Doc, Retokenization, tree_offset};

/// An attribute with a value that it can have, for a token of so many.
fn setting(n: usize) -> impl Strategy<Value = (usize, AttrId, u64)> {
    let attrs: Vec<_> = ARRAY_ATTRS.into_iter().chain([AttrId::IS_ALPHA, AttrId::IDX]).collect();
    (0..n, select(attrs), 0..20_u64, 0..n).prop_map(|(i, attr, number, head)| {
        let pos = |name| u64::from(Pos::from_name(name).unwrap().number());
        let value = match attr {
            AttrId::HEAD => signed(tree_offset(i, head)),
            AttrId::ENT_IOB => number % 4,
            AttrId::SENT_START if number < 7 => signed(-1),
            AttrId::SENT_START | AttrId::SPACY => number % 2,
            AttrId::POS if number % 3 == 0 => 0,
            AttrId::POS => pos(if number % 3 == 1 { "NOUN" } else { "X" }),
            _ => number,
        };
        (i, attr, value)
    })
}

proptest! {
    #[test]
    fn a_setting_is_read_back_and_leaves_all_others_as_they_were(settings in vec(setting(6), 0..30)) {
        let mut doc = words(6);
        for (i, attr, value) in settings {
            let mut expected = doc.attrs().to_array(&ARRAY_ATTRS);
            let norm = doc.token(i).unwrap().lex().attr(AttrId::NORM);
            doc.attrs_mut().set(i, attr, value).unwrap();
            let at = ARRAY_ATTRS.iter().position(|other| *other == attr);
            let kept = matches!(attr, AttrId::LENGTH | AttrId::ORTH);
            if let Some(at) = at.filter(|_| !kept) {
                let unset = attr == AttrId::NORM && value == 0;
                expected[i * ARRAY_ATTRS.len() + at] = if unset { norm } else { value };
            }
            prop_assert_eq!(doc.attrs().to_array(&ARRAY_ATTRS), expected);
        }
    }

    #[test]
    fn each_attribute_comes_back_from_its_array(settings in vec(setting(6), 0..30)) {
        let mut doc = words(6);
        for (i, attr, value) in settings {
            doc.attrs_mut().set(i, attr, value).unwrap();
        }
        for attr in AttrId::all() {
            let mut copy = words(6);
            let before = copy.attrs().column(attr);
            copy.attrs_mut().set_array(&[attr], &doc.attrs().column(attr)).unwrap();
            // Offsets follow from the spaces alone.
            let expected = if attr == AttrId::IDX { before } else { doc.attrs().column(attr) };
            prop_assert_eq!(copy.attrs().column(attr), expected, "{:?}", attr);
        }
    }

    #[test]
    fn a_document_with_a_tree_comes_back_from_its_array(
        heads in trees(8), settings in vec(setting(8), 0..20),
    ) {
        let mut doc = parsed(&heads);
        let n = doc.len();
        for (i, attr, value) in settings {
            let follows = matches!(attr, AttrId::HEAD | AttrId::DEP | AttrId::SENT_START);
            if i < n && !follows {
                doc.attrs_mut().set(i, attr, value).unwrap();
            }
        }
        let mut copy = words(n);
        copy.attrs_mut().set_array(&ARRAY_ATTRS, &doc.attrs().to_array(&ARRAY_ATTRS)).unwrap();
        prop_assert_eq!(copy.attrs().to_array(&ARRAY_ATTRS), doc.attrs().to_array(&ARRAY_ATTRS));
        prop_assert_eq!(copy.syntax_records(), doc.syntax_records());
        prop_assert_eq!(copy.text(), doc.text());
    }

    #[test]
    fn spaces_set_later_give_the_document_that_has_them_from_the_start(
        words in vec(("[a\u{e9}]{1,3}", any::<bool>(), any::<bool>()), 0..8),
    ) {
        let before: Vec<_> = words.iter().map(|(word, space, _)| (word, *space)).collect();
        let after: Vec<_> = words.iter().map(|(word, _, space)| (word, *space)).collect();
        let spaces: Vec<_> = after.iter().map(|(_, space)| *space).collect();
        let vocab = vocab();
        let mut doc = Doc::from_words(&vocab, &before).unwrap();
        doc.attrs_mut().set_spaces(&spaces).unwrap();
        prop_assert_eq!(all_of(&doc), all_of(&Doc::from_words(&vocab, &after).unwrap()));
        prop_assert_eq!(doc.generation(), 0);
    }
}

#[test]
fn a_value_that_an_attribute_cannot_have_is_refused_and_nothing_is_set() {
    let mut doc = parsed(&[1, 1, 1]);
    let before = all_of(&doc);
    for (attr, value, code) in [
        (AttrId::HEAD, signed(-2), "E190"),
        (AttrId::HEAD, signed(2), "E190"),
        (AttrId::ENT_IOB, 4, "E982"),
        (AttrId::POS, 1, "E1021"),
        (AttrId::POS, u64::MAX, "E1021"),
    ] {
        assert_eq!(doc.attrs_mut().set(1, attr, value).unwrap_err().code(), code);
        // The column before it is not set either.
        let rows = [5, 0, 5, value, 5, 0];
        assert_eq!(
            doc.attrs_mut().set_array(&[AttrId::TAG, attr], &rows).unwrap_err().code(),
            code
        );
    }
    assert_eq!(doc.attrs_mut().set(3, AttrId::TAG, 1).unwrap_err().code(), "E026");
    assert_eq!(doc.attrs_mut().set_array(&[AttrId::TAG], &[1, 2]).unwrap_err().code(), "E971");
    assert_eq!(doc.attrs_mut().set_array(&[], &[1]).unwrap_err().code(), "E971");
    assert_eq!(doc.attrs_mut().set_spaces(&[true]).unwrap_err().code(), "E027");
    assert_eq!(all_of(&doc), before);
    doc.attrs_mut().set_array(&[], &[]).unwrap();
}

#[test]
fn heads_without_relations_are_stored_but_make_no_tree() {
    let mut doc = words(3);
    doc.attrs_mut().set_array(&[AttrId::HEAD], &[1, 0, signed(-1)]).unwrap();
    assert_eq!(doc.attrs().column(AttrId::HEAD), [1, 0, signed(-1)]);
    assert_eq!(doc.token(1).unwrap().n_lefts(), 0);
    doc.attrs_mut().set_array(&[AttrId::HEAD, AttrId::DEP], &[1, 7, 0, 7, signed(-1), 7]).unwrap();
    assert_eq!(doc.token(1).unwrap().n_lefts(), 1);
    assert_eq!(doc.attrs().column(AttrId::SENT_START), [1, signed(-1), signed(-1)]);
}

#[test]
fn of_columns_of_one_attribute_the_last_one_counts() {
    for attr in [AttrId::NORM, AttrId::LEMMA] {
        let mut doc = words(2);
        let [own, other] = ["own", "other"].map(|text| doc.snapshot().add(text).unwrap().get());
        doc.attrs_mut().set_array(&[attr, attr], &[own, other, other, own]).unwrap();
        assert_eq!(doc.attrs().column(attr), [other, own]);
    }
}

#[test]
fn zeros_make_no_array_and_a_first_value_makes_one() {
    let mut doc = words(2);
    for attr in ARRAY_ATTRS.into_iter().filter(|attr| *attr != AttrId::SPACY) {
        doc.attrs_mut().set(0, attr, 0).unwrap();
        doc.attrs_mut().set_array(&[attr], &[0, 0]).unwrap();
    }
    assert!(
        doc.tag_records().is_none()
            && doc.syntax_records().is_none()
            && doc.entity_records().is_none()
    );
    doc.attrs_mut().set(0, AttrId::LEMMA, 5).unwrap();
    doc.attrs_mut().set(1, AttrId::ENT_KB_ID, 6).unwrap();
    assert!(
        doc.tag_records().is_some()
            && doc.syntax_records().is_none()
            && doc.entity_records().is_some()
    );
}

#[test]
fn a_norm_is_the_tokens_own_until_it_is_set_to_that_of_its_word() {
    let mut doc = words(2);
    let of_word = doc.token(0).unwrap().norm();
    let own = doc.snapshot().add("own").unwrap();
    doc.attrs_mut().set(0, AttrId::NORM, own.get()).unwrap();
    assert_eq!(doc.token(0).unwrap().text_of(AttrId::NORM), "own");
    assert_eq!(doc.token(1).unwrap().text_of(AttrId::NORM), "w1");
    doc.attrs_mut().set(0, AttrId::NORM, of_word.get()).unwrap();
    assert_eq!(doc.tag_records().unwrap()[0].norm, 0);
}

#[test]
fn annotation_is_there_on_some_token_or_on_all() {
    let mut doc = words(3);
    for attr in [AttrId::TAG, AttrId::HEAD, AttrId::SENT_START, AttrId::ENT_IOB, AttrId::IDX] {
        assert!(!doc.attrs().has_annotation(attr, false), "{attr:?}");
    }
    assert!(doc.attrs().has_annotation(AttrId::ORTH, true));
    for (i, complete) in [(1, false), (0, false), (2, true)] {
        doc.attrs_mut().set(i, AttrId::TAG, StrId::of("NN").get()).unwrap();
        assert!(doc.attrs().has_annotation(AttrId::TAG, false));
        assert_eq!(doc.attrs().has_annotation(AttrId::TAG, true), complete);
    }
    // Heads are validated with their relations.
    doc.tree_mut().set_head(0, 1).unwrap();
    assert!(!doc.attrs().has_annotation(AttrId::HEAD, false));
    doc.attrs_mut().set(0, AttrId::DEP, 7).unwrap();
    assert!(doc.attrs().has_annotation(AttrId::HEAD, false));
    assert!(Doc::empty(&vocab()).attrs().has_annotation(AttrId::TAG, true));
    assert!(words(1).attrs().has_annotation(AttrId::SENT_START, true));
}

#[test]
fn other_spaces_are_no_other_tokens_for_a_plan() {
    let mut doc = words(3);
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 0..2, &[]).unwrap();
    doc.attrs_mut().set(0, AttrId::SPACY, 0).unwrap();
    plan.apply(&mut doc).unwrap();
    assert_eq!(doc.token(0).unwrap().text(), "w0w1");
    assert_eq!(doc.generation(), 1);
}
