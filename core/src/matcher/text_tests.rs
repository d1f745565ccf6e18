//! Conditions on strings: regular expressions to search for, and strings to be similar to.

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};

use super::levenshtein;
use super::test::TextTest;
use crate::codes;
use crate::tokenizer::pattern::{self, flags};
use crate::{Error, ErrorKind, Result};

/// The conditions on strings of all patterns, each once.
#[derive(Clone, Default)]
pub(super) struct TextTests {
    tests: Vec<CompiledTest>,
    numbers: AHashMap<TextTest, u32>,
}

#[derive(Clone)]
enum CompiledTest {
    Regex(Arc<[pattern::Pattern]>),
    Similar(Arc<[SimilarText]>),
}

/// A string to be similar to, and the maximum number of edits.
struct SimilarText {
    text: String,
    chars: usize,
    max_edits: usize,
}

/// The regex matchers of one search, with their lazily built automata.
#[derive(Default)]
pub(super) struct RegexMatchers {
    /// By number of the condition; empty for conditions that were not evaluated yet.
    matchers: Vec<Vec<pattern::Matcher>>,
}

impl TextTests {
    /// Compiles and adds a test, unless it was added before.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for an expression that does not compile.
    pub(super) fn add(&mut self, test: &TextTest) -> Result<()> {
        if self.numbers.contains_key(test) {
            return Ok(());
        }
        let compiled = match test {
            TextTest::Regex(sources) => {
                let compile = |source: &String| {
                    pattern::Pattern::new(source, flags::UNICODE).map_err(|error| {
                        let text = format!("REGEX {source:?} is not a valid expression");
                        Error::value(codes::RULE_SYNTAX, text).caused_by(error)
                    })
                };
                CompiledTest::Regex(sources.iter().map(compile).collect::<Result<_>>()?)
            }
            TextTest::Similar(strings, max_edits) => {
                let similar = strings.iter().map(|text| SimilarText::new(text, *max_edits));
                CompiledTest::Similar(similar.collect())
            }
        };
        let number = u32::try_from(self.tests.len()).expect("fewer than 2^32 tests");
        self.tests.push(compiled);
        self.numbers.insert(test.clone(), number);
        Ok(())
    }

    /// Removes all tests but some that were added. Numbers change.
    pub(super) fn retain(&mut self, kept: &AHashSet<&TextTest>) {
        let TextTests { tests, numbers } = std::mem::take(self);
        let left = numbers.into_iter().filter(|(test, _)| kept.contains(test));
        for (new, (test, old)) in (0..).zip(left) {
            self.numbers.insert(test, new);
            self.tests.push(tests[old as usize].clone());
        }
    }

    /// Returns the number of a test that was added.
    pub(super) fn number(&self, test: &TextTest) -> u32 {
        self.numbers[test]
    }

    /// Returns whether a string passes a test.
    ///
    /// # Errors
    ///
    /// `rule-limit` if an expression that runs by backtracking exceeds its step limit.
    pub(super) fn holds(
        &self,
        number: u32,
        text: &str,
        regexes: &mut RegexMatchers,
    ) -> Result<bool> {
        let number = number as usize;
        match &self.tests[number] {
            CompiledTest::Regex(patterns) => {
                if regexes.matchers.len() <= number {
                    regexes.matchers.resize_with(self.tests.len(), Vec::new);
                }
                let matchers = &mut regexes.matchers[number];
                if matchers.is_empty() {
                    matchers.extend(patterns.iter().map(pattern::Pattern::matcher));
                }
                for matcher in matchers {
                    let found = matcher.search(text).map_err(|error| {
                        let text = format!("REGEX {:?}: {error}", matcher.pattern().source());
                        Error::new(ErrorKind::Value, codes::RULE_LIMIT, text)
                    })?;
                    if found.is_some() {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            CompiledTest::Similar(similar) => {
                let chars = text.chars().count();
                Ok(similar.iter().any(|similar| similar.accepts(text, chars)))
            }
        }
    }
}

impl SimilarText {
    fn new(text: &str, max_edits: Option<usize>) -> SimilarText {
        let chars = text.chars().count();
        let max_edits = max_edits.unwrap_or_else(|| levenshtein::tolerance(chars));
        SimilarText { text: text.to_owned(), chars, max_edits }
    }

    /// Returns whether a text of `chars` characters is close enough. The difference of the lengths
    /// is a lower bound of the distance and rejects most texts.
    fn accepts(&self, text: &str, chars: usize) -> bool {
        let max = self.max_edits;
        self.chars.abs_diff(chars) <= max
            && levenshtein::levenshtein(text, &self.text, Some(max)) <= max
    }
}
