//! Links of entities as a native component, with contexts that a network encodes.

use std::sync::Arc;

use lexpool::knowledge::EntityLinker;
use lexpool::trained::{ContextNetwork, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::model::PyTrainedModel;
use crate::knowledge::{PyKnowledgeTable, link_settings};
use crate::object::vocab::PyVocab;
use crate::pipeline::PyComponent;
use crate::runtime::items::Items;

#[pymethods]
impl PyTrainedModel {
    /// Returns the component that links entities to the present entities of a knowledge base.
    ///
    /// name: the name of the component, for errors.
    /// overwrite: whether ids that entities have are replaced.
    /// n_sents, labels_discard, incl_prior, incl_context, threshold, v1: as for
    ///     `KnowledgeTable.link`.
    ///
    /// Raises ValueError: E1043 for a threshold out of range, model-settings for a network of parse
    /// states.
    #[expect(clippy::too_many_arguments, reason = "the settings of spaCy's component")]
    #[expect(clippy::fn_params_excessive_bools, reason = "named in Python")]
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    #[pyo3(signature = (name, vocab, table, *, overwrite, n_sents, labels_discard, incl_prior,
        incl_context, threshold, v1))]
    fn linker(
        &self,
        name: &str,
        vocab: &Bound<'_, PyVocab>,
        table: &Bound<'_, PyKnowledgeTable>,
        overwrite: bool,
        n_sents: usize,
        labels_discard: Items<String>,
        incl_prior: bool,
        incl_context: bool,
        threshold: Option<f64>,
        v1: bool,
    ) -> PyResult<PyComponent> {
        let Model::Rows(encoder) = &self.model else {
            return Err(PyValueError::new_err(
                "[model-settings] the network scores parse states, not contexts of entities",
            ));
        };
        let settings =
            link_settings(n_sents, &labels_discard, (incl_prior, incl_context), threshold, v1)?;
        let encoder = ContextNetwork::new(encoder.clone());
        let (vocab, base) = (vocab.get().vocab(), table.get().now());
        let linker = EntityLinker::new(name, vocab, base, settings, encoder);
        Ok(PyComponent::of(Arc::new(linker.overwriting(overwrite))))
    }
}
