use std::fmt::Write;

use super::*;

const SAMPLE: &str = r#"
[paths]
base = "/data"

[nlp]
lang = "en"
# A note.
list = [1, 2.5,
    "three"]

[nlp.tokenizer]
@tokenizers = "spacy.Tokenizer.v1"

[training]
path = ${paths.base}/train
whole = ${nlp.tokenizer}
"#;

#[test]
fn an_interpolated_configuration_has_no_references() {
    let config = Config::parse(SAMPLE, "some.cfg").unwrap();
    assert_eq!(
        config.section("training").unwrap().get("path").unwrap(),
        &"${paths.base}/train".into()
    );
    let config = config.interpolate().unwrap();
    let json = Value::from(config.root().clone()).to_json();
    let expected = concat!(
        r#"{"paths": {"base": "/data"}, "nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}, "#,
        r#""lang": "en", "list": [1, 2.5, "three"]}, "training": {"path": "/data/train", "#,
        r#""whole": {"@tokenizers": "spacy.Tokenizer.v1"}}}"#
    );
    assert_eq!(json, expected);
}

#[test]
fn a_value_is_overridden_by_its_dotted_name() {
    let mut config = Config::parse(SAMPLE, "some.cfg").unwrap();
    config.set("paths.base", "/other".into()).unwrap();
    config.set("nlp.new", Value::Int(1)).unwrap();
    let config = config.interpolate().unwrap();
    assert_eq!(config.section("training").unwrap().get("path").unwrap(), &"/other/train".into());
    assert_eq!(config.section("nlp").unwrap().keys().last(), Some("new"));
    let mut config = config;
    for name in ["base", "none.base", "nlp.none.base", "nlp.lang.base"] {
        let error = config.set(name, Value::Null).unwrap_err();
        assert_eq!(error.code(), "config-syntax");
        assert!(error.message().starts_with("some.cfg: ") && error.message().contains(name));
    }
}

#[test]
fn an_update_with_another_function_replaces_a_section() {
    let read = |json: &str| {
        let Value::Section(root) = Value::from_json(json).unwrap() else { panic!("a section") };
        Config::from_section(root, "")
    };
    let defaults =
        read(r#"{"a": {"f": {"@misc": "1", "x": 1}, "g": {"@misc": "1", "x": 1}, "y": 2}}"#);
    let merged = defaults.merge(&read(r#"{"a": {"g": {"x": 3}, "f": {"@misc": "2"}}, "b": {}}"#));
    let expected =
        read(r#"{"a": {"f": {"@misc": "2"}, "g": {"@misc": "1", "x": 3}, "y": 2}, "b": {}}"#);
    assert_eq!(merged, expected);
}

#[test]
fn references_that_multiply_are_refused() {
    let mut text = String::from("[a]\nx0 = \"0123456789\"\n");
    for i in 1..8 {
        let before = format!("${{a.x{}}}", i - 1);
        writeln!(text, "x{i} = {}", before.repeat(10)).unwrap();
    }
    let error = Config::parse(&text, "some.cfg").unwrap().interpolate().unwrap_err();
    assert_eq!(error.code(), "config-reference");
    assert!(error.message().starts_with("some.cfg: a.x") && error.message().contains("1048576"));
}

#[test]
fn deep_values_are_refused() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(Config::parse(&format!("[a]\nb = {}", deep(99)), "c").is_ok());
    for text in [
        format!("[a]\nb = {}", deep(100)),
        format!("[a]\nb = {}", deep(100_000)),
        format!("[{}]", vec!["a"; 101].join(".")),
    ] {
        let error = Config::parse(&text, "c").unwrap_err();
        assert!(error.message().contains("100 levels"), "{error}");
    }
    let text = format!("[a]\nb = {}\nc = [[${{a.b}}]]", deep(99));
    let error = Config::parse(&text, "c").unwrap().interpolate().unwrap_err();
    assert!(error.message().contains("100 levels"), "{error}");
}

#[test]
fn a_file_that_is_not_utf_8_is_refused_with_its_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.cfg");
    std::fs::write(&path, b"[a]\nb = \xff").unwrap();
    let error = Config::read(&path).unwrap_err();
    assert_eq!(error.code(), "config-syntax");
    assert!(error.message().contains("some.cfg: byte 8"), "{error}");
    assert_eq!(Config::read(&folder.path().join("none")).unwrap_err().code(), "file-not-found");
}

#[test]
fn a_text_with_a_reference_is_written_so_that_its_further_lines_are_read_again() {
    let config = Config::parse("[a]\nb = ${c.d}\n  [\"x\"\n\n[c]\nd = 1", "some.cfg").unwrap();
    let value = |config: &Config| config.section("a").unwrap().get("b").unwrap().clone();
    assert_eq!(value(&config), Value::from("${c.d}\n[\"x\""));
    let again = Config::parse(&config.to_text(), "again.cfg").unwrap();
    assert_eq!(value(&again), value(&config));
}

#[test]
fn keys_that_cannot_begin_a_line_or_a_section_come_back() {
    for key in ["d.ev", "a=b", "a:b", "#a", ";a", " a", "a ", "[a", "a\nb", "a\rb", "", "..."] {
        for inner in ["1", "{}", r#"{"z": 1}"#, r#"{"z": {"=": 1}}"#] {
            let mut object = Section::default();
            object.set(key, Value::from_json(inner).unwrap());
            let mut outer = Section::default();
            outer.set("plain", Value::Section(object));
            outer.set("other", Value::from(1_i64));
            let json = Value::Section(outer).to_json();
            let config = Config::parse(&format!("[a]\nb = {json}"), "some.cfg").unwrap();
            let again = Config::parse(&config.to_text(), "some.cfg").unwrap();
            assert_eq!(again, config, "{}", config.to_text());
        }
    }
}

#[test]
fn sections_stay_sections_if_only_their_names_are_hard() {
    let text = "[a]\n\n[a.#x]\n\n[a. b=c]\nd = 1\n\n[a.[e:f]]\n\n[a. b=c.;g]\nh = 2";
    assert_eq!(Config::parse(text, "some.cfg").unwrap().to_text(), text);
}

#[test]
fn keys_that_begin_lines_only_here_come_back() {
    for text in ["[a]\n[x = [1\n\t]", "[a]\n[x:\ry = 1", "[a]\n\n[a.\tb]\n[x = 1"] {
        assert_eq!(Config::parse(text, "some.cfg").unwrap().to_text(), text);
    }
}

#[test]
fn dollar_signs_beside_references_come_back() {
    for inner in [r#"["${c.d}", "$"]"#, r#"{"=": "${c.d}", "$": "$$ {$"}"#, r#""$$ ${c""#] {
        let mut config = Config::parse("[a]\n\n[c]\nd = 1", "some.cfg").unwrap();
        config.set("a.b", Value::from_json(inner).unwrap()).unwrap();
        let again = Config::parse(&config.to_text(), "some.cfg").unwrap();
        assert_eq!(again.section("a"), config.section("a"), "{}", config.to_text());
    }
}
