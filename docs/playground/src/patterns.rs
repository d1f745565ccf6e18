//! Patterns as they are typed, and what they find.

use lexpool::matcher::{Matcher, PatternErrors, Rule, Ruler, TokenPattern};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use serde_json::{Value, json};

use crate::session::{Answer, from};

/// So many matches are listed; all are counted.
pub const MAX_LISTED: usize = 1000;

/// Looks for a pattern in a document: a token pattern of `Matcher` (a list), or lines of
/// `EntityRuler` (objects with `label` and `pattern`). Gives `{"count", "matches": [{"start",
/// "end", "label"}]}`, the tokens from `start` to before `end`; `label` is null for a token
/// pattern.
///
/// # Errors
///
/// `pattern-syntax` with a list `faults` of all that is wrong, each with its `place` and `text`;
/// what a search fails with.
pub fn find(tokenizer: &Tokenizer, doc: &Doc, pattern: &str) -> Answer {
    if pattern.trim_start().starts_with('{') {
        return find_rules(tokenizer, doc, pattern);
    }
    let pattern: TokenPattern = pattern.parse().map_err(|errors| wrong(&errors))?;
    let mut matcher = Matcher::default();
    let key = StrId::of("pattern");
    let added = matcher.add(key, vec![pattern.pattern().clone()], None);
    added.map_err(|error| from(&error))?;
    let (mut count, mut matches) = (0_usize, Vec::new());
    let result = matcher.find_each(doc, 0..doc.len(), &mut |_| Ok(false), |_, tokens| {
        count += 1;
        if count <= MAX_LISTED {
            matches.push(json!({"start": tokens.start, "end": tokens.end, "label": null}));
        }
        Ok(())
    });
    result.map_err(|error| from(&error))?;
    Ok(json!({"count": count, "matches": matches}))
}

fn find_rules(tokenizer: &Tokenizer, doc: &Doc, lines: &str) -> Answer {
    let rules = read(lines).map_err(|errors| wrong(&errors))?;
    let ruler = Ruler::new(&rules, tokenizer, AttrId::ORTH).map_err(|error| from(&error))?;
    let hits = ruler.find(doc, None).map_err(|error| from(&error))?;
    let listed = hits
        .iter()
        .take(MAX_LISTED)
        .map(|hit| json!({"start": hit.tokens.start, "end": hit.tokens.end, "label": hit.label}));
    let listed: Vec<Value> = listed.collect();
    Ok(json!({"count": hits.len(), "matches": listed}))
}

/// Reads a rule a line, or one rule over several lines.
fn read(lines: &str) -> Result<Vec<Rule>, PatternErrors> {
    if serde_json::from_str::<Value>(lines).is_ok() {
        // No string of JSON holds a line's end as it is, so this changes nothing but the layout.
        return Rule::read_jsonl(&lines.replace(['\r', '\n'], " "));
    }
    Rule::read_jsonl(lines)
}

fn wrong(errors: &PatternErrors) -> Value {
    let listed: Vec<Value> =
        errors.iter().map(|error| json!({"place": error.place, "text": error.text})).collect();
    let mut answer = crate::session::failure("pattern-syntax", &errors.to_string());
    answer["error"]["faults"] = listed.into();
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str) -> Answer {
        let tokenizer = Tokenizer::blank("en").unwrap();
        find(&tokenizer, &tokenizer.tokenize(text).unwrap(), pattern)
    }

    fn ranges(answer: &Value) -> Vec<(u64, u64, Option<&str>)> {
        let matches = answer["matches"].as_array().unwrap().iter();
        let number = |value: &Value| value.as_u64().unwrap();
        matches.map(|m| (number(&m["start"]), number(&m["end"]), m["label"].as_str())).collect()
    }

    #[test]
    fn a_token_pattern_finds_all_its_matches() {
        let answer =
            found("a very very good day", r#"[{"LOWER":"very","OP":"+"},{"LOWER":"good"}]"#);
        assert_eq!(ranges(&answer.unwrap()), [(2, 4, None), (1, 4, None)]);
    }

    #[test]
    fn rules_find_phrases_and_tokens_on_lines_or_laid_out() {
        let lines = "{\"label\":\"CITY\",\"pattern\":\"New York\"}\n\
                     {\"label\":\"YEAR\",\"pattern\":[{\"SHAPE\":\"dddd\"}]}";
        let answer = found("New York in 1999", lines).unwrap();
        assert_eq!(ranges(&answer), [(0, 2, Some("CITY")), (3, 4, Some("YEAR"))]);
        let laid_out = "{\n  \"label\": \"CITY\",\n  \"pattern\": \"New York\"\n}";
        let answer = found("New York in 1999", laid_out).unwrap();
        assert_eq!(ranges(&answer), [(0, 2, Some("CITY"))]);
    }

    #[test]
    fn whatever_is_wrong_is_named_with_its_place() {
        let pattern = r#"[{"LOWER":"a"},{"LOWR":"b","OP":"!!"}]"#;
        let answer = found("a b", pattern).unwrap_err();
        let errors = answer["error"]["faults"].as_array().unwrap();
        let places: Vec<_> = errors.iter().map(|fault| fault["place"].as_str().unwrap()).collect();
        assert_eq!(places, ["[1] OP", "[1] LOWR"]);
        for broken in
            ["", "[", "7", "{", "null", "[]", "{}", "\u{0}", "[{\"LOWER\":{\"REGEX\":\"(\"}}]"]
        {
            assert_eq!(
                found("a", broken).unwrap_err()["error"]["code"],
                "pattern-syntax",
                "{broken}"
            );
        }
    }

    #[test]
    fn no_more_matches_are_listed_than_a_page_can_show() {
        let answer = found(&"a ".repeat(100), r#"[{"OP":"+"}]"#).unwrap();
        assert_eq!(answer["count"], 5050);
        assert_eq!(answer["matches"].as_array().map(Vec::len), Some(MAX_LISTED));
    }
}
