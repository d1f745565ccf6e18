//! The network of a pretraining: a shared network, and that of the objective on its rows.

use std::sync::Arc;

use lexpool::config::{Section, Value};
use lexpool::tokens::Doc;
use lexpool::trained::{VectorSource, with_sources};
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes};
use lexpool_nn::learn::{
    Batch, Dropout, Gradients, InitialSizes, NumpyRandom, Optimizer, SavedNetwork, StepKey,
    TrainableNetwork, Workers, with_layer_weights,
};
use lexpool_nn::{ModelFile, RowUnit, TensorView, TokenSource, describe};

use super::masking::{MaskedDocs, RandomWords};
use super::objective::Objective;
use super::settings::PretrainingPlan;
use crate::components::update::SharedTokens;

/// A network with the gradients of its parameters.
struct Part {
    network: TrainableNetwork,
    gradients: Gradients,
}

impl Part {
    fn new(network: TrainableNetwork) -> Part {
        let gradients = network.parameters().zero_gradients();
        Part { network, gradients }
    }

    fn step(&mut self, optimizer: &Optimizer, workers: Workers) -> Result<()> {
        optimizer.step(self.network.parameters_mut(), &mut self.gradients, workers)
    }
}

/// The network that is pretrained, with what it needs for its updates.
pub(super) struct PretrainedNetwork {
    tok2vec: Part,
    head: Part,
    objective: Objective,
    optimizer: Optimizer,
    words: RandomWords,
    random: NumpyRandom,
    vectors: Option<Arc<dyn VectorSource>>,
    seed: u64,
    dropout: f64,
    workers: Workers,
    /// The number of updates so far.
    step: u32,
}

impl PretrainedNetwork {
    /// Makes the networks with thinc's first weights.
    ///
    /// # Errors
    ///
    /// `E874` for a network without a row for each word; `E875` for the objective of vectors in a
    /// vocab without any; those of [`TrainableNetwork::new`].
    pub(super) fn new(
        plan: &PretrainingPlan,
        vocab: &Arc<Vocab>,
        workers: Workers,
    ) -> Result<PretrainedNetwork> {
        let vectors = vocab.vectors();
        let width = vectors.as_ref().map_or(0, |vectors| vectors.rows().width());
        if matches!(plan.objective, Objective::Vectors(_)) && width == 0 {
            let text = "[pretraining.objective] predicts word vectors, and the vocab has none: name \
                        a pipeline with vectors as \"vectors\" of [initialize]";
            return Err(Error::value(codes::E875, text));
        }
        #[expect(clippy::cast_possible_truncation, reason = "NumPy's seeds have 32 bits")]
        let mut random = NumpyRandom::new(plan.seed as u32);
        let sizes = InitialSizes { outputs: None, vectors: width };
        // spaCy initializes the shared network alone first, and once more with that of the
        // objective: what is drawn first is lost.
        let mut tok2vec = None;
        for _ in 0..2 {
            let made = TrainableNetwork::new(&plan.network, &plan.section, sizes, &mut random);
            tok2vec = Some(made.map_err(|error| plan.not_shared(error.message()))?);
        }
        let tok2vec = tok2vec.expect("made twice");
        if tok2vec.unit() != RowUnit::Token {
            return Err(plan.not_shared("it does not give a row of numbers for each word"));
        }
        let settings = head_settings(plan, tok2vec.width());
        let outputs = Some(plan.objective.width(width));
        let sizes = InitialSizes { outputs, vectors: width };
        let head = TrainableNetwork::new(&settings, "pretraining.objective", sizes, &mut random)?;
        Ok(PretrainedNetwork {
            tok2vec: Part::new(tok2vec),
            head: Part::new(head),
            objective: plan.objective,
            optimizer: Optimizer::new(plan.optimizer.clone())?,
            words: RandomWords::new(vocab),
            random,
            vectors: vectors.map(|vectors| vectors as Arc<dyn VectorSource>),
            seed: plan.seed,
            dropout: plan.dropout,
            workers,
            step: 0,
        })
    }

    /// Gives the shared network the weights of a file.
    ///
    /// # Errors
    ///
    /// Those of [`with_layer_weights`].
    pub(super) fn resume(&mut self, plan: &PretrainingPlan, weights: &[u8]) -> Result<()> {
        let own = self.tok2vec.network.to_bytes()?;
        let own = SavedNetwork { settings: &plan.network, file: &own };
        let made = with_layer_weights(own, &plan.section, "", weights)?;
        let blueprint = describe::build(&plan.network, &plan.section)?;
        let network = TrainableNetwork::from_file(&blueprint, &ModelFile::parse(&made)?)?;
        self.tok2vec = Part::new(network);
        Ok(())
    }

    /// Returns the number of parameters.
    pub(super) fn n_parameters(&self) -> usize {
        let parts = [&self.tok2vec, &self.head];
        parts.iter().map(|part| part.network.parameters().arena().len()).sum()
    }

    /// Learns from a batch of documents. Returns the loss.
    ///
    /// # Errors
    ///
    /// `E910` for a loss of NaN or infinity; those of the networks.
    pub(super) fn update(&mut self, docs: &[&Doc]) -> Result<f64> {
        let masked = MaskedDocs::new(docs, &mut self.words, &mut self.random)?;
        let inputs: Vec<&Doc> = masked.docs.iter().collect();
        let dropout = |component| {
            let key = StepKey { seed: self.seed, step: self.step, component };
            Dropout::by_counter(self.dropout, key)
        };
        let vectors = self.vectors.as_deref();
        let (rows, tape) = with_sources(&inputs, vectors, |sources| {
            let network = &self.tok2vec.network;
            network.forward(&Batch::new(sources), &dropout(0), self.workers)
        })?;
        let (width, mut rest) = (rows.width(), rows.numbers());
        let tensors: Vec<TensorView<'_>> = inputs
            .iter()
            .map(|doc| {
                let (own, after) = rest.split_at(doc.len() * width);
                rest = after;
                TensorView { width, numbers: own }
            })
            .collect();
        let (predictions, head_tape) = with_sources(&inputs, vectors, |sources| {
            let tokens = sources.iter().zip(&tensors);
            let tokens: Vec<_> = tokens
                .map(|(tokens, tensor)| SharedTokens { tokens: *tokens, tensor: Some(tensor) })
                .collect();
            let sources: Vec<_> = tokens.iter().map(|tokens| tokens as &dyn TokenSource).collect();
            let network = &self.head.network;
            network.forward(&Batch::new(&sources), &dropout(1), self.workers)
        })?;
        let (loss, d) =
            self.objective.loss(docs, &masked.is_predicted, &predictions, vectors, self.workers)?;
        if !loss.is_finite() {
            let text = format!("the loss of the pretraining is {loss} at update {}", self.step);
            return Err(Error::value(codes::E910, text));
        }
        let workers = self.workers;
        let Part { network, gradients } = &mut self.head;
        let d_rows = network.backward(head_tape, d, gradients, workers)?;
        if let Some(d_rows) = d_rows {
            let Part { network, gradients } = &mut self.tok2vec;
            network.backward(tape, d_rows.into_numbers(), gradients, workers)?;
        }
        self.tok2vec.step(&self.optimizer, workers)?;
        self.head.step(&self.optimizer, workers)?;
        self.step = self.step.wrapping_add(1);
        Ok(loss)
    }

    /// Returns the shared network as a model file, with the running means of its weights if there
    /// are any.
    ///
    /// # Errors
    ///
    /// `E910` for weights that are not finite.
    pub(super) fn weights_file(&mut self) -> Result<Vec<u8>> {
        let network = &mut self.tok2vec.network;
        if !network.parameters().arena().iter().all(|weight| weight.is_finite()) {
            let text = format!("weights are NaN or infinite after {} updates", self.step);
            return Err(Error::value(codes::E910, text));
        }
        network.parameters_mut().show_averages(true);
        let bytes = network.to_bytes();
        network.parameters_mut().show_averages(false);
        bytes
    }
}

/// Returns the settings of the network of the objective, which listens to rows of a width.
fn head_settings(plan: &PretrainingPlan, width: usize) -> Value {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let mut listener = Section::default();
    listener.set("@architectures", "spacy.Tok2VecListener.v1");
    listener.set("width", count(width));
    let name = match plan.objective {
        Objective::Vectors(_) => "spacy.PretrainVectors.v1",
        Objective::Characters(_) => "spacy.PretrainCharacters.v1",
    };
    let mut settings = Section::default();
    settings.set("@architectures", name);
    settings.set("maxout_pieces", count(plan.maxout_pieces));
    settings.set("hidden_size", count(plan.hidden_size));
    settings.set("tok2vec", listener);
    Value::Section(settings)
}
