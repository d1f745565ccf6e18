//! Contents of a document as plain lists, from which another library builds its own document.

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList};

use crate::object::doc::PyDoc;

/// Word ids, spaces, and norms that differ from those of the words.
type WordColumns<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Vec<(usize, String)>);

/// The contents of a document as lists: the ids of its words, a bool for the space after each, and
/// pairs of position and norm for tokens whose norm differs from that of their word.
#[pyfunction]
// stub: -> tuple[list[int], list[bool], list[tuple[int, str]]]
fn words_of<'py>(doc: &Bound<'py, PyDoc>) -> PyResult<WordColumns<'py>> {
    let py = doc.py();
    let doc = doc.get().read(py)?;
    let norm_of_word = |lex: &lexpool::vocab::LexemeCell| StrId::new(lex.attr(AttrId::NORM));
    let norms = doc.iter().filter(|token| token.norm() != norm_of_word(token.lex()));
    let norms = norms.map(|token| (token.i(), token.text_of(AttrId::NORM).to_owned())).collect();
    let ids: Vec<Bound<'py, PyInt>> = doc
        .iter()
        .map(|token| token.lex().attr(AttrId::ORTH).into_pyobject(py))
        .collect::<Result<_, _>>()?;
    let spaces = doc.iter().map(|token| PyBool::new(py, token.record().spacy()));
    Ok((PyList::new(py, ids)?, PyList::new(py, spaces.collect::<Vec<_>>())?, norms))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(words_of, module)?)
}
