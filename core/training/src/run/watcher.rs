//! The receiver of the events of a training, and what it is told.

use lexpool::Result;
use lexpool::config::Section;

use super::memory::MemoryPlan;
use super::progress::Losses;

/// Receiver of the events of a training. Without methods of its own it only lets it run.
pub trait TrainingWatcher {
    /// Returns an error to end the training: the batch at hand is finished, and the state saved.
    ///
    /// # Errors
    ///
    /// An error of the kind [`ErrorKind::Interrupted`](lexpool::ErrorKind::Interrupted).
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Is told when the corpora were read and the weights made.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn initialized(&mut self, _start: &TrainingStart) -> Result<()> {
        Ok(())
    }

    /// Is told of each step.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn step(&mut self, _report: &StepReport) -> Result<()> {
        Ok(())
    }
}

/// Facts that are known before the first step.
#[derive(Clone, Debug)]
pub struct TrainingStart {
    /// The components in order.
    pub components: Vec<String>,
    /// The components that learn.
    pub trained: Vec<String>,
    /// The number of steps that earlier runs have made.
    pub first_step: usize,
    /// The best score of earlier runs with its step.
    pub best: Option<(f64, usize)>,
    /// The learn rate of the first step.
    pub learn_rate: f64,
    /// The number of parameters of all components that learn.
    pub parameters: usize,
    /// The number of examples and of their words, of the training corpus; of a stream, of the
    /// examples that it begins with.
    pub train: (usize, usize),
    /// `true` if the training corpus is read while training: `max_epochs` is -1.
    pub is_stream: bool,
    /// The same of the corpus to evaluate with.
    pub dev: (usize, usize),
    /// The number of documents and sentences that `max_length` has left out of the two.
    pub too_long: [usize; 2],
    /// The memory that the training needs.
    pub memory: MemoryPlan,
}

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
    /// The losses of the components since the last evaluation, in the order of the pipeline.
    pub losses: Losses,
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
    /// `true` if all earlier scores are lower or equal.
    pub is_best: bool,
}
