//! Training of a pipeline from a configuration.

use std::path::PathBuf;

use lexpool::threads::allow_fork;
use lexpool::{Error, Result};
use lexpool_training::{
    Ending, STATE, StepReport, TrainingPlan, TrainingWatcher, restart, resume, train,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::io::config::config_of;
use crate::io::json::to_dict;
use crate::runtime::error::{OrRaise, check_signals, to_py};
use crate::runtime::gil::detached;
use crate::training::steps::report_of;

/// Looks for signals, and reports evaluations to Python.
struct Watcher {
    report: Option<Py<PyAny>>,
    /// The first exception of a signal handler or of the function.
    raised: std::cell::RefCell<Option<Error>>,
}

impl Watcher {
    /// Keeps an error, and returns one that ends the training.
    fn keep(&self, error: Error) -> Error {
        let again = Error::new(error.kind(), lexpool::codes::INTERRUPTED, "the training was ended");
        self.raised.borrow_mut().get_or_insert(error);
        again
    }
}

impl TrainingWatcher for Watcher {
    fn check(&self) -> Result<()> {
        // Between two batches or documents; a training would hold up forks until it ends.
        allow_fork();
        check_signals().map_err(|error| self.keep(error))
    }

    fn step(&mut self, step: &StepReport) -> Result<()> {
        let (Some(report), Some(evaluation)) = (&self.report, &step.evaluation) else {
            return Ok(());
        };
        let called = Python::attach(|py| {
            let (number, epoch, words, losses, score, is_best) = report_of(py, step)?;
            let scores = to_dict(py, &evaluation.scores)?;
            report.call1(py, (number, epoch, words, losses, score, scores, is_best)).map(drop)
        });
        called.map_err(|raised| {
            let text = format!("the function that is told of evaluations has failed: {raised}");
            let kind = lexpool::ErrorKind::Interrupted;
            self.keep(Error::new(kind, lexpool::codes::INTERRUPTED, text).caused_by(raised))
        })
    }
}

/// Trains the pipeline of a configuration, without the GIL, and writes the folders `model-last` and
/// `model-best`.
///
/// config, origin: the configuration or its text, and its name for errors.
/// output: the folder of the two.
/// threads: 0 for one per core; the result has the same bits for any number.
/// memory: the most bytes of memory; None for a share of what is free.
/// begin: "anew"; "state" to go on with a training that has ended, if `output` has the state of
///     one; "weights" to begin with the weights of `model-last` there.
/// report: called after each evaluation with the step, the epoch, the number of words, the losses,
///     the score, all scores, and whether the score is the best one.
///
/// Returns the reason of the end ("patience", "max_steps", "max_epochs"), and the best score with
/// its step. Ctrl-C ends the batch at hand and saves `model-last` before KeyboardInterrupt is
/// raised, and so does an exception of `report`.
///
/// Raises ValueError: training-config, training-unsupported and others for a configuration that
/// cannot be trained with, before anything is read or written; OSError for files; MemoryError:
/// training-memory for a training that needs more memory.
#[pyfunction]
#[pyo3(signature = (config, origin, output, threads=0, memory=None, begin="anew", report=None))]
// stub: (config: str | bytes | dict[str, Any], output: str | PathLike[str],
//     report: Callable[..., object] | None) -> dict[str, Any]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
pub(super) fn train_pipeline<'py>(
    py: Python<'py>,
    config: &Bound<'py, PyAny>,
    origin: &str,
    output: PathBuf,
    threads: usize,
    memory: Option<u64>,
    begin: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let config = config_of(config, origin)?;
    let mut watcher = Watcher { report, raised: std::cell::RefCell::new(None) };
    let ended = detached(py, || {
        let mut plan = TrainingPlan::read(&config)?;
        if let Some(bytes) = memory {
            plan = plan.with_memory_limit(bytes);
        }
        match begin {
            "state" if output.join(STATE).exists() => resume(plan, &output, threads, &mut watcher),
            "weights" => restart(plan, &output, threads, &mut watcher),
            _ => train(plan, &output, threads, &mut watcher),
        }
    });
    if let Some(error) = watcher.raised.into_inner() {
        return Err(to_py(&error));
    }
    let result = ended.or_raise()?;
    let ending = match result.ending {
        Ending::Patience => "patience",
        Ending::MaxSteps => "max_steps",
        Ending::MaxEpochs => "max_epochs",
        Ending::Stopped => "stopped",
    };
    let facts = PyDict::new(py);
    facts.set_item("ending", ending)?;
    facts.set_item("best", result.best)?;
    Ok(facts)
}
