//! `lexpool.training.converters`: annotated files as documents to train with.

use std::collections::HashMap;

use lexpool::config::Value;
use lexpool::pipeline::Sentencizer;
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result as CoreResult, codes};
use lexpool_io::converters::{
    ColumnSettings, ConlluSettings, NerMap, Segmenter, conll_ner_to_docs, conllu_to_docs,
    docs_to_json, iob_to_docs, json_to_docs,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::docbin::give_back;
use super::json::to_object;
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items::Items;

/// Documents with the remarks of their conversion.
type Converted<'py> = (Bound<'py, PyList>, Vec<String>);

/// Converts a treebank in CoNLL-U; returns documents and remarks.
///
/// ner_map: new names of types of entities.
///
/// Raises ValueError (convert-syntax, E102, E190, E199, E1021) with a line.
#[pyfunction]
// stub: (text: str, vocab: Vocab, n_sents: int, append_morphology: bool, merge_subtokens: bool,
//     ner_map: dict[str, str] | None) -> tuple[list[Doc], list[str]]
fn convert_conllu<'py>(
    text: &str,
    vocab: &Bound<'py, PyVocab>,
    n_sents: usize,
    append_morphology: bool,
    merge_subtokens: bool,
    ner_map: Option<HashMap<String, String>>,
) -> PyResult<Converted<'py>> {
    let ner_map = ner_map.map(|map| map.into_iter().collect::<NerMap>());
    let settings =
        ConlluSettings { n_sents, append_morphology, merge_subtokens, ner_map: ner_map.as_ref() };
    let (own, mut notes) = (vocab.get().vocab(), Vec::new());
    let docs =
        gil::detached(vocab.py(), || conllu_to_docs(text, INPUT, own, &settings, &mut notes));
    Ok((list(vocab, docs.or_raise()?)?, notes))
}

/// Converts columns of words and entities; returns documents and remarks.
///
/// segmenter: takes words and returns for each whether it begins a sentence; by default,
///     punctuation ends sentences.
///
/// Raises ValueError (convert-syntax, E177, E903) with a line.
#[pyfunction]
// stub: (text: str, vocab: Vocab, n_sents: int, seg_sents: bool,
//     segmenter: Callable[[list[str]], list[bool]] | None) -> tuple[list[Doc], list[str]]
fn convert_columns<'py>(
    text: &str,
    vocab: &Bound<'py, PyVocab>,
    n_sents: usize,
    seg_sents: bool,
    segmenter: Option<&Bound<'py, PyAny>>,
) -> PyResult<Converted<'py>> {
    let raised = std::cell::RefCell::new(None);
    let segment = segmenter.map(|segmenter| {
        |doc: &mut Doc| -> CoreResult<()> {
            let words: Vec<&str> = doc.iter().map(|token| token.text()).collect();
            let starts =
                segmenter.call1((words,)).and_then(|starts| starts.extract::<Items<bool>>());
            let starts = starts.map_err(|error| {
                raised.replace(Some(error));
                Error::new(ErrorKind::Value, codes::CONVERT_SYNTAX, "the segmenter failed")
            })?;
            Sentencizer::default().annotate(doc, &starts)
        }
    });
    let settings = ColumnSettings {
        n_sents,
        seg_sents,
        segmenter: segment.as_ref().map(|segment| segment as Segmenter<'_>),
    };
    let mut notes = Vec::new();
    let docs = conll_ner_to_docs(text, INPUT, vocab.get().vocab(), &settings, &mut notes);
    if let Some(error) = raised.take() {
        return Err(error);
    }
    Ok((list(vocab, docs.or_raise()?)?, notes))
}

/// Converts lines of words with their tags between bars; returns documents and remarks.
///
/// Raises ValueError (E177, E902) with a line.
#[pyfunction]
// stub: (text: str, vocab: Vocab, n_sents: int) -> tuple[list[Doc], list[str]]
fn convert_iob<'py>(
    text: &str,
    vocab: &Bound<'py, PyVocab>,
    n_sents: usize,
) -> PyResult<Converted<'py>> {
    let (own, mut notes) = (vocab.get().vocab(), Vec::new());
    let docs = gil::detached(vocab.py(), || iob_to_docs(text, INPUT, own, n_sents, &mut notes));
    Ok((list(vocab, docs.or_raise()?)?, notes))
}

/// Converts the JSON that spaCy 2 trained with.
///
/// Raises ValueError (convert-json and others) with the place of what is wrong.
#[pyfunction]
// stub: (text: str, vocab: Vocab) -> list[Doc]
fn convert_json<'py>(text: &str, vocab: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyList>> {
    let own = vocab.get().vocab();
    let docs = gil::detached(vocab.py(), || json_to_docs(text, INPUT, own)).or_raise()?;
    let out = PyList::empty(vocab.py());
    for (i, own) in docs.into_iter().enumerate() {
        let extras = own.extras().or_raise()?;
        let doc = Bound::new(vocab.py(), PyDoc::new(own.doc, vocab.clone().unbind()))?;
        give_back(&doc, &extras, i)?;
        out.append(doc)?;
    }
    Ok(out)
}

/// Returns documents as the JSON that spaCy 2 trained with, whose links of entities have names of
/// the form "(start, end)".
///
/// The categories are left to the caller.
///
/// Raises ValueError (E030) for a document whose sentences are not set.
#[pyfunction]
// stub: (docs: list[Doc], doc_id: int, missing: str) -> Any
fn docs_as_json<'py>(
    py: Python<'py>,
    docs: &Bound<'py, PyList>,
    doc_id: i64,
    missing: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let docs = docs.iter().map(|doc| Ok(doc.cast::<PyDoc>()?.clone()));
    let docs = docs.collect::<PyResult<Vec<_>>>()?;
    let readings = docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
    let rows: Vec<(&Doc, Vec<Value>)> =
        readings.iter().map(|reading| (&**reading, Vec::new())).collect();
    let json = docs_to_json(&rows, doc_id, missing).or_raise()?;
    to_object(py, &json)
}

/// The name of a text in errors.
const INPUT: &str = "the input";

fn list<'py>(vocab: &Bound<'py, PyVocab>, docs: Vec<Doc>) -> PyResult<Bound<'py, PyList>> {
    let made = docs.into_iter().map(|doc| PyDoc::new(doc, vocab.clone().unbind()));
    let made = made.map(|doc| Bound::new(vocab.py(), doc)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(vocab.py(), made)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(convert_conllu, module)?)?;
    module.add_function(wrap_pyfunction!(convert_columns, module)?)?;
    module.add_function(wrap_pyfunction!(convert_iob, module)?)?;
    module.add_function(wrap_pyfunction!(convert_json, module)?)?;
    module.add_function(wrap_pyfunction!(docs_as_json, module)?)
}
