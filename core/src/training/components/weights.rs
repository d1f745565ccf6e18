//! The network of a component: its settings, and its weights once they are made.

use lexpool_nn::architectures;
use lexpool_train::{Gradients, InitialSizes, TrainableNetwork};

use super::super::component::{ComponentFiles, Initialization, Learned};
use super::super::fields::Fields;
use crate::config::{Section, Value};
use crate::{Error, ErrorKind, Result, codes};

/// The network of a component.
pub(super) struct Weights {
    /// The section `model` of the component, without references.
    settings: Value,
    /// The name of that section.
    section: String,
    made: Option<InitializedNetwork>,
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
        if let Err(error) = architectures::build(&settings, &section) {
            model.unsupported(error.message());
            return None;
        }
        Some(Weights { settings, section, made: None })
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

    /// Returns the network.
    pub(super) fn network(&self) -> Result<&TrainableNetwork> {
        self.made.as_ref().map(|made| &made.network).ok_or_else(not_made)
    }

    /// Returns the network with the gradients of its parameters.
    pub(super) fn parts(&mut self) -> Result<(&TrainableNetwork, &mut Gradients)> {
        let made = self.made.as_mut().ok_or_else(not_made)?;
        Ok((&made.network, &mut made.gradients))
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

    /// Returns the files `cfg` and `model`.
    pub(super) fn files(&self, cfg: Section) -> Result<ComponentFiles> {
        let cfg = Value::Section(cfg).to_indented_json();
        Ok(vec![
            ("cfg".to_owned(), cfg.into_bytes()),
            ("model".to_owned(), self.network()?.to_bytes()?),
        ])
    }
}

fn not_made() -> Error {
    let text = "a component was trained before its weights were made";
    Error::new(ErrorKind::State, codes::NOT_TRAINABLE, text)
}
