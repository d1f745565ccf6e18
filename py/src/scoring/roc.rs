//! Receiver operating characteristics.

use lexpool_training::scoring::{RocCurve, distinct};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::runtime::items;

/// Rates of false positives, rates of true positives, and thresholds.
type Points = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Returns the points of the receiver operating characteristic (ROC) of a binary classification:
/// rates of false positives, rates of true positives, and the thresholds that give them.
///
/// y_true: reference values; 1 is positive and any other value negative.
/// y_score: a predicted score for each reference value, of which there is at least one.
///
/// There is a point for each distinct score, from the highest down. The first point is (0, 0), with
/// a threshold above all scores. A rate is NaN if its class is empty.
///
/// Raises ValueError (E165) without values or for two lists of different lengths.
#[pyfunction]
// stub: (y_true: Iterable[float], y_score: Iterable[float])
//     -> tuple[list[float], list[float], list[float]]
pub(super) fn roc_curve(y_true: &Bound<'_, PyAny>, y_score: &Bound<'_, PyAny>) -> PyResult<Points> {
    let curve = curve_of(&numbers(y_true)?, &numbers(y_score)?)?;
    Ok((curve.false_rates, curve.true_rates, curve.thresholds))
}

/// Returns the area under the curve of `roc_curve`; NaN if no reference value is 1.
///
/// Raises ValueError (E165) unless `y_true` has exactly two different values.
#[pyfunction]
// stub: (y_true: Iterable[float], y_score: Iterable[float])
pub(super) fn roc_auc_score(
    y_true: &Bound<'_, PyAny>,
    y_score: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    let gold = numbers(y_true)?;
    let values = distinct(&gold);
    if values.len() != 2 {
        return Err(PyValueError::new_err(format!(
            "[E165] the area under a ROC curve needs two different reference values, not {values:?}"
        )));
    }
    Ok(curve_of(&gold, &numbers(y_score)?)?.area())
}

/// Returns whether there are exactly two different values; all NaN are one.
#[pyfunction]
// stub: (values: Iterable[float])
pub(super) fn is_binary(values: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(distinct(&numbers(values)?).len() == 2)
}

fn curve_of(gold: &[f64], scores: &[f64]) -> PyResult<RocCurve> {
    let curve = RocCurve::of(gold, scores).filter(|_| gold.len() == scores.len());
    curve.ok_or_else(|| {
        PyValueError::new_err(format!(
            "[E165] a ROC curve needs a score for each reference value, not {} and {} of them",
            scores.len(),
            gold.len()
        ))
    })
}

fn numbers(items: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    items::read(items, |number| number.extract())
}
