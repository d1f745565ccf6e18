//! Figures of entities, and of their links to a knowledge base.

use lexpool::structs::AttrId;
use lexpool_training::scoring::{EntityCounts, LinkCounts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::example::examples_of;
use super::figures::{dict_by_name, summation};
use crate::runtime::error::OrRaise;
use crate::runtime::items;

/// Returns the scores of entities: `ents_p`, `ents_r`, `ents_f`, and `ents_per_type`.
///
/// A predicted entity with a token whose annotation is missing in the reference is ignored, and so
/// is one that aligns with no token; scores without data are None.
#[pyfunction]
#[pyo3(signature = (examples, **_more))]
// stub: (examples: Iterable[Example]) -> dict[str, Any]
pub(super) fn get_ner_prf<'py>(
    examples: &Bound<'py, PyAny>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut counts = EntityCounts::default();
    for example in examples_of(examples)? {
        let example = example?;
        // The alignment, which may fail, is not asked for without need.
        if example.with_reference(|doc| doc.attrs().has_annotation(AttrId::ENT_IOB, false))? {
            example.with(|pair| counts.add(pair))?.or_raise()?;
        }
    }
    dict_by_name(examples.py(), counts.scores())
}

/// Returns the scores of the links (`kb_id_`) of entities that the reference has at the same
/// characters: `nel_micro_p` and so on over all entities, `nel_macro_p` and so on as means of the
/// labels, and `nel_f_per_type`. `nel_score` is the micro F-score.
///
/// negative_labels: the links that mean "none", such as "NIL".
///
/// A link to another entity than the reference's is both wrong and missing.
#[pyfunction]
#[pyo3(signature = (examples, *, negative_labels, **_more))]
// stub: (examples: Iterable[Example], negative_labels: Iterable[str]) -> dict[str, Any]
pub(super) fn score_links<'py>(
    examples: &Bound<'py, PyAny>,
    negative_labels: &Bound<'py, PyAny>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let negative: Vec<String> = items::read(negative_labels, |label| label.extract())?;
    let mut counts = LinkCounts::default();
    for example in examples_of(examples)? {
        let example = example?;
        let (predicted, reference) = (example.predicted.get(), example.reference.get());
        let docs = (&*predicted.read(py)?, &*reference.read(py)?);
        counts.add(docs.0, docs.1, |link| negative.iter().any(|own| own == link)).or_raise()?;
    }
    dict_by_name(py, counts.scores(summation(py)))
}
