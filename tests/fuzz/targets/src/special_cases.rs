//! Changes of rules and special cases one by one, against a slow tokenizer with the last rules.

use lexpool::tokenizer::{
    PatternSource, RuleName, RuleSet, RuleSource, SpecialToken, Tokenizer, TokenizerChange,
};
use lexpool::vocab::{Getters, Vocab};

use crate::choices::Choices;
use crate::tokenizer::compare;
use crate::tokenizer_model::SlowTokenizer;

/// Parts of texts and special cases.
const PARTS: [&str; 16] = [
    "don't", "(", ")", " ", "a", "-", ".", "New", "York", "e.g.", "\u{e9}", "  ", "\n", "'s", ",",
    "12",
];
const PREFIXES: [&str; 3] = [r#"^\(|^"|^\.\.+|^\$"#, "^\u{e9}|^a", r"[(-]"];
const SUFFIXES: [&str; 3] = [r"\)$|,$|'s$|(?<=[a-z0-9])\.$", r"\.$|-$", r"[).]"];
const INFIXES: [&str; 3] = [r"(?<=[a-z])-(?=[a-z])|\.\.+", r"-|(?<=a)", "[-'\u{e9}]"];
const MATCHES: [&str; 2] = [r"^\d+-\d+$", "a|e"];

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    let mut rules = RuleSet {
        prefix_search: Some(RuleSource::pattern(PREFIXES[0])),
        suffix_search: Some(RuleSource::pattern(SUFFIXES[0])),
        infix_finditer: Some(RuleSource::pattern(INFIXES[0])),
        token_match: None,
        url_match: None,
        special_cases: Vec::new(),
        faster_heuristics: true,
    };
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut tokenizer = Tokenizer::new(&vocab, &rules, 100).unwrap();
    let mut texts = choices.list(3, |choices| choices.text(8, &PARTS));
    while !choices.is_over() {
        let Some(change) = change(choices, &mut rules) else {
            texts.push(choices.text(8, &PARTS));
            continue;
        };
        tokenizer = tokenizer.with(&change).expect("a valid change");
        assert_eq!(tokenizer.special_cases(), rules.special_cases);
    }
    let slow = SlowTokenizer::new(&rules);
    for text in texts {
        compare(&tokenizer, &slow, &text);
    }
}

/// Makes a change, also of the rules themselves; `None` for no change.
fn change(choices: &mut Choices<'_>, rules: &mut RuleSet) -> Option<TokenizerChange> {
    let rule = |choices: &mut Choices<'_>, patterns: &[&str]| {
        let source = PatternSource::new(choices.of(patterns));
        (!choices.one_in(4)).then_some(RuleSource::Pattern(source))
    };
    match choices.below(9) {
        0..=2 => {
            let cases = choices.list(3, special_case);
            // The cases of one change are added in the order of their texts.
            let mut sorted = cases.clone();
            sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (text, tokens) in sorted {
                match rules.special_cases.iter_mut().find(|case| case.0 == text) {
                    Some(case) => case.1 = tokens,
                    None => rules.special_cases.push((text, tokens)),
                }
            }
            Some(TokenizerChange::AddSpecialCases(cases))
        }
        3 => {
            rules.faster_heuristics = !rules.faster_heuristics;
            Some(TokenizerChange::FasterHeuristics(rules.faster_heuristics))
        }
        4 => {
            rules.prefix_search = rule(choices, &PREFIXES);
            Some(TokenizerChange::Rule(RuleName::PrefixSearch, rules.prefix_search.clone()))
        }
        5 => {
            rules.suffix_search = rule(choices, &SUFFIXES);
            Some(TokenizerChange::Rule(RuleName::SuffixSearch, rules.suffix_search.clone()))
        }
        6 => {
            rules.infix_finditer = rule(choices, &INFIXES);
            Some(TokenizerChange::Rule(RuleName::InfixFinditer, rules.infix_finditer.clone()))
        }
        7 => {
            rules.token_match = rule(choices, &MATCHES);
            Some(TokenizerChange::Rule(RuleName::TokenMatch, rules.token_match.clone()))
        }
        _ => None,
    }
}

/// A text of one to four parts, cut into tokens somewhere.
fn special_case(choices: &mut Choices<'_>) -> (String, Vec<SpecialToken>) {
    let mut parts = vec![choices.of(&PARTS)];
    parts.extend(choices.list(3, |choices| choices.of(&PARTS)));
    let mut tokens: Vec<String> = Vec::new();
    for part in &parts {
        match tokens.last_mut() {
            Some(last) if choices.one_in(3) => last.push_str(part),
            _ => tokens.push((*part).to_owned()),
        }
    }
    let token = |orth| SpecialToken { orth, norm: None };
    (parts.concat(), tokens.into_iter().map(token).collect())
}
