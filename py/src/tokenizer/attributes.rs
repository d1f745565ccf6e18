//! The rules and settings of a tokenizer, as attributes that are read and set.

use std::sync::Arc;

use lexpool::tokenizer::{RuleName, TokenizerChange};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::segmenter_data::no_split_mode;
use super::state::TokenizerState;
use super::{PyTokenizer, cache_chunks, rules};

#[pymethods]
impl PyTokenizer {
    /// The callable that finds prefixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    pub(super) fn prefix_search(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::PrefixSearch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    pub(super) fn set_prefix_search(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.set_rule(py, RuleName::PrefixSearch, value)
    }

    /// The callable that finds suffixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    pub(super) fn suffix_search(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::SuffixSearch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    pub(super) fn set_suffix_search(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.set_rule(py, RuleName::SuffixSearch, value)
    }

    /// The callable that finds infixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    pub(super) fn infix_finditer(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::InfixFinditer)
    }

    #[setter]
    // stub: (value: _Rule | None)
    pub(super) fn set_infix_finditer(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.set_rule(py, RuleName::InfixFinditer, value)
    }

    /// The callable that matches whole tokens before affixes are split off, as it was assigned, or
    /// None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    pub(super) fn token_match(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::TokenMatch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    pub(super) fn set_token_match(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::TokenMatch, value)
    }

    /// The callable that matches whole tokens after affixes were split off, as it was assigned, or
    /// None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    pub(super) fn url_match(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::UrlMatch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    pub(super) fn set_url_match(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::UrlMatch, value)
    }

    /// The special cases: a dict from a text to its tokens, created on each access; assign a dict
    /// to replace them all.
    #[getter]
    // stub: -> dict[str, list[dict[int, str]]]
    pub(super) fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rules::to_dict(py, self.state()?.tokenizer.special_cases())
    }

    #[setter]
    // stub: (value: _SpecialCases | None)
    pub(super) fn set_rules(
        &self,
        py: Python<'_>,
        rules: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let state = self.state()?;
        let vocab = state.tokenizer.vocab();
        let cases = rules.map_or(Ok(Vec::new()), |rules| rules::special_cases(vocab, rules))?;
        self.change(py, &TokenizerChange::SpecialCases(cases))
    }

    /// The name of the segmenter that cuts texts, such as "newmm", or None if rules do.
    #[getter]
    pub(super) fn segmenter(&self) -> PyResult<Option<String>> {
        let segmenter = self.state()?.tokenizer.segmenter();
        Ok(segmenter.map(|segmenter| segmenter.name().to_owned()))
    }

    /// The data that the segmenter was given: the path, or the files of a model by name; None for
    /// rules, built-in data and those of an installed package.
    #[getter]
    // stub: -> Path | dict[str, bytes] | None
    pub(super) fn segmenter_data<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.state()?.settings.data.to_python(py)
    }

    /// The length of Japanese words: "A", "B", "C", or None for the default, "A". Setting another
    /// one opens the dictionary again.
    #[getter]
    pub(super) fn split_mode(&self) -> PyResult<Option<String>> {
        Ok(self.state()?.settings.split_mode.clone())
    }

    #[setter]
    // stub: (value: str | None)
    pub(super) fn set_split_mode(&self, py: Python<'_>, value: Option<String>) -> PyResult<()> {
        let (present, name) = (self.state()?, self.segmenter()?.unwrap_or_default());
        if name != "sudachi" {
            return Err(no_split_mode(&name));
        }
        let (vocab, data) = (present.vocab.bind(py), present.settings.data.clone());
        let max = present.tokenizer.max_cached_chunks();
        self.put(Arc::new(TokenizerState::with_segmenter(vocab, &name, data, value, max)?));
        Ok(())
    }

    /// True if special cases that no affix rule touches are looked up as whole chunks only.
    #[getter]
    pub(super) fn faster_heuristics(&self) -> PyResult<bool> {
        Ok(self.state()?.tokenizer.faster_heuristics())
    }

    #[setter]
    // stub: (value: object)
    pub(super) fn set_faster_heuristics(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.change(py, &TokenizerChange::FasterHeuristics(value.is_truthy()?))
    }

    /// The number of chunks that each worker caches; 0 disables the cache.
    #[getter]
    pub(super) fn max_cache_size(&self) -> PyResult<usize> {
        Ok(self.state()?.tokenizer.max_cached_chunks())
    }

    #[setter]
    pub(super) fn set_max_cache_size(&self, py: Python<'_>, value: isize) -> PyResult<()> {
        self.change(py, &TokenizerChange::MaxCachedChunks(cache_chunks(value)))
    }
}
