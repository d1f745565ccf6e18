//! The finder of spans: where a span begins and where one ends.

use lexpool::config::{Section, Value};
use lexpool::vocab::Vocab;
use lexpool::{Result, limits};
use lexpool_nn::Rows;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::labels::{file_of, wrong_scores};
use super::update::UpdateBatch;
use super::weights::{Weights, sum_of_squares};
use crate::corpora::example::Example;
use crate::settings::fields::Fields;

struct SpanFinder {
    spans_key: String,
    threshold: f64,
    max_length: Option<i64>,
    min_length: Option<i64>,
    weights: Weights,
}

/// Reads the section of a finder of spans.
pub(super) fn read(fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let length = |key| fields.optional_count(key, limits::DOC_LENGTH);
    let (max_length, min_length) = (length("max_length"), length("min_length"));
    let threshold = fields.number("threshold", 0.5);
    let spans_key = fields.text("spans_key").unwrap_or_else(|| "sc".to_owned());
    fields.scorer("spacy.span_finder_scorer.v1");
    fields.finish();
    let weights = weights?;
    Some(Box::new(SpanFinder { spans_key, threshold, max_length, min_length, weights }))
}

impl SpanFinder {
    /// Returns the gradient of the scores, and the loss: the sum of its squares.
    fn gradient(&self, scores: &Rows, examples: &[&Example]) -> (Vec<f32>, f64) {
        let mut d = Vec::with_capacity(scores.numbers().len());
        let mut rest = scores.numbers();
        for example in examples {
            let (own, after) = rest.split_at(example.predicted().len() * scores.width());
            self.push_gradient(&mut d, own, example);
            rest = after;
        }
        let loss = sum_of_squares(&d);
        (d, loss)
    }

    /// Adds the gradient of the scores of a document: scores less targets, and 0 where an edge of a
    /// span lies inside of a token.
    fn push_gradient(&self, d: &mut Vec<f32>, scores: &[f32], example: &Example) {
        let first = d.len();
        d.extend_from_slice(scores);
        let reference = example.reference();
        let Some(group) = reference.groups.get(&self.spans_key) else { return };
        let tokens: Vec<(usize, usize)> =
            example.predicted().iter().map(|token| (token.idx(), token.end_char())).collect();
        let mut is_masked = vec![false; scores.len()];
        let mut is_true = vec![false; scores.len()];
        for span in group.spans() {
            let place = |position: i32| usize::try_from(position).unwrap_or(0);
            let (start, end) = (place(span.start_char), place(span.end_char));
            // The tokens that the characters of the span touch.
            let from = tokens.partition_point(|(_, token_end)| *token_end <= start);
            let past = tokens.partition_point(|(token_start, _)| *token_start < end);
            if from >= past {
                continue;
            }
            let to = past - 1;
            for (at, matches) in
                [(from * 2, tokens[from].0 == start), (to * 2 + 1, tokens[to].1 == end)]
            {
                if matches {
                    is_true[at] = true;
                } else {
                    is_masked[at] = true;
                }
            }
        }
        for (at, d) in d[first..].iter_mut().enumerate() {
            if is_true[at] {
                *d -= 1.0;
            }
            if is_masked[at] {
                *d = 0.0;
            }
        }
    }
}

impl TrainableComponent for SpanFinder {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        start.vocab.strings().add(&self.spans_key)?;
        self.weights.initialize(Some(2), start)
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        let group = example.reference().groups.get(&self.spans_key);
        Ok(group.is_some_and(|group| !group.spans().is_empty()))
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let passing = batch.network_bytes(self.weights.network()?, None)?;
        Ok(UpdateMemory { kept: 0, passing })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        if batch.n_tokens() == 0 {
            return Ok(0.0);
        }
        let (scores, tape): (Rows, _) = batch.forward(self.weights.network()?, None)?;
        let (d, loss) = self.gradient(&scores, batch.examples);
        let (network, gradients) = self.weights.parts()?;
        batch.backward(network, tape, d, gradients)?;
        Ok(loss)
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        let length = |length: Option<i64>| length.map_or(Value::Null, Value::Int);
        let mut cfg = Section::default();
        cfg.set("min_length", length(self.min_length));
        cfg.set("max_length", length(self.max_length));
        cfg.set("threshold", self.threshold);
        cfg.set("spans_key", self.spans_key.as_str());
        self.weights.files(cfg)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        vocab.strings().add(&self.spans_key)?;
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        Ok(())
    }

    fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        _spans: &[Vec<(usize, usize)>],
    ) -> Result<(Vec<f32>, f64)> {
        let rows = examples.iter().map(|example| example.predicted().len()).sum();
        if scores.len() != rows || scores.width() != 2 {
            return Err(wrong_scores(scores, rows, 2));
        }
        Ok(self.gradient(scores, examples))
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
