//! Lemma tables of `lexpool.pipeline.Lemmatizer`, copied from Python's.

use std::sync::Arc;

use lexpool::lookups::MappedTable;
use lexpool::pipeline::{
    BaseForms, LanguageRules, LemmaLanguage, LemmaMode, LemmaTables, Lemmatizer, RuleGroup,
};
use lexpool::strings::StrId;
use lexpool::structs::Pos;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use super::component::PyComponent;
use crate::io::mapped_lookups::PyMappedTable;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::{self, Items};
use crate::runtime::text::utf8;

/// A compact copy of a lemmatizer's tables.
///
/// lookup: a mapping of words, or their ids, to a lemma or a list of lemmas.
/// rules, exceptions, index: mappings of parts of speech, in lower case, or their ids, to pairs of
///     endings, to a mapping of words to lists of lemmas, and to words.
/// groups: a mapping of parts of speech to pairs of a key of `rules` and a list of features.
/// pos_lookups: a mapping of parts of speech to tables such as `lookup`.
///
/// Raises ValueError (lemma-table) for other objects.
#[pyclass(name = "LemmaTables", module = "lexpool._core", frozen)]
pub(crate) struct PyLemmaTables(Arc<LemmaTables>);

class!(PyLemmaTables);

#[pymethods]
impl PyLemmaTables {
    #[new]
    #[pyo3(signature = (
        lookup=None,
        rules=None,
        exceptions=None,
        index=None,
        groups=None,
        pos_lookups=None,
    ))]
    // stub: (lookup: Mapping[Any, str | Iterable[str]] | None, rules: Mapping[Any,
    //     Iterable[Iterable[str]]] | None, exceptions: Mapping[Any, Mapping[Any,
    //     Iterable[str]]] | None, index: Mapping[Any, Iterable[str]] | None,
    //     groups: Mapping[Any, Iterable[tuple[str, Iterable[str]]]] | None, pos_lookups:
    //     Mapping[str, Mapping[Any, str | Iterable[str]]] | None)
    fn py_new(
        lookup: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
        exceptions: Option<&Bound<'_, PyAny>>,
        index: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        pos_lookups: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyLemmaTables> {
        let mut tables = LemmaTables::default();
        if let Some(lookup) = lookup {
            tables.set_lookup(words_of(lookup, "lemma_lookup", true)?).or_raise()?;
        }
        for (pos, own) in entries(rules, "lemma_rules")? {
            let rules = listed(&own, "lemma_rules")?;
            let rules = rules.iter().map(|rule| strings(rule, "lemma_rules", false)).map(|rule| {
                <[String; 2]>::try_from(rule?).map_err(|rule| {
                    bad("lemma_rules", "pairs of an ending and its replacement", &rule)
                })
            });
            let rules = rules.map(|rule| rule.map(|[old, new]| (old, new)));
            tables.set_rules(pos, &rules.collect::<PyResult<Vec<_>>>()?);
        }
        for (pos, own) in entries(exceptions, "lemma_exc")? {
            tables.set_exceptions(pos, words_of(&own, "lemma_exc", false)?).or_raise()?;
        }
        for (pos, own) in entries(index, "lemma_index")? {
            tables.set_index(pos, strings(&own, "lemma_index", false)?);
        }
        for (pos, own) in entries(groups, "lemma_rules_groups")? {
            let groups = listed(&own, "lemma_rules_groups")?;
            let groups = groups.iter().map(rule_group).collect::<PyResult<_>>()?;
            tables.set_groups(pos, groups);
        }
        for (pos, own) in entries(pos_lookups, "lemma_lookup")? {
            tables.set_pos_lookup(pos, words_of(&own, "lemma_lookup", true)?).or_raise()?;
        }
        Ok(PyLemmaTables(tables.into()))
    }

    /// Returns the tables of a mapped file. Look-up tables whose values are all strings stay in it.
    ///
    /// Raises ValueError: lemma-table for other values, lookups-table if a table is damaged.
    #[staticmethod]
    // stub: (tables: list[MappedTable])
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn from_mapped(
        py: Python<'_>,
        tables: Items<Bound<'_, PyMappedTable>>,
    ) -> PyResult<PyLemmaTables> {
        let tables: Vec<MappedTable> = tables.iter().map(|own| own.get().0.clone()).collect();
        let lemma_tables = detached(py, || LemmaTables::from_mapped(&tables));
        Ok(PyLemmaTables(lemma_tables.or_raise()?.into()))
    }

    /// Returns all lemmas that rules and exceptions give for a word and a part of speech in lower
    /// case; the first is the one to use.
    fn forms(
        &self,
        word: &Bound<'_, PyString>,
        pos: &Bound<'_, PyString>,
    ) -> PyResult<Vec<String>> {
        Ok(self.0.forms(&utf8(word)?, &utf8(pos)?))
    }

    /// Returns a component that looks lemmas up in the tables, and caches them for the words of a
    /// vocab.
    ///
    /// lower: look words up in lower case.
    #[pyo3(signature = (vocab, overwrite, *, lower=false))]
    fn by_lookup(&self, vocab: &Bound<'_, PyVocab>, overwrite: bool, lower: bool) -> PyComponent {
        let mode = if lower { LemmaMode::LowerLookup } else { LemmaMode::Lookup };
        self.component(vocab, mode, overwrite)
    }

    /// Returns a component that applies the rules, with the same cache.
    ///
    /// english: use spaCy's rules for English base forms.
    fn by_rule(&self, vocab: &Bound<'_, PyVocab>, overwrite: bool, english: bool) -> PyComponent {
        let base_forms = if english { BaseForms::English } else { BaseForms::None };
        self.component(vocab, LemmaMode::Rule(base_forms), overwrite)
    }

    /// Returns the tables with the rules of a language, given by its code.
    ///
    /// Raises ValueError for a language without rules of its own, and (lemma-table) for a Spanish
    /// rule that `re` does not accept.
    fn of_language(&self, code: &str) -> PyResult<PyLanguageRules> {
        let Some(language) = LemmaLanguage::from_code(code) else {
            let text = format!("[unknown-language] {code:?} has no lemma rules of its own");
            return Err(PyValueError::new_err(text));
        };
        let rules = LanguageRules::new(Arc::clone(&self.0), language).or_raise()?;
        Ok(PyLanguageRules(rules.into()))
    }
}

/// The lemma tables and rules of a language.
#[pyclass(name = "LanguageRules", module = "lexpool._core", frozen)]
pub(crate) struct PyLanguageRules(Arc<LanguageRules>);

class!(PyLanguageRules);

#[pymethods]
impl PyLanguageRules {
    /// Returns all lemmas of a word; the first is the one to use.
    ///
    /// pos, morph: number of the part of speech, key of the analysis in a vocab's morphology.
    #[pyo3(signature = (vocab, word, pos, morph, *, is_sent_start))]
    fn forms(
        &self,
        vocab: &Bound<'_, PyVocab>,
        word: &Bound<'_, PyString>,
        pos: u32,
        morph: u64,
        is_sent_start: bool,
    ) -> PyResult<Vec<String>> {
        let pos = Pos::from_number(pos).unwrap_or_default();
        let analysis = vocab.get().vocab().morphology().get(StrId::new(morph));
        let form = self.0.form(pos, analysis, is_sent_start);
        self.0.forms(&utf8(word)?, form).or_raise()
    }

    /// Returns a component that applies the rules, and caches lemmas for the words of a vocab.
    fn component(&self, vocab: &Bound<'_, PyVocab>, overwrite: bool) -> PyComponent {
        let lemmatizer = Lemmatizer::of_language(vocab.get().vocab(), Arc::clone(&self.0));
        PyComponent::new(lemmatizer.overwriting(overwrite))
    }
}

impl PyLemmaTables {
    fn component(
        &self,
        vocab: &Bound<'_, PyVocab>,
        mode: LemmaMode,
        overwrite: bool,
    ) -> PyComponent {
        let lemmatizer = Lemmatizer::new(vocab.get().vocab(), Arc::clone(&self.0), mode);
        PyComponent::new(lemmatizer.overwriting(overwrite))
    }
}

/// A pair of the name of rules and the features that select them.
fn rule_group(pair: &Bound<'_, PyAny>) -> PyResult<RuleGroup> {
    let expected = || bad("lemma_rules_groups", "pairs of a name and a list of features", pair);
    if pair.is_instance_of::<PyString>() {
        return Err(expected());
    }
    let [name, features] = <[Bound<'_, PyAny>; 2]>::try_from(listed(pair, "lemma_rules_groups")?)
        .map_err(|_| expected())?;
    let Ok(name) = name.cast::<PyString>() else { return Err(expected()) };
    let features = strings(&features, "lemma_rules_groups", false)?;
    Ok(RuleGroup {
        rules: StrId::of(&utf8(name)?),
        features: features.iter().map(|feature| StrId::of(feature)).collect(),
    })
}

/// The entries of a mapping of words to lemmas.
fn words_of(
    mapping: &Bound<'_, PyAny>,
    table: &str,
    takes_one: bool,
) -> PyResult<Vec<(StrId, Vec<String>)>> {
    let word =
        |(word, lemmas): (StrId, Bound<'_, PyAny>)| Ok((word, strings(&lemmas, table, takes_one)?));
    entries(Some(mapping), table)?.into_iter().map(word).collect()
}

/// The entries of a mapping by strings or their ids.
fn entries<'py>(
    mapping: Option<&Bound<'py, PyAny>>,
    table: &str,
) -> PyResult<Vec<(StrId, Bound<'py, PyAny>)>> {
    let Some(mapping) = mapping else { return Ok(Vec::new()) };
    let Some(items) = mapping.getattr_opt("items")? else {
        return Err(bad(table, "a mapping", mapping));
    };
    let entry = |entry: Bound<'py, PyAny>| {
        let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = entry.extract()?;
        if let Ok(key) = key.cast::<PyString>() {
            return Ok((StrId::of(&utf8(key)?), value));
        }
        match key.cast::<PyInt>().ok().and_then(|key| key.extract().ok()) {
            Some(id) => Ok((StrId::new(id), value)),
            None => Err(bad(table, "keys that are strings or their ids", &key)),
        }
    };
    items::read(&items.call0()?, entry)
}

/// The strings of a list or another iterable; a single string only if `takes_one`.
fn strings(value: &Bound<'_, PyAny>, table: &str, takes_one: bool) -> PyResult<Vec<String>> {
    if let Ok(one) = value.cast::<PyString>() {
        if takes_one {
            return Ok(vec![utf8(one)?.into_owned()]);
        }
        return Err(bad(table, "a list of strings", value));
    }
    let string = |item: &Bound<'_, PyAny>| match item.cast::<PyString>() {
        Ok(string) => Ok(utf8(string)?.into_owned()),
        Err(_) => Err(bad(table, "a list of strings", value)),
    };
    listed(value, table)?.iter().map(string).collect()
}

fn listed<'py>(value: &Bound<'py, PyAny>, table: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Ok(items) = items::iterate(value) else { return Err(bad(table, "a list", value)) };
    items.read(Ok)
}

fn bad(table: &str, expected: &str, value: &impl std::fmt::Debug) -> PyErr {
    // A table may be large.
    let value_text: String = format!("{value:?}").chars().take(80).collect();
    PyValueError::new_err(format!("[lemma-table] {table}: expected {expected}, found {value_text}"))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyLemmaTables>(module)?;
    classes::add::<PyLanguageRules>(module)
}
