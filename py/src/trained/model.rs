//! The network of a trained component.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use lexpool::Result;
use lexpool::components::COMPONENTS;
use lexpool::config::Value;
use lexpool::nn::{GemmOrder, describe};
use lexpool::trained::{self, Model, SavedComponent, VectorSource};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::state_scorer::PyStateScorer;
use super::vectors::TableVectors;
use crate::io::json::Settings;
use crate::io::packed::PyFilePart;
use crate::object::doc::PyDoc;
use crate::object::vectors::PyVectorTable;
use crate::pipeline::PyComponent;
use crate::runtime::array::array;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::Items;

/// Returns the factories of trained components.
#[pyfunction]
pub(super) fn trained_factories() -> Vec<&'static str> {
    let rows = COMPONENTS.iter().filter(|row| trained::is_made_here(row.kind));
    rows.map(|row| row.factory).collect()
}

/// Raises ValueError (model-architecture) for settings `model` of a component, that name
/// architectures which lexpool lacks, with all of them; model-settings for wrong settings.
#[pyfunction]
pub(super) fn check_architecture(settings: Settings, section: &str) -> PyResult<()> {
    let settings = Value::from(settings.0);
    describe::build(&settings, section).map(drop).or_raise()
}

/// The file of a network: bytes of Python, or a part of a mapped file.
#[derive(FromPyObject)]
enum WeightsFile<'py> {
    Owned(PyBackedBytes),
    Mapped(PyRef<'py, PyFilePart>),
}

impl WeightsFile<'_> {
    /// Returns the bytes, which are not copied.
    fn into_bytes(self) -> Bytes {
        match self {
            WeightsFile::Owned(bytes) => Bytes::from_owner(bytes),
            WeightsFile::Mapped(part) => part.0.clone(),
        }
    }
}

/// A network that was read from the file of a component.
///
/// settings: the section `model` of the component. section: the name of the section, for
/// errors. file: the bytes of the file `model`, which the network keeps. vectors: the word vectors
/// of the vocab. numerics: the order of additions: "fast", or that of a kernel of BLIS.
///
/// Raises ValueError: model-architecture with all architectures that lexpool lacks; model-settings,
/// model-file, model-structure and others for settings and files that are damaged or do not fit
/// each other.
#[pyclass(name = "TrainedModel", module = "lexpool._core", frozen)]
pub(super) struct PyTrainedModel {
    pub(super) model: Model,
    vectors: Option<Arc<dyn VectorSource>>,
}

class!(PyTrainedModel);

#[pymethods]
impl PyTrainedModel {
    #[new]
    #[pyo3(signature = (settings, section, file, vectors, numerics="fast"))]
    // stub: (file: bytes | FilePart)
    fn py_new(
        py: Python<'_>,
        settings: Settings,
        section: &str,
        file: WeightsFile<'_>,
        vectors: Option<Py<PyVectorTable>>,
        numerics: &str,
    ) -> PyResult<PyTrainedModel> {
        let settings = Value::from(settings.0);
        let vectors = vectors.map(|table| Arc::new(TableVectors(table)) as Arc<dyn VectorSource>);
        let order = GemmOrder::from_name(numerics).ok_or_else(|| {
            let known = GemmOrder::ALL.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("numerics is {numerics:?}; expected one of {known}"))
        })?;
        let file = file.into_bytes();
        let model = detached(py, || Model::read(&settings, section, &file, vectors.clone(), order));
        Ok(PyTrainedModel { model: model.or_raise()?, vectors })
    }

    /// The number of columns of the result, or of classes of a parser.
    #[getter]
    fn width(&self) -> usize {
        match &self.model {
            Model::Rows(encoder) => encoder.width(),
            Model::States(states) => states.n_classes(),
        }
    }

    /// The number of features of a parser's states; None for other networks.
    #[getter]
    fn n_features(&self) -> Option<usize> {
        match &self.model {
            Model::Rows(_) => None,
            Model::States(states) => Some(states.n_features()),
        }
    }

    /// Returns the result of the network for a document, an array of float32: a row for each token,
    /// or one row for the document.
    // stub: -> NDArray[float32]
    fn rows<'py>(&self, py: Python<'py>, doc: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        self.span_rows(py, doc, Items::default())
    }

    /// Returns the result of a network that scores spans, given as pairs of their first token and
    /// the one after the last: a row of float32 for each.
    // stub: -> NDArray[float32]
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn span_rows<'py>(
        &self,
        py: Python<'py>,
        doc: &Bound<'py, PyDoc>,
        spans: Items<(usize, usize)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Model::Rows(encoder) = &self.model else {
            return Err(PyValueError::new_err(
                "[model-settings] the network scores parse states, not tokens or spans",
            ));
        };
        let doc = doc.get().read(py)?;
        let doc = &*doc;
        let rows = detached(py, || encoder.rows_of_spans(doc, &spans)).or_raise()?;
        array(py, rows.numbers(), &[rows.len(), rows.width()])
    }

    /// Returns the scorer of the states of documents.
    ///
    /// n_classes: the number of classes of the transition system. Those beyond the network's have
    /// the
    ///     lowest score of a state.
    /// rectify: whether negative outputs of hidden layers with one piece become 0, as in beams.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn scorer(
        &self,
        py: Python<'_>,
        docs: Items<Py<PyDoc>>,
        n_classes: usize,
        rectify: bool,
    ) -> PyResult<PyStateScorer> {
        let Model::States(states) = &self.model else {
            return Err(PyValueError::new_err(
                "[model-settings] the network scores no parse states",
            ));
        };
        let docs: Vec<_> = docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<_>>()?;
        let docs: Vec<_> = docs.iter().map(|doc| &**doc).collect();
        let scorer = detached(py, || states.scorer(docs.iter().copied(), n_classes, rectify));
        Ok(PyStateScorer::new(scorer.or_raise()?))
    }

    /// Returns the component of a factory that uses the network.
    ///
    /// settings: the settings of the component.
    /// files: its other files by name: "cfg", "moves", "trees".
    ///
    /// Raises ValueError: model-cfg for files that are damaged, model-labels for another number of
    /// labels than the network has outputs.
    // stub: (files: Mapping[str, bytes])
    fn component(
        &self,
        py: Python<'_>,
        factory: &str,
        name: &str,
        settings: Settings,
        files: HashMap<String, PyBackedBytes>,
    ) -> PyResult<PyComponent> {
        let settings = Value::from(settings.0);
        let files = files.into_iter().map(|(name, bytes)| (name, Bytes::from_owner(bytes)));
        let files: HashMap<String, Bytes> = files.collect();
        let file = |name: &str| -> Result<Option<Bytes>> { Ok(files.get(name).cloned()) };
        let vectors = self.vectors.clone();
        let made = detached(py, || {
            let (settings, file, order) = (&settings, &file, GemmOrder::default());
            let saved = SavedComponent { factory, name, settings, file, vectors, order };
            trained::component_of(&saved, &self.model)
        });
        match made.or_raise()? {
            Some(component) => Ok(PyComponent::of(component)),
            None => Err(PyValueError::new_err(format!(
                "[model-settings] {factory:?} is not a factory of trained components"
            ))),
        }
    }
}
