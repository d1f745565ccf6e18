//! The loop: steps over epochs, evaluations, and when to stop. As `spacy.training.loop`.

use std::time::Instant;

use lexpool::config::{Section, Value};
use lexpool::pipeline::{Groups, PipelineDoc, annotate_all};
use lexpool::{Error, Result, codes};
use lexpool_nn::Rows;
use lexpool_nn::learn::{Dropout, Optimizer, PythonRandom, StepKey, Workers};

use super::evaluation::evaluate;
use super::pipeline::TrainingPipeline;
use super::plan::Part;
use super::progress::Progress;
use crate::components::update::UpdateBatch;
use crate::examples::batcher::Batcher;
use crate::examples::batches::{BatchCutter, subdivide};
use crate::examples::epoch_examples::EpochExamples;
use crate::examples::example::Example;
use crate::settings::loop_settings::LoopSettings;

/// The figures of a step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The number of the step, from 0 on.
    pub step: usize,
    /// The number of the epoch, from 0 on.
    pub epoch: usize,
    /// The number of steps of this run, which may have gone on from a paused one.
    pub made: usize,
    /// The number of words that this run has seen.
    pub words: usize,
    /// The seconds since this run began its first step.
    pub seconds: f64,
    /// The evaluation, if there was one after this step.
    pub evaluation: Option<Evaluation>,
}

/// The result of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The sum of the weighted scores.
    pub score: f64,
    /// All scores that are not null.
    pub scores: Section,
    /// The losses of the components since the last evaluation, in the order of the pipeline.
    pub losses: Vec<(String, f64)>,
    /// `true` if all earlier scores are lower or equal.
    pub is_best: bool,
}

impl Evaluation {
    /// Returns the scores and losses that `meta.json` has.
    fn performance(&self, score_weights: &[(String, Option<f64>)]) -> Section {
        let mut performance = Section::default();
        for (name, _) in score_weights {
            let score = self.scores.get(name).cloned();
            performance.set(name, score.unwrap_or(Value::Float(0.0)));
        }
        for (name, loss) in &self.losses {
            performance.set(&format!("{name}_loss"), *loss);
        }
        performance
    }
}

/// The loop over the steps of a training.
pub(crate) struct TrainingLoop<'a> {
    pub(crate) pipeline: &'a mut TrainingPipeline,
    pub(crate) settings: &'a LoopSettings,
    pub(crate) batcher: Batcher,
    pub(crate) optimizer: Optimizer,
    pub(crate) train: EpochExamples<'a>,
    pub(crate) dev: Vec<Example>,
    pub(crate) threads: usize,
    /// Ends an evaluation with an error.
    pub(crate) check: &'a dyn Fn() -> Result<()>,
    /// The place from which the loop goes on.
    pub(crate) progress: Progress,
    /// `true` while weights and the place are those of a part of a step.
    pub(crate) is_in_step: bool,
}

/// The parts of a training between two steps.
pub(crate) struct Moment<'m> {
    pub(crate) pipeline: &'m mut TrainingPipeline,
    pub(crate) optimizer: &'m Optimizer,
    pub(crate) progress: &'m Progress,
}

/// The receiver of steps, which returns whether to go on.
pub(crate) type Report<'r> = &'r mut dyn FnMut(Moment<'_>, &StepReport) -> Result<bool>;

/// The time and the words of a run.
struct Clock {
    start: Instant,
    /// The number of steps that earlier runs have made.
    first_step: usize,
    words: usize,
}

/// The reason for which the loop has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The best score is older than `patience` steps.
    Patience,
    /// The last step was made.
    MaxSteps,
    /// The last epoch has ended.
    MaxEpochs,
    /// It was asked to.
    Stopped,
}

impl TrainingLoop<'_> {
    /// Runs the steps from the place of the loop on. `report` is called after each of them, and
    /// returns whether to go on.
    ///
    /// # Errors
    ///
    /// `E986` without batches; `E910` for a loss or weights that are not finite; those of reading a
    /// stream, of the components, of evaluation and of `report`.
    pub(crate) fn run(&mut self, report: Report<'_>) -> Result<Ending> {
        let mut clock = Clock { start: Instant::now(), first_step: self.progress.steps, words: 0 };
        if self.progress.steps > 0 {
            let ended = if self.progress.evaluation_is_due {
                self.end_step(&clock, report)?
            } else {
                self.ending()
            };
            if let Some(ending) = ended {
                return Ok(ending);
            }
        }
        loop {
            if self.progress.batches == 0 {
                self.progress.sizes = self.batcher.given();
                // A stream has no order.
                self.progress.random.shuffle(&mut self.progress.order);
            }
            self.train.begin(self.progress.epoch, &self.progress.order)?;
            let mut batcher = self.batcher.clone();
            let mut cutter = BatchCutter::new(&mut batcher);
            let (mut n_cut, n_done) = (0, self.progress.batches);
            while let Some(batch) = cutter.next_batch(&mut |at| self.train.length(at))? {
                n_cut += 1;
                if n_cut > n_done {
                    clock.words += batch.iter().map(|at| self.length(*at)).sum::<usize>();
                    self.step(&batch)?;
                    if let Some(ending) = self.end_step(&clock, report)? {
                        return Ok(ending);
                    }
                }
                self.train.release_before(cutter.oldest());
            }
            self.batcher = batcher;
            if self.progress.batches == 0 {
                let text = "the batcher makes no batches of the training corpus";
                return Err(Error::value(codes::E986, text));
            }
            let most = usize::try_from(self.settings.max_epochs).unwrap_or(0);
            if most > 0 && self.progress.epoch + 1 >= most {
                return Ok(Ending::MaxEpochs);
            }
            self.progress.epoch += 1;
            self.progress.batches = 0;
        }
    }

    /// Returns the number of words of an example of a batch.
    fn length(&self, at: usize) -> usize {
        self.train.get(at).map_or(0, |example| example.predicted().len())
    }

    /// Makes the step of a batch.
    fn step(&mut self, batch: &[usize]) -> Result<()> {
        self.is_in_step = true;
        let parts = subdivide(batch, |at| self.length(at), self.settings.accumulate_gradient);
        for part in parts {
            self.update(&part)?;
        }
        self.finish_update()?;
        self.optimizer.step_schedules();
        let step = self.progress.steps;
        self.progress.steps += 1;
        self.progress.batches += 1;
        self.is_in_step = false;
        self.progress.evaluation_is_due = step % self.settings.eval_frequency == 0;
        Ok(())
    }

    /// Evaluates after a step if that is due, and reports the step. Returns why the loop ends;
    /// `None` if it goes on.
    fn end_step(&mut self, clock: &Clock, report: Report<'_>) -> Result<Option<Ending>> {
        let step = self.progress.steps - 1;
        let mut evaluation = None;
        if self.progress.evaluation_is_due {
            self.pipeline.check_weights(self.progress.steps)?;
            let (score, scores) = self.evaluate()?;
            let best = self.progress.best();
            let is_best = best.is_none_or(|(best, _)| score >= best);
            let losses = named(self.pipeline, &self.progress.losses);
            let made = Evaluation { score, scores, losses, is_best };
            self.progress.results.push((score, step));
            self.progress.losses.iter_mut().flatten().for_each(|sum| *sum = 0.0);
            self.progress.figures = Some(made.performance(&self.settings.score_weights));
            self.progress.evaluation_is_due = false;
            evaluation = Some(made);
        }
        let report_of_step = StepReport {
            step,
            epoch: self.progress.epoch,
            made: self.progress.steps - clock.first_step,
            words: clock.words,
            seconds: clock.start.elapsed().as_secs_f64(),
            evaluation,
        };
        let (optimizer, progress) = (&self.optimizer, &self.progress);
        let moment = Moment { pipeline: &mut *self.pipeline, optimizer, progress };
        if !report(moment, &report_of_step)? {
            return Ok(Some(Ending::Stopped));
        }
        Ok(self.ending())
    }

    /// Returns why the loop ends after the last step; `None` if it goes on.
    fn ending(&self) -> Option<Ending> {
        let step = self.progress.steps - 1;
        // The earliest step of the best score.
        let since = step - self.progress.best().map_or(0, |(_, step)| step);
        if self.settings.patience > 0 && since >= self.settings.patience {
            return Some(Ending::Patience);
        }
        (self.settings.max_steps > 0 && step >= self.settings.max_steps).then_some(Ending::MaxSteps)
    }

    /// Lets all components learn from a part of a batch.
    fn update(&mut self, part: &[usize]) -> Result<()> {
        let examples: Vec<&Example> = part.iter().filter_map(|at| self.train.get(*at)).collect();
        let step = self.progress.steps;
        let names = self.pipeline.components.iter().map(|component| component.name.clone());
        let mut losses =
            Losses { names: names.collect(), sums: std::mem::take(&mut self.progress.losses) };
        let updated = update_components(
            self.pipeline,
            &examples,
            self.settings,
            step,
            self.threads,
            &mut self.progress.random,
            &mut losses,
        );
        self.progress.losses = losses.sums;
        updated
    }

    /// Lets the optimizer change all weights that have a gradient.
    fn finish_update(&mut self) -> Result<()> {
        let workers = Workers::new(self.threads);
        for component in &mut self.pipeline.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            if let Some(learned) = trained.learned() {
                self.optimizer.step(learned.parameters, learned.gradients, workers)?;
            }
        }
        Ok(())
    }

    /// Returns the weighted score and all scores that are not null.
    fn evaluate(&mut self) -> Result<(f64, Section)> {
        let TrainingLoop { pipeline, dev, threads, check, .. } = self;
        let all = pipeline.with_averages(|pipeline| {
            let (steps, scorers) = (pipeline.steps()?, pipeline.scorers());
            evaluate(&steps, &scorers, dev, *threads, *check)
        });
        let all = all?;
        let scores: Section = all
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        let mut sum = 0.0;
        for (name, weight) in &self.settings.score_weights {
            let Some((weight, value)) = weight.zip(scores.get(name)) else { continue };
            let Some(value) = value.as_float() else {
                let text = format!(
                    "the score {name:?} has a weight in [training.score_weights], but is {value}"
                );
                return Err(Error::value(codes::E915, text));
            };
            sum += value * weight;
        }
        Ok((sum, scores))
    }
}

/// The losses of the components that learn, since the last evaluation.
pub(crate) struct Losses {
    names: Vec<String>,
    /// By the position of the component in the pipeline.
    sums: Vec<Option<f64>>,
}

impl Losses {
    fn add(&mut self, at: usize, loss: f64, examples: &[&Example], step: usize) -> Result<()> {
        if loss.is_finite() {
            *self.sums[at].get_or_insert(0.0) += loss;
            return Ok(());
        }
        let first = examples.first().map_or("", |example| &example.reference().place);
        let text = format!(
            "the loss of the component {:?} is {loss} at step {step}, in a batch that begins with \
             {first}",
            self.names[at]
        );
        Err(Error::value(codes::E910, text))
    }
}

/// Returns the losses of the components that learn before the first step.
pub(crate) fn no_losses(pipeline: &TrainingPipeline) -> Vec<Option<f64>> {
    let sum = |part: &Part| matches!(part, Part::Trained(_)).then_some(0.0);
    pipeline.components.iter().map(|component| sum(&component.part)).collect()
}

/// Returns the losses with the names of their components.
fn named(pipeline: &TrainingPipeline, losses: &[Option<f64>]) -> Vec<(String, f64)> {
    let named = pipeline.components.iter().zip(losses);
    named.filter_map(|(component, loss)| Some((component.name.clone(), (*loss)?))).collect()
}

/// Lets all components learn from examples, in the order of the pipeline.
fn update_components(
    pipeline: &mut TrainingPipeline,
    given: &[&Example],
    settings: &LoopSettings,
    step: usize,
    threads: usize,
    random: &mut PythonRandom,
    losses: &mut Losses,
) -> Result<()> {
    let vectors = pipeline.tokenizer.vocab().vectors().map(|vectors| vectors as _);
    let mut shared: Option<(usize, Rows)> = None;
    let (mut d_shared, mut shared_loss) = (None, 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "steps and components are few")]
    let dropout = |component: usize| {
        let key = StepKey { seed: settings.seed, step: step as u32, component: component as u32 };
        Dropout::by_counter(settings.dropout, key)
    };
    let workers = Workers::new(threads);
    // Documents are copied only if a component annotates them.
    let annotates = pipeline.components.iter().any(|component| component.annotates);
    let copies = given.iter().take(if annotates { given.len() } else { 0 });
    let mut copies: Vec<Example> =
        copies.map(|example| example.try_clone()).collect::<Result<_>>()?;
    for at in 0..pipeline.components.len() {
        let copied: Vec<&Example> = copies.iter().collect();
        let examples = if annotates { &copied[..] } else { given };
        if let Part::Trained(trained) = &mut pipeline.components[at].part {
            let mut batch = UpdateBatch {
                examples,
                dropout: dropout(at),
                random: &mut *random,
                workers,
                vectors: Clone::clone(&vectors),
                shared_rows: shared.as_ref().map(|(_, rows)| rows),
                spans: None,
                d_shared: d_shared.take(),
                shared_loss,
            };
            let loss = trained.update(&mut batch)?;
            losses.add(at, loss, examples, step)?;
            let rows = trained.shared_rows(&batch)?;
            (d_shared, shared_loss) = (batch.d_shared, batch.shared_loss);
            if let Some(rows) = rows {
                shared = Some((at, rows));
            }
        }
        if pipeline.components[at].annotates {
            drop(copied);
            annotate(pipeline, at, &mut copies, threads)?;
        }
    }
    if let Some((at, rows)) = shared {
        losses.add(at, shared_loss, given, step)?;
        let Part::Trained(trained) = &mut pipeline.components[at].part else { return Ok(()) };
        let batch = UpdateBatch {
            examples: given,
            dropout: dropout(at),
            random,
            workers,
            vectors,
            shared_rows: Some(&rows),
            spans: None,
            d_shared: None,
            shared_loss: 0.0,
        };
        trained.backward(&batch, d_shared)?;
    }
    Ok(())
}

/// Annotates the documents of examples by a component with its present weights.
fn annotate(
    pipeline: &mut TrainingPipeline,
    at: usize,
    examples: &mut [Example],
    threads: usize,
) -> Result<()> {
    let step = match pipeline.fixed_steps.get(&at) {
        Some(step) => step.clone(),
        None => pipeline.step(at)?,
    };
    let docs =
        examples.iter_mut().map(|example| PipelineDoc::new(example.predicted_mut(), Groups::new()));
    let mut items: Vec<_> = docs.collect();
    annotate_all(std::slice::from_ref(&step), &mut items, threads, &mut || Ok(()))?;
    for item in items {
        if let Some(Err((_, error))) = item.result {
            return Err(error.context(format_args!("component {:?}", step.name)));
        }
    }
    if matches!(pipeline.components[at].part, Part::Fixed(_)) {
        pipeline.fixed_steps.insert(at, step);
    }
    Ok(())
}
