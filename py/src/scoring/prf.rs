//! `lexpool.scorer.PRFScore`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool_training::scoring::Counts;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};

use super::figures::dict_of_rates;
use crate::runtime::classes::class;

/// PRFScore(*, tp=0, fp=0, fn=0)
///
/// Counts of predictions, integers from 0 on, with precision, recall and F-score.
///
/// tp: true positives, predictions that are right.
/// fp: false positives, predictions that are wrong.
/// fn: false negatives, items of the reference that were not predicted.
#[pyclass(name = "PRFScore", module = "lexpool.scorer", frozen, subclass, weakref)]
pub(super) struct PyPrfScore {
    // Locked for a few loads and stores only.
    counts: Mutex<Counts>,
}

class!(PyPrfScore);

impl PyPrfScore {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyPrfScore {
    // Subclasses may have arguments of their own.
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    #[pyo3(text_signature = "(*, tp=0, fp=0, fn=0)")]
    // stub: (*_args: Any, **_kwargs: Any)
    fn py_new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyPrfScore {
        PyPrfScore { counts: Mutex::default() }
    }

    #[pyo3(signature = (*, tp=0, fp=0, r#fn=0))]
    fn __init__(&self, tp: u64, fp: u64, r#fn: u64) {
        *self.counts() = Counts { right: tp, wrong: fp, missing: r#fn };
    }

    /// The number of true positives.
    #[getter]
    fn tp(&self) -> u64 {
        self.counts().right
    }

    #[setter(tp)]
    fn assign_tp(&self, number: u64) {
        self.counts().right = number;
    }

    /// The number of false positives.
    #[getter]
    fn fp(&self) -> u64 {
        self.counts().wrong
    }

    #[setter(fp)]
    fn assign_fp(&self, number: u64) {
        self.counts().wrong = number;
    }

    /// The number of false negatives.
    #[getter]
    fn r#fn(&self) -> u64 {
        self.counts().missing
    }

    #[setter(r#fn)]
    fn assign_fn(&self, number: u64) {
        self.counts().missing = number;
    }

    /// The sum of the counts; 0 means that there is nothing to score.
    fn __len__(&self) -> usize {
        let Counts { right, wrong, missing } = *self.counts();
        let sum = right.saturating_add(wrong).saturating_add(missing);
        usize::try_from(sum).unwrap_or(usize::MAX)
    }

    // stub: (other: PRFScore) -> Self
    fn __iadd__(&self, other: &Bound<'_, PyPrfScore>) {
        // The other may be the same object, which is locked once at a time.
        let other = *other.get().counts();
        self.counts().add(other);
    }

    // stub: def PRFScore.__radd__(self, other: PRFScore, /) -> PRFScore
    fn __add__(&self, other: &Bound<'_, PyPrfScore>) -> PyPrfScore {
        let other = *other.get().counts();
        let mut counts = *self.counts();
        counts.add(other);
        PyPrfScore { counts: Mutex::new(counts) }
    }

    fn __repr__(&self) -> String {
        let Counts { right, wrong, missing } = *self.counts();
        format!("PRFScore(tp={right}, fp={wrong}, fn={missing})")
    }

    /// Counts a set of predictions, compared with that of the reference.
    // stub: (cand: set[Any], gold: set[Any])
    fn score_set(&self, cand: &Bound<'_, PyAny>, gold: &Bound<'_, PyAny>) -> PyResult<()> {
        let right = cand.call_method1("intersection", (gold,))?.len()?;
        let (found, wanted) = (cand.len()?, gold.len()?);
        self.counts().add(Counts {
            right: right as u64,
            wrong: found.saturating_sub(right) as u64,
            missing: wanted.saturating_sub(right) as u64,
        });
        Ok(())
    }

    /// The share of predictions that are right; 0.0 without predictions.
    #[getter]
    fn precision(&self) -> f64 {
        self.counts().precision()
    }

    /// The share of the reference that was predicted; 0.0 without a reference.
    #[getter]
    fn recall(&self) -> f64 {
        self.counts().recall()
    }

    /// The harmonic mean of precision and recall.
    #[getter]
    fn fscore(&self) -> f64 {
        self.counts().f_score()
    }

    /// Returns precision, recall and F-score under "p", "r" and "f".
    // stub: () -> dict[str, float]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = *self.counts();
        dict_of_rates(py, counts.rates())
    }

    /// The attributes of an equal object, for pickling and copying.
    // stub: () -> dict[str, Any]
    fn __getstate__<'py>(slf: &Bound<'py, PyPrfScore>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(slf.py());
        if let Some(own) = slf.getattr_opt("__dict__")? {
            state.update(own.cast::<PyMapping>()?)?;
        }
        let Counts { right, wrong, missing } = *slf.get().counts();
        for (name, number) in [("tp", right), ("fp", wrong), ("fn", missing)] {
            state.set_item(name, number)?;
        }
        Ok(state)
    }

    // stub: (state: dict[str, Any])
    fn __setstate__(slf: &Bound<'_, PyPrfScore>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        state.iter().try_for_each(|(name, value)| slf.setattr(name.cast::<PyString>()?, value))
    }
}
