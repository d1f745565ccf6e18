use lexpool_structs::AttrId;

use super::*;
use crate::matcher::{Greedy, Matcher};
use crate::tokenizer::Tokenizer;
use crate::tokens::{Annotations, Doc};
use crate::vocab::{Getters, Vocab};

fn errors(lines: &str) -> Vec<String> {
    let errors = Rule::read_jsonl(lines).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

fn in_line(pattern: &str) -> String {
    format!("{{\"label\":\"L\",\"pattern\":{pattern}}}")
}

#[test]
fn a_rule_is_written_as_it_was_read() {
    let lines = [
        r#"{"label":"ORG","pattern":"Caf\u00e9 \"Acme\""}"#,
        r#"{"label":"ORG","pattern":[{"LOWER":"acme","OP":"?"},{}],"id":"acme"}"#,
        r#"{"label":"A","pattern":[{"shape":"X","LENGTH":{">=":2,"<":9.5,"IN":[3,1]},"is_alpha":true}]}"#,
        r#"{"label":"B","pattern":[{"TEXT":{"FUZZY2":{"NOT_IN":["b","a"]}},"OP":"{2,3}"},{"ENT_IOB":""}]}"#,
    ];
    for line in lines {
        let rules = Rule::read_jsonl(line).unwrap();
        let written = Rule::write_jsonl(&rules);
        assert_eq!(Rule::read_jsonl(&written).unwrap(), rules);
        // Only optional escapes may differ.
        assert_eq!(written.trim_end(), line.replace("\\u00e9", "\u{e9}"));
        let one: Rule = serde_json::from_str(line).unwrap();
        assert_eq!([one], *rules);
    }
}

#[test]
fn every_error_is_reported_with_line_element_and_field() {
    let lines = [
        in_line(r#"[{"LOWER":"fine"},{"LOWER":{"REGEX":"("},"OP":"many"}]"#),
        String::new(),
        "{".to_owned(),
        in_line(r#"[{"LENGTH":{"IN":[1,"2"]},"_":{"own":1}},7]"#),
        in_line(r#"[{"lower":"fine"}]"#),
        r#"{"label":3,"patterns":[],"id":null}"#.to_owned(),
    ];
    let found = errors(&lines.join("\n"));
    let places: Vec<_> = found.iter().map(|error| error.split(": ").next().unwrap()).collect();
    let expected = [
        "line 1, [1] OP",
        "line 1, [1] LOWER REGEX",
        "line 3",
        "line 4, [0] LENGTH IN",
        "line 4, [0] _",
        "line 4, [1]",
        "line 6, label",
        "line 6, patterns",
        "line 6, id",
        "line 6, pattern",
    ];
    assert_eq!(places, expected, "{found:#?}");
}

#[test]
fn an_invalid_value_is_refused_at_any_depth() {
    let wrong = [
        "[]",
        "[[]]",
        "7",
        r#"" ""#,
        "null",
        "[null]",
        r#"[{"NO_SUCH":"a"}]"#,
        r#"[{"Lower":"a"}]"#,
        r#"[{"HEAD":1}]"#,
        r#"[{"LOWER":null}]"#,
        r#"[{"LOWER":1}]"#,
        r#"[{"LOWER":["a"]}]"#,
        r#"[{"LOWER":"a","LOWER":"b"}]"#,
        r#"[{"LOWER":{"IN":"a"}}]"#,
        r#"[{"LOWER":{"IN":[1]}}]"#,
        r#"[{"LOWER":{"==":1}}]"#,
        r#"[{"LOWER":{"FUZZY0":"a"}}]"#,
        r#"[{"LOWER":{"FUZZY10":"a"}}]"#,
        r#"[{"LOWER":{"REGEX":{"IN":["("]}}}]"#,
        r#"[{"LOWER":{"REGEX":7}}]"#,
        r#"[{"MORPH":{"IS_SUPERSET":["Number"]}}]"#,
        r#"[{"IS_ALPHA":1}]"#,
        r#"[{"LENGTH":2.5}]"#,
        r#"[{"LENGTH":-2}]"#,
        r#"[{"LENGTH":{"IN":[2.5]}}]"#,
        r#"[{"LENGTH":{">":"2"}}]"#,
        r#"[{"LENGTH":{"FUZZY":"2"}}]"#,
        r#"[{"ENT_IOB":"X"}]"#,
        r#"[{"ENT_IOB":4}]"#,
        r#"[{"OP":1}]"#,
        r#"[{"OP":""}]"#,
        r#"[{"OP":"{3,2}"}]"#,
        r#"[{"_":{"own":true}}]"#,
        r#"[{"OP":"{9000}"},{"OP":"{9000}"}]"#,
    ];
    for pattern in wrong {
        assert_eq!(errors(&in_line(pattern)).len(), 1, "{pattern}");
    }
    let deep = "[".repeat(100_000);
    assert!(errors(&in_line(&deep))[0].starts_with("line 1: not JSON"));
}

#[test]
fn all_errors_are_kept_and_twenty_are_printed() {
    let lines = vec!["{}"; 30].join("\n");
    let errors = Rule::read_jsonl(&lines).unwrap_err();
    assert_eq!(errors.iter().count(), 60);
    let printed = errors.to_string();
    assert_eq!(printed.lines().count(), 22);
    assert!(printed.ends_with("and 40 more"), "{printed}");
    assert_eq!(crate::Error::from(errors).code(), "pattern-syntax");
}

#[test]
fn phrases_and_token_patterns_are_found_together_and_each_once() {
    let rules = Rule::read_jsonl(
        r#"{"label":"CITY","pattern":"New York","id":"ny"}
           {"label":"CITY","pattern":[{"LOWER":"new"},{"LOWER":"york"}],"id":"ny"}
           {"label":"WORD","pattern":[{"IS_ALPHA":true,"OP":"+"}]}
           {"label":"CITY","pattern":"York"}"#,
    )
    .unwrap();
    let tokenizer = Tokenizer::blank("en").unwrap();
    let doc = tokenizer.tokenize("in New York").unwrap();
    let found = |attr, greedy| {
        let ruler = Ruler::new(&rules, &tokenizer, attr).unwrap();
        let found = ruler.find(&doc, greedy).unwrap();
        let shown = |found: &RuleMatch<'_>| {
            format!("{}{} {:?}", found.label, found.id.unwrap_or_default(), found.tokens)
        };
        found.iter().map(shown).collect::<Vec<_>>()
    };
    let all = [
        "WORD 0..1",
        "WORD 0..2",
        "WORD 0..3",
        "WORD 1..2",
        "CITYny 1..3",
        "WORD 1..3",
        "WORD 2..3",
        "CITY 2..3",
    ];
    assert_eq!(found(AttrId::ORTH, None), all);
    let chosen = ["WORD 0..3", "CITYny 1..3", "CITY 2..3"];
    assert_eq!(found(AttrId::LOWER, Some(Greedy::Longest)), chosen);
    assert_eq!(found(AttrId::LOWER, Some(Greedy::First)), chosen);
}

#[test]
fn morphological_analyses_are_compared_in_normal_form() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut doc = Doc::from_words(&vocab, &[("a", true), ("b", true)]).unwrap();
    let analysis = |feats| vocab.morphology().add(feats).unwrap().get();
    let morphs = ["Number=Sing|Case=Nom", "Case=Acc"].map(analysis);
    doc.annotate(&Annotations { morphs: Some(morphs.to_vec()), ..Annotations::default() }).unwrap();
    let patterns = [
        (r#"[{"MORPH":{"IN":["Number=Sing|Case=Nom"]}}]"#, vec![0]),
        (r#"[{"MORPH":{"NOT_IN":["Case=Nom|Number=Sing"]}}]"#, vec![1]),
        (r#"[{"MORPH":{"IS_SUPERSET":["Number=Sing"]}}]"#, vec![0]),
        (r#"[{"MORPH":{"INTERSECTS":["Case=Acc","Case=Nom"]}}]"#, vec![0, 1]),
        (r#"[{"MORPH":{"IS_SUBSET":["Case=Acc","Case=Gen"]}}]"#, vec![1]),
    ];
    for (pattern, expected) in patterns {
        let matcher = Matcher::builder().json("key", pattern).build().unwrap();
        let starts: Vec<_> =
            matcher.find_iter(&doc).unwrap().map(|found| found.tokens.start).collect();
        assert_eq!(starts, expected, "{pattern}");
    }
}
