//! Random patterns and texts, on the automata and on the backtracker.

use proptest::prelude::*;

use super::*;
use crate::backtrack::{Backtracker, StepBudget};
use crate::parse::parse;

const ATOMS: &[&str] =
    &["a", "b", "-", "\\.", "[ab]", "[^a]", ".", "\\w", "\\W", "\u{e9}", "1", "\\d"];
const COUNTS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}"];

fn atom() -> impl Strategy<Value = String> {
    prop::sample::select(ATOMS).prop_map(String::from)
}

fn anchor() -> impl Strategy<Value = String> {
    prop::sample::select(&["^", "$", "\\b", "\\B", "\\A", "\\Z"][..]).prop_map(String::from)
}

/// Returns a look-behind of fixed width, as Python requires, or a bounded look-ahead.
fn look() -> impl Strategy<Value = String> {
    let open = prop::sample::select(&["(?=", "(?!", "(?<=", "(?<!"][..]);
    let parts = prop::collection::vec(prop_oneof![4 => atom(), 1 => anchor()], 1..4);
    (open, parts).prop_map(|(open, parts)| format!("{open}{})", parts.concat()))
}

/// Returns a pattern whose repetitions consume a character: on others, engines differ.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![6 => atom(), 1 => anchor(), 2 => look()];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|branches| format!("(?:{})", branches.join("|"))),
            2 => (atom(), inner, prop::sample::select(COUNTS))
                .prop_map(|(atom, inner, count)| format!("(?:{atom}{inner}){count}")),
        ]
    })
}

/// Returns patterns in the forms of a tokenizer's rules, with the function that runs them.
fn rules() -> impl Strategy<Value = (String, Function)> {
    let branches = || prop::collection::vec(pattern(), 1..5);
    prop_oneof![
        branches().prop_map(|all| (format!("^{}", all.join("|^")), Function::Search)),
        branches().prop_map(|all| (format!("{}$", all.join("$|")), Function::Search)),
        branches().prop_map(|all| (all.join("|"), Function::Search)),
        branches().prop_map(|all| (all.join("|"), Function::FindIter)),
        branches().prop_map(|all| (format!("(?:{})", all.join("|")), Function::Match)),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab1.\u{e9}\n-]{0,10}", 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn automata_find_the_matches_of_the_backtracker(
        (source, function) in rules(),
        flags in prop::sample::select(&[0, 2, 8, 16, 256][..]),
        texts in texts(),
    ) {
        let pattern = Pattern::new(&source, flags).unwrap();
        let is_automaton = matches!(pattern.report(), EngineReport::LazyDfa { .. });
        prop_assert!(is_automaton, "{:?}", pattern);
        let oracle = Backtracker::new(&parse(&source, flags).unwrap()).unwrap();
        for text in texts {
            let mut budget = StepBudget::for_text(text.len());
            let expected = match function {
                Function::Match => {
                    let found = oracle.is_match(&text, &mut budget).unwrap();
                    if found { "yes".into() } else { "no".into() }
                }
                Function::Search => {
                    let found = oracle.search(&text, &mut budget).unwrap();
                    spelled(found.as_slice())
                }
                Function::FindIter => {
                    let mut found = Vec::new();
                    oracle.find_all(&text, &mut found, &mut budget).unwrap();
                    spelled(&found)
                }
            };
            let found = result(&pattern, function, &text).unwrap();
            prop_assert_eq!(found, expected, "{} on {:?}", source, text);
        }
    }

    #[test]
    fn any_source_is_a_pattern_or_an_error(source in r"[\[\](){}|?*+.^$\\:<=!a-c,0-9iPd-]{0,24}") {
        for flags in [0, 2, 64] {
            if let Ok(pattern) = Pattern::new(&source, flags) {
                let _ = result(&pattern, Function::FindIter, "ab1,c");
            }
        }
    }
}
