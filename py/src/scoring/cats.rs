//! Figures of the categories of documents.

use lexpool_training::scoring::{CatCounts, CatSettings, CatValue};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::example::examples_of;
use super::figures::{dict_of, summation};
use super::getter::Getter;
use crate::object::doc::PyDoc;
use crate::runtime::items;

/// Returns the scores of the categories that `getter` returns for a document and `attr`.
///
/// getter: `getattr` by default.
/// labels: the labels that are scored; others are ignored.
/// multi_label: whether a document may have several labels. If not, the highest label of each side
///     counts, the first of equal ones, and a label without a reference value has the value 0.
/// positive_label: the label of interest, if there are two exclusive ones.
/// threshold: the score from which a label is predicted, for `multi_label`; 0.5 by default.
///
/// The keys are `{attr}_micro_p`, `_r`, `_f` over all labels; `{attr}_macro_p`, `_r`, `_f` and
/// `_auc` as means of the labels; `{attr}_f_per_type` and `{attr}_auc_per_type`, None for a label
/// whose reference values are not binary; and `{attr}_score` with its name `{attr}_score_desc`,
/// which is the macro AUC if `multi_label`, else the F-score of `positive_label` or the macro
/// F-score.
#[pyfunction]
#[pyo3(signature = (examples, attr, *, getter=None, labels=None, multi_label=true,
                    positive_label=None, threshold=None, **_more))]
#[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
// stub: (examples: Iterable[Example], attr: str, getter: Callable[[Doc, str], Any] | None,
//     labels: Iterable[str] | None, multi_label: bool, positive_label: str | None,
//     threshold: float | None) -> dict[str, Any]
pub(super) fn score_cats<'py>(
    examples: &Bound<'py, PyAny>,
    attr: &Bound<'py, PyAny>,
    getter: Option<&Bound<'py, PyAny>>,
    labels: Option<&Bound<'py, PyAny>>,
    multi_label: bool,
    positive_label: Option<&Bound<'py, PyAny>>,
    threshold: Option<f64>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let getter = Getter::of(attr, getter)?;
    let labels = Labels::of(py, labels, multi_label)?;
    let positive_label = match positive_label {
        Some(label) if labels.names.len() == 2 && !multi_label && label.is_truthy()? => {
            let position = labels.position(label)?;
            let position = position.ok_or_else(|| PyKeyError::new_err(label.clone().unbind()))?;
            Some((position, label.str()?.to_string()))
        }
        _ => None,
    };
    let settings = CatSettings { multi_label, threshold: threshold.unwrap_or(0.5), positive_label };
    let mut counts = CatCounts::new(labels.names.len(), settings);
    for example in examples_of(examples)? {
        let example = example?;
        let values = |doc: &Bound<'py, PyDoc>, gold| labels.values(&getter.call(doc)?, gold);
        counts.add(&values(&example.predicted, false)?, &values(&example.reference, true)?);
    }
    let scores = counts.scores(&getter.attr()?, summation(py));
    dict_of(py, scores, |label| Ok(labels.names[label].clone()))
}

/// The labels that are scored, each once.
struct Labels<'py> {
    names: Vec<Bound<'py, PyAny>>,
    positions: Bound<'py, PyDict>,
    multi_label: bool,
}

impl<'py> Labels<'py> {
    fn of(
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
        multi_label: bool,
    ) -> PyResult<Labels<'py>> {
        let mut labels = Labels { names: Vec::new(), positions: PyDict::new(py), multi_label };
        if let Some(given) = given {
            for label in items::iterate(given)? {
                let label = label?;
                if labels.position(&label)?.is_none() {
                    labels.positions.set_item(&label, labels.names.len())?;
                    labels.names.push(label);
                }
            }
        }
        Ok(labels)
    }

    fn position(&self, label: &Bound<'py, PyAny>) -> PyResult<Option<usize>> {
        self.positions.get_item(label)?.map(|position| position.extract()).transpose()
    }

    /// Returns the values of known labels.
    ///
    /// may_be_none: `true` for a reference, in which None means that a value is unknown.
    fn values(&self, cats: &Bound<'py, PyAny>, may_be_none: bool) -> PyResult<Vec<CatValue>> {
        let mut values = Vec::new();
        for item in items::iterate(&cats.call_method0("items")?)? {
            let (label, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            let Some(position) = self.position(&label)? else { continue };
            if value.is_none() && may_be_none && self.multi_label {
                continue;
            }
            let number = value.extract().map_err(|_| {
                let repr = value.repr().map(|text| text.to_string()).unwrap_or_default();
                let text = format!(
                    "[scoring-category] the category {label} has the value {repr}; expected a \
                     number"
                );
                PyTypeError::new_err(text)
            })?;
            values.push((position, number));
        }
        Ok(values)
    }
}
