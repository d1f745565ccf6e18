//! The interface of components that are trained.

use std::sync::Arc;

use lexpool::config::Section;
use lexpool::knowledge::KnowledgeBase;
use lexpool::trained::VectorSource;
use lexpool::vocab::Vocab;
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_nn::Rows;
use lexpool_nn::learn::{Gradients, NumpyRandom, Parameters};

use super::update::UpdateBatch;
use crate::corpora::example::Example;

/// A component whose network learns from examples.
///
/// The loop calls [`initialize`](TrainableComponent::initialize) once, then for each step
/// [`update`](TrainableComponent::update) for each part of the batch, which adds gradients, and
/// lets the optimizer change what [`learned`](TrainableComponent::learned) returns. Evaluation and
/// saving read [`files`](TrainableComponent::files), so that what is evaluated is what is saved.
pub trait TrainableComponent: Send {
    /// Finds the labels in examples, unless the settings have them, and makes the weights.
    ///
    /// # Errors
    ///
    /// `E143` without labels; others for examples that the component cannot learn from.
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()>;

    /// Sets the knowledge base that a linker of entities learns from, which its owner saves.
    /// `looks_up` is whether a batch without candidates in it is left out; otherwise the caller has
    /// seen to that. Does nothing in other components.
    fn set_knowledge(&mut self, _base: &Arc<KnowledgeBase>, _looks_up: bool) {}

    /// Returns whether an example has annotation that the component learns from. Called once for
    /// each example after [`initialize`](TrainableComponent::initialize), so that wrong ones are
    /// found before the first step.
    ///
    /// # Errors
    ///
    /// Those of annotation that the component cannot learn from, with the place of the reference.
    fn learns_from(&mut self, _example: &Example) -> Result<bool> {
        Ok(true)
    }

    /// Returns an estimate of the memory that an update with a batch takes, by running the network
    /// on it.
    ///
    /// # Errors
    ///
    /// Those of the network.
    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory>;

    /// Learns from a batch: adds to the gradients, and returns the loss.
    ///
    /// # Errors
    ///
    /// Those of the network.
    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64>;

    /// Returns what the optimizer changes after a batch; `None` before the weights are made.
    fn learned(&mut self) -> Option<Learned<'_>>;

    /// Returns the files of the component's folder with the present weights, as spaCy reads them.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that the formats cannot express.
    fn files(&self) -> Result<ComponentFiles>;

    /// Takes over the labels of files that [`files`](TrainableComponent::files) has returned, and
    /// the weights if "model" is among them.
    ///
    /// # Errors
    ///
    /// `model-cfg` for labels of another form; those of reading the network.
    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()>;

    /// Gives the network as many outputs as there are labels; does nothing before the weights are
    /// made.
    ///
    /// # Errors
    ///
    /// `model-structure` for a network whose outputs cannot change.
    fn fit_outputs(&mut self) -> Result<()>;

    /// Returns the gradient of scores that the network has given, and the loss. `spans` has the
    /// spans of each example, for components that score spans.
    ///
    /// # Errors
    ///
    /// Those of the examples; `gradient-shape` for scores of another number or width;
    /// `not-trainable` for a component whose loss is not a function of one score for each output.
    fn loss(
        &mut self,
        _examples: &[&Example],
        _scores: &Rows,
        _spans: &[Vec<(usize, usize)>],
    ) -> Result<(Vec<f32>, f64)> {
        let text = "the loss of this component is not one of its scores alone";
        Err(Error::new(ErrorKind::State, codes::NOT_TRAINABLE, text))
    }

    /// Keeps a copy of the network as it is, for [`rehearse`](TrainableComponent::rehearse).
    ///
    /// # Errors
    ///
    /// Those of copying the network.
    fn keep_tutor(&mut self) -> Result<()> {
        Ok(())
    }

    /// Learns to score a batch as the kept copy does, and returns the loss; `None` without a copy.
    ///
    /// # Errors
    ///
    /// Those of the network.
    fn rehearse(&mut self, _batch: &mut UpdateBatch<'_>) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Returns the labels, as `meta.json` has them.
    fn labels(&self) -> Vec<String>;

    /// Returns whether `meta.json` leaves the labels out.
    fn hides_labels(&self) -> bool {
        false
    }

    /// Returns what updates have changed beside the parameters, as bytes for the file of a paused
    /// training.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that the format cannot express.
    fn progress(&self) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    /// Takes over what [`progress`](TrainableComponent::progress) has returned of a component that
    /// was initialized alike. The parameters are read afterwards.
    ///
    /// # Errors
    ///
    /// `state-content` for the bytes of another component.
    fn resume(&mut self, progress: &[u8]) -> Result<()> {
        if progress.is_empty() {
            return Ok(());
        }
        let text = format!("{} bytes of progress of another kind of component", progress.len());
        Err(Error::value(codes::STATE_CONTENT, text))
    }

    /// Returns the rows that the component gives to the listeners of others, with what
    /// [`backward`](TrainableComponent::backward) needs; `None` for a component without listeners.
    ///
    /// # Errors
    ///
    /// Those of the network.
    fn shared_rows(&mut self, _batch: &UpdateBatch<'_>) -> Result<Option<Rows>> {
        Ok(None)
    }

    /// Learns from the sum of the gradients of the rows that
    /// [`shared_rows`](TrainableComponent::shared_rows) has given last. `None` if no listener has
    /// learned anything.
    ///
    /// # Errors
    ///
    /// Those of the network.
    fn backward(&mut self, _batch: &UpdateBatch<'_>, _d_rows: Option<Rows>) -> Result<()> {
        Ok(())
    }
}

/// The memory of an update in bytes, parameters aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateMemory {
    /// The bytes that the component keeps until all others have learned.
    pub kept: usize,
    /// The bytes that it frees before the next component learns.
    pub passing: usize,
}

/// The parameters of a component's network with the gradients of the steps since the last one.
pub struct Learned<'a> {
    /// The parameters.
    pub parameters: &'a mut Parameters,
    /// The gradients, which the optimizer sets to 0.
    pub gradients: &'a mut Gradients,
}

/// The files of a component by name, such as "model" and "cfg".
pub type ComponentFiles = Vec<(String, Vec<u8>)>;

/// The data that a component is initialized with.
pub struct Initialization<'a> {
    /// The examples of the training corpus.
    pub examples: &'a [Example],
    /// The section `[initialize.components.NAME]`; empty if it is missing.
    pub settings: &'a Section,
    /// The vocab of the pipeline.
    pub vocab: &'a Arc<Vocab>,
    /// The word vectors of the vocab.
    pub vectors: Option<Arc<dyn VectorSource>>,
    /// The random numbers of weights, which components draw in the order of the pipeline.
    pub random: &'a mut NumpyRandom,
}
