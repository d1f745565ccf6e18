//! The table of evaluations, as spaCy prints it, and the same as JSON lines.

use lexpool::config::{Section, Value};

use super::watcher::StepReport;

/// The widest column of the header; longer names are cut.
const MAX_WIDTH: usize = 13;
const SPACING: &str = "  ";

/// The table of evaluations.
#[derive(Clone, Debug)]
pub struct EvaluationTable {
    /// The components whose losses are shown.
    components: Vec<String>,
    /// The scores that are shown.
    scores: Vec<String>,
    /// The names of the columns with their widths.
    columns: Vec<(String, usize)>,
}

impl EvaluationTable {
    /// Makes a table with the losses of components and the scores that have a weight.
    pub fn new(
        components: Vec<String>,
        score_weights: &[(String, Option<f64>)],
    ) -> EvaluationTable {
        let with_weight = score_weights.iter().filter(|(_, weight)| weight.is_some());
        let scores: Vec<String> = with_weight.map(|(name, _)| name.clone()).collect();
        let mut columns = vec![("E".to_owned(), 3), ("#".to_owned(), 6)];
        columns.extend(components.iter().map(|name| (format!("Loss {name}"), 8)));
        columns.extend(scores.iter().map(|name| (name.clone(), 6)));
        columns.push(("Score".to_owned(), 6));
        let column = |(name, width): (String, usize)| {
            let name = if name.chars().count() > MAX_WIDTH {
                name.chars().take(MAX_WIDTH - 3).chain("...".chars()).collect()
            } else {
                name
            };
            let width = width.max(name.chars().count());
            (name.to_uppercase(), width)
        };
        let columns = columns.into_iter().map(column).collect();
        EvaluationTable { components, scores, columns }
    }

    /// Returns the two lines of the header.
    pub fn header(&self) -> [String; 2] {
        let names = self.columns.iter().map(|(name, width)| format!("{name:<width$}"));
        let rules = self.columns.iter().map(|(_, width)| "-".repeat(*width));
        [names.collect::<Vec<_>>().join(SPACING), rules.collect::<Vec<_>>().join(SPACING)]
    }

    /// Returns the line of an evaluation; `None` for a step without one.
    pub fn row(&self, report: &StepReport) -> Option<String> {
        let evaluation = report.evaluation.as_ref()?;
        let mut cells = vec![report.epoch.to_string(), report.step.to_string()];
        cells.extend(self.losses(report).map(|(_, loss)| format!("{loss:.2}")));
        cells.extend(self.scores(report).map(|(_, score)| format!("{score:.2}")));
        cells.push(format!("{:.2}", evaluation.score));
        let cell = |(cell, (_, width)): (&String, &(String, usize))| format!("{cell:>width$}");
        Some(cells.iter().zip(&self.columns).map(cell).collect::<Vec<_>>().join(SPACING))
    }

    /// Returns the JSON line of an evaluation; `None` for a step without one. Its `words` are those
    /// that this run has seen, also after a training goes on.
    pub fn json(&self, report: &StepReport) -> Option<String> {
        let evaluation = report.evaluation.as_ref()?;
        let section = |pairs: Vec<(&str, f64)>| -> Section {
            pairs.into_iter().map(|(name, number)| (name.to_owned(), number.into())).collect()
        };
        let mut line = Section::default();
        line.set("epoch", i64::try_from(report.epoch).unwrap_or(i64::MAX));
        line.set("step", i64::try_from(report.step).unwrap_or(i64::MAX));
        line.set("words", i64::try_from(report.words).unwrap_or(i64::MAX));
        line.set("losses", section(self.losses(report).collect()));
        line.set("scores", section(self.scores(report).collect()));
        line.set("score", evaluation.score);
        Some(Value::Section(line).to_json())
    }

    fn losses<'a>(&'a self, report: &'a StepReport) -> impl Iterator<Item = (&'a str, f64)> {
        let losses = &report.losses;
        self.components.iter().map(|name| {
            let loss = losses.iter().find(|(own, _)| own == name).map_or(0.0, |(_, loss)| *loss);
            (name.as_str(), loss)
        })
    }

    /// Returns scores as percentages, but for the speed.
    fn scores<'a>(&'a self, report: &'a StepReport) -> impl Iterator<Item = (&'a str, f64)> {
        let scores = report.evaluation.as_ref().map(|evaluation| &evaluation.scores);
        self.scores.iter().map(move |name| {
            let score = scores.and_then(|scores| scores.get(name)?.as_float()).unwrap_or(0.0);
            (name.as_str(), if name == "speed" { score } else { score * 100.0 })
        })
    }
}
