//! Rules of pattern files: a label with a phrase or a token pattern.

use std::fmt;
use std::str::FromStr;

use ahash::AHashSet;
use lexpool_structs::AttrId;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::conditions::{conditions, in_one_case};
use super::errors::{ParseContext, PatternErrors};
use super::json::Json;
use crate::matcher::pattern::Pattern;
use crate::matcher::test::Test;

/// A rule of spaCy's `EntityRuler`: a label, the pattern of its entities, and an optional id.
///
/// ```
/// use lexpool::matcher::{Rule, RulePattern};
/// let line = r#"{"label":"GPE","pattern":[{"LOWER":"san"},{"LOWER":"francisco"}],"id":"sf"}"#;
/// let rule: Rule = serde_json::from_str(line).unwrap();
/// assert!(matches!(&rule.pattern, RulePattern::Tokens(pattern) if pattern.len() == 2));
/// assert_eq!(serde_json::to_string(&rule).unwrap(), line);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The label of the matches.
    pub label: String,
    /// The pattern to search for.
    pub pattern: RulePattern,
    /// An identifier of the matches, beside their label.
    pub id: Option<String>,
}

/// The pattern of a [`Rule`].
#[derive(Clone, Debug, PartialEq)]
pub enum RulePattern {
    /// A phrase, which a tokenizer splits into tokens.
    Phrase(String),
    /// A token pattern.
    Tokens(TokenPattern),
}

/// A validated token pattern in JSON, which is written as it was read.
///
/// All of spaCy's attributes, operators and predicates are supported, except extension attributes.
///
/// ```
/// use lexpool::matcher::TokenPattern;
/// let pattern: TokenPattern = r#"[{"LOWER":"very","OP":"+"},{"IS_ALPHA":true}]"#.parse()?;
/// assert_eq!(pattern.len(), 2);
/// let errors = r#"[{"LOWER":3,"OP":"$"}]"#.parse::<TokenPattern>().unwrap_err();
/// assert_eq!(errors.iter().count(), 2);
/// # Ok::<(), lexpool::matcher::PatternErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct TokenPattern {
    source: Json,
    pattern: Pattern,
}

impl TokenPattern {
    /// Returns the pattern for a [`Matcher`](crate::matcher::Matcher).
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the number of elements, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a pattern without elements is invalid")]
    pub fn len(&self) -> usize {
        self.pattern.elements.len()
    }

    /// Returns the tested attributes, with repetitions.
    pub fn attrs(&self) -> impl Iterator<Item = AttrId> {
        self.pattern.elements.iter().flatten().filter_map(|test| match test {
            Test::Is(attr, _)
            | Test::Among(attr, _)
            | Test::NotAmong(attr, _)
            | Test::Relation(attr, ..)
            | Test::Compare(attr, ..)
            | Test::Text(attr, _)
            | Test::NotText(attr, _)
            | Test::AskText(attr, _) => Some(*attr),
            Test::Ask(_) => None,
        })
    }

    fn read(source: &Json, mut at: ParseContext<'_>) -> Option<TokenPattern> {
        let Json::List(elements) = source else {
            return at.error(format!("expected a list of tokens, not {source}"));
        };
        if elements.is_empty() {
            return at.error("expected at least one token, not an empty list");
        }
        let (mut pattern, mut is_valid) = (Pattern::default(), true);
        for (i, element) in elements.iter().enumerate() {
            let mut at = at.child(format_args!("[{i}]"));
            let Json::Map(fields) = element else {
                is_valid = false;
                at.error::<()>(format!("expected a token as {{...}}, not {element}"));
                continue;
            };
            let mut operator = "1";
            for (name, value) in fields {
                if in_one_case(name).as_deref() == Some("OP") {
                    let mut at = at.child(name);
                    if let Json::Text(text) = value {
                        operator = text;
                    } else {
                        is_valid = false;
                        at.error::<()>(format!("expected a string, not {value}"));
                    }
                    // The limits of the whole pattern are checked by `push` below.
                    if let Err(error) = Pattern::default().push(Vec::new(), operator) {
                        is_valid = false;
                        operator = "1";
                        at.error::<()>(error.message());
                    }
                }
            }
            match conditions(fields, at.reborrow()) {
                None => is_valid = false,
                Some(tests) => {
                    if let Err(error) = pattern.push(tests, operator) {
                        is_valid = false;
                        at.error::<()>(error.message());
                    }
                }
            }
        }
        is_valid.then(|| TokenPattern { source: source.clone(), pattern })
    }
}

impl PartialEq for TokenPattern {
    fn eq(&self, other: &TokenPattern) -> bool {
        self.source == other.source
    }
}

impl FromStr for TokenPattern {
    type Err = PatternErrors;

    fn from_str(json: &str) -> Result<TokenPattern, PatternErrors> {
        read_with(String::new(), |at| TokenPattern::read(&parse(json, at)?, at.reborrow()))
    }
}

impl fmt::Display for TokenPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.source).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for TokenPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TokenPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TokenPattern, D::Error> {
        let source = Json::deserialize(deserializer)?;
        read_with(String::new(), |at| TokenPattern::read(&source, at.reborrow()))
            .map_err(D::Error::custom)
    }
}

impl Rule {
    /// Reads the rules of a pattern file; blank lines are skipped.
    ///
    /// # Errors
    ///
    /// All errors of all lines.
    ///
    /// ```
    /// use lexpool::matcher::Rule;
    /// let rules = Rule::read_jsonl("{\"label\":\"ORG\",\"pattern\":\"Apple\"}\n\n")?;
    /// assert_eq!(rules[0].label, "ORG");
    /// let wrong = "{\"label\":\"X\",\"pattern\":[{\"LOWER\":{\"REGEX\":\"(\"}}]}";
    /// let errors = Rule::read_jsonl(wrong).unwrap_err();
    /// assert_eq!(errors.iter().next().unwrap().place, "line 1, [0] LOWER REGEX");
    /// # Ok::<(), lexpool::matcher::PatternErrors>(())
    /// ```
    pub fn read_jsonl(lines: &str) -> Result<Vec<Rule>, PatternErrors> {
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        let lines = lines.strip_prefix('\u{feff}').unwrap_or(lines);
        for (i, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut at = ParseContext::new(format!("line {},", i + 1), &mut errors);
            rules.extend(parse(line, &mut at).and_then(|source| Rule::read(&source, at)));
        }
        PatternErrors::new(errors).map_or(Ok(rules), Err)
    }

    /// Writes a pattern file with a rule on each line.
    pub fn write_jsonl(rules: &[Rule]) -> String {
        let mut lines = String::new();
        for rule in rules {
            let line = serde_json::to_string(rule);
            lines += &line.expect("names are strings, and writing to memory does not fail");
            lines.push('\n');
        }
        lines
    }

    fn read(source: &Json, mut at: ParseContext<'_>) -> Option<Rule> {
        let Json::Map(fields) = source else {
            return at
                .error(format!("expected {{\"label\": ..., \"pattern\": ...}}, not {source}"));
        };
        let (mut label, mut pattern, mut id, mut is_valid) = (None, None, None, true);
        let mut seen = AHashSet::new();
        for (name, value) in fields {
            let mut here = at.child(name);
            let is_repeated = !seen.insert(name);
            match (&**name, value) {
                _ if is_repeated => is_valid = here.error::<()>("the field occurs twice").is_some(),
                ("label", Json::Text(text)) => label = Some(text.clone()),
                ("id", Json::Text(text)) => id = Some(text.clone()),
                ("pattern", Json::Text(text)) if !text.trim().is_empty() => {
                    pattern = Some(RulePattern::Phrase(text.clone()));
                }
                // Places in the list are reported without the field name, which adds nothing.
                ("pattern", Json::List(_)) => {
                    let read = TokenPattern::read(value, at.reborrow());
                    is_valid &= read.is_some();
                    pattern = read.map(RulePattern::Tokens);
                }
                _ => {
                    is_valid = false;
                    here.error::<()>(match &**name {
                        "label" | "id" => format!("expected a string, not {value}"),
                        "pattern" => format!("expected a phrase or a list of tokens, not {value}"),
                        _ => "unknown field; expected label, pattern or id".to_owned(),
                    });
                }
            }
        }
        for field in ["label", "pattern"] {
            if fields.iter().all(|(name, _)| name != field) {
                is_valid = false;
                at.child(field).error::<()>("missing");
            }
        }
        is_valid.then_some(Rule { label: label?, pattern: pattern?, id })
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("label", &self.label)?;
        match &self.pattern {
            RulePattern::Phrase(phrase) => map.serialize_entry("pattern", phrase)?,
            RulePattern::Tokens(tokens) => map.serialize_entry("pattern", tokens)?,
        }
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rule, D::Error> {
        let source = Json::deserialize(deserializer)?;
        read_with(String::new(), |at| Rule::read(&source, at.reborrow())).map_err(D::Error::custom)
    }
}

/// Reads a token pattern, with `place` instead of a line in its errors.
pub(in crate::matcher) fn read_named(
    place: &str,
    json: &str,
) -> Result<TokenPattern, PatternErrors> {
    read_with(format!("{place},"), |at| TokenPattern::read(&parse(json, at)?, at.reborrow()))
}

fn read_with<T>(
    place: String,
    read: impl FnOnce(&mut ParseContext<'_>) -> Option<T>,
) -> Result<T, PatternErrors> {
    let mut errors = Vec::new();
    let read = read(&mut ParseContext::new(place, &mut errors));
    match read {
        Some(read) if errors.is_empty() => Ok(read),
        _ => Err(PatternErrors(errors)),
    }
}

fn parse(json: &str, at: &mut ParseContext<'_>) -> Option<Json> {
    match serde_json::from_str(json) {
        Ok(source) => Some(source),
        Err(error) => at.error(format!("not JSON: {error}")),
    }
}
