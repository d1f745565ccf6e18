//! Categorizers of spans: any number of labels a span, or one.

use ahash::AHashMap;
use lexpool::config::{Section, Value};
use lexpool::pipeline::Groups;
use lexpool::strings::StrId;
use lexpool::trained::Suggester;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes, limits};
use lexpool_nn::Rows;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::labels::{
    add_labels, cfg_of, file_of, given_labels, labels_of, no_labels, unknown_label, wrong_scores,
};
use super::update::UpdateBatch;
use super::weights::{Weights, sum_of_squares};
use crate::corpora::example::Example;
use crate::scoring::aligned_spans;
use crate::settings::fields::{Fields, NumberRange};

struct SpanCategorizer {
    name: String,
    /// `true` if a span has one label. The last column is that of spans without any.
    is_single: bool,
    spans_key: String,
    threshold: Option<f64>,
    max_positive: Option<i64>,
    negative_weight: f64,
    allow_overlap: bool,
    suggester: Suggester,
    labels: Vec<String>,
    positions: AHashMap<StrId, usize>,
    weights: Weights,
}

/// Reads the section of a categorizer of spans.
pub(super) fn read(
    name: &str,
    is_single: bool,
    fields: Fields<'_>,
) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let default = || {
        let mut suggester = Section::default();
        suggester.set("@misc", "spacy.ngram_suggester.v1");
        suggester.set("sizes", Value::List([1, 2, 3].map(Value::Int).to_vec()));
        Value::Section(suggester)
    };
    let suggester = fields.get("suggester").cloned().unwrap_or_else(default);
    let suggester = match Suggester::read(&suggester, fields.name()) {
        Ok(Suggester::Preset(_)) => {
            fields.unsupported("suggests the spans of a group, with which lexpool does not train");
            None
        }
        Ok(suggester) => Some(suggester),
        Err(error) => {
            fields.refused(&error);
            None
        }
    };
    let spans_key = fields.text("spans_key").unwrap_or_else(|| "sc".to_owned());
    let (mut threshold, mut max_positive) = (None, Some(1));
    let (mut negative_weight, mut allow_overlap) = (1.0, true);
    if is_single {
        negative_weight = fields.number_in("negative_weight", 1.0, NumberRange::NOT_NEGATIVE);
        allow_overlap = fields.flag("allow_overlap", true);
    } else {
        threshold = Some(fields.number("threshold", 0.5));
        max_positive = fields.optional_count("max_positive", limits::COMPONENT_CHOICES);
    }
    fields.scorer("spacy.spancat_scorer.v1");
    fields.finish();
    Some(Box::new(SpanCategorizer {
        name: name.to_owned(),
        is_single,
        spans_key,
        threshold,
        max_positive,
        negative_weight,
        allow_overlap,
        suggester: suggester?,
        labels: Vec::new(),
        positions: AHashMap::new(),
        weights: weights?,
    }))
}

impl SpanCategorizer {
    /// Returns the number of columns.
    fn width(&self) -> usize {
        self.labels.len() + usize::from(self.is_single)
    }

    fn find_positions(&mut self, vocab: &Vocab) -> Result<()> {
        self.positions.clear();
        for (at, label) in self.labels.iter().enumerate() {
            self.positions.insert(vocab.strings().add(label)?, at);
        }
        vocab.strings().add(&self.spans_key).map(drop)
    }

    /// Returns the gradient of the scores, and the loss: the sum of its squares.
    fn gradient(
        &self,
        scores: &Rows,
        spans: &[Vec<(usize, usize)>],
        examples: &[&Example],
    ) -> Result<(Vec<f32>, f64)> {
        let width = scores.width();
        let mut d = scores.numbers().to_vec();
        let mut is_negative = vec![true; scores.len()];
        let mut first = 0;
        for (spans, example) in spans.iter().zip(examples) {
            let rows: AHashMap<(usize, usize), usize> =
                spans.iter().copied().zip(first..).collect();
            first += spans.len();
            let reference = example.reference();
            let Some(group) = reference.groups.get(&self.spans_key) else { continue };
            let docs = (&reference.doc, example.predicted());
            for span in aligned_spans(docs, &example.alignment().y2x, group.spans(), true) {
                let place = |position: i32| usize::try_from(position).unwrap_or(0);
                let Some(row) = rows.get(&(place(span.start), place(span.end))) else { continue };
                let label = StrId::new(span.label);
                let label =
                    self.positions.get(&label).ok_or_else(|| unknown_label(example, label))?;
                // Equal spans of one label have the target 1 together.
                d[row * width + label] = scores.numbers()[row * width + label] - 1.0;
                is_negative[*row] = false;
            }
        }
        if self.is_single {
            #[expect(clippy::cast_possible_truncation, reason = "spaCy multiplies so")]
            let weight = self.negative_weight as f32;
            for (d, _) in d.chunks_exact_mut(width).zip(&is_negative).filter(|(_, none)| **none) {
                d[width - 1] -= 1.0;
                for d in d {
                    *d *= weight;
                }
            }
        }
        let loss = sum_of_squares(&d);
        Ok((d, loss))
    }
}

impl TrainableComponent for SpanCategorizer {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        let found = if let Some(labels) = given_labels(start)? {
            labels
        } else {
            let mut labels: Vec<String> = Vec::new();
            for example in start.examples {
                let reference = example.reference();
                let group = reference.groups.get(&self.spans_key);
                for span in group.map_or(&[][..], |group| group.spans()) {
                    let label = reference.doc.snapshot().string(StrId::new(span.label));
                    let label = label.unwrap_or_default();
                    if !labels.iter().any(|own| own == label) {
                        labels.push(label.to_owned());
                    }
                }
            }
            labels
        };
        add_labels(&mut self.labels, found);
        if self.labels.is_empty() {
            return Err(no_labels(&self.name));
        }
        self.find_positions(start.vocab)?;
        self.weights.initialize(Some(self.width()), start)
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        let group = example.reference().groups.get(&self.spans_key);
        let spans = group.map_or(&[][..], |group| group.spans());
        for span in spans {
            let label = StrId::new(span.label);
            if !self.positions.contains_key(&label) {
                return Err(unknown_label(example, label));
            }
        }
        Ok(!spans.is_empty())
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let none = Groups::new();
        let suggest = |example: &&Example| self.suggester.suggest(example.predicted(), &none);
        let spans: Vec<_> = batch.examples.iter().map(suggest).collect();
        if spans.iter().all(Vec::is_empty) {
            return Ok(UpdateMemory::default());
        }
        let passing = batch.network_bytes(self.weights.network()?, Some(&spans))?;
        Ok(UpdateMemory { kept: 0, passing })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        let none = Groups::new();
        let suggest = |example: &&Example| self.suggester.suggest(example.predicted(), &none);
        let spans = match batch.spans {
            Some(spans) => spans.to_vec(),
            None => batch.examples.iter().map(suggest).collect(),
        };
        if spans.len() != batch.examples.len() {
            let text = format!("{} lists of spans for {}", spans.len(), batch.examples.len());
            return Err(Error::value(codes::MODEL_SPAN, text));
        }
        if spans.iter().all(Vec::is_empty) {
            return Ok(0.0);
        }
        let (scores, tape) = batch.forward(self.weights.network()?, Some(&spans))?;
        let (d, loss) = self.gradient(&scores, &spans, batch.examples)?;
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
        cfg.set("spans_key", self.spans_key.as_str());
        cfg.set("threshold", self.threshold.map_or(Value::Null, Value::Float));
        cfg.set("max_positive", self.max_positive.map_or(Value::Null, Value::Int));
        cfg.set("negative_weight", self.negative_weight);
        cfg.set("allow_overlap", self.allow_overlap);
        self.weights.files(cfg)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        self.labels = labels_of(&cfg_of(files)?)?;
        self.find_positions(vocab)?;
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        self.weights.fit_outputs(self.width())
    }

    fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        spans: &[Vec<(usize, usize)>],
    ) -> Result<(Vec<f32>, f64)> {
        let rows = spans.iter().map(Vec::len).sum();
        if scores.len() != rows || scores.width() != self.width() || spans.len() != examples.len() {
            return Err(wrong_scores(scores, rows, self.width()));
        }
        self.gradient(scores, spans, examples)
    }

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }
}
