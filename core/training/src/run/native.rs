//! A pipeline without Python, as a training steps through it and writes it.

use lexpool::config::Section;
use lexpool::pipeline::{Groups, PipelineDoc, annotate_all};
use lexpool::{Error, Result, codes};
use lexpool_nn::Rows;
use lexpool_nn::learn::{Dropout, Optimizer, StepKey, Workers};

use super::evaluation::evaluate;
use super::origin::TrainingOrigin;
use super::output::{OutputPaths, model_files, write};
use super::pipeline::TrainingPipeline;
use super::plan::{Part, PlannedComponent, TrainingPlan};
use super::progress::{Losses, Progress};
use super::state;
use super::training_loop::Trainee;
use crate::components::update::UpdateBatch;
use crate::corpora::epoch_examples::EpochExamples;
use crate::corpora::example::Example;
use crate::settings::loop_settings::LoopSettings;

/// A pipeline with its optimizer, its examples and its folders.
pub(crate) struct NativeTrainee<'a> {
    pub(crate) pipeline: TrainingPipeline,
    pub(crate) plan: &'a TrainingPlan,
    pub(crate) origin: &'a TrainingOrigin,
    pub(crate) paths: &'a OutputPaths,
    pub(crate) optimizer: Optimizer,
    pub(crate) train: EpochExamples<'a>,
    pub(crate) dev: Vec<Example>,
    pub(crate) threads: usize,
}

impl Trainee for NativeTrainee<'_> {
    fn begin_epoch(&mut self, epoch: usize, order: &[usize]) -> Result<()> {
        self.train.begin(epoch, order)
    }

    fn length(&mut self, at: usize) -> Result<Option<usize>> {
        self.train.length(at)
    }

    fn release_before(&mut self, at: usize) {
        self.train.release_before(at);
    }

    fn learn(&mut self, parts: &[Vec<usize>], progress: &mut Progress) -> Result<()> {
        let NativeTrainee { pipeline, plan, optimizer, train, threads, .. } = self;
        for part in parts {
            let examples: Vec<&Example> = part.iter().filter_map(|at| train.get(*at)).collect();
            update_components(pipeline, &examples, &plan.settings, *threads, progress)?;
        }
        let workers = Workers::new(*threads);
        for component in &mut pipeline.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            if let Some(learned) = trained.learned() {
                optimizer.step(learned.parameters, learned.gradients, workers)?;
            }
        }
        optimizer.step_schedules();
        Ok(())
    }

    fn evaluate(&mut self, steps: usize, check: &dyn Fn() -> Result<()>) -> Result<Section> {
        let NativeTrainee { pipeline, dev, threads, .. } = self;
        pipeline.check_weights(steps)?;
        pipeline.with_averages(|pipeline| {
            let (steps, scorers) = (pipeline.steps()?, pipeline.scorers());
            evaluate(&steps, &scorers, dev, *threads, check)
        })
    }

    /// Writes the best pipeline if this is it, then the state, then the last pipeline. So a crash
    /// between two of them leaves a state from which a training goes on to write all of them, or
    /// nothing that [`resume`](super::train::resume) takes for a training that has begun.
    fn save(&mut self, progress: &Progress, is_best: bool) -> Result<()> {
        let NativeTrainee { pipeline, plan, paths, .. } = self;
        pipeline.check_weights(progress.steps)?;
        let files = pipeline.with_averages(|pipeline| {
            model_files(pipeline, &plan.config, &plan.lang, progress.performance.as_ref())
        });
        let files = files?;
        if is_best {
            write(&paths.model_best, &files)?;
        }
        state::write(&paths.state, self.origin, progress, &self.optimizer, pipeline)?;
        write(&paths.model_last, &files)
    }
}

/// Adds to the loss of a component.
fn add_loss(
    losses: &mut Losses,
    name: &str,
    loss: f64,
    examples: &[&Example],
    step: usize,
) -> Result<()> {
    if !loss.is_finite() {
        let first = examples.first().map_or("", |example| &example.reference().place);
        let text = format!(
            "the loss of the component {name:?} is {loss} at step {step}, in a batch that begins \
             with {first}"
        );
        return Err(Error::value(codes::E910, text));
    }
    if let Some((_, sum)) = losses.iter_mut().find(|(other, _)| other == name) {
        *sum += loss;
    }
    Ok(())
}

/// Returns the losses of the components that learn before the first step.
pub(crate) fn no_losses(pipeline: &TrainingPipeline) -> Losses {
    let trained = pipeline.components.iter();
    let trained = trained.filter(|component| matches!(component.part, Part::Trained(_)));
    trained.map(|component| (component.name.clone(), 0.0)).collect()
}

/// Lets all components learn from examples, in the order of the pipeline.
fn update_components(
    pipeline: &mut TrainingPipeline,
    batch_examples: &[&Example],
    settings: &LoopSettings,
    threads: usize,
    progress: &mut Progress,
) -> Result<()> {
    let Progress { steps: step, random, losses, .. } = progress;
    let step = *step;
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
    let is_copied = pipeline.components.iter().any(|component| component.annotates);
    let copies = batch_examples.iter().take(if is_copied { batch_examples.len() } else { 0 });
    let mut copies: Vec<Example> =
        copies.map(|example| example.try_clone()).collect::<Result<_>>()?;
    for at in 0..pipeline.components.len() {
        let copied: Vec<&Example> = copies.iter().collect();
        let examples = if is_copied { &copied[..] } else { batch_examples };
        let PlannedComponent { name, part, annotates, .. } = &mut pipeline.components[at];
        if let Part::Trained(trained) = part {
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
            add_loss(losses, name, loss, examples, step)?;
            let rows = trained.shared_rows(&batch)?;
            (d_shared, shared_loss) = (batch.d_shared, batch.shared_loss);
            if let Some(rows) = rows {
                shared = Some((at, rows));
            }
        }
        if *annotates {
            drop(copied);
            annotate(pipeline, at, &mut copies, threads)?;
        }
    }
    if let Some((at, rows)) = shared {
        let PlannedComponent { name, part, .. } = &mut pipeline.components[at];
        add_loss(losses, name, shared_loss, batch_examples, step)?;
        let Part::Trained(trained) = part else { return Ok(()) };
        let batch = UpdateBatch {
            examples: batch_examples,
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
