//! Lines of pattern files: a label, and what is to have it.

use std::fmt;
use std::str::FromStr;

use ahash::AHashSet;
use lexpool_structs::AttrId;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::conditions::{conditions, in_one_case};
use super::faults::{Fault, Faults, Reading};
use super::json::Json;
use crate::matcher::{Pattern, Test};

/// A pattern of spaCy's `EntityRuler`: a label, what is to have it, and maybe an id.
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
    /// What matches are called.
    pub label: String,
    /// What is looked for.
    pub pattern: RulePattern,
    /// Tells rules of one label apart.
    pub id: Option<String>,
}

/// What a [`Rule`] looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum RulePattern {
    /// These words, as a tokenizer cuts them.
    Phrase(String),
    /// Tokens that fulfil conditions.
    Tokens(TokenPattern),
}

/// A pattern of tokens as JSON has it, read and found right; it is written as it was read.
///
/// All of spaCy's attributes, operators and predicates are known but extension attributes.
///
/// ```
/// use lexpool::matcher::TokenPattern;
/// let pattern: TokenPattern = r#"[{"LOWER":"very","OP":"+"},{"IS_ALPHA":true}]"#.parse()?;
/// assert_eq!(pattern.len(), 2);
/// let faults = r#"[{"LOWER":3,"OP":"$"}]"#.parse::<TokenPattern>().unwrap_err();
/// assert_eq!(faults.iter().count(), 2);
/// # Ok::<(), lexpool::matcher::Faults>(())
/// ```
#[derive(Clone, Debug)]
pub struct TokenPattern {
    source: Json,
    pattern: Pattern,
}

impl TokenPattern {
    /// The pattern for a [`Matcher`](crate::matcher::Matcher).
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many elements there are, one at least.
    #[expect(clippy::len_without_is_empty, reason = "one without elements is refused")]
    pub fn len(&self) -> usize {
        self.pattern.elements.len()
    }

    /// The attributes that it asks for, some more than once.
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

    fn read(source: &Json, mut at: Reading<'_>) -> Option<TokenPattern> {
        let Json::List(elements) = source else {
            return at.fault(format!("expected a list of tokens, not {source}"));
        };
        if elements.is_empty() {
            return at.fault("expected a token at least, and the list is empty");
        }
        let (mut pattern, mut is_right) = (Pattern::default(), true);
        for (i, element) in elements.iter().enumerate() {
            let mut at = at.part(format_args!("[{i}]"));
            let Json::Map(fields) = element else {
                is_right = false;
                at.fault::<()>(format!("expected a token as {{...}}, not {element}"));
                continue;
            };
            let mut operator = "1";
            for (name, value) in fields {
                if in_one_case(name).as_deref() == Some("OP") {
                    let mut at = at.part(name);
                    if let Json::Text(text) = value {
                        operator = text;
                    } else {
                        is_right = false;
                        at.fault::<()>(format!("expected a string, not {value}"));
                    }
                    // What the operator does to this pattern is seen below.
                    if let Err(error) = Pattern::default().push(Vec::new(), operator) {
                        is_right = false;
                        operator = "1";
                        at.fault::<()>(error.message());
                    }
                }
            }
            match conditions(fields, at.again()) {
                None => is_right = false,
                Some(tests) => {
                    if let Err(error) = pattern.push(tests, operator) {
                        is_right = false;
                        at.fault::<()>(error.message());
                    }
                }
            }
        }
        is_right.then(|| TokenPattern { source: source.clone(), pattern })
    }
}

impl PartialEq for TokenPattern {
    fn eq(&self, other: &TokenPattern) -> bool {
        self.source == other.source
    }
}

impl FromStr for TokenPattern {
    type Err = Faults;

    fn from_str(json: &str) -> Result<TokenPattern, Faults> {
        read_with(String::new(), |at| TokenPattern::read(&parse(json, at)?, at.again()))
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
        read_with(String::new(), |at| TokenPattern::read(&source, at.again()))
            .map_err(D::Error::custom)
    }
}

impl Rule {
    /// Reads the lines of a pattern file; blank ones are passed over.
    ///
    /// # Errors
    ///
    /// All that is wrong with any of the lines.
    ///
    /// ```
    /// use lexpool::matcher::Rule;
    /// let rules = Rule::read_jsonl("{\"label\":\"ORG\",\"pattern\":\"Apple\"}\n\n")?;
    /// assert_eq!(rules[0].label, "ORG");
    /// let wrong = "{\"label\":\"X\",\"pattern\":[{\"LOWER\":{\"REGEX\":\"(\"}}]}";
    /// let faults = Rule::read_jsonl(wrong).unwrap_err();
    /// assert_eq!(faults.iter().next().unwrap().place, "line 1, [0] LOWER REGEX");
    /// # Ok::<(), lexpool::matcher::Faults>(())
    /// ```
    pub fn read_jsonl(lines: &str) -> Result<Vec<Rule>, Faults> {
        let (mut rules, mut faults) = (Vec::new(), Vec::new());
        let lines = lines.strip_prefix('\u{feff}').unwrap_or(lines);
        for (i, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut at = Reading::new(format!("line {},", i + 1), &mut faults);
            rules.extend(parse(line, &mut at).and_then(|source| Rule::read(&source, at)));
        }
        if faults.is_empty() { Ok(rules) } else { Err(Faults(faults)) }
    }

    /// Writes a pattern file, a rule a line.
    pub fn write_jsonl(rules: &[Rule]) -> String {
        let mut lines = String::new();
        for rule in rules {
            let line = serde_json::to_string(rule);
            lines += &line.expect("names are strings, and writing to memory does not fail");
            lines.push('\n');
        }
        lines
    }

    fn read(source: &Json, mut at: Reading<'_>) -> Option<Rule> {
        let Json::Map(fields) = source else {
            return at
                .fault(format!("expected {{\"label\": ..., \"pattern\": ...}}, not {source}"));
        };
        let (mut label, mut pattern, mut id, mut is_right) = (None, None, None, true);
        let mut given = AHashSet::new();
        for (name, value) in fields {
            let mut here = at.part(name);
            let is_again = !given.insert(name);
            match (&**name, value) {
                _ if is_again => is_right = here.fault::<()>("given twice").is_some(),
                ("label", Json::Text(text)) => label = Some(text.clone()),
                ("id", Json::Text(text)) => id = Some(text.clone()),
                ("pattern", Json::Text(text)) if !text.trim().is_empty() => {
                    pattern = Some(RulePattern::Phrase(text.clone()));
                }
                // Its places are named without the field, which says nothing.
                ("pattern", Json::List(_)) => {
                    let read = TokenPattern::read(value, at.again());
                    is_right &= read.is_some();
                    pattern = read.map(RulePattern::Tokens);
                }
                _ => {
                    is_right = false;
                    here.fault::<()>(match &**name {
                        "label" | "id" => format!("expected a string, not {value}"),
                        "pattern" => format!("expected words or a list of tokens, not {value}"),
                        _ => "there is no such field; there are label, pattern and id".to_owned(),
                    });
                }
            }
        }
        for field in ["label", "pattern"] {
            if fields.iter().all(|(name, _)| name != field) {
                is_right = false;
                at.part(field).fault::<()>("missing");
            }
        }
        is_right.then_some(Rule { label: label?, pattern: pattern?, id })
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
        read_with(String::new(), |at| Rule::read(&source, at.again())).map_err(D::Error::custom)
    }
}

/// Reads a pattern that is named otherwise than by its line.
pub(in crate::matcher) fn read_named(place: &str, json: &str) -> Result<TokenPattern, Faults> {
    read_with(format!("{place},"), |at| TokenPattern::read(&parse(json, at)?, at.again()))
}

fn read_with<T>(
    place: String,
    read: impl FnOnce(&mut Reading<'_>) -> Option<T>,
) -> Result<T, Faults> {
    let mut faults = Vec::new();
    let read = read(&mut Reading::new(place, &mut faults));
    match read {
        Some(read) if faults.is_empty() => Ok(read),
        _ => Err(Faults(faults)),
    }
}

fn parse(json: &str, at: &mut Reading<'_>) -> Option<Json> {
    match serde_json::from_str(json) {
        Ok(source) => Some(source),
        Err(error) => at.fault(format!("not JSON: {error}")),
    }
}

impl Faults {
    /// Those of several readings together; none if there is none.
    pub(in crate::matcher) fn of(faults: Vec<Fault>) -> Option<Faults> {
        (!faults.is_empty()).then_some(Faults(faults))
    }
}
