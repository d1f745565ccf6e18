//! The loop over the steps of a training, for pipelines of Python's.

use std::sync::{Mutex, TryLockError};

use lexpool::config::{Section, Value};
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_training::{
    LoopSettings, Progress, StepReport, Trainee, TrainingLoop, TrainingWatcher, Window, read_loop,
    united_score_weights,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use pyo3::{PyTraverseError, PyVisit};

use crate::io::json::{Settings, from_object, to_object};
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, check_signals, from_py};
use crate::runtime::items::Items;

/// A step for Python: its number, the epoch, the words so far, the losses, and after an evaluation
/// the score and whether it is the best one.
pub(super) type Report<'py> = (usize, usize, usize, Bound<'py, PyDict>, Option<f64>, bool);

pub(super) fn report_of<'py>(py: Python<'py>, step: &StepReport) -> PyResult<Report<'py>> {
    let losses = PyDict::new(py);
    for (name, loss) in &step.losses {
        losses.set_item(name, loss)?;
    }
    let evaluation = step.evaluation.as_ref();
    let score = evaluation.map(|evaluation| evaluation.score);
    let is_best = evaluation.is_some_and(|evaluation| evaluation.is_best);
    Ok((step.step, step.epoch, step.words, losses, score, is_best))
}

/// Converts the scores of an evaluation. Those that are neither numbers nor JSON become texts.
pub(super) fn scores_of(scores: &Bound<'_, PyAny>) -> PyResult<Section> {
    let mut section = Section::default();
    for (name, score) in scores.cast::<PyDict>()? {
        let value = from_object(&score, 0).ok().or_else(|| score.extract().map(Value::Float).ok());
        let value = value.map_or_else(|| Ok(score.repr()?.to_string().into()), PyResult::Ok);
        section.set(&name.extract::<String>()?, value?);
    }
    Ok(section)
}

/// Reads the section `[training]` of a pipeline, but for its optimizer and functions: returns the
/// seed, the dropout, the number of epochs, the names of the corpora to learn from and to evaluate
/// with, the frozen components and those that annotate.
///
/// Raises ValueError: training-config with all unknown keys and wrong values, training-unsupported
/// for another batcher.
#[pyfunction]
// stub: (section: dict[str, Any]) -> tuple[int, float, int, str, str, list[str], list[str]]
pub(super) fn training_settings(section: Settings) -> PyResult<SettingsOfPython> {
    let Settings(section) = section;
    let (settings, _) = read_loop(&section).or_raise()?;
    let LoopSettings { seed, dropout, max_epochs, train_corpus, dev_corpus, .. } = settings;
    let (frozen, annotating) = (settings.frozen_components, settings.annotating_components);
    Ok((seed, dropout, max_epochs, train_corpus, dev_corpus, frozen, annotating))
}

type SettingsOfPython = (u64, f64, i64, String, String, Vec<String>, Vec<String>);

/// The steps of a training.
///
/// trainee: `lexpool.training`'s side of a pipeline, which learns, evaluates and saves.
/// section: the section `[training]`.
/// score_weights: the weights of the scores of all components, in order.
/// n_examples: the number of examples; 0 for a stream.
///
/// Raises the exceptions of `training_settings`.
#[pyclass(name = "TrainingSteps", module = "lexpool._core", frozen)]
pub(super) struct PyTrainingSteps {
    steps: Mutex<TrainingLoop<PythonTrainee>>,
    score_weights: Vec<(String, Option<f64>)>,
}

class!(PyTrainingSteps);

#[pymethods]
impl PyTrainingSteps {
    #[new]
    // stub: (trainee: object, section: dict[str, Any],
    //     score_weights: Sequence[tuple[str, float | None]], n_examples: int)
    fn py_new(
        trainee: Py<PyAny>,
        section: Settings,
        score_weights: Items<(String, Option<f64>)>,
        n_examples: usize,
    ) -> PyResult<PyTrainingSteps> {
        let Settings(section) = section;
        let (mut settings, batcher) = read_loop(&section).or_raise()?;
        let weights = score_weights.into_vec().into_iter().chain(settings.score_weights);
        settings.score_weights = united_score_weights(weights);
        let score_weights = settings.score_weights.clone();
        let trainee = PythonTrainee { object: trainee, examples: None, window: Window::default() };
        let steps = Mutex::new(TrainingLoop::new(trainee, settings, batcher, n_examples));
        Ok(PyTrainingSteps { steps, score_weights })
    }

    /// The weights of scores by name, divided by their sum.
    #[getter]
    // stub: () -> dict[str, float | None]
    fn score_weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let weights = PyDict::new(py);
        for (name, weight) in &self.score_weights {
            weights.set_item(name, weight)?;
        }
        Ok(weights)
    }

    /// Makes a step, and returns what it was; None after the last one.
    ///
    /// Raises ValueError: E986 without batches, E915 for a score that has a weight and is no
    /// number; the exceptions of the trainee.
    // stub: () -> tuple[int, int, int, dict[str, float], float | None, bool] | None
    fn next_step<'py>(&self, py: Python<'py>) -> PyResult<Option<Report<'py>>> {
        let step = self.with(|steps| steps.next_step(&|| Ok(())))?;
        step.map(|step| report_of(py, &step)).transpose()
    }

    /// Makes all steps. The trainee is told of each, and saves after each evaluation and at the
    /// end. The training ends after a step at which the trainee `is_stopped`.
    ///
    /// Raises the exceptions of `next_step`.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        self.with(|steps| {
            let mut watcher = PythonWatcher(steps.trainee().object.clone_ref(py));
            steps.run(&mut watcher).map(drop)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        // Steps that are being made are referred to by their call.
        let Ok(steps) = self.steps.try_lock() else { return Ok(()) };
        let PythonTrainee { object, examples, window } = steps.trainee();
        visit.call(object)?;
        visit.call(examples)?;
        window.iter().try_for_each(|(example, _)| visit.call(example))
    }
}

impl PyTrainingSteps {
    fn with<T>(
        &self,
        function: impl FnOnce(&mut TrainingLoop<PythonTrainee>) -> Result<T>,
    ) -> PyResult<T> {
        let mut steps = match self.steps.try_lock() {
            Ok(steps) => steps,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyRuntimeError::new_err("a step of this training is being made"));
            }
        };
        function(&mut steps).or_raise()
    }
}

/// A pipeline of Python's, with the examples of a stream that are needed.
struct PythonTrainee {
    object: Py<PyAny>,
    examples: Option<Py<PyIterator>>,
    /// Examples with their numbers of words.
    window: Window<(Py<PyAny>, usize)>,
}

/// Calls Python for a part of a step.
fn python<T>(part: &str, function: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
    Python::attach(|py| function(py).map_err(|error| from_py(py, error, part)))
}

impl Trainee for PythonTrainee {
    fn begin_epoch(&mut self, epoch: usize, order: &[usize]) -> Result<()> {
        self.window = Window::default();
        self.examples = Some(python("reading the corpus", |py| {
            let examples = self.object.bind(py).call_method1("begin_epoch", (epoch, order))?;
            Ok(examples.cast_into::<PyIterator>()?.unbind())
        })?);
        Ok(())
    }

    fn length(&mut self, at: usize) -> Result<Option<usize>> {
        python("reading the corpus", |py| {
            let Some(examples) = &self.examples else { return Ok(None) };
            let mut examples = examples.bind(py).clone();
            while at >= self.window.end() {
                let Some(example) = examples.next() else { return Ok(None) };
                let example = example?;
                let length = example.len()?;
                self.window.push((example.unbind(), length));
            }
            Ok(self.window.get(at).map(|(_, length)| *length))
        })
    }

    fn release_before(&mut self, at: usize) {
        self.window.release_before(at);
    }

    fn learn(&mut self, parts: &[Vec<usize>], progress: &mut Progress) -> Result<()> {
        python("learning", |py| {
            let batch = PyList::empty(py);
            for part in parts {
                let examples = part.iter().filter_map(|at| self.window.get(*at));
                batch.append(PyList::new(
                    py,
                    examples.map(|(example, _)| example).collect::<Vec<_>>(),
                )?)?;
            }
            let losses = PyDict::new(py);
            for (name, loss) in &progress.losses {
                losses.set_item(name, loss)?;
            }
            let args = (batch, progress.steps, progress.epoch, &losses);
            self.object.bind(py).call_method1("learn", args)?;
            let losses = losses.iter().map(|(name, loss)| Ok((name.extract()?, loss.extract()?)));
            progress.losses = losses.collect::<PyResult<_>>()?;
            Ok(())
        })
    }

    fn evaluate(&mut self, _steps: usize, _check: &dyn Fn() -> Result<()>) -> Result<Section> {
        python("evaluating", |py| {
            let scores = self.object.bind(py).call_method0("evaluate")?;
            scores_of(&scores)
        })
    }

    fn save(&mut self, progress: &Progress, is_best: bool) -> Result<()> {
        python("saving", |py| {
            let performance = progress.performance.clone().map(Value::Section);
            let performance = to_object(py, &performance.unwrap_or(Value::Null))?;
            self.object.bind(py).call_method1("save", (performance, is_best)).map(drop)
        })
    }
}

/// Tells the trainee of steps, and asks whether it is stopped.
struct PythonWatcher(Py<PyAny>);

impl TrainingWatcher for PythonWatcher {
    fn check(&self) -> Result<()> {
        check_signals()?;
        let is_stopped = python("asking whether to go on", |py| {
            self.0.bind(py).getattr("is_stopped")?.is_truthy()
        })?;
        if is_stopped {
            let text = "the training was stopped";
            return Err(Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, text));
        }
        Ok(())
    }

    fn step(&mut self, step: &StepReport) -> Result<()> {
        python("telling of a step", |py| {
            self.0.bind(py).call_method1("told", report_of(py, step)?).map(drop)
        })
    }
}
