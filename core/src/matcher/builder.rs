//! Builder of a matcher, from patterns in any form.

use ahash::AHashMap;

use super::greedy::Greedy;
use super::pattern::Pattern;
use super::rules::{PatternError, PatternErrors, read_named};
use super::token_match::Match;
use super::token_matcher::Matcher;
use crate::codes;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Collects patterns for a [`Matcher`]; [`build`](MatcherBuilder::build) reports all their errors.
///
/// ```
/// use lexpool::matcher::{Greedy, Matcher, Pattern, Test};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let mut number = Pattern::default();
/// number.push(vec![Test::Is(AttrId::LIKE_NUM, 1)], "1")?;
/// let matcher = Matcher::builder()
///     .pattern("number", number)
///     .json("praise", r#"[{"LOWER": "very", "OP": "+"}, {"LOWER": {"IN": ["good", "fine"]}}]"#)
///     .greedy("praise", Greedy::Longest)
///     .build()?;
///
/// let doc = Tokenizer::blank("en")?.tokenize("It is very very good, 9 of ten.")?;
/// let found: Vec<_> = matcher.find_iter(&doc)?.map(|found| found.tokens).collect();
/// assert_eq!(found, [6..7, 8..9, 2..5]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "`build` makes the matcher"]
pub struct MatcherBuilder {
    rules: Vec<(StrId, Pattern)>,
    greedy: AHashMap<StrId, Greedy>,
    errors: Vec<PatternError>,
}

impl MatcherBuilder {
    /// Adds a pattern to those of a key.
    pub fn pattern(mut self, key: &str, pattern: Pattern) -> MatcherBuilder {
        self.rules.push((StrId::of(key), pattern));
        self
    }

    /// Adds a pattern in JSON, a list of tokens in spaCy's form.
    pub fn json(mut self, key: &str, tokens: &str) -> MatcherBuilder {
        match read_named(&format!("pattern for {key:?}"), tokens) {
            Ok(read) => self.pattern(key, read.pattern().clone()),
            Err(errors) => {
                self.errors.extend(errors.iter().cloned());
                self
            }
        }
    }

    /// Sets the choice among overlapping matches of a key.
    pub fn greedy(mut self, key: &str, greedy: Greedy) -> MatcherBuilder {
        self.greedy.insert(StrId::of(key), greedy);
        self
    }

    /// Builds the matcher.
    ///
    /// # Errors
    ///
    /// `pattern-syntax` with all errors of patterns in JSON; those of [`Matcher::add`].
    pub fn build(self) -> Result<Matcher> {
        if let Some(errors) = PatternErrors::new(self.errors) {
            return Err(errors.into());
        }
        let mut matcher = Matcher::default();
        for (key, pattern) in self.rules {
            matcher.add(key, vec![pattern], self.greedy.get(&key).copied())?;
        }
        Ok(matcher)
    }
}

impl Matcher {
    /// Returns an empty builder.
    pub fn builder() -> MatcherBuilder {
        MatcherBuilder::default()
    }

    /// Returns the matches in a whole document, without alignments, in the order of
    /// [`Matcher::find`]. The search ends before the method returns.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`]; `E125` if a pattern asks a question, which only `find` can answer.
    pub fn find_iter(&self, doc: &Doc) -> Result<impl ExactSizeIterator<Item = Match> + use<>> {
        let found = self.find(doc, 0..doc.len(), false, &mut |question| {
            let text = format!(
                "a pattern asks question {}, which `find_iter` cannot answer; call `find` with a \
                 function that answers questions",
                question.number
            );
            Err(Error::value(codes::E125, text))
        });
        Ok(found?.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Test;
    use crate::tokenizer::Tokenizer;

    #[test]
    fn build_reports_all_errors_with_their_keys() {
        let built = Matcher::builder()
            .json("one", "[{\"LOWER\": 1}]")
            .json("two", "[")
            .json("fine", "[{}]")
            .json("three", "[{}, {\"_\": {\"own\": true}}]")
            .build();
        let error = built.map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "pattern-syntax");
        for place in ["for \"one\", [0] LOWER: ", "for \"two\": not JSON", "for \"three\", [1] _: "]
        {
            assert!(error.message().contains(place), "{place} in {error}");
        }
        assert!(!error.message().contains("fine"));
    }

    #[test]
    fn find_iter_fails_for_a_pattern_that_asks_a_question() {
        let mut asking = Pattern::default();
        asking.push(vec![Test::Ask(7)], "1").unwrap();
        let matcher = Matcher::builder().pattern("key", asking).build().unwrap();
        let doc = Tokenizer::blank("en").unwrap().tokenize("word").unwrap();
        let error = matcher.find_iter(&doc).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "E125");
        assert!(error.message().contains("question 7"));
    }
}
