//! What `cases.tsv` says of Python, errors, limits, and random patterns against
//! a backtracking engine.

mod random;

use super::*;

/// Runs a pattern in its role; the answer is spelled as in the table.
fn answer(pattern: &Pattern, text: &str) -> Result<String, LimitError> {
    let mut matcher = pattern.matcher();
    let mut found = Vec::new();
    match pattern.role() {
        Role::Prefix | Role::Suffix => found.extend(matcher.search(text)?),
        Role::Infix => matcher.find_all(text, &mut found)?,
        Role::Whole => {
            return Ok(if matcher.is_match(text)? { "yes" } else { "no" }.into());
        }
    }
    let spelled: Vec<String> = found.iter().map(|(start, end)| format!("{start}-{end}")).collect();
    Ok(spelled.join(" "))
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
    Pattern::new(source, flags, Role::Infix).expect_err(source).offset
}

fn why_fallback(source: &str) -> Option<String> {
    match Pattern::new(source, 0, Role::Infix).unwrap().report() {
        Report::Fallback { why } => Some(why),
        Report::Automaton { .. } => None,
    }
}

#[test]
fn matches_are_those_of_python() {
    let mut rows = 0;
    for row in include_str!("cases.tsv").lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [source, flags, role, text, expected] = fields[..] else { panic!("{row}") };
        let role = match role {
            "Prefix" => Role::Prefix,
            "Suffix" => Role::Suffix,
            "Infix" => Role::Infix,
            "Whole" => Role::Whole,
            _ => panic!("{row}"),
        };
        let pattern = Pattern::new(&unescaped(source), flags.parse().unwrap(), role).unwrap();
        assert_eq!(answer(&pattern, &unescaped(text)).unwrap(), expected, "{row}");
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
fn only_what_is_not_regular_or_bounded_runs_on_the_fallback() {
    for source in [r"(?<=ab|cd)x(?!y|zz)", r"(?!(?:10|127)(?:\.\d{1,3}){3})\d", r"\bx\B", "a*?b"] {
        assert_eq!(why_fallback(source), None, "{source}");
    }
    for source in [r"(a)\1", "(?>a)", "a++", "(a)?(?(1)b)", "(?=.*x)"] {
        assert!(why_fallback(source).is_some(), "{source}");
    }
}

#[test]
fn a_pattern_of_too_many_counts_is_an_error() {
    let error = Pattern::new("(?:(?:a{999}){999}){9}", 0, Role::Infix).unwrap_err();
    assert!(error.message.contains("262144 steps"), "{error}");
}

#[test]
fn a_search_without_end_on_the_fallback_is_an_error() {
    let pattern = Pattern::new(r"^(?:(a|b|ab)*\1)+c$", 32, Role::Whole).unwrap();
    let error = pattern.matcher().is_match(&"ab".repeat(2000)).unwrap_err();
    assert_eq!((error.role, error.unit), (Role::Whole, "backtracking steps"));
}

/// Takes twice as many steps for each letter more.
const DOUBLING: &str = r"^(?:(a|b|ab)*\1)+c$";

/// The longest text on which one search with the pattern keeps to its limit.
fn costly() -> String {
    let pattern = Pattern::new(DOUBLING, 32, Role::Whole).unwrap();
    let texts = (1..).map(|n| "ab".repeat(n));
    texts.take_while(|text| pattern.matcher().is_match(text).is_ok()).last().unwrap()
}

#[test]
fn the_searches_of_one_chunk_on_the_fallback_have_a_limit_together() {
    let text = costly();
    let mut matcher = Pattern::new(DOUBLING, 32, Role::Whole).unwrap().matcher();
    for _ in 0..8 {
        assert_eq!(matcher.is_match(&text), Ok(false), "each call is a chunk of its own");
    }
    for _ in 0..2 {
        matcher.begin(text.len());
        let good = (0..100).take_while(|_| matcher.is_match(&text).is_ok()).count();
        // Each is known to take more than a quarter of a million, and the tries before as many.
        assert!((1..=8).contains(&good), "{good} searches of nearly a million steps each");
        let error = matcher.is_match(&text).unwrap_err();
        assert_eq!(error.limit, 4_000_000 + 1024 * text.len());
    }
}

#[test]
fn a_search_on_the_fallback_spends_what_it_takes_and_not_what_it_might() {
    let chunk = format!("word{}", "!".repeat(2000));
    let mut matcher = Pattern::new("(?>[!?])$", 32, Role::Suffix).unwrap().matcher();
    assert!(matches!(matcher.pattern().report(), Report::Fallback { .. }));
    matcher.begin(chunk.len());
    for end in (5..=chunk.len()).rev() {
        assert_eq!(matcher.search(&chunk[..end]), Ok(Some((end - 1, end))));
    }
}

#[test]
fn cheap_searches_of_one_chunk_on_the_fallback_may_be_as_many_as_its_bytes() {
    let text = "(".repeat(20_000);
    let mut matcher = Pattern::new(r"^(\()(?:\1)?", 32, Role::Prefix).unwrap().matcher();
    assert!(matches!(matcher.pattern().report(), Report::Fallback { .. }));
    matcher.begin(text.len());
    for at in 0..text.len() {
        assert!(matcher.search(&text[at..]).unwrap().is_some());
    }
}

/// Needs a state for each way in which the last letters can be `a` or not.
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
fn a_forward_run_whose_table_is_full_starts_it_anew() {
    let pattern = Pattern::new(MANY_STATES, 0, Role::Whole).unwrap();
    let text = letters(20_000);
    for tail in ["abbbbbbbbbbbbbbc", "bbbbbbbbbbbbbbbc"] {
        let wanted = tail.starts_with('a');
        assert_eq!(pattern.matcher().is_match(&format!("{text}{tail}")), Ok(wanted));
    }
}

#[test]
fn a_backward_run_whose_table_is_full_is_an_error_and_the_next_one_is_not() {
    let pattern = Pattern::new("x(?:a|b){14}a(?:a|b)*c", 0, Role::Infix).unwrap();
    let mut matcher = pattern.matcher();
    let mut found = Vec::new();
    let error = matcher.find_all(&format!("{}c", letters(20_000)), &mut found).unwrap_err();
    assert_eq!((error.role, error.unit), (Role::Infix, "bytes of automaton"));
    assert_eq!(matcher.find_all("xbbbbbbbbbbbbbbac", &mut found), Ok(()));
    assert_eq!(found, [(0, 17)]);
}

#[test]
fn a_matcher_gives_the_same_answers_again() {
    let pattern = Pattern::new(r"(?<=[a-z])-(?=[a-z]{2})", 32, Role::Infix).unwrap();
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
