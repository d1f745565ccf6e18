//! Training as a whole: from a plan to folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lexpool::files::remove_leftovers;
use lexpool::{Error, Result};
use lexpool_nn::learn::Optimizer;

use super::memory::{Corpus, MemoryPlanner};
use super::native::{NativeTrainee, no_losses};
use super::origin::TrainingOrigin;
use super::output::OutputPaths;
use super::pipeline::TrainingPipeline;
use super::plan::{Part, PlannedComponent, TrainingPlan};
use super::progress::Progress;
use super::saved_weights::SavedWeights;
use super::state::{self, STATE, SavedState};
use super::training_loop::{Ending, TrainingLoop};
use super::watcher::{TrainingStart, TrainingWatcher};
use crate::corpora::epoch_examples::EpochExamples;
use crate::corpora::example::Example;

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

/// Trains a pipeline, and writes its folders `model-last` and `model-best` into `output`, with the
/// file `state` from which [`resume`] goes on.
///
/// `threads` is the number of threads: 0 means one for each core. The result has the same bits for
/// any number.
///
/// ```
/// use lexpool::{Result, tokenizer::Tokenizer, tokens::Annotations};
/// use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};
/// use lexpool_training::{Ending, Goal, TrainingPlan, TrainingWatcher, starter_config, train};
///
/// struct Silent;
/// impl TrainingWatcher for Silent {}
///
/// let folder = tempfile::tempdir().unwrap();
/// let corpus = folder.path().join("train.spacy");
/// let mut doc = Tokenizer::blank("en")?.tokenize("Go on")?;
/// let tags = Some(vec!["VB".to_owned(), "RP".to_owned()]);
/// doc.annotate(&Annotations { tags, ..Annotations::default() })?;
/// let mut writer = AnnotatedDocBin::annotated(std::fs::File::create(&corpus).unwrap());
/// writer.write(AnnotatedDocBin::<std::fs::File>::piece(&[doc])?).unwrap();
/// writer.finish().unwrap();
///
/// let mut config = starter_config("en", &["tagger"], Goal::Efficiency)?;
/// config.set("paths.train", corpus.to_str().unwrap().into())?;
/// config.set("paths.dev", corpus.to_str().unwrap().into())?;
/// config.set("training.max_steps", 2.into())?;
/// let plan = TrainingPlan::read(&config)?;
/// let result = train(plan, &folder.path().join("out"), 1, &mut Silent)?;
/// assert_eq!(result.ending, Ending::MaxSteps);
/// assert!(result.model_last.join("config.cfg").is_file());
/// # Ok::<(), lexpool::Error>(())
/// ```
///
/// # Errors
///
/// Those of reading the corpora; those of the components for labels and weights; `E986` for a
/// corpus without documents; `training-memory` for a corpus or a training that needs more memory
/// than its plan allows; `E910` for a loss or weights of NaN or infinity; those of writing.
pub fn train(
    plan: TrainingPlan,
    output: &Path,
    threads: usize,
    watcher: &mut dyn TrainingWatcher,
) -> Result<TrainingResult> {
    run(plan, output, threads, Begin::Anew, watcher)
}

/// Goes on with a training that has ended, from the last state in `output`: to the same bits as if
/// it had not ended. Its plan may have other numbers of steps, epochs and patience.
///
/// # Errors
///
/// `file-not-found` without a state; `state-different` for another configuration or corpus;
/// `state-content` and those of [`Container::read`](lexpool::container::Container::read) for a
/// damaged state; those of [`train`].
pub fn resume(
    plan: TrainingPlan,
    output: &Path,
    threads: usize,
    watcher: &mut dyn TrainingWatcher,
) -> Result<TrainingResult> {
    let path = output.join(STATE);
    let bytes = state::read_bytes(&path)?;
    let saved = SavedState::read(&bytes).map_err(state::in_file(&path))?;
    run(plan, output, threads, Begin::At(Box::new(saved)), watcher)
}

/// Trains a pipeline as [`train`] does, but begins with the weights of `model-last` in `output`, or
/// of `model-best` if that is missing. Steps, schedules and the optimizer begin anew, so that
/// configuration and corpora may be other ones. If running means of weights were saved, these are
/// the weights.
///
/// # Errors
///
/// `E050` without a folder of the two; `weights-different` if it lacks a component that learns, or
/// has it with other labels or sizes; those of [`train`].
pub fn restart(
    plan: TrainingPlan,
    output: &Path,
    threads: usize,
    watcher: &mut dyn TrainingWatcher,
) -> Result<TrainingResult> {
    let saved = SavedWeights::read(output, &plan)?;
    run(plan, output, threads, Begin::With(saved), watcher)
}

/// The number of examples that labels and weights are made from if the corpus is a stream, as in
/// spaCy.
const STREAM_SAMPLE: usize = 100;

/// The point that a training begins at.
enum Begin<'s> {
    /// The first step, with new weights.
    Anew,
    /// The first step, with the weights of an earlier training.
    With(SavedWeights),
    /// The step at which a training was paused.
    At(Box<SavedState<'s>>),
}

fn run(
    mut plan: TrainingPlan,
    output: &Path,
    threads: usize,
    begin: Begin<'_>,
    watcher: &mut dyn TrainingWatcher,
) -> Result<TrainingResult> {
    let paths = OutputPaths::of(output);
    let mut planner = MemoryPlanner::start(plan.memory_limit);
    let origin = TrainingOrigin::of(&plan)?;
    if let Begin::At(saved) = &begin {
        origin.check(&saved.origin).map_err(state::in_file(&paths.state))?;
    }
    let mut pipeline = TrainingPipeline::new(&mut plan)?;
    let tokenizer = Arc::clone(&pipeline.tokenizer);
    let is_stream = plan.settings.max_epochs < 0;
    // A stream may have no end, so its first documents must do to begin with.
    let most = if is_stream { STREAM_SAMPLE } else { usize::MAX };
    let check = || watcher.check();
    let train = planner.read(&plan, Corpus::Train, &tokenizer, most, &check)?;
    let dev = planner.read(&plan, Corpus::Dev, &tokenizer, usize::MAX, &check)?;
    for (name, read) in [(&plan.settings.train_corpus, &train), (&plan.settings.dev_corpus, &dev)] {
        if read.examples.is_empty() {
            return Err(plan.no_documents(name, read));
        }
    }
    initialize(&plan, &mut pipeline, &train.examples)?;
    if let Begin::With(saved) = &begin {
        saved.restore(&mut pipeline)?;
    }
    pipeline.check_examples(&train.examples)?;
    let memory = planner.plan(&plan, &mut pipeline, &train.examples, &dev.examples, threads)?;
    let mut optimizer = Optimizer::new(plan.optimizer.clone())?;
    let n_ordered = if is_stream { 0 } else { train.examples.len() };
    let mut progress = Progress::start(plan.settings.seed, n_ordered, no_losses(&pipeline));
    if let Begin::At(saved) = begin {
        let restored = saved.restore(&mut pipeline, &mut optimizer);
        let restored = restored.and_then(|()| progress.go_to(saved.progress.into_owned()));
        restored.map_err(state::in_file(&paths.state))?;
    }
    let components = pipeline.components.iter();
    let is_trained = |component: &&PlannedComponent| matches!(component.part, Part::Trained(_));
    let name = |component: &PlannedComponent| component.name.clone();
    let start = TrainingStart {
        components: components.clone().map(name).collect(),
        trained: components.filter(is_trained).map(name).collect(),
        first_step: progress.steps,
        best: progress.best(),
        learn_rate: optimizer.learn_rate(),
        parameters: n_parameters(&mut pipeline),
        train: size(&train.examples),
        is_stream,
        dev: size(&dev.examples),
        too_long: [train.too_long, dev.too_long],
        memory,
    };
    // So that a folder that cannot be written to is found before the first step.
    fs::create_dir_all(output).map_err(|error| Error::io("create the folder", output, error))?;
    remove_leftovers(output);
    watcher.initialized(&start)?;
    let train = if is_stream {
        EpochExamples::window(&plan.train, &tokenizer)
    } else {
        EpochExamples::Whole { examples: train.examples, order: Vec::new() }
    };
    let trainee = NativeTrainee {
        pipeline,
        plan: &plan,
        origin: &origin,
        paths: &paths,
        optimizer,
        train,
        dev: dev.examples,
        threads,
    };
    let (settings, batcher) = (plan.settings.clone(), plan.batcher.clone());
    let mut training = TrainingLoop::at(progress, trainee, settings, batcher);
    let ending = training.run(watcher)?;
    let best = training.best();
    Ok(TrainingResult { ending, model_last: paths.model_last, model_best: paths.model_best, best })
}

/// Makes labels and weights, and takes those that were pretrained.
fn initialize(
    plan: &TrainingPlan,
    pipeline: &mut TrainingPipeline,
    sample: &[Example],
) -> Result<()> {
    let settings = &plan.initialize;
    pipeline.initialize(sample, &settings.components, plan.settings.seed)?;
    settings.init_tok2vec.as_deref().map_or(Ok(()), |path| pipeline.set_pretrained(path))
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
