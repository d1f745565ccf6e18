//! Reader of the keys of a section, which notes every problem, so that all are reported at once.

use std::cell::RefCell;
use std::fmt::Display;

use lexpool::codes;
use lexpool::config::{Config, Section, Value};
use lexpool::limits::{self, Limit};
use lexpool::matcher::levenshtein;
use lexpool::{Error, Result};

/// The problems of a configuration.
#[derive(Default)]
pub(crate) struct Problems {
    /// Unknown keys and wrong values.
    wrong: RefCell<Vec<String>>,
    /// Parts that lexpool lacks.
    unsupported: RefCell<Vec<String>>,
}

impl Problems {
    pub(crate) fn add_wrong(&self, text: String) {
        self.wrong.borrow_mut().push(text);
    }

    pub(crate) fn add_unsupported(&self, text: String) {
        self.unsupported.borrow_mut().push(text);
    }

    /// Adds an error that lexpool has with a section, unless its message names the section itself.
    pub(crate) fn add_refusal(&self, section: &str, error: &Error) {
        let text = error.message();
        let is_named = text.starts_with('[');
        self.add_unsupported(if is_named {
            text.to_owned()
        } else {
            format!("[{section}] {text}")
        });
    }

    /// Returns all problems as one error: those that spaCy has too first.
    ///
    /// # Errors
    ///
    /// `training-config` for unknown keys and wrong values, else `training-unsupported`.
    pub(crate) fn into_result(self, config: &Config) -> Result<()> {
        let (wrong, unsupported) = (self.wrong.into_inner(), self.unsupported.into_inner());
        let code = match (wrong.is_empty(), unsupported.is_empty()) {
            (true, true) => return Ok(()),
            (false, _) => codes::TRAINING_CONFIG,
            (true, false) => codes::TRAINING_UNSUPPORTED,
        };
        let mut text = format!("{}: lexpool cannot train this pipeline", config.origin());
        for problem in wrong.iter().chain(&unsupported) {
            text.push_str("\n  ");
            text.push_str(problem);
        }
        Err(Error::value(code, text))
    }
}

/// The numbers that a key may have. All are finite.
#[derive(Clone, Copy)]
pub(crate) struct NumberRange {
    /// The range in words.
    pub(crate) name: &'static str,
    contains: fn(f64) -> bool,
}

impl NumberRange {
    pub(crate) const ANY: NumberRange = NumberRange { name: "a finite number", contains: |_| true };
    pub(crate) const NOT_NEGATIVE: NumberRange =
        NumberRange { name: "a finite number from 0 on", contains: |number| number >= 0.0 };
    /// The words or examples of a batch.
    #[expect(clippy::cast_precision_loss, reason = "the limit is below 2^53")]
    pub(crate) const BATCH_SIZE: NumberRange = NumberRange {
        name: "a finite number from 1 on (limit training.batch)",
        contains: |number| (1.0..=limits::TRAINING_BATCH.max() as f64).contains(&number),
    };
    /// A share of what is left.
    pub(crate) const BELOW_ONE: NumberRange = NumberRange {
        name: "a number from 0 to below 1",
        contains: |number| (0.0..1.0).contains(&number),
    };
    pub(crate) const SHARE: NumberRange = NumberRange {
        name: "a number from 0 to 1",
        contains: |number| (0.0..=1.0).contains(&number),
    };
    /// The decay of a running mean.
    pub(crate) const DECAY: NumberRange = NumberRange {
        name: "a number of more than 0 and below 1",
        contains: |number| number > 0.0 && number < 1.0,
    };

    pub(crate) fn contains(self, number: f64) -> bool {
        number.is_finite() && (self.contains)(number)
    }
}

/// A section of a configuration whose keys are known.
pub(crate) struct Fields<'a> {
    section: &'a Section,
    name: String,
    problems: &'a Problems,
    /// The keys that were asked for.
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    /// Makes a reader of a section; `name` is its name in the file.
    pub(crate) fn new(
        section: &'a Section,
        name: impl Into<String>,
        problems: &'a Problems,
    ) -> Fields<'a> {
        Fields { section, name: name.into(), problems, known: RefCell::default() }
    }

    /// Returns a value; `None` if it is missing or null.
    pub(crate) fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.known.borrow_mut().push(key);
        self.section.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn flag(&self, key: &'static str, default: bool) -> bool {
        self.value(key, "true or false", Value::as_bool).unwrap_or(default)
    }

    /// Returns a whole number up to a limit.
    pub(crate) fn count(&self, key: &'static str, default: usize, limit: Limit) -> usize {
        let count = |value: &Value| value.as_int().filter(|count| *count >= 0);
        let count = self.value(key, "a whole number from 0 on", count);
        count.and_then(|count| self.within(key, count, limit)).unwrap_or(default)
    }

    /// Returns a whole number up to a limit that may have a point, as spaCy writes `t = 0.0`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
    pub(crate) fn whole(&self, key: &'static str, default: u64, limit: Limit) -> u64 {
        let whole = |value: &Value| {
            let number = value.as_float().filter(|number| *number >= 0.0 && number.fract() == 0.0);
            number.map(|number| number as u64)
        };
        let number = self.value(key, "a whole number from 0 on", whole);
        let number = number.and_then(|number| self.within(key, number, limit));
        number.map_or(default, |number| number as u64)
    }

    pub(crate) fn number(&self, key: &'static str, default: f64) -> f64 {
        self.number_in(key, default, NumberRange::ANY)
    }

    /// Returns a number of a range; the default if it is missing or outside.
    pub(crate) fn number_in(&self, key: &'static str, default: f64, range: NumberRange) -> f64 {
        let number = |value: &Value| value.as_float().filter(|number| range.contains(*number));
        self.value(key, range.name, number).unwrap_or(default)
    }

    /// Returns a whole number up to a limit; `None` if it is missing or null.
    pub(crate) fn optional_count(&self, key: &'static str, limit: Limit) -> Option<i64> {
        let count = |value: &Value| value.as_int().filter(|count| *count >= 0);
        let count = self.value(key, "a whole number from 0 on, or null", count)?;
        self.within(key, count, limit).map(|_| count)
    }

    /// Returns a number that must be given.
    pub(crate) fn required(&self, key: &'static str) -> f64 {
        if self.get(key).is_none() {
            self.missing(key);
        }
        self.number(key, 0.0)
    }

    pub(crate) fn at_least_one(&self, key: &'static str, default: usize, limit: Limit) -> usize {
        let count = self.count(key, default, limit);
        if count == 0 {
            self.wrong(key, &Value::Int(0), "a whole number from 1 on");
        }
        count.max(1)
    }

    pub(crate) fn text(&self, key: &'static str) -> Option<String> {
        self.value(key, "a text", |value| value.as_text().map(str::to_owned))
    }

    pub(crate) fn texts(&self, key: &'static str) -> Vec<String> {
        let texts = |value: &Value| {
            let texts = value.as_texts()?;
            Some(texts.into_iter().map(str::to_owned).collect())
        };
        self.value(key, "a list of names", texts).unwrap_or_default()
    }

    /// Returns a section within this one.
    pub(crate) fn inner(&self, key: &'static str) -> Option<Fields<'a>> {
        let section = self.value(key, "a section", Value::as_section)?;
        Some(Fields::new(section, format!("{}.{key}", self.name), self.problems))
    }

    /// Returns a section with any keys; an empty one if it is missing.
    pub(crate) fn section(&self, key: &'static str) -> Section {
        self.value(key, "a section", Value::as_section).cloned().unwrap_or_default()
    }

    /// Returns the section as a value.
    pub(crate) fn value_of_all(&self) -> Value {
        Value::Section(self.section.clone())
    }

    /// Returns the name of the section.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Notes the scorer of a component if it is another one than lexpool has for it.
    pub(crate) fn scorer(&self, usual: &str) {
        let Some(scorer) = self.inner("scorer") else { return };
        let name = scorer.function("@scorers").unwrap_or_default();
        let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        if stem(name) != stem(usual) {
            scorer.unsupported(&format!("has {name:?}; lexpool has {usual:?} for it"));
        }
    }

    /// Notes that a key must be given.
    pub(crate) fn missing(&self, key: &str) {
        self.problems.add_wrong(format!("[{}] lacks the key {key:?}", self.name));
    }

    /// Returns the name of the function that the section calls, such as `spacy.Corpus.v1` under
    /// `@readers`.
    pub(crate) fn function(&self, registry: &'static str) -> Option<&'a str> {
        let name = self.get(registry).and_then(Value::as_text);
        if name.is_none() {
            let text = format!("[{}] names no function; expected the key {registry:?}", self.name);
            self.problems.add_wrong(text);
        }
        name
    }

    /// Notes a value that lexpool does not train with.
    pub(crate) fn unsupported(&self, text: &str) {
        self.problems.add_unsupported(format!("[{}] {text}", self.name));
    }

    /// Notes an error that lexpool has with the section.
    pub(crate) fn refused(&self, error: &Error) {
        self.problems.add_refusal(&self.name, error);
    }

    /// Notes that a value that is a function in Python is given.
    pub(crate) fn no_function(&self, key: &'static str) {
        if let Some(value) = self.get(key) {
            self.unsupported(&format!(
                "{key:?} is {value}, a function in Python; override it with null"
            ));
        }
    }

    /// Notes a wrong value.
    pub(crate) fn wrong(&self, key: &str, value: &Value, expected: &str) {
        let text = format!("[{}] {key:?} is {value}; expected {expected}", self.name);
        self.problems.add_wrong(text);
    }

    /// Notes a wrong value that is given in words.
    pub(crate) fn wrong_text(&self, key: &str, value: &str, expected: &str) {
        let text = format!("[{}] {key:?} {value}; expected {expected}", self.name);
        self.problems.add_wrong(text);
    }

    /// Returns all keys with their values, nulls too.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.section.iter()
    }

    /// Notes the keys that were not asked for, each with the nearest known one.
    pub(crate) fn finish(self) {
        let known = self.known.borrow();
        for key in self.section.keys().filter(|key| !known.contains(key)) {
            let nearest = known.iter().min_by_key(|known| levenshtein(key, known, None));
            let hint = nearest
                .map_or(String::new(), |nearest| format!("; the nearest known key is {nearest:?}"));
            let text = format!("[{}] has the unknown key {key:?}{hint}", self.name);
            self.problems.add_wrong(text);
        }
    }

    /// Returns a number that is within a limit, and notes a larger one.
    fn within<N>(&self, key: &str, number: N, limit: Limit) -> Option<usize>
    where
        N: TryInto<u64> + Display + Copy,
    {
        let checked = limit.check(number, format_args!("[{}] {key:?}", self.name));
        checked.map_err(|error| self.problems.add_wrong(error.message().to_owned())).ok()
    }

    fn value<T>(
        &self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let read = read(value);
        if read.is_none() {
            self.wrong(key, value, expected);
        }
        read
    }
}
