use lexpool_structs::AttrId;

use super::*;
use crate::matcher::{Relation, Test, TextTest};
use crate::vocab::{Getters, Vocab};

fn doc(words: &str) -> Doc {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words: Vec<_> = words.split(' ').map(|word| (word, true)).collect();
    Doc::from_words(&vocab, &words).unwrap()
}

/// A pattern of words, each with an operator.
fn pattern(elements: &[(&str, &str)]) -> Pattern {
    let mut pattern = Pattern::default();
    for (word, operator) in elements {
        let word = Test::Is(AttrId::ORTH, StrId::of(word).get());
        pattern.push(vec![word], operator).unwrap();
    }
    pattern
}

fn found(matcher: &Matcher, doc: &Doc) -> Vec<Range<usize>> {
    let found = matcher.find(doc, 0..doc.len(), false, &mut |_| Ok(false)).unwrap();
    found.into_iter().map(|found| found.tokens).collect()
}

fn single(pattern: Pattern, greedy: Option<Greedy>) -> Matcher {
    let mut matcher = Matcher::default();
    matcher.add(StrId::of("key"), vec![pattern], greedy).unwrap();
    matcher
}

#[test]
fn matches_come_in_the_order_in_which_spacy_finds_them() {
    let matcher = single(pattern(&[("a", "+"), ("b", "?")]), None);
    assert_eq!(found(&matcher, &doc("a a b")), [0..1, 1..2, 1..3, 0..2, 0..3]);
}

#[test]
fn a_choice_leaves_no_overlaps() {
    let elements = [("a", "?"), ("b", "+")];
    let doc = doc("a b b a b");
    assert_eq!(found(&single(pattern(&elements), Some(Greedy::First)), &doc), [0..3, 3..5]);
    let shortest = [("a", "1"), ("b", "1"), ("b", "?"), ("b", "?")];
    assert_eq!(found(&single(pattern(&shortest), Some(Greedy::Longest)), &doc), [0..3, 3..5]);
}

#[test]
fn many_paths_through_a_pattern_cost_no_more_than_its_nfa_states() {
    let elements = vec![("a", "*"); 30];
    let words = vec!["a"; 40].join(" ");
    let matcher = single(pattern(&elements), Some(Greedy::Longest));
    assert_eq!(found(&matcher, &doc(&words)), vec![0..40]);
}

#[test]
fn an_alignment_names_the_element_of_every_token() {
    let matcher = single(pattern(&[("a", "+"), ("b", "?"), ("c", "1")]), None);
    let doc = doc("a a c");
    let found = matcher.find(&doc, 0..3, true, &mut |_| Ok(false)).unwrap();
    let found: Vec<_> = found.into_iter().map(|found| (found.tokens, found.alignment)).collect();
    assert_eq!(found, [(1..3, vec![0, 2]), (0..3, vec![0, 0, 2])]);
}

#[test]
fn a_question_is_asked_once_for_each_token_or_string() {
    let mut pattern = Pattern::default();
    pattern.push(vec![Test::Ask(0), Test::AskText(AttrId::ORTH, 1)], "+").unwrap();
    let matcher = single(pattern, Some(Greedy::Longest));
    assert!(matcher.asks());
    let (mut tokens, mut texts) = (Vec::new(), Vec::new());
    let doc = doc("a b a c");
    let found = matcher.find(&doc, 0..doc.len(), false, &mut |question| {
        match question.text {
            None => tokens.push(question.token),
            Some(text) => texts.push(text.to_owned()),
        }
        Ok(question.text != Some("c"))
    });
    assert_eq!(found.unwrap()[0].tokens, 0..3);
    assert_eq!((tokens, texts), (vec![0, 1, 2, 3], vec!["a".into(), "b".into(), "c".into()]));
}

#[test]
fn an_error_of_the_callback_ends_the_search() {
    let mut pattern = Pattern::default();
    pattern.push(vec![Test::Ask(0)], "1").unwrap();
    let failing =
        &mut |_: Question<'_>| Err(crate::Error::value(crate::Code::new("E125"), "no answer"));
    let doc = doc("a");
    let failed = single(pattern, None).find(&doc, 0..1, false, failing);
    assert_eq!(failed.unwrap_err().code(), "E125");
}

#[test]
fn conditions_on_strings_search_and_compare() {
    let mut matcher = Matcher::default();
    let regex = Test::Text(AttrId::ORTH, TextTest::Regex(vec!["^x".into(), "[0-9]".into()]));
    let fuzzy = TextTest::Similar(vec!["definitely".into()], None);
    for (key, test) in [("regex", regex), ("other", Test::NotText(AttrId::ORTH, fuzzy))] {
        let mut pattern = Pattern::default();
        pattern.push(vec![test], "1").unwrap();
        matcher.add(StrId::of(key), vec![pattern], None).unwrap();
    }
    let doc = doc("xa a7 definately");
    for _ in 0..2 {
        assert_eq!(found(&matcher, &doc), [0..1, 0..1, 1..2, 1..2]);
    }
    let bad = TextTest::Regex(vec!["(".into()]);
    let mut pattern = Pattern::default();
    pattern.push(vec![Test::Text(AttrId::ORTH, bad)], "1").unwrap();
    let failed = matcher.add(StrId::of("bad"), vec![pattern], None);
    assert_eq!(failed.unwrap_err().code(), "rule-syntax");
    assert_eq!(found(&matcher, &doc).len(), 4);
}

#[test]
fn expressions_of_removed_keys_are_forgotten() {
    let test = |expression: &str| TextTest::Regex(vec![expression.into()]);
    let mut matcher = Matcher::default();
    for expression in ["^a", "^b", "^c"] {
        let mut pattern = Pattern::default();
        pattern.push(vec![Test::Text(AttrId::ORTH, test(expression))], "1").unwrap();
        matcher.add(StrId::of(expression), vec![pattern], None).unwrap();
    }
    let doc = doc("a b c");
    assert_eq!(found(&matcher, &doc), [0..1, 1..2, 2..3]);
    matcher.remove(StrId::of("^a"));
    assert_eq!(found(&matcher, &doc), [1..2, 2..3]);
    matcher.remove(StrId::of("^b"));
    assert_eq!(found(&matcher, &doc), vec![2..3]);
    assert_eq!(matcher.text_tests.number(&test("^c")), 0, "the only one that is left");
}

#[test]
fn a_removed_key_matches_no_more() {
    let mut matcher = single(pattern(&[("a", "1")]), None);
    matcher.add(StrId::of("other"), vec![pattern(&[("b", "1")])], None).unwrap();
    matcher.remove(StrId::of("key"));
    assert_eq!(found(&matcher, &doc("a b")), vec![1..2]);
}

#[test]
fn a_morphological_analysis_matches_once_it_is_added_to_the_vocab() {
    let mut doc = doc("dogs");
    let vocab = Arc::clone(doc.vocab());
    let feature = vocab.strings().add("Number=Plur").unwrap();
    doc.attrs_mut().set(0, AttrId::MORPH, StrId::of("Case=Nom|Number=Plur").get()).unwrap();
    let plural = [feature.get()].into_iter().collect();
    let mut pattern = Pattern::default();
    pattern.push(vec![Test::Relation(AttrId::MORPH, Relation::Superset, plural)], "1").unwrap();
    let matcher = single(pattern, None);
    assert!(found(&matcher, &doc).is_empty());
    vocab.morphology().add("Case=Nom|Number=Plur").unwrap();
    assert_eq!(found(&matcher, &doc), vec![0..1]);
}
