//! Tokenizers as bytes, in spaCy's format.

use std::sync::Arc;

use lexpool_structs::AttrId;

use super::Tokenizer;
use super::lang::SpecialToken;
use super::rule_set::{PatternSource, RuleName, RuleSet, RuleSource, SpecialCases};
use crate::codes;
use crate::msgpack::Value;
use crate::strings::{StrId, StringStore};
use crate::vocab::Vocab;
use crate::{Error, Result};

impl RuleSet {
    /// Reads the rules of `Tokenizer.to_bytes` in Python: the sources of the patterns, the special
    /// cases and the heuristics. A pattern that is missing never matches. Special cases may refer
    /// to `strings` by id.
    ///
    /// # Errors
    ///
    /// Those of [`Value::from_bytes`]; `msgpack-type` for values of other types; `E1005` for a
    /// special case that sets other attributes than `ORTH` and `NORM`, `E997` for one without
    /// `ORTH`, `E018` for an id whose string is unknown.
    pub fn from_bytes(bytes: &[u8], strings: &StringStore) -> Result<RuleSet> {
        RuleSet::from_parts(&Value::from_bytes(bytes)?, strings)
    }

    /// Reads the rules of a message: see [`from_bytes`](RuleSet::from_bytes).
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](RuleSet::from_bytes), but for damaged bytes.
    pub fn from_parts(parts: &Value, strings: &StringStore) -> Result<RuleSet> {
        if !matches!(parts, Value::Map(_)) {
            return Err(type_error("a map of the parts of a tokenizer"));
        }
        let rule = |name: RuleName| match parts.get(name.as_str()) {
            None | Some(Value::Nil) => Ok(None),
            Some(Value::Str(source)) => Ok(Some(RuleSource::pattern(source))),
            Some(_) => Err(type_error(&format!("the source of a pattern or nil for {name}"))),
        };
        Ok(RuleSet {
            prefix_search: rule(RuleName::PrefixSearch)?,
            suffix_search: rule(RuleName::SuffixSearch)?,
            infix_finditer: rule(RuleName::InfixFinditer)?,
            token_match: rule(RuleName::TokenMatch)?,
            url_match: rule(RuleName::UrlMatch)?,
            special_cases: special_cases(parts.get("exceptions"), strings)?,
            faster_heuristics: match parts.get("faster_heuristics") {
                None => true,
                Some(Value::Bool(faster)) => *faster,
                Some(_) => return Err(type_error("true or false for faster_heuristics")),
            },
        })
    }
}

impl Tokenizer {
    /// Creates a tokenizer from the bytes of `Tokenizer.to_bytes` in Python, the file `tokenizer`
    /// of a pipeline.
    ///
    /// # Errors
    ///
    /// Those of [`RuleSet::from_bytes`] and [`new`](Tokenizer::new).
    ///
    /// ```
    /// use lexpool::msgpack::Value;
    /// use lexpool::tokenizer::Tokenizer;
    /// use lexpool::vocab::{Getters, Vocab};
    ///
    /// let text = |text: &str| Value::Str(text.to_owned());
    /// let parts = Value::Map(vec![(text("infix_finditer"), text("-"))]).to_bytes()?;
    /// let tokenizer = Tokenizer::from_bytes(&Vocab::new(Getters::native("de"))?, &parts)?;
    /// assert_eq!(tokenizer.tokenize("Rhein-Main")?.len(), 3);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn from_bytes(vocab: &Arc<Vocab>, bytes: &[u8]) -> Result<Tokenizer> {
        let rules = RuleSet::from_bytes(bytes, vocab.strings())?;
        Tokenizer::new(vocab, &rules, Tokenizer::DEFAULT_CACHED_CHUNKS)
    }

    /// Returns the bytes that [`from_bytes`](Tokenizer::from_bytes) and spaCy read: the file
    /// `tokenizer` of a pipeline. A rule that is a function is left out.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for more rules than the format can express.
    ///
    /// ```
    /// use lexpool::tokenizer::Tokenizer;
    ///
    /// let tokenizer = Tokenizer::blank("en")?;
    /// let again = Tokenizer::from_bytes(tokenizer.vocab(), &tokenizer.to_bytes()?)?;
    /// assert_eq!(again.special_cases().len(), tokenizer.special_cases().len());
    /// assert_eq!(again.tokenize("(Don't!)")?.len(), 5);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut parts = Vec::new();
        for name in RuleName::ALL {
            let source = self.pattern(name);
            let source = source.map_or(Value::Nil, |source| Value::Str(with_flags(&source)));
            parts.push((Value::Str(name.as_str().to_owned()), source));
        }
        let mut cases = self.special_cases();
        cases.sort_by(|(text, _), (other, _)| text.cmp(other));
        let cases = cases.into_iter().map(|(text, tokens)| {
            (Value::Str(text), Value::Array(tokens.into_iter().map(packed).collect()))
        });
        parts.push((Value::Str("exceptions".to_owned()), Value::Map(cases.collect())));
        let faster = Value::Bool(self.faster_heuristics());
        parts.push((Value::Str("faster_heuristics".to_owned()), faster));
        Value::Map(parts).to_bytes()
    }
}

/// The flags of Python's `re` that a pattern can begin with, by their letters.
const FLAGS: [(u32, char); 5] = [(256, 'a'), (2, 'i'), (8, 'm'), (16, 's'), (64, 'x')];

/// Returns the source of a pattern with its flags in front: spaCy compiles it without any.
fn with_flags(pattern: &PatternSource) -> String {
    let letters: String =
        FLAGS.iter().filter(|(flag, _)| pattern.flags & flag != 0).map(|(_, c)| *c).collect();
    if letters.is_empty() {
        pattern.source.clone()
    } else {
        format!("(?{letters}){}", pattern.source)
    }
}

/// Returns a token of a special case as a map of its attributes by number.
fn packed(token: SpecialToken) -> Value {
    let key = |attr: AttrId| Value::UInt(u64::from(attr.number()));
    let mut attrs = vec![(key(AttrId::ORTH), Value::Str(token.orth))];
    attrs.extend(token.norm.map(|norm| (key(AttrId::NORM), Value::Str(norm))));
    Value::Map(attrs)
}

fn special_cases(value: Option<&Value>, strings: &StringStore) -> Result<SpecialCases> {
    let cases = match value {
        None | Some(Value::Nil) => return Ok(SpecialCases::new()),
        Some(Value::Map(cases)) => cases,
        Some(_) => return Err(type_error("a map of texts to their tokens for exceptions")),
    };
    let case = |(text, tokens): &(Value, Value)| {
        let (Value::Str(text), Value::Array(tokens)) = (text, tokens) else {
            return Err(type_error("a text and a list of its tokens for a special case"));
        };
        let tokens = tokens.iter().map(|token| special_token(text, token, strings));
        Ok((text.clone(), tokens.collect::<Result<_>>()?))
    };
    cases.iter().map(case).collect()
}

fn special_token(text: &str, token: &Value, strings: &StringStore) -> Result<SpecialToken> {
    let Value::Map(attrs) = token else {
        return Err(type_error(&format!("a map of attributes in the special case {text:?}")));
    };
    let (mut orth, mut norm) = (None, None);
    for (key, value) in attrs {
        let attr = match key {
            Value::UInt(number) => u32::try_from(*number).ok().map(AttrId::new),
            Value::Str(name) => AttrId::from_name(name),
            _ => None,
        };
        let value = match value {
            Value::Str(value) => value.clone(),
            Value::UInt(id) => string(*id, strings)?,
            _ => {
                let text = format!("a text or its id in the special case {text:?}");
                return Err(type_error(&text));
            }
        };
        match attr {
            Some(AttrId::ORTH) => orth = Some(value),
            Some(AttrId::NORM) => norm = Some(value),
            _ => {
                let text = format!(
                    "the special case {text:?} sets {key:?}; only ORTH and NORM can be set"
                );
                return Err(Error::value(codes::E1005, text));
            }
        }
    }
    let orth = orth.ok_or_else(|| {
        let text = format!("a token of the special case {text:?} has no ORTH");
        Error::value(codes::E997, text)
    })?;
    Ok(SpecialToken { orth, norm })
}

fn string(id: u64, strings: &StringStore) -> Result<String> {
    let string = strings.get(StrId::new(id)).map(|string| string.to_string());
    string.ok_or_else(|| {
        let text = format!("the id {id} in a special case, whose string was not added");
        Error::value(codes::E018, text)
    })
}

fn type_error(expected: &str) -> Error {
    Error::value(codes::MSGPACK_TYPE, format!("the bytes of a tokenizer: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::Getters;

    fn text(text: &str) -> Value {
        Value::Str(text.to_owned())
    }

    fn read(parts: Vec<(Value, Value)>) -> Result<RuleSet> {
        let strings = StringStore::new();
        strings.add("not").unwrap();
        RuleSet::from_bytes(&Value::Map(parts).to_bytes().unwrap(), &strings)
    }

    fn case(tokens: Vec<Value>) -> Vec<(Value, Value)> {
        vec![(text("exceptions"), Value::Map(vec![(text("dont"), Value::Array(tokens))]))]
    }

    #[test]
    fn all_parts_are_read() {
        let id = Value::UInt(StrId::of("not").get());
        let mut parts = case(vec![
            Value::Map(vec![(Value::UInt(65), text("do"))]),
            Value::Map(vec![(text("ORTH"), text("nt")), (Value::UInt(67), id)]),
        ]);
        parts.push((text("prefix_search"), text("^#")));
        parts.push((text("url_match"), Value::Nil));
        parts.push((text("faster_heuristics"), Value::Bool(false)));
        let rules = read(parts).unwrap();
        assert!(rules.prefix_search.is_some() && rules.url_match.is_none());
        assert!(!rules.faster_heuristics);
        let token = |orth: &str, norm: Option<&str>| SpecialToken {
            orth: orth.to_owned(),
            norm: norm.map(str::to_owned),
        };
        let tokens = vec![token("do", None), token("nt", Some("not"))];
        assert_eq!(rules.special_cases, [("dont".to_owned(), tokens)]);
        let rules = read(Vec::new()).unwrap();
        assert!(rules.faster_heuristics && rules.special_cases.is_empty());
    }

    #[test]
    fn the_bytes_of_something_else_are_refused() {
        let orth = |value| vec![Value::Map(vec![(Value::UInt(65), value)])];
        let table = [
            (vec![(text("prefix_search"), Value::UInt(1))], "msgpack-type"),
            (vec![(text("faster_heuristics"), Value::UInt(1))], "msgpack-type"),
            (vec![(text("exceptions"), Value::UInt(1))], "msgpack-type"),
            (case(vec![Value::Nil]), "msgpack-type"),
            (case(orth(Value::Nil)), "msgpack-type"),
            (case(orth(Value::UInt(12345))), "E018"),
            (case(vec![Value::Map(Vec::new())]), "E997"),
            (case(vec![Value::Map(vec![(text("LEMMA"), text("do"))])]), "E1005"),
        ];
        for (parts, code) in table {
            assert_eq!(read(parts.clone()).unwrap_err().code(), code, "{parts:?}");
        }
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let made = |bytes: &[u8]| Tokenizer::from_bytes(&vocab, bytes).map(|_| ()).unwrap_err();
        assert_eq!(made(b"\x90").code(), "msgpack-type");
        assert_eq!(made(b"\x81").code(), "msgpack-truncated");
        let wrong = Value::Map(vec![(text("suffix_search"), text("("))]).to_bytes().unwrap();
        assert_eq!(made(&wrong).code(), "rule-syntax");
    }
}
