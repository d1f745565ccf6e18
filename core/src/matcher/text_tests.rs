//! Conditions on strings: regular expressions to search for, and strings to be similar to.

use std::sync::Arc;

use ahash::AHashMap;

use super::levenshtein;
use super::test::TextTest;
use crate::codes;
use crate::tokenizer::pattern::{self, flags};
use crate::{Error, ErrorKind, Result};

/// The conditions on strings of all patterns, each once.
#[derive(Clone, Default)]
pub(super) struct TextTests {
    tests: Vec<(Arc<TextTest>, CompiledTest)>,
    uses: AHashMap<Arc<TextTest>, TestUses>,
}

/// Number of a test, and how often it was added.
#[derive(Clone)]
struct TestUses {
    /// The place of the test in the list of all.
    number: u32,
    count: usize,
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
    /// Adds a test, which is compiled unless it was added before.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for an expression that does not compile.
    pub(super) fn add(&mut self, test: &TextTest) -> Result<()> {
        if let Some(uses) = self.uses.get_mut(test) {
            uses.count += 1;
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
        let test = Arc::new(test.clone());
        self.tests.push((Arc::clone(&test), compiled));
        self.uses.insert(test, TestUses { number, count: 1 });
        Ok(())
    }

    /// Removes a test once it was removed as often as added. Another one may get its number.
    pub(super) fn remove(&mut self, test: &TextTest) {
        let Some(uses) = self.uses.get_mut(test) else { return };
        uses.count -= 1;
        if uses.count > 0 {
            return;
        }
        let number = uses.number;
        self.uses.remove(test);
        self.tests.swap_remove(number as usize);
        if let Some((moved, _)) = self.tests.get(number as usize) {
            self.uses.get_mut(moved).expect("each test in the list is used").number = number;
        }
    }

    /// Returns the number of a test that was added.
    pub(super) fn number(&self, test: &TextTest) -> u32 {
        self.uses[test].number
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
        match &self.tests[number].1 {
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
