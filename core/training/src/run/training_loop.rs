//! The loop: steps over epochs, evaluations, what is saved, and when to stop. As
//! `spacy.training.loop`.

use std::time::Instant;

use lexpool::config::{Section, Value};
use lexpool::{Error, ErrorKind, Result, codes};

use super::progress::{Losses, Progress};
use super::watcher::{Evaluation, StepReport, TrainingWatcher};
use crate::corpora::batcher::Batcher;
use crate::corpora::batches::{BatchCutter, subdivide};
use crate::settings::loop_settings::LoopSettings;

/// A pipeline that learns step by step, with its examples.
pub trait Trainee {
    /// Begins an epoch. `order` is the order of the examples of a whole corpus; a stream has none.
    ///
    /// # Errors
    ///
    /// Those of reading the corpus.
    fn begin_epoch(&mut self, epoch: usize, order: &[usize]) -> Result<()>;

    /// Returns the number of words of the example at a position of the epoch, which is read if it
    /// is the next one of a stream; `None` behind the last one.
    ///
    /// # Errors
    ///
    /// Those of reading the corpus.
    fn length(&mut self, at: usize) -> Result<Option<usize>>;

    /// Releases the examples of a stream before a position.
    fn release_before(&mut self, at: usize);

    /// Learns from the parts of a batch, adds to the losses, and lets the optimizer change the
    /// weights.
    ///
    /// # Errors
    ///
    /// The errors of the components; `E910` for a loss of NaN or infinity.
    fn learn(&mut self, parts: &[Vec<usize>], progress: &mut Progress) -> Result<()>;

    /// Returns the scores after a number of steps. `check` ends the evaluation by an error.
    ///
    /// # Errors
    ///
    /// `E910` for weights that are not finite; those of the components and of `check`.
    fn evaluate(&mut self, steps: usize, check: &dyn Fn() -> Result<()>) -> Result<Section>;

    /// Saves the pipeline as the last one, and as the best one if it is that.
    ///
    /// # Errors
    ///
    /// `E910` for weights that are not finite; those of writing.
    fn save(&mut self, progress: &Progress, is_best: bool) -> Result<()>;
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

/// The loop over the steps of a training.
pub struct TrainingLoop<T> {
    trainee: T,
    settings: LoopSettings,
    /// The batcher as it was when the epoch began.
    batcher: Batcher,
    /// The batches of the present epoch.
    cutter: Option<BatchCutter<Batcher>>,
    /// The place from which the loop goes on.
    progress: Progress,
    /// `true` while weights and the place are those of a part of a step.
    is_in_step: bool,
    ending: Option<Ending>,
    /// When the first step began.
    start: Option<Instant>,
    /// The number of steps that earlier runs have made.
    first_step: usize,
    words: usize,
}

impl<T: Trainee> TrainingLoop<T> {
    /// Makes a loop before its first step, over as many examples of a whole corpus; 0 for a stream.
    pub fn new(
        trainee: T,
        settings: LoopSettings,
        batcher: Batcher,
        n_examples: usize,
    ) -> TrainingLoop<T> {
        let progress = Progress::start(settings.seed, n_examples, Losses::new());
        TrainingLoop::at(progress, trainee, settings, batcher)
    }

    /// Makes a loop that goes on from a place.
    pub(crate) fn at(
        progress: Progress,
        trainee: T,
        settings: LoopSettings,
        mut batcher: Batcher,
    ) -> TrainingLoop<T> {
        batcher.go_to(progress.sizes);
        TrainingLoop {
            trainee,
            settings,
            batcher,
            cutter: None,
            first_step: progress.steps,
            progress,
            is_in_step: false,
            ending: None,
            start: None,
            words: 0,
        }
    }

    /// Returns the pipeline.
    pub fn trainee(&self) -> &T {
        &self.trainee
    }

    /// Returns the best score with the earliest step that had it.
    pub fn best(&self) -> Option<(f64, usize)> {
        self.progress.best()
    }

    /// Makes all steps, and saves the pipeline after each evaluation and at the end. An error ends
    /// the loop, and is returned unless it interrupts the training. The pipeline is saved after it
    /// too, but not in the midst of a step: a part of a step is nothing to go on from, so what was
    /// saved before it stays.
    ///
    /// # Errors
    ///
    /// The errors of [`next_step`](TrainingLoop::next_step), of the watcher and of saving.
    pub fn run(&mut self, watcher: &mut dyn TrainingWatcher) -> Result<Ending> {
        let ended = self.steps(watcher);
        let saved = if self.is_in_step { Ok(()) } else { self.trainee.save(&self.progress, false) };
        match ended {
            Err(error) if error.kind() == ErrorKind::Interrupted => saved.and(Ok(Ending::Stopped)),
            Err(error) => Err(error),
            Ok(ending) => saved.and(Ok(ending)),
        }
    }

    fn steps(&mut self, watcher: &mut dyn TrainingWatcher) -> Result<Ending> {
        while let Some(report) = self.next_step(&|| watcher.check())? {
            if let Some(evaluation) = &report.evaluation {
                self.trainee.save(&self.progress, evaluation.is_best)?;
            }
            watcher.step(&report)?;
            watcher.check()?;
        }
        Ok(self.ending.unwrap_or(Ending::Stopped))
    }

    /// Makes a step, and evaluates after it if that is due. Returns `None` after the last one.
    ///
    /// # Errors
    ///
    /// `E986` without batches; `E915` for a weighted score of another type than a number; those of
    /// the pipeline and, during an evaluation, of `check`.
    pub fn next_step(&mut self, check: &dyn Fn() -> Result<()>) -> Result<Option<StepReport>> {
        self.start.get_or_insert_with(Instant::now);
        if self.progress.evaluation_is_due {
            return self.end_step(check).map(Some);
        }
        self.ending = self.ending.or_else(|| self.ending_after_step());
        while self.ending.is_none() {
            if let Some(batch) = self.next_batch()? {
                self.step(&batch)?;
                return self.end_step(check).map(Some);
            }
            self.end_epoch()?;
        }
        Ok(None)
    }

    /// Returns the next batch of the epoch, which it begins if need be.
    fn next_batch(&mut self) -> Result<Option<Vec<usize>>> {
        if self.cutter.is_none() {
            self.cutter = Some(self.begin_epoch()?);
        }
        let Some(cutter) = &mut self.cutter else { return Ok(None) };
        cutter.next_batch(&mut |at| self.trainee.length(at))
    }

    /// Begins an epoch, or goes on with one after the batches that were made before a pause.
    fn begin_epoch(&mut self) -> Result<BatchCutter<Batcher>> {
        let TrainingLoop { trainee, batcher, progress, .. } = self;
        if progress.batches == 0 {
            progress.sizes = batcher.given();
            // A stream has no order.
            progress.random.shuffle(&mut progress.order);
        }
        trainee.begin_epoch(progress.epoch, &progress.order)?;
        let mut cutter = BatchCutter::new(batcher.clone());
        for _ in 0..progress.batches {
            cutter.next_batch(&mut |at| trainee.length(at))?;
            trainee.release_before(cutter.oldest());
        }
        Ok(cutter)
    }

    /// Makes the step of a batch.
    fn step(&mut self, batch: &[usize]) -> Result<()> {
        let length = |at: &usize| Ok(self.trainee.length(*at)?.unwrap_or(0));
        let lengths = batch.iter().map(length).collect::<Result<Vec<_>>>()?;
        self.words += lengths.iter().sum::<usize>();
        let places: Vec<usize> = (0..batch.len()).collect();
        let parts = subdivide(&places, |place| lengths[place], self.settings.accumulate_gradient);
        let position = |place: usize| batch[place];
        let parts: Vec<Vec<usize>> =
            parts.into_iter().map(|part| part.into_iter().map(position).collect()).collect();
        self.is_in_step = true;
        self.trainee.learn(&parts, &mut self.progress)?;
        let step = self.progress.steps;
        self.progress.steps += 1;
        self.progress.batches += 1;
        self.is_in_step = false;
        self.progress.evaluation_is_due = step % self.settings.eval_frequency == 0;
        if let Some(cutter) = &self.cutter {
            self.trainee.release_before(cutter.oldest());
        }
        Ok(())
    }

    /// Evaluates after a step if that is due, and reports the step.
    fn end_step(&mut self, check: &dyn Fn() -> Result<()>) -> Result<StepReport> {
        let losses = self.progress.losses.clone();
        let evaluation =
            if self.progress.evaluation_is_due { Some(self.evaluate(check)?) } else { None };
        Ok(StepReport {
            step: self.progress.steps - 1,
            epoch: self.progress.epoch,
            made: self.progress.steps - self.first_step,
            words: self.words,
            seconds: self.start.map_or(0.0, |start| start.elapsed().as_secs_f64()),
            losses,
            evaluation,
        })
    }

    fn evaluate(&mut self, check: &dyn Fn() -> Result<()>) -> Result<Evaluation> {
        let scores = self.trainee.evaluate(self.progress.steps, check)?;
        let scores = scores.iter().filter(|(_, value)| !value.is_null());
        let scores: Section =
            scores.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let score = weighted(&scores, &self.settings.score_weights)?;
        let is_best = self.progress.best().is_none_or(|(best, _)| score >= best);
        let mut performance = Section::default();
        for (name, _) in &self.settings.score_weights {
            performance.set(name, scores.get(name).cloned().unwrap_or(Value::Float(0.0)));
        }
        for (name, loss) in &mut self.progress.losses {
            performance.set(&format!("{name}_loss"), std::mem::take(loss));
        }
        self.progress.performance = Some(performance);
        self.progress.results.push((score, self.progress.steps - 1));
        self.progress.evaluation_is_due = false;
        Ok(Evaluation { score, scores, is_best })
    }

    /// Returns why the loop ends after the last step; `None` if it goes on.
    fn ending_after_step(&self) -> Option<Ending> {
        let step = self.progress.steps.checked_sub(1)?;
        // The earliest step of the best score.
        let since = step - self.progress.best().map_or(0, |(_, step)| step);
        if self.settings.patience > 0 && since >= self.settings.patience {
            return Some(Ending::Patience);
        }
        (self.settings.max_steps > 0 && step >= self.settings.max_steps).then_some(Ending::MaxSteps)
    }

    fn end_epoch(&mut self) -> Result<()> {
        if let Some(cutter) = self.cutter.take() {
            self.batcher = cutter.into_batcher();
        }
        if self.progress.batches == 0 {
            let text = "the batcher makes no batches of the training corpus";
            return Err(Error::value(codes::E986, text));
        }
        let most = usize::try_from(self.settings.max_epochs).unwrap_or(0);
        if most > 0 && self.progress.epoch + 1 >= most {
            self.ending = Some(Ending::MaxEpochs);
        } else {
            self.progress.epoch += 1;
            self.progress.batches = 0;
        }
        Ok(())
    }
}

/// Returns the sum of the scores that have a weight.
fn weighted(scores: &Section, weights: &[(String, Option<f64>)]) -> Result<f64> {
    let mut sum = 0.0;
    for (name, weight) in weights {
        let Some((weight, value)) = weight.zip(scores.get(name)) else { continue };
        let Some(value) = value.as_float() else {
            let text = format!(
                "the score {name:?} has a weight in [training.score_weights], but is {value}"
            );
            return Err(Error::value(codes::E915, text));
        };
        sum += value * weight;
    }
    Ok(sum)
}
