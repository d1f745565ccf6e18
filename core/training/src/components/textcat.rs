//! Categorizers of documents: exclusive categories, or any number of them.

use lexpool::config::{Section, Value};
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes};
use lexpool_nn::Rows;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::labels::{
    add_labels, cfg_of, file_of, given_labels, labels_of, no_labels, wrong_scores,
};
use super::update::UpdateBatch;
use super::weights::{Weights, sum_of_squares};
use crate::corpora::example::Example;
use crate::settings::fields::Fields;

struct TextCategorizer {
    name: String,
    is_exclusive: bool,
    threshold: f64,
    labels: Vec<String>,
    weights: Weights,
}

/// Reads the section of a categorizer.
pub(super) fn read(
    name: &str,
    is_exclusive: bool,
    fields: Fields<'_>,
) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let threshold = fields.number("threshold", if is_exclusive { 0.0 } else { 0.5 });
    fields.scorer(if is_exclusive {
        "spacy.textcat_scorer.v2"
    } else {
        "spacy.textcat_multilabel_scorer.v2"
    });
    fields.finish();
    let name = name.to_owned();
    let labels = Vec::new();
    Some(Box::new(TextCategorizer { name, is_exclusive, threshold, labels, weights: weights? }))
}

impl TextCategorizer {
    /// Checks the categories of all examples.
    fn check<'e>(&self, examples: impl IntoIterator<Item = &'e &'e Example>) -> Result<()> {
        for example in examples {
            let reference = example.reference();
            let values = || reference.cats.iter().map(|(_, value)| *value);
            #[expect(clippy::float_cmp, reason = "other numbers are not categories")]
            let is_wrong = |(_, value): &&(String, f64)| *value != 0.0 && *value != 1.0;
            if let Some((label, value)) = reference.cats.iter().find(is_wrong) {
                let text = format!(
                    "{}: the category {label:?} has the value {value}; expected 0 or 1",
                    reference.place
                );
                return Err(Error::value(codes::E851, text));
            }
            if self.is_exclusive && values().filter(|value| *value > 0.0).count() > 1 {
                let text = format!(
                    "{}: several categories have the value 1, but those of {:?} exclude each other",
                    reference.place, self.name
                );
                return Err(Error::value(codes::E895, text));
            }
        }
        Ok(())
    }

    /// Returns the gradient of the scores, and the loss: the mean of its squares.
    #[expect(clippy::cast_possible_truncation, reason = "categories are 0 or 1")]
    fn gradient(&self, scores: &Rows, examples: &[&Example]) -> (Vec<f32>, f64) {
        let mut d = Vec::with_capacity(scores.numbers().len());
        for (row, example) in scores.rows().zip(examples) {
            let cats = &example.reference().cats;
            for (label, score) in self.labels.iter().zip(row) {
                let truth = cats.iter().find(|(own, _)| own == label).map(|(_, value)| *value);
                d.push(match truth {
                    Some(truth) => score - truth as f32,
                    // A document has no category but the one that it has.
                    None if self.is_exclusive => *score,
                    None => 0.0,
                });
            }
        }
        let squares = sum_of_squares(&d);
        #[expect(clippy::cast_precision_loss, reason = "a number of scores")]
        let mean = squares / d.len().max(1) as f64;
        (d, mean)
    }
}

impl TrainableComponent for TextCategorizer {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        if let Some(label) = start.settings.get("positive_label").filter(|label| !label.is_null()) {
            let text = format!(
                "[initialize.components.{}] \"positive_label\" is {label}, which lexpool does not \
                 have",
                self.name
            );
            return Err(Error::value(codes::TRAINING_UNSUPPORTED, text));
        }
        let all: Vec<&Example> = start.examples.iter().collect();
        self.check(&all)?;
        let found = if let Some(labels) = given_labels(start)? {
            labels
        } else {
            let mut labels: Vec<String> = Vec::new();
            for example in start.examples {
                for (label, _) in &example.reference().cats {
                    if !labels.contains(label) {
                        labels.push(label.clone());
                    }
                }
            }
            labels
        };
        add_labels(&mut self.labels, found);
        if self.labels.is_empty() {
            return Err(no_labels(&self.name));
        }
        if self.is_exclusive && self.labels.len() < 2 {
            let text = format!(
                "the component {:?} has the only label {:?}, and its labels exclude each other",
                self.name, self.labels[0]
            );
            return Err(Error::value(codes::E867, text));
        }
        for label in &self.labels {
            start.vocab.strings().add(label)?;
        }
        self.weights.initialize(Some(self.labels.len()), start)
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        Ok(example.reference().cats.iter().any(|(label, _)| self.labels.contains(label)))
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let passing = batch.network_bytes(self.weights.network()?, None)?;
        Ok(UpdateMemory { kept: 0, passing })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        if batch.n_tokens() == 0 {
            return Ok(0.0);
        }
        self.check(batch.examples)?;
        let (scores, tape) = batch.forward(self.weights.network()?, None)?;
        let (d, loss) = self.gradient(&scores, batch.examples);
        let (network, gradients) = self.weights.parts()?;
        batch.backward(network, tape, d, gradients)?;
        Ok(loss)
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        let labels = self.labels.iter().map(|label| Value::from(label.as_str())).collect();
        let mut cfg = Section::default();
        cfg.set("labels", Value::List(labels));
        cfg.set("threshold", self.threshold);
        if self.is_exclusive {
            cfg.set("positive_label", Value::Null);
        }
        self.weights.files(cfg)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        self.labels = labels_of(&cfg_of(files)?)?;
        self.labels.iter().try_for_each(|label| vocab.strings().add(label).map(drop))?;
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        self.weights.fit_outputs(self.labels.len())
    }

    fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        _spans: &[Vec<(usize, usize)>],
    ) -> Result<(Vec<f32>, f64)> {
        let width = self.labels.len();
        if scores.len() != examples.len() || scores.width() != width {
            return Err(wrong_scores(scores, examples.len(), width));
        }
        self.check(examples)?;
        Ok(self.gradient(scores, examples))
    }

    fn keep_tutor(&mut self) -> Result<()> {
        self.weights.keep_tutor()
    }

    fn rehearse(&mut self, batch: &mut UpdateBatch<'_>) -> Result<Option<f64>> {
        self.weights.rehearse(batch, 1.0)
    }

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }
}
