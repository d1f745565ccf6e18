//! A token's relations in the dependency tree.

use lexpool::tokens::Token;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::object::doc::annotation::tokens_iter;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::user_calls::CallUser;

impl PyToken {
    /// An iterator of the tokens that `find` returns.
    fn walk<'py>(
        &self,
        py: Python<'py>,
        find: impl FnOnce(Token<'_>) -> Vec<usize>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let positions = self.with(py, find)?;
        let doc = self.owner(py).get().read(py)?;
        tokens_iter(self.owner(py), &doc, positions)
    }

    fn at<'py>(
        &self,
        py: Python<'py>,
        find: impl FnOnce(Token<'_>) -> usize,
    ) -> PyResult<Bound<'py, PyToken>> {
        let (doc, i) = self.read(py)?;
        let position = find(doc.token(i).expect("a token is within its document"));
        PyToken::make(self.owner(py), &doc, position)
    }
}

fn positions<'a>(tokens: impl IntoIterator<Item = Token<'a>>) -> Vec<usize> {
    tokens.into_iter().map(|token| token.i()).collect()
}

#[pymethods]
impl PyToken {
    /// The head; the token itself if it is a root or has no head.
    ///
    /// Assigning rebuilds both trees and the sentence starts. The new head must be a token of the
    /// same document (ValueError E191).
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyToken>> {
        self.at(py, |token| token.head().i())
    }

    #[setter]
    fn set_head(&self, py: Python<'_>, head: &Bound<'_, PyToken>) -> PyResult<()> {
        if !self.owner(py).is(head.get().owner(py)) {
            let text = "[E191] the head is a token of another document";
            return Err(PyValueError::new_err(text));
        }
        let (own, head) = (self.read(py)?.1, head.get().read(py)?.1);
        self.owner(py).get().write(py)?.tree_mut().set_head(own, head).or_raise()
    }

    /// Returns True if a head is set.
    fn has_head(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |token| token.has_head())
    }

    /// Returns True if a relation to the head is set.
    fn has_dep(&self, py: Python<'_>) -> PyResult<bool> {
        self.has_head(py)
    }

    /// The number of children before the token.
    #[getter]
    fn n_lefts(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |token| token.n_lefts())
    }

    /// The number of children after the token.
    #[getter]
    fn n_rights(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |token| token.n_rights())
    }

    /// The children before the token, in the order of the text.
    #[getter]
    // stub: -> Iterator[Token]
    fn lefts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.lefts()))
    }

    /// The children after the token, in the order of the text.
    #[getter]
    // stub: -> Iterator[Token]
    fn rights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.rights()))
    }

    /// All children, in the order of the text.
    #[getter]
    // stub: -> Iterator[Token]
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.children()))
    }

    /// The token and all its descendants, in the order of the text.
    #[getter]
    // stub: -> Iterator[Token]
    fn subtree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.subtree()))
    }

    /// The head, its head, and so on up to the root.
    #[getter]
    // stub: -> Iterator[Token]
    fn ancestors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.ancestors()))
    }

    /// The first token of the subtree.
    #[getter]
    fn left_edge<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyToken>> {
        self.at(py, |token| token.left_edge().i())
    }

    /// The last token of the subtree.
    #[getter]
    fn right_edge<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyToken>> {
        self.at(py, |token| token.right_edge().i())
    }

    /// Returns True if the token is an ancestor of another one of the same document.
    fn is_ancestor(&self, py: Python<'_>, descendant: &Bound<'_, PyToken>) -> PyResult<bool> {
        if !self.owner(py).is(descendant.get().owner(py)) {
            return Ok(false);
        }
        let position = self.read(py)?.1;
        descendant.get().with(py, |token| token.ancestors().any(|above| above.i() == position))
    }

    /// The tokens coordinated with this one, as a tuple without the token itself.
    #[getter]
    // stub: -> tuple[Token, ...]
    fn conjuncts<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let this = slf.get();
        let hook = this.owner(py).get().hook(py, "user_token_hooks", "conjuncts")?;
        let tokens = match hook {
            Some(hook) => PyIterator::from_object(&hook.call_user((slf,))?)?,
            None => this.walk(py, |token| positions(token.conjuncts()))?,
        };
        PyTuple::new(py, items::read(&tokens, Ok)?)
    }

    /// The sentence of the token, a Span.
    ///
    /// Raises ValueError (E030) if no sentence starts are set.
    #[getter]
    // stub: -> Span
    fn sent<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        if let Some(hook) = owner.get().hook(py, "user_token_hooks", "sent")? {
            return hook.call_user((slf,));
        }
        let (doc, i) = slf.get().read(py)?;
        let span = PySpan::of(owner, &doc, i, i + 1);
        drop(doc);
        Bound::new(py, span)?.getattr("sent")
    }
}
