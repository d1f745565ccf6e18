//! Making a matcher in one go, of patterns in any form.

use ahash::AHashMap;

use super::spec::{Fault, Faults, read_named};
use super::{Greedy, Match, Matcher, Pattern};
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Error, Result};

/// Collects patterns for a [`Matcher`]; whatever is wrong with them is said at the end.
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
#[must_use = "it is `build` that makes a matcher"]
pub struct MatcherBuilder {
    rules: Vec<(StrId, Pattern)>,
    greedy: AHashMap<StrId, Greedy>,
    faults: Vec<Fault>,
}

impl MatcherBuilder {
    /// Adds a pattern under a key, behind those it has.
    pub fn pattern(mut self, key: &str, pattern: Pattern) -> MatcherBuilder {
        self.rules.push((StrId::of(key), pattern));
        self
    }

    /// Adds a pattern that is written as JSON, a list of tokens.
    pub fn json(mut self, key: &str, tokens: &str) -> MatcherBuilder {
        match read_named(&format!("pattern for {key:?}"), tokens) {
            Ok(read) => self.pattern(key, read.pattern().clone()),
            Err(faults) => {
                self.faults.extend(faults.iter().cloned());
                self
            }
        }
    }

    /// Of the matches of a key that overlap only one is to be kept.
    pub fn greedy(mut self, key: &str, greedy: Greedy) -> MatcherBuilder {
        self.greedy.insert(StrId::of(key), greedy);
        self
    }

    /// Makes the matcher.
    ///
    /// # Errors
    ///
    /// `pattern-syntax` with all that is wrong with patterns in JSON; what [`Matcher::add`] fails
    /// with.
    pub fn build(self) -> Result<Matcher> {
        if let Some(faults) = Faults::of(self.faults) {
            return Err(faults.into());
        }
        let mut matcher = Matcher::default();
        for (key, pattern) in self.rules {
            matcher.add(key, vec![pattern], self.greedy.get(&key).copied())?;
        }
        Ok(matcher)
    }
}

impl Matcher {
    /// Begins a matcher that is given its patterns one by one.
    pub fn builder() -> MatcherBuilder {
        MatcherBuilder::default()
    }

    /// The matches in a whole document, without alignments, in the order of [`Matcher::find`].
    ///
    /// They are all found when this returns.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`]; `E125` if a pattern asks, which only `find` has an answer to.
    pub fn find_iter(&self, doc: &Doc) -> Result<impl ExactSizeIterator<Item = Match> + use<>> {
        let found = self.find(doc, 0..doc.len(), false, &mut |question| {
            let text =
                format!("nobody is there to answer question {}; see `find`", question.number);
            Err(Error::value("E125", text))
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
    fn all_that_is_wrong_is_said_at_the_end_with_its_key() {
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
    fn a_question_that_nobody_answers_is_an_error() {
        let mut asking = Pattern::default();
        asking.push(vec![Test::Ask(7)], "1").unwrap();
        let matcher = Matcher::builder().pattern("key", asking).build().unwrap();
        let doc = Tokenizer::blank("en").unwrap().tokenize("word").unwrap();
        let error = matcher.find_iter(&doc).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "E125");
        assert!(error.message().contains("question 7"));
    }
}
