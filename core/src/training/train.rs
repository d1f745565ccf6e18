//! Training as a whole: from a plan to folders.

use std::path::{Path, PathBuf};

use lexpool_train::Optimizer;

use super::example::Example;
use super::output::{MODEL_BEST, MODEL_LAST, model_files, performance, write};
use super::pipeline::{TrainingPipeline, make_tokenizer};
use super::plan::{Part, TrainingPlan};
use super::training_loop::{Ending, StepReport, TrainingLoop};
use crate::config::Section;
use crate::{Error, ErrorKind, Result, codes};

/// Receiver of the events of a training.
pub trait TrainingWatcher {
    /// Returns an error to end the training: the batch at hand is finished, and the state saved.
    ///
    /// # Errors
    ///
    /// An error of the kind [`ErrorKind::Interrupted`].
    fn check(&self) -> Result<()>;

    /// Is told when the corpora were read and the weights made.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn initialized(&mut self, start: &TrainingStart) -> Result<()>;

    /// Is told of each step.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn step(&mut self, report: &StepReport) -> Result<()>;
}

/// Facts that are known before the first step.
#[derive(Clone, Debug)]
pub struct TrainingStart {
    /// The components in order.
    pub components: Vec<String>,
    /// The components that learn.
    pub trained: Vec<String>,
    /// The learn rate of the first step.
    pub learn_rate: f64,
    /// The number of parameters of all components that learn.
    pub parameters: usize,
    /// The number of examples and of their words, of the training corpus.
    pub train: (usize, usize),
    /// The same of the corpus to evaluate with.
    pub dev: (usize, usize),
    /// The number of documents and sentences that `max_length` has left out of the two.
    pub too_long: [usize; 2],
}

/// The result of a training.
#[derive(Clone, Debug)]
pub struct TrainingResult {
    /// The reason of the end.
    pub ending: Ending,
    /// The folder of the last state.
    pub model_last: PathBuf,
    /// The folder of the best state.
    pub model_best: PathBuf,
    /// The best score with its step; `None` without an evaluation.
    pub best: Option<(f64, usize)>,
}

/// Trains a pipeline, and writes its folders `model-last` and `model-best` into `output`.
///
/// `threads` is the number of threads: 0 means one for each core. The result has the same bits for
/// any number.
///
/// # Errors
///
/// Those of reading the corpora; those of the components for labels and weights; `E986` for a
/// corpus without documents; `E910` for a loss of NaN or infinity; those of writing.
pub fn train(
    mut plan: TrainingPlan,
    output: &Path,
    threads: usize,
    watcher: &mut dyn TrainingWatcher,
) -> Result<TrainingResult> {
    let (tokenizer, tokenizer_file) = make_tokenizer(&plan)?;
    let train = plan.train.read(&tokenizer)?;
    watcher.check()?;
    let dev = plan.dev.read(&tokenizer)?;
    watcher.check()?;
    if train.examples.is_empty() {
        let text = format!("the training corpus {:?} has no documents", plan.settings.train_corpus);
        return Err(Error::value(codes::E986, text));
    }
    let mut pipeline = TrainingPipeline {
        tokenizer,
        tokenizer_file,
        components: std::mem::take(&mut plan.components),
        config: plan.resolved.clone(),
        fixed_steps: std::collections::BTreeMap::new(),
    };
    // A stream may have no end, so its first documents must do.
    let sample = if plan.settings.max_epochs < 0 { 100 } else { usize::MAX };
    let sample = &train.examples[..train.examples.len().min(sample)];
    pipeline.initialize(sample, &plan.initialize.components, plan.settings.seed)?;
    let optimizer = Optimizer::new(plan.optimizer.clone())?;
    let start = TrainingStart {
        learn_rate: optimizer.learn_rate(),
        parameters: n_parameters(&mut pipeline),
        train: size(&train.examples),
        dev: size(&dev.examples),
        too_long: [train.too_long, dev.too_long],
        ..names(&pipeline)
    };
    watcher.initialized(&start)?;
    let (model_last, model_best) = (output.join(MODEL_LAST), output.join(MODEL_BEST));
    let mut best: Option<(f64, usize)> = None;
    let mut figures: Option<Section> = None;
    let uses_averages = optimizer.uses_averages();
    let (plan, mut stopped) = (&plan, None);
    let save = |pipeline: &mut TrainingPipeline, figures: Option<&Section>, is_best: bool| {
        if uses_averages {
            pipeline.exchange_averages();
        }
        let files = model_files(pipeline, &plan.config, &plan.lang, figures);
        if uses_averages {
            pipeline.exchange_averages();
        }
        let files = files?;
        write(&model_last, &files)?;
        if is_best { write(&model_best, &files) } else { Ok(()) }
    };
    let ended = {
        let stop = std::cell::RefCell::new(&mut *watcher);
        let check = || stop.borrow().check();
        let mut report = |pipeline: &mut TrainingPipeline, report: &StepReport| {
            if let Some(evaluation) = &report.evaluation {
                let own = performance(&plan.settings.score_weights, evaluation);
                save(pipeline, Some(&own), evaluation.is_best)?;
                figures = Some(own);
                if best.is_none_or(|(score, _)| evaluation.score > score) {
                    best = Some((evaluation.score, report.step));
                }
            }
            stop.borrow_mut().step(report)?;
            match stop.borrow().check() {
                Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
                checked => checked.map(|()| true),
            }
        };
        let mut training = TrainingLoop {
            pipeline: &mut pipeline,
            settings: &plan.settings,
            batcher: plan.batcher.clone(),
            optimizer,
            train: train.examples,
            dev: dev.examples,
            threads,
            check: &check,
        };
        let tokenizer = std::sync::Arc::clone(&training.pipeline.tokenizer);
        let mut reread = || plan.train.read(&tokenizer).map(|read| read.examples);
        training.run(&mut reread, &mut report)
    };
    let ending = match ended {
        Ok(ending) => ending,
        // An evaluation was interrupted.
        Err(error) if error.kind() == ErrorKind::Interrupted => Ending::Stopped,
        Err(error) => {
            stopped = Some(error);
            Ending::Stopped
        }
    };
    // A loss of NaN comes with weights of NaN, so the last good ones stay.
    if stopped.as_ref().is_none_or(|error| error.code() != codes::E910.as_str()) {
        save(&mut pipeline, figures.as_ref(), false)?;
    }
    match stopped {
        Some(error) => Err(error),
        None => Ok(TrainingResult { ending, model_last, model_best, best }),
    }
}

fn size(examples: &[Example]) -> (usize, usize) {
    (examples.len(), examples.iter().map(|example| example.predicted().len()).sum())
}

fn n_parameters(pipeline: &mut TrainingPipeline) -> usize {
    let mut sum = 0;
    for component in &mut pipeline.components {
        if let Part::Trained(trained) = &mut component.part {
            sum += trained.learned().map_or(0, |learned| learned.parameters.arena().len());
        }
    }
    sum
}

/// Returns the names of the components, and zeros.
fn names(pipeline: &TrainingPipeline) -> TrainingStart {
    let is_trained = |part: &Part| matches!(part, Part::Trained(_));
    let all = pipeline.components.iter();
    TrainingStart {
        components: all.clone().map(|component| component.name.clone()).collect(),
        trained: all
            .filter(|component| is_trained(&component.part))
            .map(|component| component.name.clone())
            .collect(),
        learn_rate: 0.0,
        parameters: 0,
        train: (0, 0),
        dev: (0, 0),
        too_long: [0, 0],
    }
}
