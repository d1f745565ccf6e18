//! Components that learn, batch by batch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lexpool::config::Value;
use lexpool::nn::Rows;
use lexpool::nn::learn::{
    self, Method, NumpyRandom, Optimizer, OptimizerSettings, SavedNetwork, Schedule, Workers,
};
use lexpool::trained::VectorSource;
use lexpool_training::{Example, Learner, LearnerBatch, SharedRows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::examples::PyTrainingBatch;
use crate::io::json::Settings;
use crate::knowledge::PyKnowledgeTable;
use crate::object::vectors::PyVectorTable;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::class;
use crate::runtime::detached_lock::DetachedLock;
use crate::runtime::error::{BusyError, OrRaise};
use crate::runtime::gil::detached;
use crate::runtime::items::Items;
use crate::trained::TableVectors;

/// Spans of a document: their first tokens, and those after the last.
type Spans = Items<Items<(usize, usize)>>;

/// A component that learns from batches of examples without the GIL.
///
/// factory, name: of the component.
/// settings: the settings that its factory has in a configuration, with `model`.
///
/// Raises ValueError: training-config for wrong settings, training-unsupported for those that
/// lexpool does not train with. All methods raise BusyError while another thread uses the learner.
#[pyclass(name = "Learner", module = "lexpool._core", frozen)]
pub(super) struct PyLearner {
    learner: DetachedLock<Learner>,
    view: Arc<WeightView>,
    /// The keys of optimizers that ended while a thread used the learner: the next step drops what
    /// they have kept.
    ended_optimizers: Mutex<Vec<u64>>,
}

class!(PyLearner);

/// The weights that a component that learns shows to the outside: in its files, and so to
/// predictions. Learning itself always uses the weights themselves.
#[derive(Default)]
struct WeightView {
    /// A number that changes with what is shown.
    version: AtomicU64,
    /// The uses of running means that have not ended, with the keys of their optimizers. Those of
    /// the last use are shown; without any, the weights are.
    averages: Mutex<Vec<(UseId, u64)>>,
}

/// The number of a use of running means.
type UseId = u64;

impl WeightView {
    /// Shows the running means of an optimizer until the use is ended.
    fn begin_use(&self, key: u64) -> UseId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        self.averages.lock().unwrap_or_else(PoisonError::into_inner).push((id, key));
        self.changed();
        id
    }

    /// Ends a use; does nothing if it has ended.
    fn end_use(&self, id: UseId) {
        let mut uses = self.averages.lock().unwrap_or_else(PoisonError::into_inner);
        let before = uses.len();
        uses.retain(|(own, _)| *own != id);
        let has_ended = uses.len() != before;
        drop(uses);
        if has_ended {
            self.changed();
        }
    }

    /// Returns the key of the optimizer whose running means are shown.
    fn optimizer(&self) -> Option<u64> {
        let uses = self.averages.lock().unwrap_or_else(PoisonError::into_inner);
        uses.last().map(|(_, key)| *key)
    }

    /// Notes that an optimizer has dropped its running means.
    fn changed_means_of(&self, key: u64) {
        if self.optimizer() == Some(key) {
            self.changed();
        }
    }

    /// Notes that the weights, or which of them are shown, have changed.
    fn changed(&self) {
        self.version.fetch_add(1, Ordering::Relaxed);
    }
}

/// The use of running means in the place of weights, by the files of a component and by
/// predictions. It ends with a `with` block, or when nothing refers to it any more, whatever
/// exception was raised where.
#[pyclass(name = "AveragesInUse", module = "lexpool._core", frozen)]
pub(super) struct PyAveragesInUse {
    view: Arc<WeightView>,
    id: UseId,
}

class!(PyAveragesInUse);

impl Drop for PyAveragesInUse {
    fn drop(&mut self) {
        self.view.end_use(self.id);
    }
}

#[pymethods]
impl PyAveragesInUse {
    fn __enter__(&self) {}

    /// Shows the weights again, or what was shown before.
    #[pyo3(signature = (*_error))]
    // stub: (*_error: object)
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        self.view.end_use(self.id);
    }
}

/// The rows that a shared component gives to its listeners, with what they learn of them.
#[pyclass(name = "SharedRows", module = "lexpool._core", frozen)]
pub(super) struct PySharedRows {
    /// `None` once the shared component has learned.
    shared: DetachedLock<Option<SharedRows>>,
}

class!(PySharedRows);

fn busy() -> PyErr {
    BusyError::new_err("the component is used for training by another thread")
}

impl PyLearner {
    /// Calls a function with the learner, without the GIL.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut Learner) -> lexpool::Result<T> + Send,
    ) -> PyResult<T> {
        self.learner.with(py, function).ok_or_else(busy)?.or_raise()
    }

    /// Calls a function that may change the weights, as [`with`](PyLearner::with).
    fn with_change<T: Send>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut Learner) -> lexpool::Result<T> + Send,
    ) -> PyResult<T> {
        // Noted before the learner is free: a child of a fork has both or neither.
        self.with(py, |learner| {
            let result = function(learner);
            self.view.changed();
            result
        })
    }

    /// Calls a function with the learner and a batch, without the GIL.
    fn with_batch<T: Send>(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyTrainingBatch>,
        dropout: f64,
        vectors: Option<Py<PyVectorTable>>,
        threads: usize,
        function: impl FnOnce(&mut Learner, LearnerBatch<'_>) -> lexpool::Result<T> + Send,
    ) -> PyResult<T> {
        let batch = batch.get();
        let examples = references(&batch.examples);
        let workers = workers(batch, threads);
        let vectors = source(vectors);
        let given = LearnerBatch { examples: &examples, dropout, workers, vectors, spans: None };
        self.with(py, |learner| function(learner, given))
    }

    /// Drops what optimizers that have ended keep of the weights.
    fn drop_ended(&self, learner: &mut Learner) {
        let ended_optimizers = std::mem::take(
            &mut *self.ended_optimizers.lock().unwrap_or_else(PoisonError::into_inner),
        );
        for key in ended_optimizers {
            learner.drop_optimizer(key);
        }
    }
}

fn source(vectors: Option<Py<PyVectorTable>>) -> Option<Arc<dyn VectorSource>> {
    vectors.map(|table| Arc::new(TableVectors(table)) as Arc<dyn VectorSource>)
}

fn span_lists(spans: Spans) -> Vec<Vec<(usize, usize)>> {
    spans.into_iter().map(Items::into_vec).collect()
}

fn references(examples: &[Example]) -> Vec<&Example> {
    examples.iter().collect()
}

/// Small batches gain nothing by threads.
fn workers(batch: &PyTrainingBatch, threads: usize) -> Workers {
    const FROM_TOKENS: usize = 128;
    let tokens: usize = batch.examples.iter().map(|example| example.predicted().len()).sum();
    if tokens < FROM_TOKENS { Workers::ONE } else { Workers::new(threads) }
}

#[pymethods]
impl PyLearner {
    #[new]
    fn py_new(
        factory: &str,
        name: &str,
        settings: Settings,
        vocab: &Bound<'_, PyVocab>,
    ) -> PyResult<PyLearner> {
        let Settings(settings) = settings;
        let learner = Learner::new(factory, name, &settings, vocab.get().vocab()).or_raise()?;
        let learner = DetachedLock::new(learner);
        Ok(PyLearner { learner, view: Arc::default(), ended_optimizers: Mutex::default() })
    }

    /// A number that changes with the weights that `files` returns.
    #[getter]
    fn version(&self) -> u64 {
        self.view.version.load(Ordering::Relaxed)
    }

    /// True if the weights are made.
    #[getter]
    fn has_weights(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |learner| Ok(learner.has_weights()))
    }

    /// The labels.
    #[getter]
    fn labels(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |learner| Ok(learner.labels()))
    }

    /// Sets the seed of dropout and of cuts.
    fn set_seed(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        self.with(py, |learner| {
            learner.set_seed(seed);
            Ok(())
        })
    }

    /// Sets the knowledge base that an entity linker learns from, as the table has it now.
    ///
    /// looks_up: whether a batch without candidates in it is left out; otherwise the caller has
    ///     seen to that.
    fn set_knowledge(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyKnowledgeTable>,
        looks_up: bool,
    ) -> PyResult<()> {
        let base = table.get().now();
        self.with(py, |learner| {
            learner.set_knowledge(&base, looks_up);
            Ok(())
        })
    }

    /// Takes the labels of files, and the weights if "model" is among them.
    ///
    /// files: the files of the component by name: "cfg", "moves", "trees", "model".
    // stub: (files: Mapping[str, bytes])
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python dict for this call")]
    fn restore(
        &self,
        py: Python<'_>,
        files: std::collections::HashMap<String, PyBackedBytes>,
    ) -> PyResult<()> {
        let files: Vec<(String, Vec<u8>)> =
            files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
        self.with_change(py, |learner| learner.restore(&files))
    }

    /// Adds the labels of examples, or those of the setting "labels", and makes the weights.
    ///
    /// settings: the settings of `initialize`.
    /// random: the state of NumPy's generator, as bytes. Returns its state afterwards.
    ///
    /// Raises ValueError: E143 without labels, and others for examples that the component cannot
    /// learn from.
    // stub: -> bytes
    fn initialize<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyTrainingBatch>,
        settings: Settings,
        vectors: Option<Py<PyVectorTable>>,
        random: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut random = state_of(random)?;
        let (examples, vectors) = (&batch.get().examples, source(vectors));
        let (Settings(settings), random_state) = (settings, &mut random);
        self.with_change(py, |learner| {
            learner.initialize(examples, &settings, vectors, random_state)
        })?;
        Ok(PyBytes::new(py, &random.to_bytes()))
    }

    /// Gives the network an output for each label.
    fn fit_outputs(&self, py: Python<'_>) -> PyResult<()> {
        self.with_change(py, Learner::fit_outputs)
    }

    /// Learns from a batch: adds to the gradients, and returns the loss. After an error nothing is
    /// learned of the batch.
    ///
    /// shared: the rows that listeners read. spans: the spans of each document, if a function of
    /// Python suggests them. threads: 0 for one per core.
    ///
    /// Raises ValueError (E910) for a loss of NaN or infinity.
    // stub: (spans: Sequence[Sequence[tuple[int, int]]] | None)
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    #[pyo3(signature = (batch, dropout, vectors, *, shared=None, spans=None, threads=0))]
    fn update(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyTrainingBatch>,
        dropout: f64,
        vectors: Option<Py<PyVectorTable>>,
        shared: Option<&Bound<'_, PySharedRows>>,
        spans: Option<Spans>,
        threads: usize,
    ) -> PyResult<f64> {
        let spans = spans.map(span_lists);
        let rows = shared.map(|shared| &shared.get().shared);
        let loss = self.with_batch(py, batch, dropout, vectors, threads, |learner, given| {
            let batch = LearnerBatch { spans: spans.as_deref(), ..given };
            let loss = match rows {
                Some(rows) => {
                    rows.with_detached(|rows| learner.update(&batch, rows.as_mut())).transpose()
                }
                None => learner.update(&batch, None).map(Some),
            };
            // Classes may have been added.
            self.view.changed();
            loss
        })?;
        loss.ok_or_else(busy)
    }

    /// Learns to score a batch as the kept copy does, and returns the loss; None without a copy.
    #[pyo3(signature = (batch, dropout, vectors, *, threads=0))]
    fn rehearse(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyTrainingBatch>,
        dropout: f64,
        vectors: Option<Py<PyVectorTable>>,
        threads: usize,
    ) -> PyResult<Option<f64>> {
        self.with_batch(py, batch, dropout, vectors, threads, |learner, given| {
            learner.rehearse(&given)
        })
    }

    /// Keeps a copy of the network for `rehearse`.
    fn keep_tutor(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Learner::keep_tutor)
    }

    /// Returns the rows that the component gives to listeners; None for one without listeners.
    #[pyo3(signature = (batch, dropout, vectors, *, threads=0))]
    fn share(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyTrainingBatch>,
        dropout: f64,
        vectors: Option<Py<PyVectorTable>>,
        threads: usize,
    ) -> PyResult<Option<PySharedRows>> {
        let shared = self.with_batch(py, batch, dropout, vectors, threads, |learner, given| {
            learner.share(&given)
        })?;
        Ok(shared.map(|shared| PySharedRows { shared: DetachedLock::new(Some(shared)) }))
    }

    /// Learns from what listeners have learned of the rows that `share` returned last, once.
    ///
    /// Raises ValueError (E910) for a loss of NaN or infinity.
    #[pyo3(signature = (shared, *, threads=0))]
    fn learn_from(
        &self,
        py: Python<'_>,
        shared: &Bound<'_, PySharedRows>,
        threads: usize,
    ) -> PyResult<()> {
        let rows = &shared.get().shared;
        let learned = self.with(py, |learner| {
            let learn = |rows: &mut Option<SharedRows>| match rows.take() {
                Some(rows) => learner.learn_from(rows, Workers::new(threads)),
                None => Ok(()),
            };
            rows.with_detached(learn).transpose()
        })?;
        learned.ok_or_else(busy)
    }

    /// Drops what an optimizer keeps of the weights; while another thread uses the learner, lets
    /// the next step do so.
    fn drop_optimizer(&self, py: Python<'_>, key: u64) {
        if self.learner.with_gil(py, |learner| learner.drop_optimizer(key)).is_some() {
            self.view.changed_means_of(key);
        } else {
            self.ended_optimizers.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        }
    }

    /// Shows the running means that an optimizer keeps of the weights in the place of these, in the
    /// files and to predictions, as long as the result is in use. Updates go on with the weights.
    fn use_averages(&self, key: u64) -> PyAveragesInUse {
        PyAveragesInUse { id: self.view.begin_use(key), view: Arc::clone(&self.view) }
    }

    /// Returns what an optimizer keeps of the weights, as bytes; None without weights.
    // stub: -> bytes | None
    fn state_to_bytes<'py>(
        &self,
        py: Python<'py>,
        key: u64,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let state = self.with(py, |learner| learner.state_to_bytes(key))?;
        Ok(state.map(|state| PyBytes::new(py, &state)))
    }

    /// Drops the gradients since the last step.
    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |learner| {
            learner.forget();
            Ok(())
        })
    }

    /// Takes the bytes that `state_to_bytes` returned.
    ///
    /// Raises ValueError (optimizer-settings) for the state of other weights.
    fn read_state(&self, py: Python<'_>, key: u64, state: &[u8]) -> PyResult<()> {
        self.with_change(py, |learner| learner.read_state(key, state))
    }

    /// Returns the gradient of scores, as bytes of float32, and the loss.
    ///
    /// scores: a row for each token, document or span, of `width` numbers, as bytes of float32.
    /// spans: the spans of each document, for components that score spans.
    // stub: (spans: Sequence[Sequence[tuple[int, int]]] | None) -> tuple[bytes, float]
    #[pyo3(signature = (batch, scores, width, spans=None))]
    fn loss<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyTrainingBatch>,
        scores: &[u8],
        width: usize,
        spans: Option<Spans>,
    ) -> PyResult<(Bound<'py, PyBytes>, f64)> {
        let numbers: Vec<f32> = scores
            .chunks_exact(4)
            .filter_map(|bytes| bytes.try_into().ok())
            .map(f32::from_ne_bytes)
            .collect();
        if width == 0 || numbers.len() % width != 0 {
            let text = format!("{} scores are no rows of {width}", numbers.len());
            return Err(PyValueError::new_err(text));
        }
        let rows = Rows::new(width, numbers);
        let examples = references(&batch.get().examples);
        let spans = span_lists(spans.unwrap_or_default());
        let (d, loss) = self.with(py, |learner| learner.loss(&examples, &rows, &spans))?;
        let bytes: Vec<u8> = d.iter().flat_map(|number| number.to_ne_bytes()).collect();
        Ok((PyBytes::new(py, &bytes), loss))
    }

    /// Returns the files of the component, by name, with the present weights or the running means
    /// that are used in their place.
    // stub: -> dict[str, bytes]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (name, bytes) in self.with(py, |learner| learner.files(self.view.optimizer()))? {
            files.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok(files)
    }
}

#[pymethods]
impl PySharedRows {
    /// The sum of the squares of the gradients that listeners have added; 0 once the shared
    /// component has learned.
    #[getter]
    fn loss(&self, py: Python<'_>) -> f64 {
        // The rows of an update that another thread is at have no loss yet.
        let loss = |rows: &mut Option<SharedRows>| rows.as_ref().map_or(0.0, SharedRows::loss);
        self.shared.with_gil(py, loss).unwrap_or(0.0)
    }
}

/// Lets an optimizer change the weights of components by their gradients, those of all or none.
///
/// key: tells optimizers apart: each has moments of its own.
/// method: "adam", "radam" or "sgd". The other numbers are those of the optimizer's step.
///
/// Raises ValueError (optimizer-settings) for numbers out of range, BusyError while another thread
/// uses one of the components.
#[pyfunction]
// stub: (learners: list[Learner])
#[expect(clippy::too_many_arguments, reason = "named in Python")]
#[pyo3(signature = (learners, key, method, *, learn_rate, beta1, beta2, eps, l2, grad_clip,
    l2_is_weight_decay, use_averages, threads=0))]
pub(super) fn step_learners(
    learners: &Bound<'_, PyList>,
    key: u64,
    method: &str,
    learn_rate: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    l2: f64,
    grad_clip: f64,
    l2_is_weight_decay: bool,
    use_averages: bool,
    threads: usize,
) -> PyResult<()> {
    let method = match method {
        "adam" => Method::Adam,
        "radam" => Method::RAdam,
        "sgd" => Method::Sgd,
        other => {
            let text = format!("method is {other:?}; expected \"adam\", \"radam\" or \"sgd\"");
            return Err(PyValueError::new_err(text));
        }
    };
    let settings = OptimizerSettings {
        method,
        learn_rate: Schedule::constant(learn_rate),
        beta1: Schedule::constant(beta1),
        beta2: Schedule::constant(beta2),
        eps: Schedule::constant(eps),
        l2: Schedule::constant(l2),
        grad_clip: Schedule::constant(grad_clip),
        l2_is_weight_decay,
        use_averages,
    };
    let optimizer = Optimizer::new(settings).or_raise()?;
    let py = learners.py();
    let learners = learners.iter().map(|learner| Ok(learner.cast_into::<PyLearner>()?.unbind()));
    let learners = learners.collect::<PyResult<Vec<_>>>()?;
    let values: Vec<&DetachedLock<Learner>> =
        learners.iter().map(|own| &own.get().learner).collect();
    let stepped = DetachedLock::with_all(py, &values, |all| {
        for (at, own) in learners.iter().map(Py::get).enumerate() {
            let learner = all.get(at);
            own.drop_ended(learner);
            let result = learner.step(key, &optimizer, Workers::new(threads));
            own.view.changed();
            result?;
        }
        Ok(())
    });
    stepped.ok_or_else(busy)?.or_raise()
}

/// Returns the file of a network in which copies of a shared one stand in the place of listeners.
///
/// settings: those of the whole network. outer, file: the settings and the file of the
/// network with listeners. inner, shared: those of the shared one. section: the name of the section
/// of the settings, for errors.
///
/// Raises ValueError (model-structure) if they do not fit each other.
#[pyfunction]
// stub: (file: bytes, shared: bytes) -> bytes
#[expect(clippy::needless_pass_by_value, reason = "borrowed from Python for this call")]
pub(super) fn graft<'py>(
    py: Python<'py>,
    settings: Settings,
    outer: Settings,
    file: PyBackedBytes,
    inner: Settings,
    shared: PyBackedBytes,
    section: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let [settings, outer, inner] = [settings, outer, inner].map(|own| Value::from(own.0));
    let made = detached(py, || {
        let outer = SavedNetwork { settings: &outer, file: &file };
        let inner = SavedNetwork { settings: &inner, file: &shared };
        learn::graft(&settings, section, outer, inner)
    });
    Ok(PyBytes::new(py, &made.or_raise()?))
}

/// Returns the file of a network without weights, as spaCy writes it.
///
/// settings: those of the network. section: the name of their section, for errors.
///
/// Raises ValueError (model-architecture) for an architecture that lexpool only loads.
#[pyfunction]
// stub: -> bytes
pub(super) fn blank_model<'py>(
    py: Python<'py>,
    settings: Settings,
    section: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let settings = Value::from(settings.0);
    Ok(PyBytes::new(py, &learn::blank_file(&settings, section).or_raise()?))
}

/// Returns the file of a new network with its first weights, and the state of the generator
/// afterwards.
///
/// settings: those of the network. section: the name of their section, for errors.
/// outputs: the number of columns of the result; None for a network without labels.
/// vectors: the width of the vocab's word vectors.
/// random: the state of NumPy's generator, as bytes.
///
/// Raises ValueError: model-settings for sizes that are missing or do not fit each other.
#[pyfunction]
// stub: -> tuple[bytes, bytes]
pub(super) fn initial_model<'py>(
    py: Python<'py>,
    settings: Settings,
    section: &str,
    outputs: Option<usize>,
    vectors: usize,
    random: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let settings = Value::from(settings.0);
    let mut random = state_of(random)?;
    let sizes = learn::InitialSizes { outputs, vectors };
    let made = detached(py, || {
        learn::TrainableNetwork::new(&settings, section, sizes, &mut random)?.to_bytes()
    });
    Ok((PyBytes::new(py, &made.or_raise()?), PyBytes::new(py, &random.to_bytes())))
}

fn state_of(random: &[u8]) -> PyResult<NumpyRandom> {
    let wrong = || PyValueError::new_err("the bytes are no state of a generator");
    NumpyRandom::from_bytes(random).ok_or_else(wrong)
}
