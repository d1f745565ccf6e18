//! A component that learns batch by batch, as its caller asks for it.

use std::sync::Arc;

use lexpool::config::{Config, Section};
use lexpool::knowledge::KnowledgeBase;
use lexpool::trained::VectorSource;
use lexpool::vocab::Vocab;
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_nn::Rows;
use lexpool_nn::learn::{
    Dropout, Moments, NumpyRandom, Optimizer, PythonRandom, SpanRange, StepKey, Workers,
};

use super::component::{ComponentFiles, Initialization, TrainableComponent};
use super::update::UpdateBatch;
use crate::components;
use crate::corpora::example::Example;
use crate::settings::fields::{Fields, Problems};

/// A component with its weights and gradients, and with what optimizers keep of them.
pub struct Learner {
    name: String,
    component: Box<dyn TrainableComponent>,
    vocab: Arc<Vocab>,
    /// The key of the optimizer whose moments the parameters have.
    optimizer: Option<u64>,
    /// The moments of other optimizers, of the layout of the parameters.
    parked: Vec<(u64, Moments)>,
    seed: u64,
    draws: Draws,
    /// The draws at the last step: a batch that is forgotten has drawn nothing.
    draws_at_step: Draws,
}

/// The random numbers that updates have drawn since the seed was set.
#[derive(Clone)]
struct Draws {
    n_updates: u32,
    random: PythonRandom,
}

impl Draws {
    fn new(seed: u64) -> Draws {
        Draws { n_updates: 0, random: PythonRandom::new(seed) }
    }
}

/// A batch that a learner is updated with.
pub struct LearnerBatch<'a> {
    /// The examples.
    pub examples: &'a [&'a Example],
    /// The rate of dropout.
    pub dropout: f64,
    /// The threads that compute.
    pub workers: Workers,
    /// The word vectors of the vocab.
    pub vectors: Option<Arc<dyn VectorSource>>,
    /// The spans of each example that a component scores, instead of those that its own suggester
    /// finds.
    pub spans: Option<&'a [Vec<SpanRange>]>,
}

/// The rows that a shared component gives to its listeners, and what they learn of them.
pub struct SharedRows {
    rows: Rows,
    d_rows: Option<Rows>,
    loss: f64,
}

impl SharedRows {
    /// Returns the loss of the shared component: the sum of the squares of the gradients.
    pub fn loss(&self) -> f64 {
        self.loss
    }
}

impl Learner {
    /// Makes a learner of the settings of a component. `settings` are those of its section that the
    /// factory knows, with `model`.
    ///
    /// # Errors
    ///
    /// `training-config` for unknown and wrong settings, `training-unsupported` for those that
    /// lexpool does not train with, and for other factories.
    pub fn new(
        factory: &str,
        name: &str,
        settings: &Section,
        vocab: &Arc<Vocab>,
    ) -> Result<Learner> {
        let problems = Problems::default();
        let fields = Fields::new(settings, format!("components.{name}"), &problems);
        let component = components::read(factory, name, fields);
        problems.into_result(&Config::parse("", "the settings")?)?;
        let component = component.expect("a problem was noted");
        Ok(Learner {
            name: name.to_owned(),
            component,
            vocab: Arc::clone(vocab),
            optimizer: None,
            parked: Vec::new(),
            seed: 0,
            draws: Draws::new(0),
            draws_at_step: Draws::new(0),
        })
    }

    /// Sets the seed of the random numbers of updates.
    pub fn set_seed(&mut self, seed: u64) {
        (self.seed, self.draws, self.draws_at_step) = (seed, Draws::new(seed), Draws::new(seed));
    }

    /// Takes over labels and weights; see [`TrainableComponent::restore`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn restore(&mut self, files: &ComponentFiles) -> Result<()> {
        self.component.restore(files, &self.vocab)?;
        if files.iter().any(|(name, _)| name == "model") {
            self.parked.clear();
            self.optimizer = None;
        }
        Ok(())
    }

    /// Sets the knowledge base that a linker of entities learns from; see
    /// [`TrainableComponent::set_knowledge`].
    pub fn set_knowledge(&mut self, base: &Arc<KnowledgeBase>, looks_up: bool) {
        self.component.set_knowledge(base, looks_up);
    }

    /// Adds the labels of examples, or those of the setting `labels`, and makes the weights.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableComponent::initialize`].
    pub fn initialize(
        &mut self,
        examples: &[Example],
        settings: &Section,
        vectors: Option<Arc<dyn VectorSource>>,
        random: &mut NumpyRandom,
    ) -> Result<()> {
        let vocab = &self.vocab;
        let mut start = Initialization { examples, settings, vocab, vectors, random };
        self.component.initialize(&mut start)?;
        self.parked.clear();
        self.optimizer = None;
        Ok(())
    }

    /// Gives the network an output for each label.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableComponent::fit_outputs`].
    pub fn fit_outputs(&mut self) -> Result<()> {
        self.resizing(|component| component.fit_outputs())
    }

    /// Learns from a batch, and returns the loss. Listeners read the shared rows, and add to their
    /// gradient. After an error nothing is learned of the batch.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableComponent::update`]; `E910` for a loss of NaN or infinity.
    pub fn update(
        &mut self,
        batch: &LearnerBatch<'_>,
        shared: Option<&mut SharedRows>,
    ) -> Result<f64> {
        self.learn(batch, shared, |component, batch| component.update(batch))
    }

    /// Learns to score a batch as the kept copy does, and returns the loss; `None` without a copy.
    ///
    /// # Errors
    ///
    /// As for [`update`](Learner::update).
    pub fn rehearse(&mut self, batch: &LearnerBatch<'_>) -> Result<Option<f64>> {
        let mut has_tutor = false;
        let loss = self.learn(batch, None, |component, batch| {
            let loss = component.rehearse(batch)?;
            has_tutor = loss.is_some();
            Ok(loss.unwrap_or(0.0))
        })?;
        Ok(has_tutor.then_some(loss))
    }

    /// Keeps a copy of the network for [`rehearse`](Learner::rehearse).
    ///
    /// # Errors
    ///
    /// Those of copying it.
    pub fn keep_tutor(&mut self) -> Result<()> {
        self.component.keep_tutor()
    }

    /// Returns the rows that the component gives to listeners; `None` for a component without
    /// listeners.
    ///
    /// # Errors
    ///
    /// Those of the network.
    pub fn share(&mut self, batch: &LearnerBatch<'_>) -> Result<Option<SharedRows>> {
        let Learner { component, seed, draws, .. } = self;
        let key = key(*seed, draws.n_updates);
        let batch = update_batch(batch, key, &mut draws.random, None);
        let rows = component.shared_rows(&batch)?;
        draws.n_updates = draws.n_updates.wrapping_add(1);
        Ok(rows.map(|rows| SharedRows { rows, d_rows: None, loss: 0.0 }))
    }

    /// Learns from what the listeners of shared rows have learned of them. The rows must be the
    /// last that the component gave.
    ///
    /// # Errors
    ///
    /// Those of the network; `E910` for a loss of NaN or infinity.
    pub fn learn_from(&mut self, shared: SharedRows, workers: Workers) -> Result<()> {
        let SharedRows { rows, d_rows, loss } = shared;
        check_loss(&self.name, loss)?;
        let given =
            LearnerBatch { examples: &[], dropout: 0.0, workers, vectors: None, spans: None };
        let Learner { component, seed, draws, .. } = self;
        let key = key(*seed, draws.n_updates);
        let batch = update_batch(&given, key, &mut draws.random, Some(&rows));
        let learned = component.backward(&batch, d_rows);
        if learned.is_err() {
            self.forget();
        }
        learned
    }

    /// Lets an optimizer change the weights by the gradients. `key` tells optimizers apart: each
    /// has moments of its own.
    ///
    /// # Errors
    ///
    /// Those of [`Optimizer::step`].
    pub fn step(&mut self, key: u64, optimizer: &Optimizer, workers: Workers) -> Result<()> {
        self.take_moments(key);
        self.draws_at_step = self.draws.clone();
        match self.component.learned() {
            Some(learned) => optimizer.step(learned.parameters, learned.gradients, workers),
            None => Ok(()),
        }
    }

    /// Returns the weights with what an optimizer keeps of them, as bytes; `None` without weights.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 4 GiB or more.
    pub fn state_to_bytes(&mut self, key: u64) -> Result<Option<Vec<u8>>> {
        self.take_moments(key);
        self.component.learned().map(|learned| learned.parameters.state_to_bytes()).transpose()
    }

    /// Takes what an optimizer kept, of bytes that
    /// [`state_to_bytes`](Learner::state_to_bytes) returned; the weights stay.
    ///
    /// # Errors
    ///
    /// `optimizer-settings` for the state of other parameters.
    pub fn read_state(&mut self, key: u64, bytes: &[u8]) -> Result<()> {
        self.take_moments(key);
        let Some(learned) = self.component.learned() else { return Ok(()) };
        let weights = learned.parameters.arena().to_vec();
        learned.parameters.read_state(bytes)?;
        learned.parameters.arena_mut().copy_from_slice(&weights);
        Ok(())
    }

    /// Returns the gradient of scores, and the loss; see [`TrainableComponent::loss`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        spans: &[Vec<SpanRange>],
    ) -> Result<(Vec<f32>, f64)> {
        self.component.loss(examples, scores, spans)
    }

    /// Returns the files of the component, without "model" before the weights are made.
    ///
    /// averages: the optimizer whose running means are written in the place of the weights, as far
    /// as it keeps any.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableComponent::files`].
    pub fn files(&mut self, averages: Option<u64>) -> Result<ComponentFiles> {
        let Some(key) = averages.filter(|key| self.knows_optimizer(*key)) else {
            return self.component.files();
        };
        self.take_moments(key);
        self.show_averages(true);
        let files = self.component.files();
        self.show_averages(false);
        files
    }

    fn show_averages(&mut self, are_shown: bool) {
        if let Some(learned) = self.component.learned() {
            learned.parameters.show_averages(are_shown);
        }
    }

    fn knows_optimizer(&self, key: u64) -> bool {
        self.optimizer == Some(key) || self.parked.iter().any(|(own, _)| *own == key)
    }

    /// Returns whether the weights are made.
    pub fn has_weights(&mut self) -> bool {
        self.component.learned().is_some()
    }

    /// Returns the labels.
    pub fn labels(&self) -> Vec<String> {
        self.component.labels()
    }

    fn learn(
        &mut self,
        given: &LearnerBatch<'_>,
        mut shared: Option<&mut SharedRows>,
        function: impl FnOnce(&mut dyn TrainableComponent, &mut UpdateBatch<'_>) -> Result<f64>,
    ) -> Result<f64> {
        let key = key(self.seed, self.draws.n_updates);
        let mut random = self.draws.random.clone();
        let (rows, mut d_rows, loss) = match &mut shared {
            None => (None, None, 0.0),
            Some(SharedRows { rows, d_rows, loss }) => (Some(&*rows), d_rows.take(), *loss),
        };
        let mut batch = update_batch(given, key, &mut random, rows);
        (batch.d_shared, batch.shared_loss) = (d_rows.take(), loss);
        let learned = self.resizing(|component| {
            let learned = function(component, &mut batch);
            d_rows = batch.d_shared.take();
            learned
        });
        let shared_loss = batch.shared_loss;
        drop(batch);
        if let Some(shared) = shared {
            (shared.d_rows, shared.loss) = (d_rows, shared_loss);
        }
        self.draws = Draws { n_updates: self.draws.n_updates.wrapping_add(1), random };
        let checked = learned.and_then(|loss| check_loss(&self.name, loss).map(|()| loss));
        if checked.is_err() {
            self.forget();
        }
        checked
    }

    /// Calls a function that may change the layout of the parameters, for which no moments hold
    /// then but those that the parameters have.
    fn resizing<T>(&mut self, function: impl FnOnce(&mut dyn TrainableComponent) -> T) -> T {
        let before = self.n_parameters();
        let result = function(&mut *self.component);
        if self.n_parameters() != before {
            self.parked.clear();
        }
        result
    }

    fn n_parameters(&mut self) -> usize {
        self.component.learned().map_or(0, |learned| learned.parameters.arena().len())
    }

    /// Drops the gradients since the last step. The next update draws the random numbers that the
    /// first one since then has drawn.
    pub fn forget(&mut self) {
        self.draws = self.draws_at_step.clone();
        if let Some(learned) = self.component.learned() {
            learned.gradients.clear();
        }
    }

    /// Drops what an optimizer keeps of the weights.
    pub fn drop_optimizer(&mut self, key: u64) {
        self.parked.retain(|(own, _)| *own != key);
        if self.optimizer == Some(key) {
            self.optimizer = None;
            if let Some(learned) = self.component.learned() {
                learned.parameters.exchange_moments(&mut Moments::default());
            }
        }
    }

    /// Gives the parameters the moments of an optimizer.
    fn take_moments(&mut self, key: u64) {
        let before = self.optimizer.replace(key);
        let known = self.parked.iter().position(|(own, _)| *own == key);
        // The first optimizer takes the moments that the parameters have.
        if before == Some(key) || (before, known) == (None, None) {
            return;
        }
        let Some(learned) = self.component.learned() else { return };
        let mut moments = known.map(|at| self.parked.swap_remove(at).1).unwrap_or_default();
        learned.parameters.exchange_moments(&mut moments);
        if let Some(before) = before {
            self.parked.push((before, moments));
        }
    }
}

fn key(seed: u64, step: u32) -> StepKey {
    StepKey { seed, step, component: 0 }
}

fn update_batch<'a>(
    given: &LearnerBatch<'a>,
    key: StepKey,
    random: &'a mut PythonRandom,
    shared_rows: Option<&'a Rows>,
) -> UpdateBatch<'a> {
    UpdateBatch {
        examples: given.examples,
        dropout: Dropout::by_counter(given.dropout, key),
        random,
        workers: given.workers,
        vectors: given.vectors.clone(),
        shared_rows,
        spans: given.spans,
        d_shared: None,
        shared_loss: 0.0,
    }
}

fn check_loss(name: &str, loss: f64) -> Result<()> {
    if loss.is_finite() {
        return Ok(());
    }
    let text = format!("the loss of the component {name:?} is {loss}; lower the learn rate");
    Err(Error::new(ErrorKind::Value, codes::E910, text))
}
