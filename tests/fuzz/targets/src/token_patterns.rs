//! Token patterns: the matcher against a search that tries every range of tokens.

use lexpool::matcher::{Comparison, Greedy, Match, Matcher, Number, Pattern, Test, TextTest};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokens::{Doc, Token};
use lexpool::vocab::{Getters, Vocab};

use crate::choices::Choices;

const WORDS: [&str; 7] = ["a", "A", "b", "bb", "bba", "7", "."];
const OPERATORS: [&str; 10] = ["1", "1", "?", "*", "+", "!", "{2}", "{1,3}", "{2,}", "{,2}"];

/// A condition on a token, with its meaning in [`Condition::holds`].
#[derive(Clone, Copy, Debug)]
enum Condition {
    Orth(&'static str),
    Lower(&'static str),
    NotLower(&'static str),
    Length(u64),
    Alpha(bool),
    Tag(u64),
    Starts,
    Unlike,
}

impl Condition {
    fn any(choices: &mut Choices<'_>) -> Condition {
        let word = choices.of(&WORDS);
        match choices.below(8) {
            0 => Condition::Orth(word),
            1 => Condition::Lower(word),
            2 => Condition::NotLower(word),
            3 => Condition::Length(1 + u64::from(word.len() > 1)),
            4 => Condition::Alpha(word == "a"),
            5 => Condition::Tag(word.len() as u64),
            6 => Condition::Starts,
            _ => Condition::Unlike,
        }
    }

    fn test(self) -> Test {
        let id = |word: &str| StrId::of(word).get();
        match self {
            Condition::Orth(word) => Test::Is(AttrId::ORTH, id(word)),
            Condition::Lower(word) => {
                Test::Among(AttrId::LOWER, [id(word), id("a")].into_iter().collect())
            }
            Condition::NotLower(word) => {
                Test::NotAmong(AttrId::LOWER, [id(word)].into_iter().collect())
            }
            Condition::Length(length) => {
                Test::Compare(AttrId::LENGTH, Comparison::AtLeast, Number::Int(length.into()))
            }
            Condition::Alpha(is) => Test::Is(AttrId::IS_ALPHA, u64::from(is)),
            Condition::Tag(tag) => Test::Is(AttrId::TAG, tag),
            Condition::Starts => Test::Text(AttrId::ORTH, TextTest::Regex(vec!["^b".into()])),
            Condition::Unlike => {
                Test::NotText(AttrId::ORTH, TextTest::Similar(vec!["bb".into()], Some(1)))
            }
        }
    }

    fn holds(self, token: Token<'_>) -> bool {
        let (text, lower) = (token.text(), token.text().to_lowercase());
        match self {
            Condition::Orth(word) => text == word,
            Condition::Lower(word) => lower == word || lower == "a",
            Condition::NotLower(word) => lower != word,
            Condition::Length(length) => text.len() as u64 >= length,
            Condition::Alpha(is) => text.chars().all(char::is_alphabetic) == is,
            Condition::Tag(tag) => token.attr(AttrId::TAG) == tag,
            Condition::Starts => text.starts_with('b'),
            Condition::Unlike => !is_near_bb(text),
        }
    }
}

/// Returns whether one insertion, deletion or replacement at the most makes "bb" of a word.
fn is_near_bb(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let others = |n: usize| (0..chars.len()).filter(move |at| *at != n).map(|at| chars[at]);
    match chars.len() {
        1 => chars == ['b'],
        2 => chars.contains(&'b'),
        3 => (0..3).any(|n| others(n).eq(['b', 'b'])),
        _ => false,
    }
}

type Element = (Vec<Condition>, &'static str);

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    let patterns = choices.list(6, |choices| {
        let element = |choices: &mut Choices<'_>| -> Element {
            (choices.list(2, Condition::any), choices.of(&OPERATORS))
        };
        let mut elements = vec![element(choices)];
        elements.extend(choices.list(3, element));
        elements
    });
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words = choices.list(12, |choices| (choices.of(&WORDS), true));
    let mut doc = Doc::from_words(&vocab, &words).unwrap();
    for i in 0..doc.len() {
        doc.attrs_mut().set(i, AttrId::TAG, choices.below(3) as u64).unwrap();
    }
    let greedy = choices.of(&[None, Some(Greedy::First), Some(Greedy::Longest)]);
    let (mut plain, mut choosy) = (Matcher::default(), Matcher::default());
    let mut expected = Vec::new();
    for (number, elements) in patterns.iter().enumerate() {
        // Neighbouring patterns share a key.
        let key = StrId::new(1 + number as u64 / 2);
        let mut pattern = Pattern::default();
        for (conditions, operator) in elements {
            let tests = conditions.iter().map(|condition| condition.test()).collect();
            pattern.push(tests, operator).unwrap();
        }
        let tokens: Vec<_> = doc.iter().collect();
        for end in 1..=tokens.len() {
            let starts = (0..end).filter(|start| takes(elements, &tokens[*start..end]));
            expected.extend(starts.map(|start| (key, start, end)));
        }
        plain.add(key, vec![pattern.clone()], None).unwrap();
        choosy.add(key, vec![pattern], greedy).unwrap();
    }
    expected.sort_unstable();
    expected.dedup();
    // The second search reuses the classes and states that the first one has built.
    for _ in 0..2 {
        let found = find(&plain, &doc, false).into_iter();
        let mut found: Vec<_> =
            found.map(|found| (found.key, found.tokens.start, found.tokens.end)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{patterns:?}");
    }
    // Alignments are found by another engine.
    let mut aligned = find(&choosy, &doc, true);
    for found in &mut aligned {
        found.alignment.clear();
    }
    assert_eq!(find(&choosy, &doc, false), aligned, "{patterns:?}");
}

fn find(matcher: &Matcher, doc: &Doc, with_alignments: bool) -> Vec<Match> {
    matcher.find(doc, 0..doc.len(), with_alignments, &mut |_| Ok(false)).unwrap()
}

/// Returns whether elements can take exactly these tokens.
fn takes(elements: &[Element], tokens: &[Token<'_>]) -> bool {
    let Some(((conditions, operator), rest)) = elements.split_first() else {
        return tokens.is_empty();
    };
    let (least, most) = match *operator {
        "1" | "!" => (1, 1),
        "?" => (0, 1),
        "*" => (0, usize::MAX),
        "+" => (1, usize::MAX),
        "{2}" => (2, 2),
        "{1,3}" => (1, 3),
        "{2,}" => (2, usize::MAX),
        _ => (0, 2),
    };
    let fits = |token: &Token<'_>| {
        conditions.iter().all(|condition| condition.holds(*token)) != (*operator == "!")
    };
    let run = tokens.iter().take(most).take_while(|token| fits(token)).count();
    (least..=run).any(|count| takes(rest, &tokens[count..]))
}
