use lexpool_structs::AttrId;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::matcher::{Link, Pattern, Test, TextTest};
use crate::tokens::{Annotations, Token};
use crate::vocab::{Getters, Vocab};

/// Builds a document of the words `a`, `b` and `c` with the given heads. Tokens have a relation
/// only if `has_dep` returns true.
fn parsed(heads: &[usize], has_dep: impl Fn(usize) -> bool) -> Doc {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words: Vec<_> = (0..heads.len()).map(|i| (["a", "b", "c"][i % 3], true)).collect();
    let mut doc = Doc::from_words(&vocab, &words).unwrap();
    let dep = |i| Some(if has_dep(i) { "dep" } else { "" }.to_owned());
    let heads = heads.iter().map(|head| i64::try_from(*head).ok());
    doc.annotate(&Annotations {
        heads: Some(heads.collect()),
        deps: Some((0..words.len()).map(dep).collect()),
        ..Annotations::default()
    })
    .unwrap();
    doc
}

/// Builds a node that matches one word, or any token for an empty word.
fn node(word: &str) -> Pattern {
    let mut pattern = Pattern::default();
    let test = (!word.is_empty()).then(|| Test::Is(AttrId::ORTH, StrId::of(word).get()));
    pattern.push(test.into_iter().collect(), "1").unwrap();
    pattern
}

fn pair(operator: &str) -> DependencyPattern {
    let mut pattern = DependencyPattern::new(node(""));
    pattern.push(0, Link::of(operator).unwrap(), node("")).unwrap();
    pattern
}

fn single(pattern: DependencyPattern) -> DependencyMatcher {
    let mut matcher = DependencyMatcher::default();
    matcher.add(StrId::of("key"), vec![pattern]).unwrap();
    matcher
}

fn found(matcher: &DependencyMatcher, doc: &Doc) -> Vec<Vec<usize>> {
    let found = matcher.find(doc, &mut |_| Ok(false)).unwrap();
    found.matches.into_iter().map(|found| found.tokens).collect()
}

fn root(token: Token<'_>) -> usize {
    token.ancestors().last().unwrap_or(token).i()
}

/// Returns whether two tokens are linked by an operator, by plain walks over the tree.
fn is_linked(doc: &Doc, left: usize, operator: &str, right: usize) -> bool {
    let [left, right] = [left, right].map(|i| doc.token(i).unwrap());
    let root = doc.token(root(left)).unwrap();
    let sentence = root.left_edge().i()..=root.right_edge().i();
    let is =
        |mut tokens: &mut dyn Iterator<Item = Token<'_>>| (&mut tokens).any(|t| t.i() == right.i());
    let step = match operator.trim_start_matches(['$', '<', '>', ';', '.']) {
        "+" => right.i() == left.i() + 1,
        "-" => right.i() + 1 == left.i(),
        "++" => right.i() > left.i(),
        "--" => right.i() < left.i(),
        _ => true,
    };
    let head = left.head();
    match operator {
        "<<" => is(&mut left.ancestors()),
        ">>" => right.i() != left.i() && is(&mut left.subtree().into_iter()),
        "." => right.i() == left.i() + 1 && sentence.contains(&right.i()),
        ".*" => right.i() > left.i() && right.i() <= *sentence.end(),
        ";" => right.i() + 1 == left.i() && sentence.contains(&right.i()),
        ";*" => right.i() < left.i() && right.i() >= *sentence.start(),
        _ if operator.starts_with('<') => step && head.i() != left.i() && head.i() == right.i(),
        _ if operator.starts_with('>') => step && is(&mut left.children()),
        _ => step && is(&mut head.children()),
    }
}

/// Returns all combinations of tokens of one tree that are linked as required. Trees are in the
/// order of their first tokens.
fn product(doc: &Doc, words: &[&str], links: &[(usize, &str)]) -> Vec<Vec<usize>> {
    let fits = |word: &str, token: Token<'_>| word.is_empty() || token.text() == word;
    let mut roots: Vec<usize> = Vec::new();
    for token in doc.iter().filter(|token| words.iter().any(|word| fits(word, *token))) {
        if !roots.contains(&root(token)) {
            roots.push(root(token));
        }
    }
    let mut all = Vec::new();
    for tree in roots {
        let mut combinations = vec![Vec::new()];
        for word in words {
            let tokens = doc.iter().filter(|token| root(*token) == tree && fits(word, *token));
            let tokens: Vec<_> = tokens.map(|token| token.i()).collect();
            let longer = combinations.iter().flat_map(|combination: &Vec<usize>| {
                tokens.iter().map(move |token| [&**combination, &[*token]].concat())
            });
            combinations = longer.collect();
        }
        combinations.retain(|tokens| {
            let mut links = links.iter().zip(&tokens[1..]);
            links.all(|((left, operator), right)| is_linked(doc, tokens[*left], operator, *right))
        });
        all.append(&mut combinations);
    }
    all
}

fn operators() -> impl Strategy<Value = &'static str> {
    let operators: Vec<_> = Link::all().map(|(operator, _)| operator).collect();
    proptest::sample::select(operators)
}

proptest! {
    #[test]
    fn every_operator_agrees_with_plain_walks_over_the_tree(
        heads in (1..9_usize).prop_flat_map(|n| vec(0..n, n)),
        without_dep in vec(any::<bool>(), 9),
    ) {
        // Heads may form cycles here, and tokens may lack a relation.
        let doc = parsed(&heads, |i| !without_dep[i]);
        for (operator, _) in Link::all() {
            let found = found(&single(pair(operator)), &doc);
            let expected = product(&doc, &["", ""], &[(0, operator)]);
            prop_assert_eq!(found, expected, "{}", operator);
        }
    }

    #[test]
    fn matches_are_those_of_the_product_in_its_order(
        heads in (1..12_usize).prop_flat_map(|n| vec(0..n, n)),
        words in vec(proptest::sample::select(vec!["a", "b", ""]), 4),
        links in (operators(), operators(), operators()),
        lefts in (0..2_usize, 0..3_usize),
    ) {
        let doc = parsed(&heads, |_| true);
        let links = [(0, links.0), (lefts.0, links.1), (lefts.1, links.2)];
        let mut pattern = DependencyPattern::new(node(words[0]));
        for ((left, operator), word) in links.iter().zip(&words[1..]) {
            pattern.push(*left, Link::of(operator).unwrap(), node(word)).unwrap();
        }
        prop_assert_eq!(found(&single(pattern), &doc), product(&doc, &words, &links));
    }
}

#[test]
fn a_node_of_several_tokens_is_reported_and_represented_by_its_first_token() {
    let doc = parsed(&[2, 2, 2, 2], |_| true);
    let mut wide = Pattern::default();
    wide.push(vec![], "{2,3}").unwrap();
    let mut pattern = DependencyPattern::new(node("c"));
    pattern.push(0, Link::Child, wide).unwrap();
    let found = single(pattern).find(&doc, &mut |_| Ok(false)).unwrap();
    let tokens: Vec<_> = found.matches.into_iter().map(|found| found.tokens).collect();
    // Once for each match of two or three tokens.
    assert_eq!(tokens, [[2, 0], [2, 0], [2, 1], [2, 1]]);
    let key = StrId::of("key");
    assert_eq!(found.wide, [WideNode { key, pattern: 0, node: 1, tokens: 0..2 }]);
}

#[test]
fn keys_come_in_the_order_of_their_first_patterns() {
    let doc = parsed(&[1, 1, 1], |_| true);
    let mut matcher = DependencyMatcher::default();
    for (key, operator) in [("x", ">"), ("y", "<"), ("x", ".")] {
        matcher.add(StrId::of(key), vec![pair(operator)]).unwrap();
    }
    assert_eq!(found(&matcher, &doc), [[1, 0], [1, 2], [0, 1], [1, 2], [0, 1], [2, 1]]);
    matcher.remove(StrId::of("x"));
    assert_eq!(found(&matcher, &doc), [[0, 1], [2, 1]]);
    matcher.remove(StrId::of("y"));
    matcher.remove(StrId::of("never added"));
    assert!(found(&matcher, &doc).is_empty());
    matcher.add(StrId::of("x"), vec![pair(".")]).unwrap();
    assert_eq!(found(&matcher, &doc), [[0, 1], [1, 2]]);
}

#[test]
fn the_same_conditions_are_looked_for_once_and_as_long_as_one_pattern_has_them() {
    let doc = parsed(&[1, 1, 1], |_| true);
    let mut matcher = DependencyMatcher::default();
    for key in ["x", "y"] {
        matcher.add(StrId::of(key), vec![pair(">")]).unwrap();
    }
    assert_eq!(matcher.nodes.uses, [4]);
    matcher.remove(StrId::of("x"));
    assert_eq!(found(&matcher, &doc), [[1, 0], [1, 2]]);
    matcher.remove(StrId::of("y"));
    assert!(matcher.nodes.numbers.is_empty() && matcher.nodes.texts.is_empty());
    assert_eq!(matcher.nodes.free, [0]);
}

#[test]
fn a_refused_pattern_adds_no_nodes() {
    let mut bad = Pattern::default();
    let regex = TextTest::Regex(vec!["(".to_owned()]);
    bad.push(vec![Test::Text(AttrId::ORTH, regex)], "1").unwrap();
    let mut refused = pair(">");
    refused.push(1, Link::Child, bad).unwrap();
    let mut matcher = DependencyMatcher::default();
    let error = matcher.add(StrId::of("key"), vec![pair(">"), refused]).unwrap_err();
    assert_eq!(error.code(), "rule-syntax");
    assert!(matcher.rules.is_empty() && matcher.nodes.uses.iter().all(|uses| *uses == 0));
    assert!(found(&matcher, &parsed(&[0, 0], |_| true)).is_empty());
}

#[test]
fn an_empty_document_and_one_without_heads_have_no_linked_tokens() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words = Doc::from_words(&vocab, &[("a", true), ("b", true)]).unwrap();
    for (operator, _) in Link::all() {
        let matcher = single(pair(operator));
        assert!(found(&matcher, &Doc::empty(&vocab)).is_empty());
        assert!(found(&matcher, &words).is_empty());
    }
    assert_eq!(found(&single(DependencyPattern::new(node("b"))), &words), [[1]]);
}

#[test]
fn a_search_beyond_its_limits_is_an_error_that_names_the_limit() {
    let count = 100_000;
    let star = parsed(&vec![0; count], |_| true);
    let mut pattern = DependencyPattern::new(node(""));
    for left in 0..9 {
        pattern.push(left, Link::Later, node("")).unwrap();
    }
    let refused = single(pattern.clone()).find(&star, &mut |_| Ok(false)).unwrap_err();
    assert_eq!(refused.code(), "match-limit");
    assert!(refused.message().contains("40000000 tokens"), "{refused}");
    // A pattern whose last node matches nothing must cost nothing.
    pattern.push(9, Link::Later, node("no such word")).unwrap();
    assert!(found(&single(pattern), &star).is_empty());
    // A walk to the root of a cycle is counted token by token.
    let cycle: Vec<_> = (1..count).chain([0]).collect();
    let mut pattern = DependencyPattern::new(node("a"));
    pattern.push(0, Link::Descendant, node("")).unwrap();
    pattern.push(1, Link::Next, node("no such word")).unwrap();
    let cycle = parsed(&cycle, |_| true);
    assert!(found(&single(pattern), &cycle).is_empty());
    let matcher = single(pair("<<"));
    let refused = matcher.find(&cycle, &mut |_| Ok(false)).unwrap_err();
    assert_eq!(refused.code(), "match-limit");
}

#[test]
fn a_search_is_fast_if_few_tokens_can_be_linked() {
    // A chain in which each token is the head of the next, and siblings of a single head: with two
    // rare nodes the search must skip all tokens between them.
    let count = 60_000;
    for heads in [(0..count).map(|i: usize| i.saturating_sub(1)).collect(), vec![0; count]] {
        let doc = parsed(&heads, |_| true);
        for (operator, _) in Link::all() {
            let mut pattern = DependencyPattern::new(node(""));
            pattern.push(0, Link::of(operator).unwrap(), node("no such word")).unwrap();
            pattern.push(0, Link::of(operator).unwrap(), node("")).unwrap();
            assert!(found(&single(pattern), &doc).is_empty());
            let mut few = DependencyPattern::new(node("a"));
            few.push(0, Link::Next, node("c")).unwrap();
            few.push(0, Link::of(operator).unwrap(), node("")).unwrap();
            assert!(found(&single(few), &doc).is_empty());
        }
    }
}
