//! The tables of texts and of patterns in tests/data, run through the Rust API;
//! tests/data/README.md describes them.

mod tables;

use std::sync::atomic::AtomicBool;

use lexpool::matcher::{Greedy, PatternErrors, Rule, Ruler};
use lexpool::structs::AttrId;
use lexpool::tokenizer::{RuleSet, RuleSource, SpecialToken, Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use serde_json::Value;

use tables::{Case, cases, table, text};

/// Reports all failures of a table at once, each with the name of its case.
fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn texts_have_the_tokens_of_the_table() {
    let table = table("tokenizer.toml");
    let mut failures = Vec::new();
    for (tokenizer, cases) in by_tokenizer(&table) {
        for case in cases {
            let input = text(case, "text").unwrap();
            let doc = tokenizer.tokenize(input).unwrap();
            let explained = tokenizer.explain(input).unwrap();
            let words = explained.iter().map(|(_, word)| word.as_str());
            if case.contains_key("explain") {
                let tokens = doc.iter().map(|token| token.text());
                let tokens = tokens.filter(|word| !word.trim().is_empty());
                assert!(words.eq(tokens), "{:?}: explained other words", text(case, "name"));
            }
            let rules: Vec<String> = explained.iter().map(|(rule, _)| rule.to_string()).collect();
            compare(case, &doc, Some(&rules), &mut failures);
        }
    }
    report(&failures);
}

#[test]
fn batches_on_threads_have_the_tokens_of_the_table() {
    let table = table("tokenizer.toml");
    let mut failures = Vec::new();
    for (tokenizer, cases) in by_tokenizer(&table) {
        for threads in [1, 2] {
            let input = |case: &&Case| Text::Owned(text(case, "text").unwrap().to_owned());
            let texts = cases.iter().map(input).collect();
            let docs = tokenizer.tokenize_all(texts, threads, &AtomicBool::default()).unwrap();
            assert_eq!(docs.len(), cases.len());
            for (case, doc) in cases.iter().zip(docs) {
                compare(case, &doc.unwrap(), None, &mut failures);
            }
        }
    }
    report(&failures);
}

/// Returns the tokenizers of a table, each with its cases.
fn by_tokenizer(table: &Case) -> Vec<(Tokenizer, Vec<&Case>)> {
    let key = |case: &Case| ["lang", "rules"].map(|field| text(case, field).map(str::to_owned));
    let mut found: Vec<(Tokenizer, Vec<&Case>)> = Vec::new();
    for case in cases(table, "rust") {
        match found.iter_mut().find(|(_, cases)| key(cases[0]) == key(case)) {
            Some((_, cases)) => cases.push(case),
            None => found.push((tokenizer(table, case), vec![case])),
        }
    }
    found
}

/// Compares a document with a case, and the rules that made its tokens, if they are given.
fn compare(case: &Case, doc: &Doc, rules: Option<&[String]>, failures: &mut Vec<String>) {
    let name = text(case, "name").unwrap();
    let mut check = |field: &str, found: Value| {
        if let Some(expected) = case.get(field).filter(|expected| **expected != found) {
            failures.push(format!("{name}: {field}: expected {expected}, found {found}"));
        }
    };
    assert_eq!(doc.text(), text(case, "text").unwrap(), "{name}");
    check("words", doc.iter().map(|token| token.text()).collect());
    check("spaces", doc.iter().map(|token| token.record().spacy()).collect());
    check("norms", doc.iter().map(|token| token.text_of(AttrId::NORM)).collect());
    if let Some(rules) = rules {
        check("explain", rules.iter().map(String::as_str).collect());
    }
}

fn tokenizer(table: &Case, case: &Case) -> Tokenizer {
    match text(case, "rules") {
        None => Tokenizer::blank(text(case, "lang").unwrap_or("en")).unwrap(),
        Some(name) => {
            let vocab = Vocab::new(Getters::native("xx")).unwrap();
            let rules = rule_set(table["rules"][name].as_object().unwrap());
            Tokenizer::new(&vocab, &rules, Tokenizer::DEFAULT_CACHED_CHUNKS).unwrap()
        }
    }
}

fn rule_set(table: &Case) -> RuleSet {
    let pattern = |name| text(table, name).map(RuleSource::pattern);
    let special_token = |token: &Value| SpecialToken {
        orth: token["ORTH"].as_str().unwrap().to_owned(),
        norm: token.get("NORM").map(|norm| norm.as_str().unwrap().to_owned()),
    };
    let special_case = |(text, tokens): (&String, &Value)| {
        (text.clone(), tokens.as_array().unwrap().iter().map(special_token).collect())
    };
    RuleSet {
        prefix_search: pattern("prefix_search"),
        suffix_search: pattern("suffix_search"),
        infix_finditer: pattern("infix_finditer"),
        token_match: pattern("token_match"),
        url_match: pattern("url_match"),
        special_cases: table["special_cases"]
            .as_object()
            .unwrap()
            .iter()
            .map(special_case)
            .collect(),
        faster_heuristics: true,
    }
}

#[test]
fn patterns_have_the_matches_of_the_table() {
    let table = table("matcher.toml");
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut failures = Vec::new();
    for case in cases(&table, "rust") {
        let name = text(case, "name").unwrap();
        let expected = case.get("matches").or_else(|| case.get("invalid")).unwrap();
        let found = match rules(case) {
            Ok(rules) => matches(&tokenizer, case, &rules),
            Err(errors) => errors.iter().map(|error| bare(&error.place)).collect(),
        };
        if found != *expected {
            failures.push(format!("{name}: expected {expected}, found {found}"));
        }
    }
    report(&failures);
}

/// Returns the rules of a case, read as a pattern file.
fn rules(case: &Case) -> Result<Vec<Rule>, PatternErrors> {
    let patterns = case["patterns"].as_array().unwrap();
    let lines: Vec<String> = patterns.iter().map(Value::to_string).collect();
    Rule::read_jsonl(&lines.join("\n"))
}

/// Returns the place of an error without its line.
fn bare(place: &str) -> &str {
    place.split_once(", ").map_or("", |(_, place)| place)
}

fn matches(tokenizer: &Tokenizer, case: &Case, rules: &[Rule]) -> Value {
    let by = match text(case, "by") {
        Some("lower") => AttrId::LOWER,
        _ => AttrId::ORTH,
    };
    let greedy = text(case, "greedy").map(|choice| match choice {
        "first" => Greedy::First,
        "longest" => Greedy::Longest,
        other => panic!("{other:?} is no choice"),
    });
    let doc = tokenizer.tokenize(text(case, "text").unwrap()).unwrap();
    let ruler = Ruler::new(rules, tokenizer, by).unwrap();
    let found = ruler.find(&doc, greedy).unwrap();
    let found = found.into_iter();
    found
        .map(|found| serde_json::json!([found.label, found.tokens.start, found.tokens.end]))
        .collect()
}
