//! Random patterns and texts, on the automata and by backtracking.

use proptest::prelude::*;

use super::super::fallback::{Allowance, Fallback};
use super::super::parse::parse;
use super::*;

const ATOMS: &[&str] =
    &["a", "b", "-", "\\.", "[ab]", "[^a]", ".", "\\w", "\\W", "\u{e9}", "1", "\\d"];
const COUNTS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}"];

fn atom() -> impl Strategy<Value = String> {
    prop::sample::select(ATOMS).prop_map(String::from)
}

fn border() -> impl Strategy<Value = String> {
    prop::sample::select(&["^", "$", "\\b", "\\B", "\\A", "\\Z"][..]).prop_map(String::from)
}

/// A look-behind, of one width as Python wants it, or a bounded look-ahead.
fn look() -> impl Strategy<Value = String> {
    let open = prop::sample::select(&["(?=", "(?!", "(?<=", "(?<!"][..]);
    let parts = prop::collection::vec(prop_oneof![4 => atom(), 1 => border()], 1..4);
    (open, parts).prop_map(|(open, parts)| format!("{open}{})", parts.concat()))
}

/// Repetitions are of what takes a character: what else they could repeat is
/// where engines differ.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![6 => atom(), 1 => border(), 2 => look()];
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

/// The shapes in which tokenizers write their rules.
fn rules() -> impl Strategy<Value = (String, Role)> {
    let branches = || prop::collection::vec(pattern(), 1..5);
    prop_oneof![
        branches().prop_map(|all| (format!("^{}", all.join("|^")), Role::Prefix)),
        branches().prop_map(|all| (format!("{}$", all.join("$|")), Role::Suffix)),
        branches().prop_map(|all| (all.join("|"), Role::Suffix)),
        branches().prop_map(|all| (all.join("|"), Role::Infix)),
        branches().prop_map(|all| (format!("(?:{})", all.join("|")), Role::Whole)),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab1.\u{e9}\n-]{0,10}", 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn automata_find_what_backtracking_finds(
        (source, role) in rules(),
        flags in prop::sample::select(&[0, 2, 8, 16, 256][..]),
        texts in texts(),
    ) {
        let pattern = Pattern::new(&source, flags, role).unwrap();
        let is_automaton = matches!(pattern.report(), Report::Automaton { .. });
        prop_assert!(is_automaton, "{:?}", pattern);
        let oracle = Fallback::new(&parse(&source, flags).unwrap()).unwrap();
        for text in texts {
            let mut allowance = Allowance::of(text.len());
            let expected = match role {
                Role::Whole => {
                    // The leftmost match begins at 0 exactly if one does.
                    let found = oracle.is_match(&text, &mut allowance).unwrap();
                    if found { "yes".into() } else { "no".into() }
                }
                Role::Prefix | Role::Suffix => {
                    let found = oracle.search(&text, &mut allowance).unwrap();
                    found.map_or(String::new(), |(start, end)| format!("{start}-{end}"))
                }
                Role::Infix => {
                    let mut found = Vec::new();
                    oracle.find_all(&text, &mut found, &mut allowance).unwrap();
                    let spans: Vec<String> =
                        found.iter().map(|(start, end)| format!("{start}-{end}")).collect();
                    spans.join(" ")
                }
            };
            prop_assert_eq!(answer(&pattern, &text).unwrap(), expected, "{} on {:?}", source, text);
        }
    }

    #[test]
    fn any_source_is_a_pattern_or_an_error(source in r"[\[\](){}|?*+.^$\\:<=!a-c,0-9iPd-]{0,24}") {
        for flags in [0, 2, 64] {
            if let Ok(pattern) = Pattern::new(&source, flags, Role::Infix) {
                let _ = answer(&pattern, "ab1,c");
            }
        }
    }
}
