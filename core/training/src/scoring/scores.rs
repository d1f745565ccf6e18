//! Figures by their names.

use lexpool::config::{Section, Value};

use super::counts::{Counts, Rates};

/// A figure, or a table of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Score<L> {
    /// A figure without data.
    Missing,
    /// A number.
    Number(f64),
    /// A description of another figure.
    Text(String),
    /// Precision, recall and F-score of each label.
    Rates(Vec<(L, Rates)>),
    /// A number of each label, which may lack data.
    Numbers(Vec<(L, Option<f64>)>),
}

/// Figures by their names, in the order in which spaCy lists them; `L` is the type of the labels in
/// their tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores<L = String>(Vec<(String, Score<L>)>);

impl<L> Default for Scores<L> {
    fn default() -> Scores<L> {
        Scores(Vec::new())
    }
}

impl<L> Scores<L> {
    /// The names and figures.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Score<L>)> {
        self.0.iter().map(|(name, score)| (name.as_str(), score))
    }

    /// Returns the number of a name; `None` for another figure, and without data.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.iter().find_map(|(own, score)| match score {
            Score::Number(number) if own == name => Some(*number),
            _ => None,
        })
    }

    /// Returns the same figures with other labels in their tables.
    pub fn relabelled<M>(self, label: impl Fn(L) -> M) -> Scores<M> {
        let relabelled = |score| match score {
            Score::Missing => Score::Missing,
            Score::Number(number) => Score::Number(number),
            Score::Text(text) => Score::Text(text),
            Score::Rates(rows) => {
                Score::Rates(rows.into_iter().map(|(own, rates)| (label(own), rates)).collect())
            }
            Score::Numbers(rows) => {
                Score::Numbers(rows.into_iter().map(|(own, number)| (label(own), number)).collect())
            }
        };
        self.0.into_iter().map(|(name, score)| (name, relabelled(score))).collect()
    }

    pub(super) fn push(&mut self, name: String, score: Score<L>) {
        self.0.push((name, score));
    }

    /// Adds the number, or a figure without data.
    pub(super) fn push_number(&mut self, name: String, number: Option<f64>) {
        self.push(name, number.map_or(Score::Missing, Score::Number));
    }

    /// Adds precision, recall and F-score under names that begin with `prefix`.
    pub(super) fn push_rates(&mut self, prefix: &str, rates: Option<Rates>) {
        for (end, value) in rates.unwrap_or_default().named() {
            self.push_number(format!("{prefix}_{end}"), rates.map(|_| value));
        }
    }

    /// Adds the table of each label's figures, or a figure without data.
    pub(super) fn push_table(&mut self, name: String, table: Option<Vec<(L, Rates)>>) {
        self.push(name, table.map_or(Score::Missing, Score::Rates));
    }
}

impl<L> FromIterator<(String, Score<L>)> for Scores<L> {
    fn from_iter<I: IntoIterator<Item = (String, Score<L>)>>(scores: I) -> Scores<L> {
        Scores(scores.into_iter().collect())
    }
}

impl<L> IntoIterator for Scores<L> {
    type Item = (String, Score<L>);
    type IntoIter = std::vec::IntoIter<(String, Score<L>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Scores> for Section {
    fn from(scores: Scores) -> Section {
        scores.into_iter().map(|(name, score)| (name, value_of(score))).collect()
    }
}

fn value_of(score: Score<String>) -> Value {
    match score {
        Score::Missing => Value::Null,
        Score::Number(number) => Value::Float(number),
        Score::Text(text) => Value::Text(text),
        Score::Rates(rows) => {
            let row = |(label, rates): (String, Rates)| {
                let rates = rates.named().into_iter();
                let rates = rates.map(|(name, value)| (name.to_owned(), Value::Float(value)));
                (label, Value::Section(rates.collect()))
            };
            Value::Section(rows.into_iter().map(row).collect())
        }
        Score::Numbers(rows) => {
            let row = |(label, number): (String, Option<f64>)| {
                (label, number.map_or(Value::Null, Value::Float))
            };
            Value::Section(rows.into_iter().map(row).collect())
        }
    }
}

/// Returns the figures of counts; none if nothing was counted.
pub(super) fn rates_of(counts: Counts) -> Option<Rates> {
    (!counts.is_empty()).then(|| counts.rates())
}
