//! The network of a component: its settings, and its weights once they are made.

use lexpool::config::{Section, Value};
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_nn::learn::{Gradients, InitialSizes, TrainableNetwork};
use lexpool_nn::{ModelFile, describe};

use super::component::{ComponentFiles, Initialization, Learned};
use super::labels::wrong_scores;
use super::update::UpdateBatch;
use crate::settings::fields::Fields;

/// The network of a component.
pub(super) struct Weights {
    /// The section `model` of the component, without references.
    settings: Value,
    /// The name of that section.
    section: String,
    made: Option<InitializedNetwork>,
    /// A copy of the network at an earlier time.
    tutor: Option<TrainableNetwork>,
}

struct InitializedNetwork {
    network: TrainableNetwork,
    gradients: Gradients,
}

impl Weights {
    /// Reads the section `model` of a component. Returns `None` after a problem.
    pub(super) fn read(fields: &Fields<'_>) -> Option<Weights> {
        let model = fields.inner("model");
        let Some(model) = model else {
            fields.missing("model");
            return None;
        };
        let (settings, section) = (model.value_of_all(), model.name().to_owned());
        if let Err(error) = describe::build(&settings, &section) {
            model.refused(&error);
            return None;
        }
        Some(Weights { settings, section, made: None, tutor: None })
    }

    /// Makes the weights for a number of labels.
    pub(super) fn initialize(
        &mut self,
        n_labels: Option<usize>,
        start: &mut Initialization<'_>,
    ) -> Result<()> {
        let mut width = 0;
        if let Some(vectors) = &start.vectors {
            vectors.read(&mut |vectors| {
                width = vectors.rows().width();
                Ok(())
            })?;
        }
        let sizes = InitialSizes { outputs: n_labels, vectors: width };
        let network = TrainableNetwork::new(&self.settings, &self.section, sizes, start.random)?;
        let gradients = network.parameters().zero_gradients();
        self.made = Some(InitializedNetwork { network, gradients });
        Ok(())
    }

    /// Reads the weights of a file, if there is one.
    pub(super) fn restore(&mut self, file: Option<&[u8]>) -> Result<()> {
        let Some(file) = file else { return Ok(()) };
        let network = self.read_network(file)?;
        let gradients = network.parameters().zero_gradients();
        self.made = Some(InitializedNetwork { network, gradients });
        Ok(())
    }

    fn read_network(&self, file: &[u8]) -> Result<TrainableNetwork> {
        let blueprint = describe::build(&self.settings, &self.section)?;
        TrainableNetwork::from_file(&blueprint, &ModelFile::parse(file)?)
    }

    /// Returns whether the weights are made.
    pub(super) fn are_made(&self) -> bool {
        self.made.is_some()
    }

    /// Gives the output layer another number of outputs, if the weights are made.
    pub(super) fn fit_outputs(&mut self, outputs: usize) -> Result<()> {
        let Some(InitializedNetwork { network, gradients }) = &mut self.made else {
            return Ok(());
        };
        if network.width() != outputs {
            network.resize_output(outputs)?;
            let own = std::mem::replace(gradients, network.parameters().zero_gradients());
            *gradients = own.fit(network.parameters());
        }
        Ok(())
    }

    /// Keeps a copy of the network.
    pub(super) fn keep_tutor(&mut self) -> Result<()> {
        if let Some(made) = &self.made {
            self.tutor = Some(self.read_network(&made.network.to_bytes()?)?);
        }
        Ok(())
    }

    /// Returns the copy of the network that was kept last.
    pub(super) fn tutor(&self) -> Option<&TrainableNetwork> {
        self.tutor.as_ref()
    }

    /// Returns the copy of the network that was kept last, to be changed.
    pub(super) fn tutor_mut(&mut self) -> Option<&mut TrainableNetwork> {
        self.tutor.as_mut()
    }

    /// Returns the network.
    pub(super) fn network(&self) -> Result<&TrainableNetwork> {
        self.made.as_ref().map(|made| &made.network).ok_or_else(not_made)
    }

    /// Returns the network with the gradients of its parameters.
    pub(super) fn parts(&mut self) -> Result<(&TrainableNetwork, &mut Gradients)> {
        let made = self.made.as_mut().ok_or_else(not_made)?;
        Ok((&made.network, &mut made.gradients))
    }

    /// Returns the network, the copy that was kept of it, and the gradients of the first.
    pub(super) fn parts_with_tutor(
        &mut self,
    ) -> Result<(&TrainableNetwork, &TrainableNetwork, &mut Gradients)> {
        let made = self.made.as_mut().ok_or_else(not_made)?;
        let tutor = self.tutor.as_ref().ok_or_else(not_made)?;
        Ok((&made.network, tutor, &mut made.gradients))
    }

    /// Adds the gradients that bring the scores of a batch near those of the copy that was kept.
    /// Returns the loss, the sum of the squares of the differences divided by `divisor`; `None`
    /// without a copy.
    pub(super) fn rehearse(
        &mut self,
        batch: &mut UpdateBatch<'_>,
        divisor: f32,
    ) -> Result<Option<f64>> {
        let Some(tutor) = self.tutor() else { return Ok(None) };
        if batch.n_tokens() == 0 {
            return Ok(Some(0.0));
        }
        let (targets, _) = batch.forward(tutor, None)?;
        let (scores, tape) = batch.forward(self.network()?, None)?;
        if scores.width() != targets.width() {
            return Err(wrong_scores(&scores, targets.len(), targets.width()));
        }
        let pairs = scores.numbers().iter().zip(targets.numbers());
        let d: Vec<f32> = pairs.map(|(score, target)| (score - target) / divisor).collect();
        let loss = sum_of_squares(&d);
        let (network, gradients) = self.parts()?;
        batch.backward(network, tape, d, gradients)?;
        Ok(Some(loss))
    }

    /// Gives a network of states another number of classes.
    pub(super) fn resize_classes(&mut self, n_classes: usize) -> Result<()> {
        let InitializedNetwork { network, gradients } = self.made.as_mut().ok_or_else(not_made)?;
        network.resize_classes(n_classes)?;
        let own = std::mem::replace(gradients, network.parameters().zero_gradients());
        *gradients = own.fit(network.parameters());
        Ok(())
    }

    pub(super) fn learned(&mut self) -> Option<Learned<'_>> {
        let InitializedNetwork { network, gradients } = self.made.as_mut()?;
        Some(Learned { parameters: network.parameters_mut(), gradients })
    }

    /// Returns the files `cfg` and, once the weights are made, `model`.
    pub(super) fn files(&self, cfg: Section) -> Result<ComponentFiles> {
        let cfg = Value::Section(cfg).to_indented_json();
        let mut files = vec![("cfg".to_owned(), cfg.into_bytes())];
        if let Some(made) = &self.made {
            files.push(("model".to_owned(), made.network.to_bytes()?));
        }
        Ok(files)
    }
}

/// Returns the sum of the squares of a gradient.
pub(super) fn sum_of_squares(gradient: &[f32]) -> f64 {
    gradient.iter().map(|d| f64::from(*d) * f64::from(*d)).sum()
}

fn not_made() -> Error {
    let text = "a component was trained before its weights were made";
    Error::new(ErrorKind::State, codes::NOT_TRAINABLE, text)
}
