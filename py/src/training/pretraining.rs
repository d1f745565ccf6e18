//! Pretraining of a shared network from a configuration.

use std::cell::RefCell;
use std::path::PathBuf;

use lexpool::config::Value;
use lexpool::nn::learn::{self, SavedNetwork};
use lexpool::threads::allow_fork;
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_training::{
    PretrainingOptions, PretrainingPlan, PretrainingReport, PretrainingStart, PretrainingWatcher,
    pretrain,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::io::config::config_of;
use crate::io::json::Settings;
use crate::runtime::error::{OrRaise, check_signals, to_py};
use crate::runtime::gil::detached;

/// Looks for signals, and reports to Python.
struct Watcher {
    report: Option<Py<PyAny>>,
    /// The first exception of a signal handler or of the function.
    raised: RefCell<Option<Error>>,
}

impl Watcher {
    /// Keeps an error, and returns one that ends the pretraining.
    fn keep(&self, error: Error) -> Error {
        self.raised.borrow_mut().get_or_insert(error);
        ended()
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, "the pretraining was ended")
}

impl PretrainingWatcher for Watcher {
    fn check(&self) -> Result<()> {
        // Between two batches or documents; a training would hold up forks until it ends.
        allow_fork();
        if self.raised.borrow().is_some() {
            return Err(ended());
        }
        check_signals().map_err(|error| self.keep(error))
    }

    fn started(&mut self, _start: &PretrainingStart) -> Result<()> {
        Ok(())
    }

    fn progress(&mut self, made: &PretrainingReport) -> Result<()> {
        let Some(report) = &self.report else { return Ok(()) };
        let figures = (made.epoch, made.words, made.loss, made.new_loss, made.speed);
        let called = Python::attach(|py| report.call1(py, figures).map(drop));
        if let Err(raised) = called {
            let text = format!("the function that is told of the progress has failed: {raised}");
            let error = Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, text);
            // The next check ends the pretraining, and its weights are saved.
            self.keep(error.caused_by(raised));
        }
        Ok(())
    }
}

/// Pretrains the network that `[pretraining]` of a configuration names, without the GIL, and writes
/// its weights.
///
/// config, origin: the configuration or its text, and its name for errors.
/// output: the folder of the weights.
/// resume_path: the weights to go on with. epoch_resume: the first epoch then.
/// skip_last: whether to write no `model-last.bin`.
/// threads: 0 for one per core; the result has the same bits for any number.
/// report: called after each 10,000 words with the epoch, the number of words, the sum of all
///     losses, that since the last call, and the words a second.
///
/// Ctrl-C ends the batch at hand and saves `model-last.bin` before KeyboardInterrupt is raised, and
/// so does an exception of `report`.
///
/// Raises ValueError: pretraining-missing, training-config, training-unsupported, E1020, E874,
/// E875, weights-different and others; OSError for files.
#[pyfunction]
#[pyo3(signature = (config, origin, output, *, resume_path=None, epoch_resume=None,
    skip_last=false, threads=0, report=None))]
// stub: (config: str | bytes | dict[str, Any], output: str | PathLike[str], resume_path: str |
//     PathLike[str] | None, report: Callable[[int, int, float, float, float], object] | None)
#[expect(clippy::too_many_arguments, reason = "named in Python")]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
pub(super) fn pretrain_network(
    py: Python<'_>,
    config: &Bound<'_, PyAny>,
    origin: &str,
    output: PathBuf,
    resume_path: Option<PathBuf>,
    epoch_resume: Option<usize>,
    skip_last: bool,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<()> {
    let config = config_of(config, origin)?;
    let options = PretrainingOptions { resume_path, epoch_resume, skips_last: skip_last, threads };
    let mut watcher = Watcher { report, raised: RefCell::new(None) };
    let ended = detached(py, || {
        let plan = PretrainingPlan::read(&config)?;
        pretrain(&plan, &output, &options, &mut watcher)
    });
    if let Some(error) = watcher.raised.into_inner() {
        return Err(to_py(&error));
    }
    ended.map(drop).or_raise()
}

/// Returns the file of a network in which one layer has the weights of another file.
///
/// settings: those of the network. section: the name of their section, for errors.
/// file: the network. layer: the name by which its root refers to the layer; "" for all of it.
/// weights: the file of a network as that layer is one. place: where they are, for errors.
///
/// Raises ValueError: model-structure or weights-different if the weights are those of another
/// network, model-file for any other file.
#[pyfunction]
// stub: (file: bytes, weights: bytes) -> bytes
#[expect(clippy::needless_pass_by_value, reason = "borrowed from Python for this call")]
pub(super) fn with_layer_weights<'py>(
    py: Python<'py>,
    settings: Settings,
    section: &str,
    file: PyBackedBytes,
    layer: &str,
    weights: PyBackedBytes,
    place: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let settings = Value::from(settings.0);
    let made = detached(py, || {
        let network = SavedNetwork { settings: &settings, file: &file };
        learn::with_layer_weights(network, section, layer, &weights)
    });
    let made = made.map_err(|error| error.context(place));
    Ok(PyBytes::new(py, &made.or_raise()?))
}
