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

/// A few rules in the shapes that spaCy's have.
fn small_rules() -> RuleSet {
    RuleSet {
        prefix_search: Some(PatternSource::new(r#"^\(|^"|^\.\.+|^\$"#)),
        suffix_search: Some(PatternSource::new(r#"\)$|"$|,$|'s$|(?<=[a-z0-9])\.$|\.\.+$"#)),
        infix_finditer: Some(PatternSource::new(r"(?<=[a-z])-(?=[a-z])|\.\.+")),
        token_match: Some(PatternSource::new(r"^\d+-\d+$")),
        url_match: Some(PatternSource::new(r"^https?://\S+$")),
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
    Tokenizer::new(&vocab, &small_rules(), Tokenizer::MOST_CHUNKS).unwrap()
}

/// Expected from spaCy's Tokenizer with the same rules.
const CASES: &[(&str, &[&str])] = &[
    ("", &[]),
    (" ", &[" "]),
    ("a", &["a"]),
    ("a b", &["a", "b"]),
    ("a  b", &["a", " ", "b"]),
    (" a", &[" ", "a"]),
    ("a ", &["a"]),
    ("a  ", &["a", " "]),
    ("a\n b", &["a", "\n ", "b"]),
    ("a \nb", &["a", "\n", "b"]),
    ("a\u{a0}b", &["a", "\u{a0}", "b"]),
    ("a \u{3000} b", &["a", "\u{3000} ", "b"]),
    ("(\"a\")", &["(", "\"", "a", "\"", ")"]),
    ("(((", &["(", "(", "("]),
    ("...a...", &["...", "a", "..."]),
    ("well-known.", &["well", "-", "known", "."]),
    ("1-2", &["1-2"]),
    ("(1-2)", &["(", "1-2", ")"]),
    ("(http://a.b/(c)", &["(", "http://a.b/(c", ")"]),
    ("don't", &["do", "n't"]),
    ("(don't),", &["(", "do", "n't", ")", ","]),
    ("Don't", &["Don't"]),
    (":)", &[":)"]),
    ("a:)", &["a:", ")"]),
    ("New York", &["New York"]),
    ("(New York)", &["(", "New York", ")"]),
    ("New  York", &["New", " ", "York"]),
    ("e.g. this", &["e.g.", "this"]),
    ("(e.g.)", &["(", "e.g.", ")"]),
    ("it's", &["it", "'s"]),
    ("it 's", &["it", "'s"]),
];

#[test]
fn texts_are_cut_as_by_spacy_whichever_way_they_come() {
    let tokenizer = small();
    for (text, expected) in CASES {
        assert_eq!(words(&tokenizer.tokenize(text).unwrap()), *expected, "{text:?}");
    }
    let texts = || CASES.iter().map(|(text, _)| Text::Owned((*text).to_owned())).collect();
    for threads in [1, 2] {
        let docs = tokenizer.tokenize_all(texts(), threads, &AtomicBool::default()).unwrap();
        for ((text, expected), doc) in CASES.iter().zip(docs) {
            assert_eq!(words(&doc.unwrap()), *expected, "{text:?} on {threads} threads");
        }
    }
}

#[test]
fn a_token_of_a_special_case_has_the_norm_it_was_given() {
    let tokenizer = small();
    let doc = tokenizer.tokenize("(don't it's n't").unwrap();
    let norms: Vec<_> = doc.iter().map(|token| token.text_of(AttrId::NORM)).collect();
    assert_eq!(norms, ["(", "do", "not", "it", "is", "n't"]);
}

#[test]
fn rules_are_explained() {
    let tokenizer = small();
    let explained = tokenizer.explain("(well-known) don't, it's 1-2 http://a").unwrap();
    let explained: Vec<_> =
        explained.iter().map(|(reason, text)| format!("{reason} {text}")).collect();
    let expected = [
        "PREFIX (",
        "TOKEN well",
        "INFIX -",
        "TOKEN known",
        "SUFFIX )",
        "SPECIAL-1 do",
        "SPECIAL-2 n't",
        "SUFFIX ,",
        "SPECIAL-1 it",
        "SPECIAL-2 's",
        "TOKEN_MATCH 1-2",
        "URL_MATCH http://a",
    ];
    assert_eq!(explained, expected);
}

#[test]
fn a_later_special_case_replaces_an_earlier_one() {
    let tokenizer = small();
    assert_eq!(words(&tokenizer.tokenize("a don't").unwrap()), ["a", "do", "n't"]);
    tokenizer.add_special_cases(&[special("don't", &[("don't", None)])]).unwrap();
    assert_eq!(words(&tokenizer.tokenize("a don't").unwrap()), ["a", "don't"]);
    assert_eq!(tokenizer.special_cases().len(), 5);
}

#[test]
fn a_special_case_that_is_not_its_text_is_refused_and_nothing_changes() {
    let tokenizer = small();
    let cases = [special("x", &[("x", None)]), special("ab", &[("a", None), ("c", None)])];
    let error = tokenizer.add_special_cases(&cases).unwrap_err();
    assert_eq!(error.code(), "E997");
    assert_eq!(tokenizer.special_cases().len(), 5);
}

#[test]
fn a_pattern_that_does_not_compile_is_named_with_the_place() {
    let vocab = Vocab::new(Getters::default()).unwrap();
    let set = RuleSet { suffix_search: Some(PatternSource::new("a$|(b$")), ..RuleSet::default() };
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
        "bad" => Err(Error::value("picky", "no such word")),
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
        let tokenizer = Tokenizer::blank(lang).unwrap();
        assert_eq!(words(&tokenizer.tokenize("(Hello, world!)").unwrap()).len(), 6, "{lang}");
        assert!(
            tokenizer.report().iter().all(|pattern| pattern.to_string().starts_with("automata"))
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
    fn what_came_before_does_not_matter(texts in prop::collection::vec(TEXT, 1..6)) {
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
