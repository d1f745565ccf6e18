//! The tables of tests/data, run natively through the code behind the module's exports;
//! tests/data/README.md describes their fields. `docs/tests/tables.test.mjs` runs the module
//! itself.

#[path = "../../../core/tests/tables/mod.rs"]
mod tables;

use lexpool_playground::session::Session;
use serde_json::{Value, json};

use tables::{Case, cases, table, text};

#[test]
fn texts_have_the_tokens_of_the_table() {
    let table = table("tokenizer.toml");
    let mut session = Session::new().unwrap();
    let mut failures = Vec::new();
    for case in cases(&table, "wasm") {
        let answer = session.tokenize(text(case, "text").unwrap()).unwrap();
        let tokens = answer["tokens"].as_array().unwrap();
        let column = |pointer: &str| -> Value {
            tokens.iter().map(|token| token.pointer(pointer).unwrap().clone()).collect()
        };
        compare(case, "words", &column("/text"), &mut failures);
        compare(case, "spaces", &column("/space"), &mut failures);
        compare(case, "norms", &column("/norm/text"), &mut failures);
        let rules = tokens.iter().map(|token| token["rule"]["name"].clone());
        let rules: Value = rules.filter(|rule| rule != "SPACE").collect();
        compare(case, "explain", &rules, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn patterns_have_the_matches_of_the_table() {
    let table = table("matcher.toml");
    let mut session = Session::new().unwrap();
    let mut failures = Vec::new();
    for case in cases(&table, "wasm") {
        session.tokenize(text(case, "text").unwrap()).unwrap();
        let patterns = case["patterns"].as_array().unwrap();
        let lines: Vec<String> = patterns.iter().map(Value::to_string).collect();
        match session.find(&lines.join("\n")) {
            Ok(answer) => {
                let found = answer["matches"].as_array().unwrap().iter();
                let found =
                    found.map(|found| json!([found["label"], found["start"], found["end"]]));
                compare(case, "matches", &found.collect(), &mut failures);
                assert!(!case.contains_key("invalid"), "{:?} is valid", text(case, "name"));
            }
            Err(answer) => {
                let errors = answer["error"]["faults"].as_array().unwrap().iter();
                let places = errors.map(|error| error["place"].as_str().unwrap());
                // Each begins with the line of its pattern.
                let places =
                    places.map(|place| place.split_once(", ").map_or("", |(_, place)| place));
                compare(case, "invalid", &places.collect(), &mut failures);
                assert!(case.contains_key("invalid"), "{:?}: {answer}", text(case, "name"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn compare(case: &Case, field: &str, found: &Value, failures: &mut Vec<String>) {
    if let Some(expected) = case.get(field).filter(|expected| *expected != found) {
        let name = text(case, "name").unwrap();
        failures.push(format!("{name}: {field}: expected {expected}, found {found}"));
    }
}
