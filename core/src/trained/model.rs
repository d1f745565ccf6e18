//! The network of a component, from its settings and its file.

use std::sync::Arc;

use bytes::Bytes;
use lexpool_nn::describe::{self, Kind};
use lexpool_nn::{GemmOrder, ModelFile, Needs, Network, StateNetwork, wrong_vectors};

use super::doc_tokens::VectorSource;
use super::encoder::Encoder;
use super::states::StateModel;
use crate::config::Value;
use crate::{Error, Result};

/// A network that was read.
#[derive(Clone)]
pub enum Model {
    /// From a document to rows.
    Rows(Encoder),
    /// From the states of a parse to scores.
    States(StateModel),
}

impl Model {
    /// Reads a network from the settings `model` of a component and its file `model`.
    ///
    /// The network keeps the bytes, and reads tables of embeddings where they lie. `section` is the
    /// name of the settings, for errors: "components.tagger.model". `order` is the
    /// order of additions in sums.
    ///
    /// # Errors
    ///
    /// `model-architecture` for architectures that lexpool lacks; `model-settings`, `model-file`,
    /// `model-dtype`, `model-layer`, `model-structure` for settings and files that are damaged or
    /// do not fit each other; `model-nan` for weights that are not finite numbers; `model-vectors`
    /// for word vectors of another width.
    pub fn read(
        settings: &Value,
        section: &str,
        file: &Bytes,
        vectors: Option<Arc<dyn VectorSource>>,
        order: GemmOrder,
    ) -> Result<Model> {
        let in_section = |error: Error| error.context(format_args!("[{section}], file \"model\""));
        let file = ModelFile::parse_shared(file).map_err(in_section);
        // Architectures that lexpool lacks are named before damage, since their files may have
        // another form.
        let blueprint = match &file {
            Ok(file) => describe::build_for(settings, section, file)?,
            Err(_) => describe::build(settings, section)?,
        };
        let file = file?;
        file.check_finite().map_err(in_section)?;
        if blueprint.root().kind() == Kind::Parser {
            let network = StateNetwork::read(&blueprint, &file, order).map_err(in_section)?;
            check_vectors(&network.needs(), section, vectors.as_deref())?;
            return Ok(Model::States(StateModel::new(network, vectors)));
        }
        let network = Network::read(&blueprint, &file, order).map_err(in_section)?;
        check_vectors(&network.needs(), section, vectors.as_deref())?;
        Ok(Model::Rows(Encoder::new(network, vectors)))
    }
}

/// Checks that word vectors have the width that a network takes.
fn check_vectors(needs: &Needs, section: &str, vectors: Option<&dyn VectorSource>) -> Result<()> {
    let mut found = 0;
    if let Some(vectors) = vectors {
        vectors.read(&mut |vectors| {
            found = vectors.rows().width();
            Ok(())
        })?;
    }
    match needs.vector_widths.iter().find(|width| **width != found) {
        None => Ok(()),
        Some(width) => Err(wrong_vectors(*width, found).context(format_args!("[{section}]"))),
    }
}
