use proptest::prelude::*;

use super::{PartHead, Retokenization, SplitPart};
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::tokens::tests::{trees, vocab};
use crate::tokens::{Annotations, Doc};

fn doc(words: &[&str]) -> Doc {
    let words: Vec<_> = words.iter().map(|word| (*word, true)).collect();
    Doc::from_words(&vocab(), &words).unwrap()
}

fn optional(names: &[&str]) -> Vec<Option<String>> {
    names.iter().map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect()
}

fn annotated(words: &[&str], heads: &[i64], ents: &[&str]) -> Doc {
    let mut doc = doc(words);
    let deps = vec!["dep"; words.len()];
    let lemmas = words.iter().map(|word| word.to_lowercase()).collect();
    doc.annotate(&Annotations {
        heads: Some(heads.iter().copied().map(Some).collect()),
        deps: Some(optional(&deps)),
        ents: Some(optional(ents)),
        lemmas: Some(lemmas),
        tags: Some(words.iter().map(|word| format!("T{word}")).collect()),
        ..Annotations::default()
    })
    .unwrap();
    doc
}

fn texts(doc: &Doc) -> Vec<&str> {
    doc.iter().map(|token| token.text()).collect()
}

fn heads(doc: &Doc) -> Vec<usize> {
    doc.iter().map(|token| token.head().i()).collect()
}

fn column(doc: &Doc, attr: AttrId) -> Vec<&str> {
    doc.iter().map(|token| token.text_of(attr)).collect()
}

fn code<T: std::fmt::Debug>(result: crate::Result<T>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn a_merged_token_is_like_the_root_of_its_span() {
    let mut doc = annotated(&["The", "players", "start", "."], &[1, 2, 2, 2], &["", "B-X", "", ""]);
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 0..2, &[]).unwrap();
    assert_eq!(plan.apply(&mut doc).unwrap(), [Some(1), Some(2), Some(3)]);
    assert_eq!(texts(&doc), ["The players", "start", "."]);
    assert_eq!(column(&doc, AttrId::TAG), ["Tplayers", "Tstart", "T."]);
    assert_eq!(column(&doc, AttrId::LEMMA), ["the players", "start", "."]);
    assert_eq!(column(&doc, AttrId::ENT_TYPE), ["X", "", ""]);
    assert_eq!(heads(&doc), [1, 1, 1]);
    assert_eq!(doc.entities().spans().unwrap().len(), 1);
    assert_eq!(doc.token(1).unwrap().n_lefts(), 1);
}

#[test]
fn a_split_token_hands_what_it_had_to_its_parts() {
    let mut doc = annotated(&["LosAngeles", "starts"], &[1, 1], &["B-X", "I-X"]);
    let mut plan = Retokenization::new(&doc);
    let parts = vec![
        SplitPart::new("Los", PartHead { token: 0, part: 1 }),
        SplitPart::new("Angeles", PartHead::of(1)),
    ];
    plan.split(&doc, 0, parts).unwrap();
    assert_eq!(plan.apply(&mut doc).unwrap(), [None, None, Some(1)]);
    assert_eq!(texts(&doc), ["Los", "Angeles", "starts"]);
    assert_eq!(column(&doc, AttrId::TAG), ["TLosAngeles", "TLosAngeles", "Tstarts"]);
    assert_eq!(column(&doc, AttrId::LEMMA), ["Los", "Angeles", "starts"]);
    assert_eq!(doc.iter().map(|token| token.record().ent_iob()).collect::<Vec<_>>(), [3, 1, 1]);
    assert_eq!(heads(&doc), [1, 2, 2]);
    assert_eq!(doc.token(1).unwrap().idx(), 3);
    assert_eq!(doc.text(), "LosAngeles starts ");
}

#[test]
fn a_head_may_be_a_part_of_a_token_that_is_split_later_in_the_text() {
    let mut doc = doc(&["ab", "cde", "f"]);
    let mut plan = Retokenization::new(&doc);
    let far = PartHead { token: 1, part: 2 };
    plan.split(&doc, 0, vec![SplitPart::new("a", far), SplitPart::new("b", far)]).unwrap();
    let own = |part| PartHead { token: 1, part };
    let parts =
        vec![SplitPart::new("c", own(0)), SplitPart::new("d", own(0)), SplitPart::new("e", own(1))];
    plan.split(&doc, 1, parts).unwrap();
    plan.apply(&mut doc).unwrap();
    let offsets: Vec<_> = doc.syntax_records().unwrap().iter().map(|record| record.head).collect();
    assert_eq!(offsets, [4, 3, 0, -1, -1, 0]);
}

#[test]
fn attributes_are_set_on_the_token_and_its_word_but_the_norm_on_the_token_alone() {
    let mut doc = doc(&["eins", "zwei", "!"]);
    let norm = doc.snapshot().add("12").unwrap().get();
    let attrs = [(AttrId::NORM, norm), (AttrId::IS_STOP, 1), (AttrId::LEMMA, norm)];
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 0..2, &attrs).unwrap();
    plan.apply(&mut doc).unwrap();
    let token = doc.token(0).unwrap();
    assert_eq!((token.text_of(AttrId::NORM), token.text_of(AttrId::LEMMA)), ("12", "12"));
    assert_eq!(token.attr(AttrId::IS_STOP), 1);
    let lexeme = doc.vocab().lexeme("eins zwei").unwrap();
    assert_eq!((lexeme.norm(), lexeme.attr(AttrId::IS_STOP)), ("eins zwei", 1));
}

#[test]
fn a_merge_over_a_sentence_start_takes_it_away_unless_the_document_is_parsed() {
    let mut doc = doc(&["a", "b", "c", "d"]);
    doc.attrs_mut().set(2, AttrId::SENT_START, 1).unwrap();
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 1..3, &[]).unwrap();
    plan.apply(&mut doc).unwrap();
    assert_eq!(doc.tokens()[1].sent_start(), 0);

    let mut doc = annotated(&["a", "b", "c", "d"], &[0, 0, 2, 2], &[""; 4]);
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 2..4, &[]).unwrap();
    plan.apply(&mut doc).unwrap();
    assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..2, 2..3]);
}

#[test]
fn a_merged_token_has_the_type_of_its_root_and_the_ids_of_its_first_token() {
    // The root is "York"; it and "of" were given ids.
    let words = ["mayor", "of", "York", "slept"];
    let mut doc = annotated(&words, &[2, 2, 3, 3], &["", "", "B-X", ""]);
    for (i, id) in [(1, 5), (2, 7)] {
        doc.attrs_mut().set(i, AttrId::ENT_KB_ID, id).unwrap();
        doc.attrs_mut().set(i, AttrId::ENT_ID, id + 1).unwrap();
    }
    for (range, kb_id, id) in [(0..3, 0, 0), (1..3, 5, 6), (2..3, 7, 8)] {
        let mut merged = doc.try_clone().unwrap();
        let mut plan = Retokenization::new(&merged);
        plan.merge(&merged, range.clone(), &[]).unwrap();
        plan.apply(&mut merged).unwrap();
        let token = merged.token(range.start).unwrap();
        assert_eq!(token.text_of(AttrId::ENT_TYPE), "X");
        assert_eq!((token.attr(AttrId::ENT_KB_ID), token.attr(AttrId::ENT_ID)), (kb_id, id));
    }
}

#[test]
fn an_inside_whose_beginning_was_merged_into_another_token_begins_the_entity() {
    let mut doc = annotated(&["a", "b", "c"], &[0, 0, 0], &["O", "B-X", "I-X"]);
    let mut plan = Retokenization::new(&doc);
    plan.merge(&doc, 0..2, &[]).unwrap();
    plan.apply(&mut doc).unwrap();
    assert_eq!(doc.tokens()[1].ent_iob(), 3);
    assert_eq!(doc.entities().spans().unwrap().len(), 1);
}

#[test]
fn an_inside_behind_a_token_outside_begins_an_entity_though_both_are_given_one_type() {
    // spaCy leaves "d" inside of no entity, and its `doc.ents` fails.
    let mut doc = annotated(&["a", "b", "c", "d"], &[0, 0, 0, 0], &["O", "O", "B-X", "I-X"]);
    let mut plan = Retokenization::new(&doc);
    let attrs = [(AttrId::ENT_TYPE, StrId::of("Y").get())];
    plan.merge(&doc, 1..3, &attrs).unwrap();
    plan.merge(&doc, 3..4, &attrs).unwrap();
    plan.apply(&mut doc).unwrap();
    assert_eq!(doc.iter().map(|token| token.record().ent_iob()).collect::<Vec<_>>(), [2, 2, 3]);
    assert_eq!(doc.entities().spans().unwrap().len(), 1);
}

#[test]
fn a_wrong_plan_names_what_is_wrong_and_changes_nothing() {
    let mut doc = annotated(&["ab", "cd", "e"], &[1, 1, 1], &["O", "O", "O"]);
    let mut plan = Retokenization::new(&doc);
    assert_eq!(code(plan.merge(&doc, 1..1, &[])), "E199");
    assert_eq!(code(plan.merge(&doc, 2..4, &[])), "E035");
    assert_eq!(code(plan.merge(&doc, 0..2, &[(AttrId::ENT_IOB, 4)])), "E982");
    assert_eq!(code(plan.merge(&doc, 0..2, &[(AttrId::POS, 7)])), "E1021");
    assert!(plan.is_empty());
    plan.merge(&doc, 1..3, &[]).unwrap();
    plan.merge(&doc, 1..3, &[]).unwrap();
    assert!(plan.merged().eq(std::iter::once(1..3)));
    assert_eq!(code(plan.merge(&doc, 0..2, &[])), "E102");
    assert_eq!(code(plan.merge(&doc, 2..3, &[])), "E102");

    let a_b = |head| vec![SplitPart::new("a", head), SplitPart::new("b", head)];
    assert_eq!(code(plan.split(&doc, 3, vec![])), "E026");
    assert_eq!(code(plan.split(&doc, 0, vec![SplitPart::new("a", PartHead::of(0))])), "E117");
    let empty = vec![SplitPart::new("", PartHead::of(0)), SplitPart::new("ab", PartHead::of(0))];
    assert_eq!(code(plan.split(&doc, 0, empty)), "E031");
    for (parts, expected) in [
        (a_b(PartHead::of(2)), "E123"),
        (a_b(PartHead::of(3)), "E190"),
        (a_b(PartHead { token: 0, part: 2 }), "E190"),
        (a_b(PartHead { token: 1, part: 1 }), "E190"),
    ] {
        let mut plan = plan.clone();
        plan.split(&doc, 0, parts).unwrap();
        assert_eq!(code(plan.apply(&mut doc)), expected);
    }
    let mut twice = plan.clone();
    twice.split(&doc, 0, a_b(PartHead::of(0))).unwrap();
    assert_eq!(code(twice.split(&doc, 0, a_b(PartHead::of(0)))), "E102");
    let mut merged = plan.clone();
    merged.split(&doc, 1, vec![SplitPart::new("cd", PartHead::of(1))]).unwrap();
    assert_eq!(code(merged.apply(&mut doc)), "E122");
    assert_eq!(texts(&doc), ["ab", "cd", "e"]);

    plan.apply(&mut doc).unwrap();
    assert_eq!(code(plan.apply(&mut doc)), "stale-plan");
    assert_eq!(texts(&doc), ["ab", "cd e"]);
}

/// A token as the slow model has it: its characters by number, and those of its head.
#[derive(Clone, Debug, PartialEq)]
struct Slow {
    text: String,
    space: bool,
    lemma: String,
    /// A number that stays with the token whatever is merged or split around it.
    name: (usize, usize),
    head: (usize, usize),
}

#[derive(Clone, Debug)]
struct Case {
    words: Vec<(String, bool)>,
    heads: Vec<usize>,
    /// For each token, how many are merged from here on (1 for none), and where it is split.
    plan: Vec<(usize, Option<usize>)>,
    head_parts: Vec<bool>,
}

fn case() -> impl Strategy<Value = Case> {
    trees(8).prop_flat_map(|heads| {
        let n = heads.len();
        let word = ("[a-c\u{e9}]{2,4}", any::<bool>());
        let change = (1..4_usize, proptest::option::of(1..2_usize));
        (
            proptest::collection::vec(word, n),
            proptest::collection::vec(change, n),
            proptest::collection::vec(any::<bool>(), n),
        )
            .prop_map(move |(words, plan, head_parts)| Case {
                words,
                heads: heads.clone(),
                plan,
                head_parts,
            })
    })
}

proptest! {
    #[test]
    fn merging_and_splitting_agree_with_a_slow_model(case in case()) {
        let n = case.words.len();
        let mut doc = Doc::from_words(&vocab(), &case.words).unwrap();
        let text = doc.text().to_owned();
        doc.annotate(&Annotations {
            heads: Some(case.heads.iter().map(|head| i64::try_from(*head).ok()).collect()),
            deps: Some((0..n).map(|i| Some(format!("d{i}"))).collect()),
            lemmas: Some((0..n).map(|i| format!("l{i}")).collect()),
            ..Annotations::default()
        })
        .unwrap();

        // The plan: from left to right, a merge of a few tokens, a split, or nothing.
        let mut plan = Retokenization::new(&doc);
        let mut merge_of: Vec<Option<std::ops::Range<usize>>> = vec![None; n];
        let mut is_split = vec![false; n];
        let mut i = 0;
        while i < n {
            let (len, split) = case.plan[i];
            let end = (i + len).min(n);
            if split.is_some() {
                is_split[i] = true;
                i += 1;
            } else {
                if end - i > 1 {
                    merge_of[i..end].fill(Some(i..end));
                    plan.merge(&doc, i..end, &[]).unwrap();
                }
                i = end;
            }
        }
        let name_of = |i: usize| (merge_of[i].as_ref().map_or(i, |range| range.start), 0);
        let mut slow: Vec<Slow> = Vec::new();
        for i in 0..n {
            let (word, space) = &case.words[i];
            if let Some(range) = &merge_of[i] {
                if i > range.start {
                    continue;
                }
                let root = doc.span(range.start, range.end).unwrap().root().unwrap().unwrap().i();
                let text = doc.span(range.start, range.end).unwrap().text().to_owned();
                let mut lemma = String::new();
                for i in range.clone() {
                    lemma.push('l');
                    lemma.push_str(&i.to_string());
                    lemma.push_str(if case.words[i].1 { " " } else { "" });
                }
                slow.push(Slow {
                    text,
                    space: case.words[range.end - 1].1,
                    lemma: lemma.trim().to_owned(),
                    name: (i, 0),
                    head: name_of(case.heads[root]),
                });
            } else if is_split[i] {
                let at = word.char_indices().nth(1).unwrap().0;
                let head = name_of(case.heads[i]);
                let part = usize::from(case.head_parts[i] && is_split[case.heads[i]]);
                let far = PartHead { token: head.0, part };
                let near = PartHead { token: i, part: 1 };
                let parts = vec![SplitPart::new(&word[..at], near), SplitPart::new(&word[at..], far)];
                plan.split(&doc, i, parts).unwrap();
                for (part, text, head) in [(0, &word[..at], (i, 1)), (1, &word[at..], (head.0, part))] {
                    slow.push(Slow {
                        text: text.to_owned(),
                        space: part == 1 && *space,
                        lemma: text.to_owned(),
                        name: (i, part),
                        head,
                    });
                }
            } else {
                let head = name_of(case.heads[i]);
                slow.push(Slow {
                    text: word.clone(),
                    space: *space,
                    lemma: format!("l{i}"),
                    name: (i, 0),
                    head,
                });
            }
        }

        plan.apply(&mut doc).unwrap();
        prop_assert_eq!(doc.text(), text);
        let mut at = 0;
        for (token, slow_token) in doc.iter().zip(&slow) {
            prop_assert_eq!(token.text(), &slow_token.text);
            prop_assert_eq!(token.idx(), at);
            prop_assert_eq!(token.record().spacy(), slow_token.space);
            prop_assert_eq!(token.text_of(AttrId::LEMMA), &slow_token.lemma);
            prop_assert_eq!(token.lex().orth(), StrId::of(&slow_token.text));
            let head = slow.iter().position(|other| other.name == slow_token.head).unwrap();
            prop_assert_eq!(token.head().i(), head);
            at += slow_token.text.chars().count() + usize::from(slow_token.space);
        }
        prop_assert_eq!(doc.len(), slow.len());
        for token in doc.iter() {
            let lefts = doc.iter().filter(|child| child.i() < token.i() && child.head().i() == token.i());
            prop_assert_eq!(token.n_lefts(), lefts.count());
        }
    }
}
