//! Treebanks in CoNLL-U: `lexpool.training.read_conllu` and `write_conllu`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lexpool::files::{AtomicFile, Links};
use lexpool_io::corpus::{Conllu, push_conllu};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::atomic_file;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items::{self, Items};

/// The key in `Doc.user_data` for the ids of a document and its sentences.
const KEY: &str = "conllu";

/// Iterator over the documents of a treebank.
#[pyclass(name = "ConlluDocs", module = "lexpool.training", frozen)]
pub(crate) struct PyConlluDocs {
    // Locked only while the GIL is released.
    reader: Mutex<Conllu>,
    vocab: Py<PyVocab>,
}

class!(PyConlluDocs);

#[pymethods]
impl PyConlluDocs {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    fn __iter__(slf: Bound<'_, PyConlluDocs>) -> Bound<'_, PyConlluDocs> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDoc>>> {
        let next =
            gil::detached(py, || self.reader.lock().unwrap_or_else(PoisonError::into_inner).next());
        let Some(gold) = next.transpose().or_raise()? else { return Ok(None) };
        let doc = Bound::new(py, PyDoc::new(gold.doc, self.vocab.clone_ref(py)))?;
        if gold.id.is_some() || gold.sent_ids.iter().any(Option::is_some) {
            let ids = PyDict::new(py);
            ids.set_item("id", gold.id)?;
            ids.set_item("sent_ids", gold.sent_ids)?;
            doc.getattr("user_data")?.set_item(KEY, ids)?;
        }
        Ok(Some(doc))
    }
}

/// Iterates over the documents of a CoNLL-U file: gold words, lemmas, tags, morphology and heads,
/// with the text of the file.
///
/// vocab: the vocab of the documents.
/// n_sents: number of sentences of a document, which never crosses a `# newdoc`; by default a
///     document begins at each `# newdoc`, and each sentence before the first such line is a
///     document.
///
/// The ids of `# newdoc id` and `# sent_id` are stored in `doc.user_data["conllu"]`, as `id` and
/// `sent_ids`. The words of a multiword token whose forms do not join to its own become one token.
///
/// Raises OSError, and ValueError (conllu-syntax) with line and column.
#[pyfunction]
#[pyo3(signature = (path, vocab, n_sents=None))]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
fn read_conllu(
    path: PathBuf,
    vocab: &Bound<'_, PyVocab>,
    n_sents: Option<usize>,
) -> PyResult<PyConlluDocs> {
    if n_sents == Some(0) {
        let text = "[conllu-sentences] n_sents is 0; expected at least 1";
        return Err(PyValueError::new_err(text));
    }
    let own = vocab.get().vocab();
    let reader = gil::detached(vocab.py(), || Conllu::open(&path, own, n_sents)).or_raise()?;
    Ok(PyConlluDocs { reader: Mutex::new(reader), vocab: vocab.clone().unbind() })
}

/// Writes documents to a CoNLL-U file atomically; returns their number.
///
/// Ids are those that `read_conllu` stores. Tokens of whitespace become `SpacesAfter=` of the word
/// before; entities, categories and spans are not written.
///
/// Raises OSError.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (docs: Iterable[Doc])
fn write_conllu(py: Python<'_>, path: PathBuf, docs: &Bound<'_, PyAny>) -> PyResult<usize> {
    let mut file = AtomicFile::create(&path, Links::Followed).or_raise()?;
    let (mut lines, mut count) = (Vec::new(), 0);
    for doc in items::iterate(docs)? {
        let doc = doc?;
        let doc = doc.cast::<PyDoc>()?;
        let (id, sent_ids) = ids_of(doc)?;
        let reading = doc.get().read(py)?;
        push_conllu(&mut lines, &reading, id.as_deref(), &sent_ids);
        drop(reading);
        if lines.len() >= AT_ONCE {
            atomic_file::put(py, &mut file, &lines)?;
            lines.clear();
        }
        count += 1;
    }
    atomic_file::finish(py, || Ok(file), &lines)?;
    Ok(count)
}

/// Number of bytes that are written at once.
const AT_ONCE: usize = 1 << 20;

/// The stored ids of a document and its sentences.
fn ids_of(doc: &Bound<'_, PyDoc>) -> PyResult<(Option<String>, Vec<Option<String>>)> {
    let Some(user_data) = doc.get().python_attributes.get(doc.py(), "user_data")? else {
        return Ok((None, Vec::new()));
    };
    let Ok(ids) = user_data.get_item(KEY) else { return Ok((None, Vec::new())) };
    let wrong = |error: PyErr| {
        let text = format!(
            "[conllu-ids] doc.user_data[\"{KEY}\"] must be {{\"id\": str | None, \"sent_ids\": \
             list[str | None]}}"
        );
        let raised = PyTypeError::new_err(text);
        raised.set_cause(doc.py(), Some(error));
        raised
    };
    let id = ids.get_item("id").and_then(|id| id.extract());
    let sent_ids = ids.get_item("sent_ids").and_then(|ids| ids.extract::<Items<_>>());
    Ok((id.map_err(wrong)?, sent_ids.map_err(wrong)?.into_vec()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyConlluDocs>(module)?;
    module.add_function(wrap_pyfunction!(read_conllu, module)?)?;
    module.add_function(wrap_pyfunction!(write_conllu, module)?)
}
