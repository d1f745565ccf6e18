//! Conditions on strings: expressions that are searched for, and strings to be like.

use std::sync::Arc;

use ahash::AHashMap;

use super::{TextTest, levenshtein};
use crate::tokenizer::pattern::{self, Role};
use crate::{Error, ErrorKind, Result};

/// Python's flag for Unicode, which every expression in a string has.
const UNICODE: u32 = 32;

/// The conditions on strings of all patterns, each once. They are only ever added to.
#[derive(Clone, Default)]
pub(super) struct Texts {
    tests: Vec<Compiled>,
    numbers: AHashMap<TextTest, u32>,
}

#[derive(Clone)]
enum Compiled {
    Found(Arc<[pattern::Pattern]>),
    Similar(Arc<[Wanted]>),
}

/// A string to be like, and at how many edits it still is.
struct Wanted {
    text: String,
    chars: usize,
    most: usize,
}

/// The automata of one search, built as far as its texts have led them.
#[derive(Default)]
pub(super) struct Runs {
    /// In the order of the conditions; empty for those not met yet.
    automata: Vec<Vec<pattern::Matcher>>,
}

impl Texts {
    /// Compiles a condition, unless it is there.
    pub(super) fn add(&mut self, test: &TextTest) -> Result<()> {
        if self.numbers.contains_key(test) {
            return Ok(());
        }
        let compiled = match test {
            TextTest::Found(sources) => {
                let compile = |source: &String| {
                    pattern::Pattern::new(source, UNICODE, Role::Infix).map_err(|error| {
                        let text = format!("{source:?} cannot be searched for");
                        Error::value("rule-syntax", text).caused_by(error)
                    })
                };
                Compiled::Found(sources.iter().map(compile).collect::<Result<_>>()?)
            }
            TextTest::Similar(strings, most) => {
                let wanted = strings.iter().map(|text| Wanted::new(text, *most));
                Compiled::Similar(wanted.collect())
            }
        };
        let number = u32::try_from(self.tests.len()).expect("fewer tests than memory has bytes");
        self.tests.push(compiled);
        self.numbers.insert(test.clone(), number);
        Ok(())
    }

    /// The number of a condition that was added.
    pub(super) fn number(&self, test: &TextTest) -> u32 {
        self.numbers[test]
    }

    /// Whether a string fulfils a condition.
    ///
    /// # Errors
    ///
    /// `rule-limit` where an expression that runs by backtracking takes too many steps.
    pub(super) fn holds(&self, number: u32, text: &str, runs: &mut Runs) -> Result<bool> {
        let number = number as usize;
        match &self.tests[number] {
            Compiled::Found(patterns) => {
                if runs.automata.len() <= number {
                    runs.automata.resize_with(self.tests.len(), Vec::new);
                }
                let automata = &mut runs.automata[number];
                if automata.is_empty() {
                    automata.extend(patterns.iter().map(pattern::Pattern::matcher));
                }
                for automaton in automata {
                    let found = automaton.search(text).map_err(|error| {
                        let text = format!("{:?}: {error}", automaton.pattern().source());
                        Error::new(ErrorKind::Value, "rule-limit", text)
                    })?;
                    if found.is_some() {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Compiled::Similar(wanted) => {
                let chars = text.chars().count();
                Ok(wanted.iter().any(|wanted| wanted.is_like(text, chars)))
            }
        }
    }
}

impl Wanted {
    fn new(text: &str, most: Option<usize>) -> Wanted {
        let chars = text.chars().count();
        let most = most.unwrap_or_else(|| levenshtein::tolerance(chars));
        Wanted { text: text.to_owned(), chars, most }
    }

    /// Lengths tell most strings apart.
    fn is_like(&self, text: &str, chars: usize) -> bool {
        self.chars.abs_diff(chars) <= self.most
            && levenshtein::levenshtein(text, &self.text, Some(self.most)) <= self.most
    }
}
