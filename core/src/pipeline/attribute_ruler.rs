//! Sets attributes of tokens by rules: spaCy's `AttributeRuler`.

use std::sync::Arc;

use ahash::AHashMap;

use super::annotation_kind::AnnotationKind;
use super::component::{Component, Groups};
use crate::codes;
use crate::fallible;
use crate::matcher::Matcher;
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::tokens::Doc;
use crate::{Error, Result};

/// The attributes that a match of a key's patterns sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeRule {
    /// The key of the rule's patterns in the matcher.
    pub key: StrId,
    /// The attributes to set; those of lexemes are set on the lexeme too: see
    /// [`TokenAttrsMut::set_with_lexeme`](crate::tokens::TokenAttrsMut::set_with_lexeme).
    pub attrs: Vec<(AttrId, u64)>,
    /// The position of the token in the match; a negative one counts from the end.
    pub index: i64,
}

/// Sets attributes of tokens that match patterns.
///
/// All matches are found before an attribute is set. If several rules set a token's attribute, the
/// last rule wins, and of one rule's matches the last one. Cost: the search, and the attributes
/// set.
///
/// ```
/// use std::sync::Arc;
/// use lexpool::matcher::Matcher;
/// use lexpool::pipeline::{AttributeRule, AttributeRuler, Component, Groups};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let matcher = Matcher::builder().json("0", r#"[{"LOWER": "the"}, {}]"#).build()?;
/// let tag = tokenizer.vocab().strings().add("NN")?;
/// let attrs = vec![(AttrId::TAG, tag.get())];
/// let rule = AttributeRule { key: StrId::of("0"), attrs, index: -1 };
/// let ruler = AttributeRuler::new(Arc::new(matcher), vec![rule])?;
/// let mut doc = tokenizer.tokenize("The sea, the sea")?;
/// ruler.apply(&mut doc, &mut Groups::new())?;
/// assert_eq!(doc.token(1).unwrap().text_of(AttrId::TAG), "NN");
/// assert_eq!(doc.token(0).unwrap().text_of(AttrId::TAG), "");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct AttributeRuler {
    matcher: Arc<Matcher>,
    rules: Vec<AttributeRule>,
    by_key: AHashMap<StrId, usize>,
}

impl AttributeRuler {
    /// Returns a ruler with the patterns of a matcher and the rules of its keys. Matches of a key
    /// without a rule set nothing.
    ///
    /// # Errors
    ///
    /// `E125` if a pattern asks a question, which only a caller could answer.
    pub fn new(matcher: Arc<Matcher>, rules: Vec<AttributeRule>) -> Result<AttributeRuler> {
        if matcher.asks() {
            let text = "a pattern tests an extension attribute or calls a comparison function, \
                        which a pipeline without Python cannot evaluate";
            return Err(Error::value(codes::E125, text));
        }
        let by_key = rules.iter().enumerate().map(|(at, rule)| (rule.key, at)).collect();
        Ok(AttributeRuler { matcher, rules, by_key })
    }

    /// Returns pairs of a rule's position and a token, in the order in which attributes must be
    /// set.
    fn targets(&self, doc: &Doc) -> Result<Vec<(usize, usize)>> {
        let mut matches = Vec::new();
        self.matcher.find_each(doc, 0..doc.len(), &mut |_| Ok(false), |key, tokens| {
            if let Some(rule) = self.by_key.get(&key) {
                fallible::push(&mut matches, (*rule, tokens.start, tokens.end))?;
            }
            Ok(())
        })?;
        matches.sort_unstable();
        let target = |(rule, start, end): (usize, usize, usize)| {
            let index = self.rules[rule].index;
            let len = i64::try_from(end - start).unwrap_or(i64::MAX);
            let within = if index < 0 { index.saturating_add(len) } else { index };
            let within = usize::try_from(within).ok().filter(|within| *within < end - start);
            within.map(|within| (rule, start + within)).ok_or_else(|| {
                let span = doc.span(start, end).map(|span| span.text().to_owned());
                let text = format!(
                    "rule {rule} sets token {index} of its matches, but the match {:?} (tokens \
                     {start}..{end}) has {len} tokens",
                    span.unwrap_or_default()
                );
                Error::value(codes::E1001, text)
            })
        };
        matches.into_iter().map(target).collect()
    }
}

impl Component for AttributeRuler {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        for (rule, token) in self.targets(doc)? {
            doc.attrs_mut().set_with_lexeme(token, &self.rules[rule].attrs)?;
        }
        Ok(())
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        let mut attrs = self.rules.iter().flat_map(|rule| &rule.attrs);
        attrs.any(|(attr, _)| AnnotationKind::of_attr(*attr) == Some(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{Pattern, Test};
    use crate::tokenizer::Tokenizer;

    fn ruler(patterns: &[(&str, &str, u64, i64)]) -> AttributeRuler {
        let mut builder = Matcher::builder();
        let mut rules = Vec::new();
        for (key, json, tag, index) in patterns {
            builder = builder.json(key, json);
            let attrs = vec![(AttrId::TAG, *tag)];
            rules.push(AttributeRule { key: StrId::of(key), attrs, index: *index });
        }
        AttributeRuler::new(Arc::new(builder.build().unwrap()), rules).unwrap()
    }

    fn tags(ruler: &AttributeRuler, text: &str) -> Result<Vec<u64>> {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize(text).unwrap();
        let done = ruler.apply(&mut doc, &mut Groups::new());
        if done.is_err() {
            assert!(doc.tag_records().is_none(), "a failing rule sets nothing");
        }
        done.map(|()| doc.iter().map(|token| token.attr(AttrId::TAG)).collect())
    }

    #[test]
    fn the_last_matching_rule_wins() {
        let any = r#"[{"OP": "+"}]"#;
        // Rules apply in their own order, not in that of their keys.
        let ruler =
            ruler(&[("b", any, 1, 0), ("c", r#"[{"LOWER": "x"}]"#, 2, 0), ("a", any, 3, 9)]);
        assert_eq!(tags(&ruler, "x").unwrap_err().code(), "E1001");
        let ruler = self::ruler(&[("b", any, 1, 0), ("a", r#"[{"LOWER": "x"}]"#, 2, 0)]);
        assert_eq!(tags(&ruler, "y x y").unwrap(), [1, 2, 1]);
    }

    #[test]
    fn a_negative_index_counts_from_the_end() {
        let two = r#"[{}, {"LOWER": "x"}]"#;
        assert_eq!(tags(&ruler(&[("0", two, 5, -1)]), "y x").unwrap(), [0, 5]);
        assert_eq!(tags(&ruler(&[("0", two, 5, -2)]), "y x").unwrap(), [5, 0]);
        for index in [2, -3, i64::MIN, i64::MAX] {
            let error = tags(&ruler(&[("0", two, 5, index)]), "y x").unwrap_err();
            assert_eq!(error.code(), "E1001");
            assert!(error.message().contains("\"y x\""), "{error}");
        }
    }

    #[test]
    fn patterns_that_ask_questions_are_refused() {
        let mut asking = Pattern::default();
        asking.push(vec![Test::Ask(7)], "1").unwrap();
        let matcher = Matcher::builder().pattern("0", asking).build().unwrap();
        let made = AttributeRuler::new(Arc::new(matcher), Vec::new());
        assert_eq!(made.map(|_| ()).unwrap_err().code(), "E125");
    }
}
