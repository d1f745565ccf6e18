use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;

use super::columns::RecordArrays;
use super::*;
use crate::structs::{AttrId, TokenC};
use crate::vocab::{Getters, Vocab};

pub(super) fn vocab() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

/// Words of letters, so many, each with a space.
pub(super) fn words(n: usize) -> Doc {
    let words: Vec<_> = (0..n).map(|i| (format!("w{i}"), true)).collect();
    Doc::from_words(&vocab(), &words).unwrap()
}

/// A document whose tokens have these heads, each with a relation.
pub(super) fn parsed(heads: &[usize]) -> Doc {
    let mut doc = words(heads.len());
    doc.annotate(&Annotations {
        heads: Some(heads.iter().map(|head| i64::try_from(*head).ok()).collect()),
        deps: Some(vec![Some("dep".to_owned()); heads.len()]),
        ..Annotations::default()
    })
    .unwrap();
    doc
}

/// Splits the first token after its first letter.
pub(super) fn split_first(doc: &mut Doc) {
    let text = doc.token(0).unwrap().text().to_owned();
    let mut plan = Retokenization::new(doc);
    let parts = vec![
        SplitPart::new(&text[..1], PartHead::of(0)),
        SplitPart::new(&text[1..], PartHead::of(0)),
    ];
    plan.split(doc, 0, parts).unwrap();
    plan.apply(doc).unwrap();
}

/// Heads without cycles: tokens, in a random order, each get one of those before them or none.
pub(super) fn trees(most: usize) -> impl Strategy<Value = Vec<usize>> {
    (1..=most).prop_flat_map(|n| {
        let order = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
        let heads = vec(option::weighted(0.8, any::<Index>()), n);
        (order, heads).prop_map(move |(order, chosen)| {
            let mut heads: Vec<usize> = (0..n).collect();
            for (at, chosen) in chosen.iter().enumerate().skip(1) {
                if let Some(index) = chosen {
                    heads[order[at]] = order[index.index(at)];
                }
            }
            heads
        })
    })
}

/// A token, its head, the head's head, and so on.
pub(super) fn chain(heads: &[usize], mut at: usize) -> Vec<usize> {
    let mut chain = vec![at];
    while heads[at] != at {
        at = heads[at];
        chain.push(at);
    }
    chain
}

/// All that a document holds, in a form that can be compared.
pub(super) fn all_of(doc: &Doc) -> impl PartialEq + std::fmt::Debug + use<> {
    let RecordArrays { tokens, tags, syntax, entities } = doc.record_arrays().unwrap();
    let tokens: Vec<_> = tokens.iter().map(|token| format!("{token:?}")).collect();
    let tags: Vec<_> = tags.iter().flatten().map(|tag| format!("{tag:?}")).collect();
    let entities: Vec<_> = entities.iter().flatten().map(|entity| format!("{entity:?}")).collect();
    let syntax: Vec<_> = syntax.iter().flatten().map(|record| format!("{record:?}")).collect();
    (doc.text().to_owned(), tokens, tags, syntax, entities)
}

/// `"H\u{e9}llo, world !"`, the last two spaces shown by their tokens.
fn doc() -> Doc {
    let words = [("H\u{e9}llo", false), (",", true), ("world", true), ("!", false)];
    Doc::from_words(&vocab(), &words).unwrap()
}

#[test]
fn words_and_spaces_make_the_text() {
    let doc = doc();
    assert_eq!(doc.text(), "H\u{e9}llo, world !");
    let offsets: Vec<_> = doc.iter().map(|token| (token.idx(), token.end_char())).collect();
    assert_eq!(offsets, [(0, 5), (5, 6), (7, 12), (13, 14)]);
    assert_eq!(doc.tokens()[1].byte, 6);
    assert_eq!(doc.token(2).unwrap().text_with_ws(), "world ");
    assert_eq!(doc.token(4).map(|token| token.i()), None);
}

#[test]
fn the_first_token_starts_a_sentence_and_of_the_others_nothing_is_known() {
    let starts: Vec<_> = doc().tokens().iter().map(TokenC::sent_start).collect();
    assert_eq!(starts, [1, 0, 0, 0]);
}

#[test]
fn a_trailing_space_belongs_to_the_last_token() {
    let doc = Doc::from_words(&vocab(), &[("a", true), ("b", true)]).unwrap();
    assert_eq!(doc.text(), "a b ");
    assert_eq!(doc.token(1).unwrap().text(), "b");
    assert_eq!(doc.span(2, 2).unwrap().start_char(), 4);
}

#[test]
fn an_empty_word_is_refused() {
    let error = Doc::from_words(&vocab(), &[("a", true), ("", true)]).unwrap_err();
    assert_eq!(error.code(), "E031");
    assert!(error.message().contains("word 1"));
}

#[test]
fn an_empty_document_has_nothing() {
    let doc = Doc::empty(&vocab());
    assert!(doc.is_empty() && doc.text().is_empty() && doc.iter().next().is_none());
    assert_eq!(doc.char_offsets().span(0, 0, Alignment::Expand).map(|span| span.len()), None);
    assert!(doc.attrs().to_array(&[AttrId::ORTH, AttrId::LOWER]).is_empty());
}

#[test]
fn spans_are_cut_from_the_text() {
    let doc = doc();
    let span = doc.span(1, 3).unwrap();
    assert_eq!((span.text(), span.start_char(), span.end_char()), (", world", 5, 12));
    assert_eq!(span.iter().map(|token| token.i()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(doc.span(2, 1).unwrap_err().code(), "E035");
    assert_eq!(doc.span(0, 5).unwrap_err().code(), "E035");
    assert_eq!(doc.span(4, 4).unwrap().text(), "");
}

#[test]
fn character_ranges_become_spans_as_in_spacy() {
    // (start, end, strict, contract, expand), printed by spaCy 3.8 for the same words.
    type Range = Option<(usize, usize)>;
    let table: &[(usize, usize, Range, Range, Range)] = &[
        (0, 5, Some((0, 1)), Some((0, 1)), Some((0, 1))),
        (0, 6, Some((0, 2)), Some((0, 2)), Some((0, 2))),
        (1, 12, None, Some((1, 3)), Some((0, 3))),
        (1, 4, None, None, Some((0, 1))),
        (6, 12, None, Some((2, 3)), Some((2, 3))),
        (6, 7, None, None, Some((2, 2))),
        (7, 13, None, Some((2, 3)), Some((2, 3))),
        (7, 14, Some((2, 4)), Some((2, 4)), Some((2, 4))),
        (7, 15, None, None, None),
        (14, 14, None, None, None),
    ];
    let doc = doc();
    for (start, end, strict, contract, expand) in table {
        let found = |mode| {
            doc.char_offsets().span(*start, *end, mode).map(|span| (span.start(), span.end()))
        };
        assert_eq!(found(Alignment::Strict), *strict, "strict {start}..{end}");
        assert_eq!(found(Alignment::Contract), *contract, "contract {start}..{end}");
        assert_eq!(found(Alignment::Expand), *expand, "expand {start}..{end}");
    }
}

#[test]
fn columns_agree_with_tokens() {
    let doc = doc();
    let attrs: Vec<_> = AttrId::all().collect();
    let rows = doc.attrs().to_array(&attrs);
    for (token, row) in doc.iter().zip(rows.chunks(attrs.len())) {
        for (attr, value) in attrs.iter().zip(row) {
            assert_eq!(token.attr(*attr), *value, "{attr:?} of {token:?}");
        }
    }
    assert_eq!(doc.attrs().column(AttrId::IDX), [0, 5, 7, 13]);
}

#[test]
fn values_are_counted_in_the_order_in_which_they_come() {
    let words = ["b", "a", "b", "B"].map(|word| (word, true));
    let doc = Doc::from_words(&vocab(), &words).unwrap();
    let b = crate::strings::StrId::of("b").get();
    let a = crate::strings::StrId::of("a").get();
    assert_eq!(doc.attrs().count_by(AttrId::LOWER), [(b, 3), (a, 1)]);
    assert_eq!(doc.attrs().count_by(AttrId::IS_ALPHA), [(1, 4)]);
}
