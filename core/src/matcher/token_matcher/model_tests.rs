//! Compares the engines with a model that tries every range, and with each other.

use lexpool_structs::AttrId;
use proptest::prelude::*;

use super::*;
use crate::matcher::levenshtein::levenshtein;
use crate::matcher::pattern::{Quantifier, Step};
use crate::matcher::{Comparison, Number, Test, TextTest};
use crate::tokens::Token;
use crate::vocab::{Getters, Vocab};

const WORDS: [&str; 7] = ["a", "A", "b", "bb", "bba", "7", "."];
const OPERATORS: [&str; 10] = ["1", "1", "?", "*", "+", "!", "{2}", "{1,3}", "{2,}", "{,2}"];

/// A condition, with its meaning in [`ModelCondition::holds`].
#[derive(Clone, Copy, Debug)]
enum ModelCondition {
    Orth(usize),
    Lower(usize),
    NotLower(usize),
    Long(u64),
    Alpha(bool),
    Tag(u64),
    Starts,
    Like,
}

impl ModelCondition {
    fn test(self) -> Test {
        let id = |word: usize| StrId::of(WORDS[word]).get();
        match self {
            ModelCondition::Orth(word) => Test::Is(AttrId::ORTH, id(word)),
            ModelCondition::Lower(word) => {
                Test::Among(AttrId::LOWER, [id(word), id(0)].into_iter().collect())
            }
            ModelCondition::NotLower(word) => {
                Test::NotAmong(AttrId::LOWER, [id(word)].into_iter().collect())
            }
            ModelCondition::Long(length) => {
                Test::Compare(AttrId::LENGTH, Comparison::AtLeast, Number::Int(length.into()))
            }
            ModelCondition::Alpha(is) => Test::Is(AttrId::IS_ALPHA, u64::from(is)),
            ModelCondition::Tag(tag) => Test::Is(AttrId::TAG, tag),
            ModelCondition::Starts => Test::Text(AttrId::ORTH, TextTest::Regex(vec!["^b".into()])),
            ModelCondition::Like => {
                Test::NotText(AttrId::ORTH, TextTest::Similar(vec!["bb".into()], Some(1)))
            }
        }
    }

    fn holds(self, token: Token<'_>) -> bool {
        let (text, lower) = (token.text(), token.text().to_lowercase());
        match self {
            ModelCondition::Orth(word) => text == WORDS[word],
            ModelCondition::Lower(word) => lower == WORDS[word] || lower == WORDS[0],
            ModelCondition::NotLower(word) => lower != WORDS[word],
            ModelCondition::Long(length) => text.len() as u64 >= length,
            ModelCondition::Alpha(is) => text.chars().all(char::is_alphabetic) == is,
            ModelCondition::Tag(tag) => token.attr(AttrId::TAG) == tag,
            ModelCondition::Starts => text.starts_with('b'),
            ModelCondition::Like => levenshtein(text, "bb", None) > 1,
        }
    }
}

type Elements = Vec<(Vec<ModelCondition>, &'static str)>;

fn condition() -> impl Strategy<Value = ModelCondition> {
    prop_oneof![
        (0..WORDS.len()).prop_map(ModelCondition::Orth),
        (0..WORDS.len()).prop_map(ModelCondition::Lower),
        (0..WORDS.len()).prop_map(ModelCondition::NotLower),
        (1..4_u64).prop_map(ModelCondition::Long),
        any::<bool>().prop_map(ModelCondition::Alpha),
        (1..3_u64).prop_map(ModelCondition::Tag),
        Just(ModelCondition::Starts),
        Just(ModelCondition::Like),
    ]
}

fn elements() -> impl Strategy<Value = Elements> {
    let element = (prop::collection::vec(condition(), 0..3), prop::sample::select(&OPERATORS[..]));
    prop::collection::vec(element, 1..5)
}

fn pattern(elements: &Elements) -> Pattern {
    let mut pattern = Pattern::default();
    for (conditions, operator) in elements {
        pattern
            .push(conditions.iter().map(|condition| condition.test()).collect(), operator)
            .unwrap();
    }
    pattern
}

/// Returns whether steps can take exactly these tokens.
fn takes(steps: &[Step], elements: &Elements, tokens: &[Token<'_>]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return tokens.is_empty() };
    let fits = |token: &Token<'_>| {
        let all = elements[step.element as usize].0.iter().all(|condition| condition.holds(*token));
        all != (step.quantifier == Quantifier::Negated)
    };
    let first_fits = tokens.first().is_some_and(fits);
    match step.quantifier {
        Quantifier::One | Quantifier::Negated => first_fits && takes(rest, elements, &tokens[1..]),
        Quantifier::Optional => {
            takes(rest, elements, tokens) || first_fits && takes(rest, elements, &tokens[1..])
        }
        Quantifier::ZeroOrMore => {
            takes(rest, elements, tokens) || first_fits && takes(steps, elements, &tokens[1..])
        }
    }
}

fn doc(words: &[usize], tags: &[u64]) -> Doc {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words: Vec<_> = words.iter().map(|word| (WORDS[*word], true)).collect();
    let mut doc = Doc::from_words(&vocab, &words).unwrap();
    for (i, tag) in (0..doc.len()).zip(tags.iter().cycle()) {
        doc.attrs_mut().set(i, AttrId::TAG, *tag).unwrap();
    }
    doc
}

fn find(matcher: &Matcher, doc: &Doc, start: usize, with_alignments: bool) -> Vec<Match> {
    matcher.find(doc, start..doc.len(), with_alignments, &mut |_| Ok(false)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_search_finds_all_ranges_that_a_pattern_takes(
        patterns in prop::collection::vec(elements(), 1..5),
        words in prop::collection::vec(0..WORDS.len(), 0..12),
        tags in prop::collection::vec(0..3_u64, 1..4),
        start in 0..3_usize,
    ) {
        let doc = doc(&words, &tags);
        let start = start.min(doc.len());
        let tokens: Vec<_> = doc.iter().skip(start).collect();
        let mut matcher = Matcher::default();
        let mut expected = Vec::new();
        for (key, elements) in (1..).zip(&patterns) {
            // Neighbouring patterns share a key.
            let key = StrId::new(key / 2);
            let pattern = pattern(elements);
            for end in 1..=tokens.len() {
                for start in 0..end {
                    if takes(&pattern.steps, elements, &tokens[start..end]) {
                        expected.push((key, start, end));
                    }
                }
            }
            matcher.add(key, vec![pattern], None).unwrap();
        }
        // The second search reuses the classes and states that the first one has built.
        for _ in 0..2 {
            let found = find(&matcher, &doc, start, false);
            let found = found.into_iter();
            let found = found.map(|found| (found.key, found.tokens.start, found.tokens.end));
            let mut found: Vec<_> = found.collect();
            found.sort_unstable();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn the_lazy_dfa_and_the_pike_vm_find_the_same_matches_in_the_same_order(
        patterns in prop::collection::vec(elements(), 1..40),
        words in prop::collection::vec(0..WORDS.len(), 0..40),
        tags in prop::collection::vec(0..3_u64, 1..4),
    ) {
        let doc = doc(&words, &tags);
        let mut matcher = Matcher::default();
        for (number, elements) in patterns.iter().enumerate() {
            let key = StrId::new(1 + number as u64 / 3);
            let greedy = [None, None, Some(Greedy::First), Some(Greedy::Longest)][number % 4];
            matcher.add(key, vec![pattern(elements)], greedy).unwrap();
        }
        let by_dfa = find(&matcher, &doc, 0, false);
        let by_vm = find(&matcher, &doc, 0, true);
        let by_vm: Vec<_> =
            by_vm.into_iter().map(|found| Match { alignment: Vec::new(), ..found }).collect();
        prop_assert_eq!(by_dfa, by_vm);
    }
}
