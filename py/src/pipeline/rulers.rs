//! Native components of `lexpool.pipeline.EntityRuler` and `SpanRuler`.

use std::sync::{Arc, Mutex, PoisonError};

use lexpool::pipeline::{
    EntityRuler, RuleHit, RuleName, RuleNames, SpanFilter, SpanRuler, SpanRules,
};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::component::PyComponent;
use crate::matcher::{PyPhraseMatcher, PyTokenMatcher};
use crate::object::doc::PyDoc;
use crate::object::span::label_id;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// A match: the id of its key, its first token, and the token after its last.
type Match = (u64, usize, usize);

/// Labels and ids of the keys of a ruler's matchers.
#[pyclass(name = "RuleNames", module = "lexpool._core", frozen)]
pub(super) struct PyRuleNames(Mutex<Arc<RuleNames>>);

class!(PyRuleNames);

impl PyRuleNames {
    fn names(&self) -> Arc<RuleNames> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Rules that need no Python; `None` if a pattern or a callback does.
    fn rules(
        &self,
        matcher: &Bound<'_, PyTokenMatcher>,
        phrases: &Bound<'_, PyPhraseMatcher>,
        required: Items<u32>,
    ) -> PyResult<Option<SpanRules>> {
        let Some(tokens) = matcher.get().without_python() else { return Ok(None) };
        let Some(phrases) = phrases.get().without_python()? else { return Ok(None) };
        let required = required.into_iter().map(AttrId::new).collect();
        Ok(Some(SpanRules::new(tokens, phrases, self.names(), required)))
    }
}

#[pymethods]
impl PyRuleNames {
    #[new]
    fn py_new() -> PyRuleNames {
        PyRuleNames(Mutex::default())
    }

    /// Sets label and id, both ids of strings, for the matches of keys.
    fn update(&self, names: Items<(u64, u64, u64)>) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rule_names = Arc::make_mut(&mut guard);
        for (key, label, id) in names {
            let name = RuleName { label: StrId::new(label), id: StrId::new(id) };
            rule_names.insert(StrId::new(key), name);
        }
    }

    /// Returns the present labels and ids, as `update` takes them.
    fn items(&self) -> Vec<(u64, u64, u64)> {
        let names = self.names();
        names.iter().map(|(key, name)| (key.get(), name.label.get(), name.id.get())).collect()
    }

    // stub: -> tuple[Any, ...]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = (slf.get_type(), PyTuple::empty(slf.py()), slf.get().items());
        parts.into_pyobject(slf.py())
    }

    fn __setstate__(&self, names: Items<(u64, u64, u64)>) {
        self.update(names);
    }

    /// Removes keys.
    fn forget(&self, keys: Items<u64>) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rule_names = Arc::make_mut(&mut guard);
        for key in keys {
            rule_names.remove(&StrId::new(key));
        }
    }

    /// Returns a component that sets entities; None if it would need Python.
    fn entity_ruler(
        &self,
        matcher: &Bound<'_, PyTokenMatcher>,
        phrase_matcher: &Bound<'_, PyPhraseMatcher>,
        required: Items<u32>,
        overwrite: bool,
    ) -> PyResult<Option<PyComponent>> {
        let rules = self.rules(matcher, phrase_matcher, required)?;
        Ok(rules.map(|rules| PyComponent::new(EntityRuler::new(rules, overwrite))))
    }

    /// Returns a component that fills a named group of spans, and sets entities if a filter for
    /// them is given; None if it would need Python.
    ///
    /// Raises ValueError for a filter other than "longest", "new" and "existing".
    #[expect(clippy::too_many_arguments, reason = "all that such a ruler is told")]
    fn span_ruler(
        &self,
        matcher: &Bound<'_, PyTokenMatcher>,
        phrase_matcher: &Bound<'_, PyPhraseMatcher>,
        required: Items<u32>,
        overwrite: bool,
        group: Option<&str>,
        spans_filter: Option<&str>,
        ents_filter: Option<&str>,
    ) -> PyResult<Option<PyComponent>> {
        let Some(rules) = self.rules(matcher, phrase_matcher, required)? else { return Ok(None) };
        let mut ruler = SpanRuler::new(rules).overwriting(overwrite);
        if let Some(group) = group {
            ruler = ruler.into_group(group, spans_filter.map(filter_of).transpose()?);
        }
        if let Some(filter) = ents_filter {
            ruler = ruler.into_ents(filter_of(filter)?);
        }
        Ok(Some(PyComponent::new(ruler)))
    }

    /// Sets entities from matches, in their order. A key without a label is its own label.
    ///
    /// Raises ValueError: E084 for a key that is the id of an unknown string, and as for
    /// `Doc.ents`; IndexError (E035) for a match outside of the document.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    // stub: (matches: list[tuple[int, int, int]])
    fn set_ents(
        &self,
        py: Python<'_>,
        doc: &Bound<'_, PyDoc>,
        matches: Items<Match>,
        overwrite: bool,
    ) -> PyResult<()> {
        let names = self.names();
        let hits: Vec<RuleHit> = matches.iter().copied().map(hit).collect();
        for key in hits.iter().map(|hit| hit.key).filter(|key| !names.contains_key(key)) {
            label_id(doc, Some(key.get().into_pyobject(py)?.as_any()))?;
        }
        let mut writing = doc.get().write(py)?;
        EntityRuler::annotate(&mut writing, &hits, &names, overwrite).or_raise()
    }
}

/// Returns distinct matches in the order in which an entity ruler tries them: longer ones first.
#[pyfunction]
// stub: (matches: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]
pub(super) fn entity_order(matches: Items<Match>) -> Vec<Match> {
    let hits = EntityRuler::in_order(matches.into_iter().map(hit).collect());
    hits.into_iter().map(|RuleHit { key, start, end }| (key.get(), start, end)).collect()
}

fn hit((key, start, end): Match) -> RuleHit {
    RuleHit { key: StrId::new(key), start, end }
}

fn filter_of(name: &str) -> PyResult<SpanFilter> {
    match name {
        "longest" => Ok(SpanFilter::Longest),
        "new" => Ok(SpanFilter::PreferNew),
        "existing" => Ok(SpanFilter::PreferExisting),
        _ => {
            let text = format!(
                "the filter is {name:?}; expected \"longest\", \"new\" or \
                                \"existing\""
            );
            Err(PyValueError::new_err(text))
        }
    }
}
