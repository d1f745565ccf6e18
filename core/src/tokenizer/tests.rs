use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::structs::AttrId;

fn words(doc: &Doc) -> Vec<&str> {
    doc.iter().map(|token| token.text()).collect()
}

fn special(text: &str, parts: &[(&str, Option<&str>)]) -> (String, Vec<SpecialToken>) {
    let token = |&(orth, norm): &(&str, Option<&str>)| SpecialToken {
        orth: orth.to_owned(),
        norm: norm.map(str::to_owned),
    };
    (text.to_owned(), parts.iter().map(token).collect())
}

/// A few rules of the same forms as spaCy's, those of `rules.small` in tests/data/tokenizer.toml.
/// The table has their cases.
fn small_rules() -> RuleSet {
    RuleSet {
        prefix_search: Some(RuleSource::pattern(r#"^\(|^"|^\.\.+|^\$"#)),
        suffix_search: Some(RuleSource::pattern(r#"\)$|"$|,$|'s$|(?<=[a-z0-9])\.$|\.\.+$"#)),
        infix_finditer: Some(RuleSource::pattern(r"(?<=[a-z])-(?=[a-z])|\.\.+")),
        token_match: Some(RuleSource::pattern(r"^\d+-\d+$")),
        url_match: Some(RuleSource::pattern(r"^https?://\S+$")),
        special_cases: vec![
            special("don't", &[("do", None), ("n't", Some("not"))]),
            special(":)", &[(":)", None)]),
            special("New York", &[("New York", None)]),
            special("e.g.", &[("e.g.", None)]),
            special("it's", &[("it", None), ("'s", Some("is"))]),
        ],
        faster_heuristics: true,
    }
}

fn small() -> Tokenizer {
    let vocab = Vocab::new(Getters::native("xx")).unwrap();
    Tokenizer::new(&vocab, &small_rules(), Tokenizer::DEFAULT_CACHED_CHUNKS).unwrap()
}

#[test]
fn a_later_special_case_replaces_an_earlier_one() {
    let tokenizer = small();
    assert_eq!(words(&tokenizer.tokenize("a don't").unwrap()), ["a", "do", "n't"]);
    let whole = TokenizerChange::AddSpecialCases(vec![special("don't", &[("don't", None)])]);
    let changed = tokenizer.with(&whole).unwrap();
    assert_eq!(words(&changed.tokenize("a don't").unwrap()), ["a", "don't"]);
    assert_eq!(changed.special_cases().len(), 5);
    assert_eq!(words(&tokenizer.tokenize("a don't").unwrap()), ["a", "do", "n't"]);
}

#[test]
fn a_special_case_that_differs_from_its_text_is_rejected() {
    let cases = vec![special("x", &[("x", None)]), special("ab", &[("a", None), ("c", None)])];
    let error = small().with(&TokenizerChange::AddSpecialCases(cases)).err().unwrap();
    assert_eq!(error.code(), "E997");
}

#[test]
fn a_new_rule_changes_how_special_cases_are_found() {
    let tokenizer = small();
    let comma = RuleSource::pattern(r"[,.]$");
    let changed =
        tokenizer.with(&TokenizerChange::Rule(RuleName::SuffixSearch, Some(comma))).unwrap();
    for text in ["(e.g.)", "e.g. this", "don't,", "a New York."] {
        let set = RuleSet { suffix_search: Some(RuleSource::pattern(r"[,.]$")), ..small_rules() };
        let fresh = Tokenizer::new(tokenizer.vocab(), &set, 0).unwrap();
        let doc = changed.tokenize(text).unwrap();
        assert_eq!(words(&doc), words(&fresh.tokenize(text).unwrap()), "{text:?}");
    }
    assert_eq!(words(&changed.tokenize("(don't)").unwrap()), ["(", "don't)"]);
}

#[test]
fn special_cases_stay_in_their_order_when_another_rule_changes() {
    let tokenizer = small();
    let later = vec![special("b!", &[("b!", None)])];
    let tokenizer = tokenizer.with(&TokenizerChange::AddSpecialCases(later)).unwrap();
    let last = vec![special("a!", &[("a!", None)])];
    let tokenizer = tokenizer.with(&TokenizerChange::AddSpecialCases(last)).unwrap();
    let cases = tokenizer.special_cases();
    assert_eq!(cases[5..].iter().map(|case| &*case.0).collect::<Vec<_>>(), ["b!", "a!"]);
    for change in [
        TokenizerChange::Rule(RuleName::PrefixSearch, None),
        TokenizerChange::FasterHeuristics(false),
    ] {
        assert_eq!(tokenizer.with(&change).unwrap().special_cases(), cases);
    }
    tokenizer.vocab().forget_lexemes();
    tokenizer.tokenize("b! a!").unwrap();
    assert_eq!(tokenizer.special_cases(), cases);
}

#[test]
fn without_heuristics_special_cases_are_found_between_infixes() {
    let text = "no-don't-so";
    let tokenizer = small();
    assert_eq!(words(&tokenizer.tokenize(text).unwrap()), ["no", "-", "don't", "-", "so"]);
    let slower = tokenizer.with(&TokenizerChange::FasterHeuristics(false)).unwrap();
    assert_eq!(words(&slower.tokenize(text).unwrap()), ["no", "-", "do", "n't", "-", "so"]);
    assert!(!slower.faster_heuristics());
}

/// Returns a function that matches each occurrence of a letter.
fn finds(letter: char) -> RuleSource {
    let find: Arc<RuleFn> = Arc::new(move |text, found| {
        found.extend(text.match_indices(letter).map(|(at, part)| (at, at + part.len())));
        Ok(())
    });
    RuleSource::Function { find, reason: "it is a closure".to_owned() }
}

#[test]
fn functions_split_as_patterns_do() {
    let functions = RuleSet {
        infix_finditer: Some(finds('\u{e9}')),
        token_match: Some(finds('x')),
        ..RuleSet::default()
    };
    let patterns = RuleSet {
        infix_finditer: Some(RuleSource::pattern("\u{e9}")),
        token_match: Some(RuleSource::pattern("[^x]*x")),
        ..RuleSet::default()
    };
    let vocab = Vocab::new(Getters::native("xx")).unwrap();
    let functions = Tokenizer::new(&vocab, &functions, 0).unwrap();
    let patterns = Tokenizer::new(&vocab, &patterns, 0).unwrap();
    for text in ["a\u{e9}b", "a\u{e9}\u{e9}xb x\u{e9}", "b\u{e9} a"] {
        let doc = patterns.tokenize(text).unwrap();
        assert_eq!(words(&functions.tokenize(text).unwrap()), words(&doc), "{text:?}");
    }
    assert!(functions.report()[0].to_string().contains("it is a closure"));
}

#[test]
fn a_function_that_returns_an_invalid_range_is_an_error() {
    let vocab = Vocab::new(Getters::native("xx")).unwrap();
    for found in [vec![(0, 9)], vec![(2, 1)], vec![(0, 1)], vec![(2, 3), (1, 3)]] {
        let reason = String::new();
        let find: Arc<RuleFn> = Arc::new(move |_, out| {
            out.extend_from_slice(&found);
            Ok(())
        });
        let rule = Some(RuleSource::Function { find, reason });
        let set = RuleSet { infix_finditer: rule, ..RuleSet::default() };
        let tokenizer = Tokenizer::new(&vocab, &set, 0).unwrap();
        assert_eq!(tokenizer.tokenize("\u{e9}b").unwrap_err().code(), "rule-match");
    }
}

#[test]
fn the_error_of_an_invalid_pattern_names_rule_and_position() {
    let vocab = Vocab::new(Getters::default()).unwrap();
    let set = RuleSet { suffix_search: Some(RuleSource::pattern("a$|(b$")), ..RuleSet::default() };
    let error = Tokenizer::new(&vocab, &set, 0).err().unwrap();
    assert_eq!(error.code(), "rule-syntax");
    assert!(error.message().starts_with("suffix_search: "), "{error}");
    assert!(error.message().contains("at character"), "{error}");
}

#[test]
fn words_of_equal_id_do_not_alter_the_text() {
    let tokenizer = small();
    let text = "nwhmcsvgydilzqao and jpimytqaE87myorS,";
    let doc = tokenizer.tokenize(text).unwrap();
    assert_eq!(words(&doc), ["nwhmcsvgydilzqao", "and", "jpimytqaE87myorS", ","]);
    assert_eq!(doc.text(), text);
    assert_eq!(tokenizer.vocab().strings().collisions(), 1);
}

#[test]
fn a_document_outlives_the_zone_it_was_made_in() {
    let tokenizer = small();
    tokenizer.tokenize("before").unwrap();
    tokenizer.vocab().open_zone().unwrap();
    let doc = tokenizer.tokenize("before (inside)").unwrap();
    tokenizer.vocab().close_zone().unwrap();
    assert_eq!(words(&doc), ["before", "(", "inside", ")"]);
    assert_eq!(doc.token(2).unwrap().text_of(AttrId::SHAPE), "xxxx");
    assert!(!tokenizer.vocab().contains(crate::strings::StrId::of("inside")));
    let again = tokenizer.tokenize("before (inside)").unwrap();
    assert_eq!(words(&again), words(&doc));
}

#[test]
fn zones_do_not_see_each_others_words() {
    let tokenizer = small();
    let mut docs = Vec::new();
    for word in ["one", "two", "three"] {
        tokenizer.vocab().open_zone().unwrap();
        docs.push(tokenizer.tokenize(word).unwrap());
        tokenizer.vocab().close_zone().unwrap();
    }
    let lower: Vec<_> =
        docs.iter().map(|doc| doc.token(0).unwrap().text_of(AttrId::LOWER)).collect();
    assert_eq!(lower, ["one", "two", "three"]);
}

#[test]
fn an_error_of_a_getter_comes_through_and_leaves_the_tokenizer_usable() {
    let mut getters = Getters::native("xx");
    let picky = |word: &str| match word {
        "bad" => Err(crate::Error::value(crate::Code::new("picky"), "no such word")),
        _ => Ok(Some(crate::vocab::AttrValue::Number(1))),
    };
    getters.set(AttrId::IS_OOV_DEPRECATED, crate::vocab::Getter::Custom(Arc::new(picky)));
    let vocab = Vocab::new(getters).unwrap();
    let tokenizer = Tokenizer::new(&vocab, &small_rules(), 100).unwrap();
    assert_eq!(tokenizer.tokenize("good bad").unwrap_err().code(), "picky");
    let doc = tokenizer.tokenize("good").unwrap();
    assert_eq!(doc.token(0).unwrap().attr(AttrId::IS_OOV_DEPRECATED), 1);
}

#[test]
fn a_job_can_be_stopped() {
    let tokenizer = small();
    let stop = AtomicBool::new(true);
    let texts = vec![Text::Owned("a b".to_owned())];
    let docs = tokenizer.tokenize_all(texts, 1, &stop).unwrap();
    assert_eq!(docs[0].as_ref().unwrap_err().code(), "stopped");
}

#[test]
fn own_rules_are_there_for_each_language() {
    for lang in lang::languages() {
        // A dictionary is not beside the program of the tests.
        if lang == "ja" || (lang == "th" && !cfg!(feature = "thai")) {
            assert_eq!(Tokenizer::blank(lang).err().unwrap().code(), "segmenter-data");
            continue;
        }
        let tokenizer = Tokenizer::blank(lang).unwrap();
        let n_tokens = match lang {
            "vi" => 2,
            "th" => 4,
            "zh" => 14,
            _ => 6,
        };
        let found = words(&tokenizer.tokenize("(Hello, world!)").unwrap()).len();
        assert_eq!(found, n_tokens, "{lang}");
        // Doubled words have back-references.
        let is_regular = |rule: &RuleReport| rule.to_string().starts_with("automata");
        assert!(
            ["id", "ms"].contains(&lang) || tokenizer.report().iter().all(is_regular),
            "{lang}"
        );
    }
    assert_eq!(Tokenizer::blank("tlh").err().unwrap().code(), "unknown-language");
}

fn check_tiling(doc: &Doc, text: &str) {
    assert_eq!(doc.text(), text);
    let joined: String = doc.iter().map(|token| token.text_with_ws()).collect();
    assert_eq!(joined, text);
    let mut byte = 0;
    for token in doc.iter() {
        assert_eq!(token.record().byte as usize, byte);
        assert_eq!(token.idx(), text[..byte].chars().count());
        assert_eq!(token.len(), token.text().chars().count());
        byte += token.text_with_ws().len();
    }
}

const TEXT: &str = r#"([a-zA-Z.,'"()$:/ \n0-9-]|don't|it's|e\.g\.|New York|http://|\.\.|  |\u{a0}|\u{e9}|\u{201c}|\u{1f600}){0,24}"#;

proptest! {
    #[test]
    fn tokens_tile_any_text(text in TEXT) {
        check_tiling(&small().tokenize(&text).unwrap(), &text);
    }

    #[test]
    fn tokens_do_not_depend_on_earlier_texts(texts in prop::collection::vec(TEXT, 1..6)) {
        let warm = small();
        for text in &texts {
            let vocab = Vocab::new(Getters::default()).unwrap();
            let without_cache = Tokenizer::new(&vocab, &small_rules(), 0).unwrap();
            let (first, second) = (warm.tokenize(text).unwrap(), warm.tokenize(text).unwrap());
            let cold = without_cache.tokenize(text).unwrap();
            prop_assert_eq!(words(&first), words(&cold));
            prop_assert_eq!(words(&second), words(&cold));
        }
    }

    #[test]
    fn the_explanation_agrees_with_the_tokens(text in TEXT) {
        let tokenizer = small();
        let doc = tokenizer.tokenize(&text).unwrap();
        let explained = tokenizer.explain(&text).unwrap();
        let explained: Vec<_> = explained.iter().map(|(_, token)| token.as_str()).collect();
        let no_space = |word: &&str| !word.chars().all(crate::strings::chars::is_space);
        prop_assert_eq!(explained, words(&doc).into_iter().filter(no_space).collect::<Vec<_>>());
    }
}

#[test]
fn words_of_cached_chunks_and_special_cases_are_added_again_after_the_vocab_removed_them() {
    let tokenizer = small();
    let vocab = tokenizer.vocab();
    let old = tokenizer.tokenize("don't go New York").unwrap();
    vocab.forget_lexemes();
    let new = tokenizer.tokenize("don't go New York").unwrap();
    assert_eq!(words(&new), ["do", "n't", "go", "New York"]);
    assert_eq!(words(&old), words(&new));
    for (old, new) in old.iter().zip(new.iter()) {
        let known = vocab.lexeme(new.text()).unwrap();
        assert_eq!(new.lex_ix(), known.ix());
        assert_ne!(new.lex_ix(), old.lex_ix());
        assert_eq!(new.norm(), old.norm());
    }
    let cases: Vec<_> = tokenizer.special_cases().into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        cases,
        small().special_cases().into_iter().map(|(text, _)| text).collect::<Vec<_>>()
    );
}

#[test]
fn characters_are_cut_without_patterns_as_by_patterns() {
    let by_table = Tokenizer::blank("zh").unwrap();
    // An equal set of characters, of which the tokenizer does not know that it is all.
    let mut set = RuleSet::from(&lang::load("zh").unwrap());
    set.infix_finditer = Some(RuleSource::pattern(r"[^\s\ud7a4]".replace("\\ud7a4", "\\u2000")));
    let vocab = Vocab::new(Getters::native("zh")).unwrap();
    let by_pattern = Tokenizer::new(&vocab, &set, 100).unwrap();
    let sentence = "\u{706b}\u{8f66}12\u{70b9}\u{5230}\u{ff1f}";
    let long = sentence.repeat(40);
    let texts = [
        "",
        " ",
        "a",
        " a  b\n\n\u{3000}\u{4e00}\u{a0}\u{1f600}\u{301}",
        sentence,
        &long,
        &format!("{sentence} {long}\t{sentence} ."),
    ];
    let words = |doc: &Doc| -> Vec<(String, u32, u32, bool)> {
        let tokens = doc.iter().zip(doc.tokens());
        tokens.map(|(t, c)| (t.text().to_owned(), c.idx, c.byte, c.spacy())).collect()
    };
    for text in texts {
        let (one, other) = (by_table.tokenize(text).unwrap(), by_pattern.tokenize(text).unwrap());
        assert_eq!(words(&one), words(&other), "{text:?}");
        assert_eq!(words(&by_table.tokenize(text).unwrap()), words(&other), "again");
    }
    // A special case is still found.
    let case =
        vec![(sentence.to_owned(), vec![SpecialToken { orth: sentence.into(), norm: None }])];
    let with = by_table.with(&TokenizerChange::AddSpecialCases(case)).unwrap();
    assert_eq!(with.tokenize(sentence).unwrap().len(), 1);
    assert_eq!(by_table.tokenize(sentence).unwrap().len(), 7);
}

#[test]
fn characters_of_a_zone_end_with_it() {
    let tokenizer = Tokenizer::blank("zh").unwrap();
    tokenizer.vocab().open_zone().unwrap();
    let inside = tokenizer.tokenize("\u{706b}\u{8f66}\u{706b}").unwrap();
    tokenizer.vocab().close_zone().unwrap();
    let outside = tokenizer.tokenize("\u{8f66}\u{706b}").unwrap();
    assert_eq!(
        inside.iter().map(|token| token.text()).collect::<String>(),
        "\u{706b}\u{8f66}\u{706b}"
    );
    assert_eq!(outside.iter().map(|token| token.text()).collect::<String>(), "\u{8f66}\u{706b}");
    assert_ne!(inside.tokens()[0].lex, outside.tokens()[1].lex);
}

#[test]
fn a_rule_for_whole_tokens_is_tried_once_for_each_text_that_is_left_between_affixes() {
    let tried = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&tried);
    let find: Arc<RuleFn> = Arc::new(move |text, found| {
        log.lock().unwrap().push(text.to_owned());
        found.extend((text == "a-b").then_some((0, text.len())));
        Ok(())
    });
    let set = RuleSet {
        prefix_search: Some(RuleSource::pattern(r"^\(")),
        suffix_search: Some(RuleSource::pattern(r"\)$")),
        infix_finditer: Some(RuleSource::pattern("-")),
        token_match: Some(RuleSource::Function { find, reason: String::new() }),
        ..RuleSet::default()
    };
    let vocab = Vocab::new(Getters::native("xx")).unwrap();
    let tokenizer = Tokenizer::new(&vocab, &set, 0).unwrap();
    for (text, expected, tries) in [
        ("(a-b)", ["(", "a-b", ")"].as_slice(), ["(a-b)", "a-b"].as_slice()),
        ("(b-a)", &["(", "b", "-", "a", ")"], &["(b-a)", "b-a"]),
        ("b-a", &["b", "-", "a"], &["b-a"]),
        ("a-b", &["a-b"], &["a-b"]),
    ] {
        tried.lock().unwrap().clear();
        assert_eq!(words(&tokenizer.tokenize(text).unwrap()), expected, "{text}");
        assert_eq!(*tried.lock().unwrap(), tries, "{text}");
    }
}
