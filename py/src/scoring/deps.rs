//! Figures of dependency trees.

use lexpool::structs::AttrId;
use lexpool::tokens::Doc;
use lexpool_training::scoring::{ArcCounts, PredictedArc, ReferenceArc, lower_label};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};

use super::example::{ScoredExample, examples_of};
use super::figures::{dict_by_name, dict_of};
use super::getter::{Getter, tokens_of};
use super::values::{Facts, MissingValues, Values};
use crate::runtime::items;

/// Returns the scores of heads, `{attr}_uas`, of heads with labels, `{attr}_las`, and of each
/// label, `{attr}_las_per_type`; None without data.
///
/// getter: returns the label of a token, for `attr`; `getattr` by default.
/// head_getter: returns the head of a token, for `head_attr`; `getattr` by default.
/// ignore_labels: labels that are not scored, on either side.
/// missing_values: labels that mean missing annotation, `MISSING_VALUES` by default; reference
///     tokens with one are ignored.
///
/// A predicted arc is wrong if its token or its head does not align with exactly one token. As in
/// spaCy, a position whose annotation is missing in one reference is ignored in all later examples
/// too.
#[pyfunction]
#[pyo3(signature = (examples, attr, *, getter=None, head_attr="head".to_owned(), head_getter=None,
                    ignore_labels=None, missing_values=None, **_more))]
#[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
// stub: (examples: Iterable[Example], attr: str, getter: Callable[[Token, str], Any] | None,
//     head_attr: str, head_getter: Callable[[Token, str], Token] | None,
//     ignore_labels: Container[Any] | None, missing_values: Container[Any] | None)
//     -> dict[str, Any]
pub(super) fn score_deps<'py>(
    examples: &Bound<'py, PyAny>,
    attr: &Bound<'py, PyAny>,
    getter: Option<&Bound<'py, PyAny>>,
    head_attr: String,
    head_getter: Option<&Bound<'py, PyAny>>,
    ignore_labels: Option<&Bound<'py, PyAny>>,
    missing_values: Option<&Bound<'py, PyAny>>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let mut arcs = Arcs {
        getter: Getter::of(attr, getter)?,
        head_getter: Getter::of(head_attr.into_pyobject(py)?.as_any(), head_getter)?,
        missing: MissingValues::of(py, missing_values)?,
        ignored: Ignored { labels: ignore_labels.cloned(), facts: Facts::new() },
        labels: Values::new(py),
    };
    let name = arcs.getter.attr()?;
    match (arcs.native_labels(), arcs.ignored.labels()) {
        (Some(NativeLabels::Lower), Some((ignored, _))) => {
            let mut counts = ArcCounts::default();
            let label_of = |doc: &Doc, id| {
                let label = lower_label(doc, id);
                (!ignored.iter().any(|own| **own == *label)).then_some(label)
            };
            for example in examples_of(examples)? {
                example?.with(|pair| counts.add_trees(pair, label_of))?;
            }
            return dict_by_name(py, counts.scores(&name).relabelled(|label| label.to_string()));
        }
        (Some(NativeLabels::Ids), Some((_, ignored))) => {
            let mut counts = ArcCounts::<u64>::default();
            let label_of = |_: &Doc, id| Some(id).filter(|id| !ignored.contains(id));
            for example in examples_of(examples)? {
                example?.with(|pair| counts.add_trees(pair, label_of))?;
            }
            return dict_of(py, counts.scores(&name), |id| Ok(PyInt::new(py, id).into_any()));
        }
        _ => {}
    }
    let mut counts = ArcCounts::<usize>::default();
    for example in examples_of(examples)? {
        let (reference, predicted) = arcs.of_example(&example?)?;
        counts.add(reference, predicted);
    }
    dict_of(py, counts.scores(&name), |label| Ok(arcs.labels.value(label).clone()))
}

/// The arcs of documents, collected from tokens.
struct Arcs<'py> {
    getter: Getter<'py>,
    head_getter: Getter<'py>,
    missing: MissingValues<'py>,
    ignored: Ignored<'py>,
    labels: Values<'py>,
}

/// Arcs with the numbers of their labels.
type Collected = (Vec<ReferenceArc<usize>>, Vec<PredictedArc<usize>>);

impl<'py> Arcs<'py> {
    /// Returns which labels of the trees the getters return, if they return what trees have.
    fn native_labels(&self) -> Option<NativeLabels> {
        if !self.head_getter.is_plain("head") || !self.missing.are_usual {
            return None;
        }
        match self.getter.column() {
            _ if self.getter.is_lower_label() => Some(NativeLabels::Lower),
            Some(AttrId::DEP) => Some(NativeLabels::Ids),
            _ => None,
        }
    }

    /// Collects the arcs of an example.
    fn of_example(&mut self, example: &ScoredExample<'py>) -> PyResult<Collected> {
        let (words, gold_tokens) = example.with(|pair| {
            let words = pair.words().map(|(token, gold)| (token.i(), gold));
            (words.collect::<Vec<_>>(), pair.gold_tokens().collect::<Vec<_>>())
        })?;
        let mut reference = Vec::new();
        for token in tokens_of(&example.reference)? {
            let label = self.label_of(&token)?;
            reference.push(if self.missing.contain(&self.labels, label)? {
                ReferenceArc::Missing
            } else if self.ignored.contain(&self.labels, label)? {
                ReferenceArc::Ignored
            } else {
                ReferenceArc::To { head: self.head_of(&token)?, label }
            });
        }
        let tokens = tokens_of(&example.predicted)?;
        let mut predicted = Vec::new();
        for (token, gold) in words {
            let Some(token) = tokens.get(token) else { continue };
            let label = self.label_of(token)?;
            if !self.ignored.contain(&self.labels, label)? {
                let head = self.head_of(token)?;
                let Some(head) = gold_tokens.get(head) else {
                    let text = format!(
                        "[E1035] the head {head} is out of range for an alignment of {} tokens",
                        gold_tokens.len()
                    );
                    return Err(PyIndexError::new_err(text));
                };
                predicted.push(PredictedArc { token: gold, head: *head, label });
            }
        }
        Ok((reference, predicted))
    }

    fn label_of(&mut self, token: &Bound<'py, PyAny>) -> PyResult<usize> {
        let label = self.getter.call(token)?;
        self.labels.number_of(label)
    }

    fn head_of(&self, token: &Bound<'py, PyAny>) -> PyResult<usize> {
        self.head_getter.call(token)?.getattr("i")?.extract()
    }
}

/// Labels that are not scored.
struct Ignored<'py> {
    labels: Option<Bound<'py, PyAny>>,
    facts: Facts<bool>,
}

impl<'py> Ignored<'py> {
    /// Returns whether a label, given with its number, is one of them.
    fn contain(&mut self, labels: &Values<'py>, number: usize) -> PyResult<bool> {
        let Some(ignored) = &self.labels else { return Ok(false) };
        self.facts.of(number, || ignored.contains(labels.value(number))).copied()
    }

    /// Returns the strings and the ids among the labels, if these are all and the container is one
    /// of Python's own.
    fn labels(&self) -> Option<(Vec<String>, Vec<u64>)> {
        let (mut texts, mut ids) = (Vec::new(), Vec::new());
        let Some(labels) = &self.labels else { return Some((texts, ids)) };
        let is_known = labels.is_exact_instance_of::<PyTuple>()
            || labels.is_exact_instance_of::<PyList>()
            || labels.is_exact_instance_of::<PySet>()
            || labels.is_exact_instance_of::<PyFrozenSet>();
        for label in items::iterate(labels).ok().filter(|_| is_known)? {
            let label = label.ok()?;
            match label.cast_exact::<PyString>() {
                Ok(text) => texts.push(text.to_str().ok()?.to_owned()),
                Err(_) => ids.push(label.cast_exact::<PyInt>().ok()?.extract().ok()?),
            }
        }
        Some((texts, ids))
    }
}

/// The kind of labels that need not be collected.
#[derive(Clone, Copy)]
enum NativeLabels {
    /// Strings in lower case.
    Lower,
    /// The ids of strings.
    Ids,
}
