//! Conditions on strings, and what is known of them: an answer holds for every token with the string.

use std::sync::Arc;

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::{TextTest, is_similar};
use crate::tokenizer::pattern::{self, Role};
use crate::{Error, ErrorKind, Result};

/// How many answers a condition keeps before it forgets them all.
const MOST_ANSWERS: usize = 1 << 16;

/// Python's flag for Unicode, which every expression in a string has.
const UNICODE: u32 = 32;

/// The conditions on strings of all patterns, each once. They are only ever added to.
#[derive(Clone, Default)]
pub(super) struct Texts {
    tests: Vec<(AttrId, Compiled)>,
    numbers: AHashMap<(AttrId, TextTest), u32>,
}

#[derive(Clone)]
enum Compiled {
    Found(Arc<[pattern::Pattern]>),
    Similar(Arc<[String]>, Option<usize>),
}

/// What one run needs to answer them, and what earlier ones have found out.
#[derive(Default)]
pub(super) struct Answers {
    /// In the order of the conditions; those not met yet are missing.
    tests: Vec<Known>,
}

#[derive(Default)]
struct Known {
    automata: Vec<pattern::Matcher>,
    by_id: AHashMap<u64, bool>,
}

impl Texts {
    /// The number of a condition, which is added if it is new.
    pub(super) fn number(&mut self, attr: AttrId, test: TextTest) -> Result<u32> {
        let known = (attr, test);
        if let Some(number) = self.numbers.get(&known) {
            return Ok(*number);
        }
        let compiled = match &known.1 {
            TextTest::Found(sources) => {
                let compile = |source: &String| {
                    pattern::Pattern::new(source, UNICODE, Role::Infix).map_err(|error| {
                        let text = format!("{source:?} cannot be searched for");
                        Error::value("rule-syntax", text).caused_by(error)
                    })
                };
                Compiled::Found(sources.iter().map(compile).collect::<Result<_>>()?)
            }
            TextTest::Similar(strings, most) => Compiled::Similar(strings.as_slice().into(), *most),
        };
        let number = u32::try_from(self.tests.len()).unwrap_or(u32::MAX);
        self.tests.push((known.0, compiled));
        self.numbers.insert(known, number);
        Ok(number)
    }

    /// The attribute whose string a condition is on.
    pub(super) fn attr(&self, number: u32) -> AttrId {
        self.tests[number as usize].0
    }

    /// Whether the string of an id fulfils a condition.
    pub(super) fn holds<'a>(
        &self,
        number: u32,
        id: u64,
        answers: &mut Answers,
        text: impl FnOnce() -> Result<&'a str>,
    ) -> Result<bool> {
        let number = number as usize;
        if answers.tests.len() <= number {
            answers.tests.resize_with(self.tests.len(), Known::default);
        }
        let known = &mut answers.tests[number];
        if let Some(holds) = known.by_id.get(&id) {
            return Ok(*holds);
        }
        let holds = self.tests[number].1.holds(text()?, &mut known.automata)?;
        if known.by_id.len() >= MOST_ANSWERS {
            known.by_id.clear();
        }
        known.by_id.insert(id, holds);
        Ok(holds)
    }
}

impl Compiled {
    fn holds(&self, text: &str, automata: &mut Vec<pattern::Matcher>) -> Result<bool> {
        match self {
            Compiled::Found(patterns) => {
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
            Compiled::Similar(strings, most) => {
                Ok(strings.iter().any(|string| is_similar(text, string, *most)))
            }
        }
    }
}
