//! Matches compared with Python's by the table `cases.tsv`, errors, limits, and random patterns
//! compared with the backtracker.

mod random;

use super::*;

/// A function of Python's `re`.
#[derive(Clone, Copy, Debug)]
enum Function {
    Search,
    FindIter,
    Match,
}

/// Runs a pattern; the result is spelled as in the table.
fn result(pattern: &Pattern, function: Function, text: &str) -> Result<String, LimitError> {
    let mut matcher = pattern.matcher();
    let mut matches = Vec::new();
    match function {
        Function::Search => matches.extend(matcher.search(text)?),
        Function::FindIter => matcher.find_all(text, &mut matches)?,
        Function::Match => {
            return Ok(if matcher.matches_at_start(text)? { "yes" } else { "no" }.into());
        }
    }
    Ok(spelled(&matches))
}

fn spelled(matches: &[(usize, usize)]) -> String {
    let spans: Vec<String> = matches.iter().map(|(start, end)| format!("{start}-{end}")).collect();
    spans.join(" ")
}

/// Undoes the escapes of the table.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (point, rest) = part.split_once('}').unwrap();
        plain.extend(char::from_u32(u32::from_str_radix(point, 16).unwrap()));
        plain.push_str(rest);
    }
    plain
}

fn offset_of_error(source: &str, flags: u32) -> usize {
    Pattern::new(source, flags).expect_err(source).offset
}

fn reason_to_backtrack(source: &str) -> Option<String> {
    match Pattern::new(source, 0).unwrap().report() {
        EngineReport::Backtracker { reason } => Some(reason),
        EngineReport::LazyDfa { .. } => None,
    }
}

#[test]
fn matches_are_those_of_python() {
    let mut rows = 0;
    for row in include_str!("cases.tsv").lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [source, flags, function, text, expected] = fields[..] else { panic!("{row}") };
        let function = match function {
            "search" => Function::Search,
            "finditer" => Function::FindIter,
            "match" => Function::Match,
            _ => panic!("{row}"),
        };
        let pattern = Pattern::new(&unescaped(source), flags.parse().unwrap()).unwrap();
        let found = result(&pattern, function, &unescaped(text)).unwrap();
        assert_eq!(found, expected, "{row}");
        rows += 1;
    }
    assert!(rows > 150, "only {rows} rows");
}

#[test]
fn an_error_says_where_the_pattern_is_wrong() {
    let wrong = [
        ("a(b", 1),
        ("a)b", 1),
        ("a|*b", 2),
        ("ab**", 3),
        ("^*", 1),
        ("[a", 0),
        ("a[b-a]", 2),
        (r"[\d-z]", 1),
        ("\\", 0),
        ("\u{e9}\\q", 1),
        (r"\x4", 0),
        (r"\U00110000", 0),
        (r"\400", 0),
        ("a{2,1}", 1),
        ("(?<=a+)b", 0),
        ("a(?i)b", 1),
        ("(?P<1>a)", 4),
        ("(?P<n>a)(?P<n>b)", 12),
        (r"\1", 1),
        (r"(a\1)", 3),
        ("(?P=n)", 4),
        ("(?(2)a|b)", 3),
        ("(a)(?(1)a|b|c)", 11),
        ("(?#a", 0),
        ("a{99999999999}", 1),
        (r"\N{DIGIT ONE}", 0),
        ("(?au)a", 0),
        ("(?-i)a", 0),
        ("(?", 2),
        (r"[\8]", 1),
    ];
    for (source, offset) in wrong {
        assert_eq!(offset_of_error(source, 0), offset, "{source}");
    }
    assert_eq!(offset_of_error("a", 4), 0);
    assert_eq!(offset_of_error("a", 256 | 32), 0);
    assert_eq!(offset_of_error(&"(".repeat(1000), 0), 200);
}

#[test]
fn only_patterns_that_are_not_regular_or_not_bounded_run_on_the_backtracker() {
    for source in [r"(?<=ab|cd)x(?!y|zz)", r"(?!(?:10|127)(?:\.\d{1,3}){3})\d", r"\bx\B", "a*?b"] {
        assert_eq!(reason_to_backtrack(source), None, "{source}");
    }
    for source in [r"(a)\1", "(?>a)", "a++", "(a)?(?(1)b)", "(?=.*x)"] {
        assert!(reason_to_backtrack(source).is_some(), "{source}");
    }
}

#[test]
fn a_pattern_of_too_many_counts_is_an_error() {
    let error = Pattern::new("(?:(?:a{999}){999}){9}", 0).unwrap_err();
    assert!(error.message.contains("262144 NFA states"), "{error}");
}

#[test]
fn a_long_pattern_may_not_backtrack() {
    let words: Vec<String> = (0..12_000).map(|number| format!("number{number}")).collect();
    let words = words.join("|");
    assert_eq!(reason_to_backtrack(&words[..100_000]), None);
    assert!(Pattern::new(&words, 0).is_ok() && words.len() > 1 << 17);
    for more in [r"|(a)\1", r"|(?=a\w+)+", "|(?=ab*c)(?=a{300})"] {
        let error = Pattern::new(&format!("{words}{more}"), 0).unwrap_err();
        assert!(error.message.contains("expected at most 131072"), "{error}");
    }
}

#[test]
fn a_search_that_backtracks_without_end_is_an_error() {
    let pattern = Pattern::new(r"^(?:(a|b|ab)*\1)+c$", 32).unwrap();
    let error = pattern.matcher().matches_at_start(&"ab".repeat(2000)).unwrap_err();
    assert_eq!((error.limit, error.unit), (1_000_000, "backtracking steps"));
}

/// Doubles its steps with each further letter.
const DOUBLING: &str = r"^(?:(a|b|ab)*\1)+c$";

/// The longest text on which one search with the pattern keeps to its limit.
fn costly_text() -> String {
    let pattern = Pattern::new(DOUBLING, 32).unwrap();
    let texts = (1..).map(|n| "ab".repeat(n));
    texts.take_while(|text| pattern.matcher().matches_at_start(text).is_ok()).last().unwrap()
}

#[test]
fn searches_of_one_text_on_the_backtracker_share_a_budget() {
    let text = costly_text();
    let mut matcher = Pattern::new(DOUBLING, 32).unwrap().matcher();
    for _ in 0..8 {
        assert_eq!(
            matcher.matches_at_start(&text),
            Ok(false),
            "each search has a budget of its own"
        );
    }
    for _ in 0..2 {
        matcher.begin_budget(text.len());
        let good = (0..100).take_while(|_| matcher.matches_at_start(&text).is_ok()).count();
        // Each takes more than a quarter of a million steps, and its earlier attempts as many.
        assert!((1..=8).contains(&good), "{good} searches of nearly a million steps each");
        let error = matcher.matches_at_start(&text).unwrap_err();
        assert_eq!(error.limit, 4_000_000 + 1024 * text.len());
    }
}

#[test]
fn a_search_on_the_backtracker_spends_the_steps_it_takes_and_not_its_limit() {
    let chunk = format!("word{}", "!".repeat(2000));
    let mut matcher = Pattern::new("(?>[!?])$", 32).unwrap().matcher();
    assert!(matches!(matcher.pattern().report(), EngineReport::Backtracker { .. }));
    matcher.begin_budget(chunk.len());
    for end in (5..=chunk.len()).rev() {
        assert_eq!(matcher.search(&chunk[..end]), Ok(Some((end - 1, end))));
    }
}

#[test]
fn cheap_searches_on_the_backtracker_may_be_as_many_as_the_bytes_of_the_text() {
    let text = "(".repeat(20_000);
    let mut matcher = Pattern::new(r"^(\()(?:\1)?", 32).unwrap().matcher();
    assert!(matches!(matcher.pattern().report(), EngineReport::Backtracker { .. }));
    matcher.begin_budget(text.len());
    for at in 0..text.len() {
        assert!(matcher.search(&text[at..]).unwrap().is_some());
    }
}

/// Needs a DFA state for each combination of the last 15 letters.
const MANY_STATES: &str = "(?:a|b)*a(?:a|b){14}c";

fn letters(length: usize) -> String {
    let mut seed = 1_u32;
    let mut letter = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| letter()).collect()
}

#[test]
fn a_forward_dfa_whose_table_is_full_clears_it() {
    let pattern = Pattern::new(MANY_STATES, 0).unwrap();
    let text = letters(20_000);
    for tail in ["abbbbbbbbbbbbbbc", "bbbbbbbbbbbbbbbc"] {
        let expected = tail.starts_with('a');
        assert_eq!(pattern.matcher().matches_at_start(&format!("{text}{tail}")), Ok(expected));
    }
}

#[test]
fn a_reverse_dfa_whose_table_is_full_is_an_error_and_the_next_search_is_not() {
    let pattern = Pattern::new("x(?:a|b){14}a(?:a|b)*c", 0).unwrap();
    let mut matcher = pattern.matcher();
    let mut found = Vec::new();
    let error = matcher.find_all(&format!("{}c", letters(20_000)), &mut found).unwrap_err();
    assert_eq!(error.unit, "bytes of DFA states");
    assert_eq!(matcher.find_all("xbbbbbbbbbbbbbbac", &mut found), Ok(()));
    assert_eq!(found, [(0, 17)]);
}

#[test]
fn a_matcher_finds_the_same_matches_again() {
    let pattern = Pattern::new(r"(?<=[a-z])-(?=[a-z]{2})", 32).unwrap();
    let mut matcher = pattern.matcher();
    for _ in 0..3 {
        for (text, expected) in [("a-bc", vec![(1, 2)]), ("a-b", vec![]), ("-bc", vec![])] {
            let mut found = Vec::new();
            matcher.find_all(text, &mut found).unwrap();
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn patterns_go_to_other_threads() {
    fn sent<T: Send + Sync>() {}
    sent::<Pattern>();
    sent::<Matcher>();
}
