//! Invariants of the data files, and the errors of invalid ones.

use std::collections::HashSet;

use proptest::prelude::*;

use super::expand::expand;
use super::{LangData, Part, aliases, file, languages, load, load_vocab, parse, resolve};

fn every_language() -> Vec<LangData> {
    languages().map(|code| load(code).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The data of a file without the shared ones.
fn from_text(text: &str) -> Result<LangData, String> {
    from_texts(&[text])
}

/// The data of files `test.toml`, `test_1.toml` and so on.
fn from_texts(texts: &[&str]) -> Result<LangData, String> {
    let name = |at| if at == 0 { "test.toml".to_owned() } else { format!("test_{at}.toml") };
    let files = texts.iter().enumerate().map(|(at, text)| file::parse(&name(at), text));
    let files = files.collect::<crate::Result<Vec<_>>>();
    files.and_then(|files| expand("test", &files, Part::All)).map_err(|error| error.to_string())
}

/// The tokens of a special case, with `=norm` behind those that have one.
fn special(data: &LangData, text: &str) -> Option<String> {
    let (_, tokens) = data.specials.iter().find(|(case, _)| case == text)?;
    let told = tokens.iter().map(|token| match &token.norm {
        Some(norm) => format!("{}={norm}", token.orth),
        None => token.orth.clone(),
    });
    Some(told.collect::<Vec<_>>().join(" "))
}

fn repeated<'a>(words: impl IntoIterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen = HashSet::new();
    words.into_iter().filter(|word| !seen.insert(*word)).collect()
}

#[test]
fn the_tokens_of_a_special_case_concatenate_to_its_text() {
    for data in every_language() {
        for (text, tokens) in &data.specials {
            let joined: String = tokens.iter().map(|token| token.orth.as_str()).collect();
            assert_eq!(&joined, text);
            assert!(tokens.iter().all(|token| !token.orth.is_empty()), "{text:?}");
            assert!(!text.contains(|c: char| c.is_whitespace() && c != ' '), "{text:?}");
        }
    }
}

#[test]
fn entries_are_unique() {
    let none: [&String; 0] = [];
    for data in every_language() {
        assert_eq!(repeated(data.specials.iter().map(|(text, _)| text)), none);
        assert_eq!(repeated(data.norms.iter().map(|(word, _)| word)), none);
        assert_eq!(repeated(&data.stop_words), none);
        let numbers = &data.numbers;
        assert_eq!(repeated(numbers.cardinals.iter().chain(&numbers.ordinals)), none);
        assert_eq!(repeated(&numbers.ordinal_suffixes), none);
    }
}

#[test]
fn stop_words_and_number_words_are_in_lower_case() {
    for data in every_language() {
        let numbers = &data.numbers;
        let words = numbers.cardinals.iter().chain(&numbers.ordinals);
        let is_compared_in_lower_case = |_: &&String| !numbers.form.exact_case;
        for word in data.stop_words.iter().chain(words.filter(is_compared_in_lower_case)) {
            assert_eq!(word, &word.to_lowercase());
        }
    }
}

#[test]
fn every_pattern_compiles_and_never_matches_nothing() {
    for data in every_language() {
        let joined = [data.prefix_pattern(), data.suffix_pattern(), data.infix_pattern()];
        let whole = data.token_match.iter().chain(&data.url_match);
        for pattern in joined.iter().filter(|pattern| !pattern.is_empty()).chain(whole) {
            let regex = fancy_regex::Regex::new(pattern).unwrap_or_else(|e| panic!("{e}"));
            assert!(!regex.is_match("").unwrap(), "{pattern}");
        }
    }
}

/// Joining puts an anchor on one side of a piece, which would miss the piece's other branches.
#[test]
fn every_affix_is_a_single_branch() {
    for data in every_language() {
        for piece in data.prefixes.iter().chain(&data.suffixes).chain(&data.infixes) {
            assert!(!has_top_level_bar(piece), "{piece}");
        }
    }
}

fn has_top_level_bar(pattern: &str) -> bool {
    let (mut depth, mut in_class, mut escaped) = (0_usize, false, false);
    for c in pattern.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

#[test]
fn patterns_join_with_their_anchors() {
    let data = from_text(
        "affixes = {prefixes = {x = 'a', y = 'b'}, suffixes = {y = 'c', x = 'd'}, infixes = {x = 'e'}}",
    );
    let data = data.unwrap();
    assert_eq!(data.prefix_pattern(), "^a|^b");
    assert_eq!(data.suffix_pattern(), "c$|d$");
    assert_eq!(data.infix_pattern(), "e");
    assert_eq!(load("xx").unwrap().token_match, None);
}

#[test]
fn english_splits_its_contractions() {
    let en = load("en").unwrap();
    for (text, tokens) in [
        ("don't", "do n't=not"),
        ("Don’t", "Do n’t=not"),
        ("CAN'T", "CA=can N'T=not"),
        ("dont", "do nt=not"),
        ("couldn't've", "could n't=not 've=have"),
        ("I'm", "I 'm=am"),
        ("they'd've", "they 'd=would 've=have"),
        ("gonna", "gon=going na=to"),
        ("doin'", "doin'=doing"),
        ("5pm", "5 pm=p.m."),
        ("Jan.", "Jan.=January"),
        (":-)", ":-)"),
        ("e.", "e."),
    ] {
        assert_eq!(special(&en, text).as_deref(), Some(tokens));
    }
    for word in ["its", "hell", "well", "ill", "were", "shed", "id"] {
        assert_eq!(special(&en, word), None, "{word} is a word of its own");
    }
}

#[test]
fn a_language_without_words_still_has_the_shared_rules() {
    let xx = load("xx").unwrap();
    assert!(xx.stop_words.is_empty());
    assert!(xx.numbers.cardinals.is_empty());
    assert_eq!(special(&xx, ":)").as_deref(), Some(":)"));
    assert_eq!(special(&xx, "don't"), None);
}

#[test]
fn an_address_is_kept_whole() {
    let url = load("xx").unwrap().url_match.unwrap();
    let url = fancy_regex::Regex::new(&url).unwrap();
    for whole in [
        "example.com",
        "www.example.co.uk/a/b?c=d#e",
        "http://localhost:8080/x",
        "https://10.0.0.1/",
        "jane.doe+box@example.org",
        "http://例子.测试",
    ] {
        assert!(url.is_match(whole).unwrap(), "{whole}");
    }
    for other in ["example", "end.The", "example.com.", "a@b", "1.5", "(example.com"] {
        assert!(!url.is_match(other).unwrap(), "{other}");
    }
}

#[test]
fn the_error_for_an_unknown_language_lists_the_known_ones() {
    let error = load("tlh").unwrap_err();
    assert_eq!(error.code(), "unknown-language");
    assert!(error.message().contains(r#""tlh"; the nearest codes are "#), "{error}");
    assert!(error.message().contains("from_spacy"), "{error}");
    let error = load("enx").unwrap_err();
    assert!(error.message().contains("nearest codes are el, en, "), "{error}");
}

#[test]
fn codes_and_aliases_name_one_language_each() {
    let codes: Vec<&str> = languages().collect();
    assert!(codes.is_sorted());
    for code in codes {
        assert_eq!(resolve(code), Some(code));
    }
    assert_eq!((resolve("eng"), resolve("mul"), resolve("")), (Some("en"), Some("xx"), None));
    let all = languages().flat_map(|code| aliases(code).chain([code]));
    let all: Vec<String> = all.map(str::to_owned).collect();
    let none: [&String; 0] = [];
    assert_eq!(repeated(&all), none);
}

#[test]
fn a_file_replaces_takes_away_and_adds_patterns() {
    let shared = r"
        [affixes.suffixes]
        stop = '\.'
        unit = 'km'
        [family.plain.suffixes]
        stop = false
        mark = '!'";
    let own = "
        language.families = ['plain']
        [affixes.suffixes]
        stop = false
        unit = 'kg'
        first = 'x'";
    let data = from_texts(&[shared, own]).unwrap();
    assert_eq!(data.suffixes, ["x", "!", "kg"]);
}

#[test]
fn a_file_defines_a_name_anew_for_all_patterns() {
    let shared = "
        classes = {vowel = 'aeiou', letter = '{vowel}xy'}
        lists = {unit = 'm km'}
        pieces = {number = '[0-9]+'}
        affixes.suffixes = {letter = '[{letter}]', unit = '{number}(?:{unit})'}";
    let own = "
        classes = {vowel = '{vowel}z'}
        lists = {unit = '{unit} mile', distance = 'far {unit}'}
        special = [{whole = ['{distance}']}]";
    let data = from_texts(&[shared, own]).unwrap();
    assert_eq!(data.suffixes, ["[aeioux-z]", "(?:[0-9]+)(?:mile|km|m)"]);
    assert_eq!(data.specials.len(), 4);
}

#[test]
fn special_cases_are_replaced_or_taken_away_on_request_only() {
    let shared = "lists.letter = 'a b'\n[[special]]\nwhole = ['{letter}.', ':)']";
    let cases = |own: &str| {
        let data = from_texts(&[shared, own])?;
        let texts: Vec<String> = data.specials.iter().map(|(text, _)| text.clone()).collect();
        let told: Vec<_> = texts.iter().filter_map(|text| special(&data, text)).collect();
        Ok::<_, String>(told.join(" | "))
    };
    let replaced = "special = [{replace = true, split = ['a .']}]";
    assert_eq!(cases(replaced).unwrap(), "a . | b. | :)");
    assert!(cases("special = [{split = ['a .']}]").unwrap_err().contains("already a special"));
    assert_eq!(cases("language.without_cases = ['{letter}.']").unwrap(), ":)");
    assert_eq!(cases("language.inherits_cases = false").unwrap(), "");
}

#[test]
fn norms_and_tokens_may_have_spaces() {
    let text = r#"
        lists.place = 'p.ex.="per exemple" ca.="circa" x'
        special = [{split = ["{place}", 'a␣b c=d', "''=\""]}]
        vocab.norms = 'q="a b" r=" s=t'"#;
    let data = from_text(text).unwrap();
    assert_eq!(special(&data, "p.ex.").as_deref(), Some("p.ex.=per exemple"));
    assert_eq!(special(&data, "ca.").as_deref(), Some("ca.=circa"));
    assert_eq!(special(&data, "a bc").as_deref(), Some("a b c=d"));
    assert_eq!(special(&data, "''").as_deref(), Some("''=\""));
    let norms: Vec<_> = data.norms.iter().map(|(word, norm)| (&**word, &**norm)).collect();
    assert_eq!(norms, [("q", "a b"), ("r", "\""), ("s", "t")]);
}

#[test]
fn a_file_that_expands_without_end_is_refused() {
    let names: Vec<String> = (b'a'..=b'z').map(|name| char::from(name).to_string()).collect();
    let chain = |section: &str, first: &str, of: fn(&str) -> String| {
        let row = |pair: &[String]| format!("{} = '{}'", pair[1], of(&format!("{{{}}}", pair[0])));
        let rows: Vec<String> = names.windows(2).map(row).collect();
        format!("[{section}]\na = '{first}'\n{}", rows.join("\n"))
    };
    let doubled = chain("pieces", "xxxxxxxxxx", |before| before.repeat(2));
    let tripled = chain("lists", "x y z", |before| format!("{before}1 {before}2 {before}3"));
    let words = "x ".repeat(200);
    let lists: Vec<String> =
        names.iter().take(6).map(|name| format!("{name} = '{words}'")).collect();
    let product = format!(
        "[lists]\n{}\n[[special]]\nsplit = ['{{a}}{{b}}{{c}}{{d}}{{e}}{{f}}']",
        lists.join("\n")
    );
    let long = format!(
        "[lists]\na = '{words}'\nb = '{}'\n[[special]]\nwhole = ['{{a}}{{b}}']",
        "y".repeat(200_000)
    );
    for text in [doubled, tripled, product, long] {
        let error = from_text(&text).unwrap_err();
        assert!(error.contains("expand to more than"), "{error}");
    }
}

/// Each would take minutes if the work grew with the square of the text.
#[test]
fn a_long_file_takes_time_in_proportion_to_its_length() {
    let n = 200_000;
    let joined = |of: fn(usize) -> String| (0..n).map(of).collect::<Vec<_>>().join(" ");
    let norms = joined(|number| format!("w{number}=\\\"v\\\""));
    let cases = joined(|number| format!("c{number}"));
    let names = joined(|number| format!("{} = 'x'\n", name_of(number)));
    for text in [
        format!("[vocab]\nstop_words = '{}'", "w ".repeat(n)),
        format!("[vocab]\nnorms = \"{norms}\""),
        format!("[pieces]\na = '{}'", "{".repeat(n)),
        format!("[classes]\n{names}"),
        format!("lists.c = '{cases}'\n[[special]]\nwhole = ['{{c}}']"),
    ] {
        from_text(&text).unwrap();
    }
    let shared = format!("lists.c = '{cases}'\n[[special]]\nwhole = ['{{c}}']");
    let data = from_texts(&[&shared, "language.without_cases = ['{c}']"]).unwrap();
    assert!(data.specials.is_empty());
}

/// A name of letters for a number.
fn name_of(mut number: usize) -> String {
    let mut name = String::from("n");
    while number > 0 {
        name.push(char::from(b"abcdefghij"[number % 10]));
        number /= 10;
    }
    name
}

#[test]
fn the_text_of_a_file_adds_to_the_rules_of_its_parent() {
    let text = "language.parent = 'en'\n[affixes.infixes]\nhyphen = false";
    let data = parse("test", "test.toml", text).unwrap();
    assert_eq!(special(&data, "don't").as_deref(), Some("do n't=not"));
    assert_eq!(data.infixes.len(), load("en").unwrap().infixes.len() - 1);
    assert_eq!((data.code.as_str(), data.title.as_str()), ("test", "English"));
    let error = parse("test", "test.toml", "language.parent = 'tlh'").unwrap_err();
    assert!(error.message().contains("test.toml:1: no language \"tlh\""), "{error}");
}

#[test]
fn a_class_may_use_those_above_it() {
    let text = r"
        classes = {vowel = 'aeiou', letter = '[a-f--[{vowel}]]'}
        affixes = {infixes = {hyphen = '(?<=[{letter}])-'}}";
    assert_eq!(from_text(text).unwrap().infixes, ["(?<=[b-df])-"]);
}

#[test]
fn a_list_in_a_pattern_is_branches_with_the_longest_first() {
    let text = r#"lists = {unit = "m km/h m. km"}
        affixes = {suffixes = {unit = '(?:{unit})x{2,3}'}}"#;
    assert_eq!(from_text(text).unwrap().suffixes, [r"(?:km/h|m\.|km|m)x{2,3}"]);
}

#[test]
fn a_list_named_twice_gives_the_same_word_twice() {
    let text = r#"lists = {eye = "o x"}
        special = [{whole = ["{eye}_{eye}"]}]"#;
    let data = from_text(text).unwrap();
    let cases: Vec<&str> = data.specials.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(cases, ["o_o", "x_x"]);
}

#[test]
fn capitals_that_change_nothing_add_no_case() {
    let data = from_text(r#"special = [{title = true, upper = true, split = ["1 am", "i m"]}]"#);
    let data = data.unwrap();
    let cases: Vec<&str> = data.specials.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(cases, ["1am", "1AM", "im", "Im", "IM"]);
}

#[test]
fn errors_name_the_file_and_the_line() {
    for (text, told) in [
        ("\n[lists", "test.toml:2: "),
        ("\n\n[words]", "test.toml:3: unknown key \"words\""),
        ("[affixes]\nprefix = []", "test.toml:2: unknown key \"prefix\""),
        ("[affixes]\nprefixes = 'a'", "test.toml:2: expected a table, found string"),
        ("[affixes.prefixes]\na = true", "test.toml:2: expected a pattern or false, found boolean"),
        (
            "[affixes.prefixes]\nb = 'x'\n[affixes.suffixes]\nb = false",
            "test.toml:4: no pattern \"b\"",
        ),
        ("[language]\nfamilies = ['a']", "test.toml:2: no family \"a\""),
        ("[language]\ndirection = 'up'", "test.toml:2: expected \"ltr\" or \"rtl\", found \"up\""),
        ("[language]\nwithout_cases = ['a']", "test.toml:2: no special case \"a\" to take away"),
        ("[numbers]\nscript = 'Latin'", "test.toml:2: expected \"chinese\", "),
        ("special = [\n{title = 1}]", "test.toml:2: expected true or false, found integer"),
        ("[classes]\nA = 'a'", "test.toml:2: \"A\" is not a valid name"),
        ("[classes]\na = 'z-a'", "test.toml:2: not a character class"),
        ("[classes]\na = 'x]y['", "test.toml:2: not a character class"),
        ("[classes]\na = 'x'\n[lists]\na = 'y'", "test.toml:4: {a} is already defined"),
        ("[classes]\na = '{b}'\nb = 'x'", "test.toml:2: {b} is not defined above"),
        ("[affixes.infixes]\nx = 'x'\n\ny = '{y}'", "test.toml:4: {y} is not defined above"),
        ("classes.c = 'x'\n[[special]]\nwhole = ['{c}']", "test.toml:3: {c} is no list"),
        (
            "[[special]]\nwhole = ['ab']\nsplit = [\n'a b']",
            "test.toml:2: \"ab\" is already a special case, at test.toml:4",
        ),
        ("[[special]]\nsplit = ['a =b']", "test.toml:2: \"=b\" is not orth or orth=norm"),
        ("[[special]]\nsplit = [' ']", "test.toml:2: a special case without tokens"),
        ("[[special]]\nwhole = ['a b']", "test.toml:2: \"a b\" contains whitespace"),
        ("[[special]]\nwhole = ['']", "test.toml:2: a special case without text"),
        ("[vocab]\nnorms = 'a=b c'", "test.toml:2: \"c\" is not word=norm"),
    ] {
        let error = from_text(text).expect_err(text);
        assert!(error.contains(told), "{text:?} gives {error:?}, not {told:?}");
    }
}

proptest! {
    /// Any characters of a class are parsed back as the same characters.
    #[test]
    fn a_class_is_parsed_back_as_written(mut chars in prop::collection::vec(any::<char>(), 1..40)) {
        chars.extend(['^', '-', ']']);
        let mut written = String::new();
        for &c in &chars {
            super::definitions::push_class_char(&mut written, c);
        }
        let regex = fancy_regex::Regex::new(&format!("^[{written}]$")).unwrap();
        for &c in &chars {
            prop_assert!(regex.is_match(&c.to_string()).unwrap(), "{c:?} in {written}");
        }
        let other = chars.iter().max().and_then(|&c| char::from_u32(u32::from(c) + 1));
        if let Some(other) = other {
            prop_assert!(!regex.is_match(&other.to_string()).unwrap(), "{other:?} in {written}");
        }
    }

    /// No text of a data file makes the loader panic.
    #[test]
    fn any_template_loads_or_is_rejected(template in r"[ a=\PC{}]{0,12}") {
        let text = format!("lists.a = 'x y=z'\n[[special]]\nsplit = [{template:?}]\n");
        if let Ok(data) = from_text(&text) {
            for (text, tokens) in data.specials {
                let joined: String = tokens.iter().map(|token| token.orth.as_str()).collect();
                prop_assert_eq!(joined, text);
            }
        }
    }
}

#[test]
fn the_data_of_a_vocab_is_that_of_its_language_without_the_rules_of_the_tokenizer() {
    for all in every_language() {
        let vocab = load_vocab(&all.code).unwrap();
        let expected = LangData {
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            infixes: Vec::new(),
            token_match: None,
            url_match: None,
            specials: Vec::new(),
            ..all
        };
        assert_eq!(vocab, expected);
    }
    assert_eq!(load_vocab("qqq").unwrap_err().code(), "unknown-language");
}
