//! Annotation of a span: its sentences, entities, and place in the dependency tree.

use std::ops::Range;

use lexpool::tokens::{Span, Token};
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::object::doc::PyDoc;
use crate::object::doc::annotation::{lca_matrix, spans_iter, to_array, tokens_iter};
use crate::object::doc::tensor::TensorRows;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::python_side;
use crate::runtime::user_calls::CallUser;

impl PySpan {
    fn find<'py>(
        &self,
        py: Python<'py>,
        find: impl FnOnce(Span<'_>) -> Vec<usize>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let positions = self.with(py, find)?;
        let owner = self.owner(py);
        tokens_iter(owner, &*owner.get().read(py)?, positions)
    }

    fn hook<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.owner(py).get().hook(py, "user_span_hooks", name)
    }
}

fn positions(tokens: &[Token<'_>]) -> Vec<usize> {
    tokens.iter().map(Token::i).collect()
}

#[pymethods]
impl PySpan {
    /// The first sentence that the span overlaps, a Span.
    ///
    /// Raises ValueError (E030) if no sentence starts are set.
    #[getter]
    // stub: -> Span
    fn sent<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        if let Some(hook) = slf.get().hook(py, "sent")? {
            return hook.call_user((slf,));
        }
        if let Some(hook) = owner.get().hook(py, "user_hooks", "sents")? {
            let start = slf.get().read(py)?.1.start;
            for sent in items::iterate(&hook.call_user((owner,))?)? {
                let sent = sent?;
                let range = bounds_of(&sent)?;
                if range.contains(&start) {
                    return Ok(sent);
                }
            }
        }
        let (doc, range) = slf.get().read(py)?;
        doc.sentences().ranges().or_raise().map(drop)?;
        let sent = doc.sentences().containing(range.start);
        Ok(Bound::new(py, PySpan::of(owner, &doc, sent.start, sent.end))?.into_any())
    }

    /// All sentences that the span overlaps, as an iterator of Spans.
    ///
    /// Raises ValueError (E030) if no sentence starts are set.
    #[getter]
    // stub: -> Iterator[Span]
    fn sents<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyIterator>> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        if let Some(hook) = slf.get().hook(py, "sents")? {
            return PyIterator::from_object(&hook.call_user((slf,))?);
        }
        if let Some(hook) = owner.get().hook(py, "user_hooks", "sents")? {
            let span_range = slf.get().read(py)?.1;
            let mut touched = Vec::new();
            for sent in items::iterate(&hook.call_user((owner,))?)? {
                let sent = sent?;
                let range = bounds_of(&sent)?;
                let is_at_start = span_range.is_empty() && range.start == span_range.start;
                if range.end > span_range.start && (range.start < span_range.end || is_at_start) {
                    touched.push(sent);
                }
            }
            return PyIterator::from_object(PyList::new(py, touched)?.as_any());
        }
        let sents = slf.get().with(py, |span| span.sentences())?.or_raise()?;
        spans_iter(owner, &*owner.get().read(py)?, sents)
    }

    /// The entities wholly inside of the span, as a list of Spans.
    #[getter]
    // stub: -> list[Span]
    fn ents<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let (doc, range) = slf.get().read(py)?;
        let inside = |start: i32, end: i32| {
            usize::try_from(start).is_ok_and(|start| start >= range.start)
                && usize::try_from(end).is_ok_and(|end| end <= range.end)
        };
        let owner = slf.get().owner(py);
        let ents =
            doc.entities().spans().or_raise()?.into_iter().filter(|ent| inside(ent.start, ent.end));
        let ents = ents.map(|ent| Bound::new(py, PySpan::from_record(owner, &doc, ent)));
        PyList::new(py, ents.collect::<PyResult<Vec<_>>>()?)
    }

    /// The token with the shortest path to the root of the sentence; the first one of several.
    ///
    /// Raises RuntimeError (E039) for heads that form a cycle.
    #[getter]
    // stub: -> Token
    pub(crate) fn root<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Some(hook) = slf.get().hook(py, "root")? {
            return hook.call_user((slf,));
        }
        let owner = slf.get().owner(py);
        let (doc, range) = slf.get().read(py)?;
        let span = doc.span(range.start, range.end).or_raise()?;
        // For an empty span, the token at its position.
        let root = span.root().or_raise()?.map_or(range.start, |token| token.i());
        if root >= doc.len() {
            let text = format!(
                "[E040] token {root} is out of range for a document of {} tokens",
                doc.len()
            );
            return Err(pyo3::exceptions::PyIndexError::new_err(text));
        }
        Ok(PyToken::make(owner, &doc, root)?.into_any())
    }

    /// The noun chunks wholly inside of the span, as an iterator of Spans.
    #[getter]
    // stub: -> Iterator[Span]
    fn noun_chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let span_range = self.read(py)?.1;
        let mut inside = Vec::new();
        for chunk in items::iterate(&self.owner(py).getattr("noun_chunks")?)? {
            let chunk = chunk?;
            let range = bounds_of(&chunk)?;
            if range.start >= span_range.start && range.end <= span_range.end {
                inside.push(chunk);
            }
        }
        PyIterator::from_object(PyList::new(py, inside)?.as_any())
    }

    /// The tokens before the span whose heads are in it.
    #[getter]
    // stub: -> Iterator[Token]
    fn lefts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.find(py, |span| positions(&span.lefts()))
    }

    /// The tokens after the span whose heads are in it.
    #[getter]
    // stub: -> Iterator[Token]
    fn rights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.find(py, |span| positions(&span.rights()))
    }

    /// The number of tokens before the span whose heads are in it.
    #[getter]
    fn n_lefts(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |span| span.lefts().len())
    }

    /// The number of tokens after the span whose heads are in it.
    #[getter]
    fn n_rights(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |span| span.rights().len())
    }

    /// The tokens of the span and all their descendants.
    #[getter]
    // stub: -> Iterator[Token]
    fn subtree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.find(py, |span| positions(&span.subtree()))
    }

    /// The tokens coordinated with the root, as a tuple.
    #[getter]
    // stub: -> tuple[Token, ...]
    fn conjuncts<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        PySpan::root(slf)?.getattr("conjuncts")
    }

    /// The entity id of the root. Read-only (NotImplementedError E200).
    #[getter]
    // stub: -> int
    fn ent_id<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        PySpan::root(slf)?.getattr("ent_id")
    }

    #[setter]
    // stub: (value: object)
    fn set_ent_id(&self, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(read_only("ent_id"))
    }

    /// The entity id of the root, as a string. Read-only (NotImplementedError E200).
    #[getter]
    // stub: -> str
    fn ent_id_<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        PySpan::root(slf)?.getattr("ent_id_")
    }

    #[setter]
    // stub: (value: object)
    fn set_ent_id_(&self, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(read_only("ent_id_"))
    }

    /// The lemmas of the tokens with the spaces between them.
    #[getter]
    fn lemma_(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |span| {
            let mut out = String::new();
            for token in span.iter() {
                out.push_str(token.text_of(lexpool::structs::AttrId::LEMMA));
                out.push_str(token.whitespace());
            }
            out.trim().to_owned()
        })
    }

    /// The span's rows of the document's tensor.
    #[getter]
    // stub: -> Any
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let range = self.read(py)?.1;
        PyDoc::tensor_of(self.owner(py), &TensorRows::Range(range))
    }

    /// The mean sentiment of the tokens.
    #[getter]
    // stub: -> float
    fn sentiment<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Some(hook) = slf.get().hook(py, "sentiment")? {
            return hook.call_user((slf,));
        }
        let mut sum = 0.0;
        for token in items::iterate(slf)? {
            sum += token?.getattr("sentiment")?.extract::<f64>()?;
        }
        let n = slf.len()?;
        if n == 0 {
            let text = "an empty span has no sentiment";
            return Err(pyo3::exceptions::PyZeroDivisionError::new_err(text));
        }
        #[expect(clippy::cast_precision_loss, reason = "a span has fewer than 2^30 tokens")]
        Ok((sum / n as f64).into_pyobject(py)?.into_any())
    }

    /// Returns the span of a range of the span's characters, or None; see Doc.char_span.
    #[pyo3(signature = (start_idx, end_idx, label=None, kb_id=None, vector=None, id=None,
                        alignment_mode="strict", span_id=None))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
    // stub: (label: str | _Id | None, kb_id: str | _Id | None, vector: Any, id: str | _Id | None,
    //     alignment_mode: _AlignmentMode, span_id: str | _Id | None)
    fn char_span<'py>(
        &self,
        py: Python<'py>,
        start_idx: isize,
        end_idx: isize,
        label: Option<&Bound<'py, PyAny>>,
        kb_id: Option<&Bound<'py, PyAny>>,
        vector: Option<&Bound<'py, PyAny>>,
        id: Option<&Bound<'py, PyAny>>,
        alignment_mode: &str,
        span_id: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PySpan>>> {
        // Accepted for compatibility; spaCy ignores it, too.
        let _ = id;
        let from = self.record(py)?.start_char as isize;
        let (start, end) = (start_idx.saturating_add(from), end_idx.saturating_add(from));
        PyDoc::char_span(self.owner(py), start, end, label, kb_id, vector, alignment_mode, span_id)
    }

    /// Copies the span's tokens with their annotation into a new document.
    ///
    /// copy_user_data (bool): also copy the document's user data.
    /// array_head, array: the document as an array; accepted for compatibility, and not needed.
    ///
    /// Heads outside of the span are replaced, and entities that extend beyond it are dropped.
    #[pyo3(signature = (*, copy_user_data=false, array_head=None, array=None))]
    // stub: (array_head: Any, array: Any)
    fn as_doc<'py>(
        slf: &Bound<'py, PySpan>,
        copy_user_data: bool,
        array_head: Option<&Bound<'py, PyAny>>,
        array: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        let _ = (array_head, array);
        let py = slf.py();
        let doc = slf.get().with(py, |span| span.to_doc())?.or_raise()?;
        let vocab = slf.get().owner(py).get().py_vocab().clone_ref(py);
        let span_doc = Bound::new(py, PyDoc::new(doc, vocab))?;
        python_side::CUT_OUT.call(py, (&span_doc, slf, copy_user_data))?;
        Ok(span_doc)
    }

    /// Returns the position, relative to the span, of the lowest common ancestor of each pair of
    /// tokens, or -1 for unconnected tokens: an int32 array of shape (n, n).
    // stub: -> Any
    fn get_lca_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (doc, range) = self.read(py)?;
        lca_matrix(py, &doc, range.start, range.end)
    }

    /// Returns attributes of the tokens, always of shape (n, m); see Doc.to_array.
    // stub: (attr_ids: _Attrs) -> _Array
    fn to_array<'py>(
        &self,
        py: Python<'py>,
        attr_ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (doc, range) = self.read(py)?;
        to_array(py, &doc, range.start, range.end, attr_ids, true)
    }
}

fn read_only(name: &str) -> PyErr {
    let text = format!("[E200] {name} of a span is that of its root token; set it on span.root");
    PyNotImplementedError::new_err(text)
}

/// The token positions of any object with `start` and `end`.
fn bounds_of(span: &Bound<'_, PyAny>) -> PyResult<Range<usize>> {
    let at = |name: &str| -> PyResult<usize> {
        span.getattr(name)?.extract().map_err(|_| {
            PyValueError::new_err(format!(
                "{name} of a span must be a position, not that of \
                                           {span:?}"
            ))
        })
    };
    Ok(at("start")?..at("end")?)
}
