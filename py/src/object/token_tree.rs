//! A token's place in the dependency tree.

use lexpool::tokens::Token;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::object::doc::annotation::tokens_iter;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::runtime::error::OrRaise;
use crate::runtime::user_calls::CallUser;

impl PyToken {
    /// Tokens that the core finds, as an iterator.
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
        let found = find(doc.token(i).expect("a token is within its document"));
        PyToken::make(self.owner(py), &doc, found)
    }
}

fn positions<'a>(tokens: impl IntoIterator<Item = Token<'a>>) -> Vec<usize> {
    tokens.into_iter().map(|token| token.i()).collect()
}

#[pymethods]
impl PyToken {
    /// The head; the token itself if it is a root or has none.
    ///
    /// Assigning rebuilds the trees of both and the sentence starts; it takes a token of the same
    /// document (ValueError E191).
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

    /// Whether a head is set.
    fn has_head(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |token| token.has_head())
    }

    /// Whether a relation to the head is set.
    fn has_dep(&self, py: Python<'_>) -> PyResult<bool> {
        self.has_head(py)
    }

    /// How many children stand to the left.
    #[getter]
    fn n_lefts(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |token| token.n_lefts())
    }

    /// How many children stand to the right.
    #[getter]
    fn n_rights(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |token| token.n_rights())
    }

    /// The children to the left, in the order of the text.
    #[getter]
    fn lefts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.lefts()))
    }

    /// The children to the right, in the order of the text.
    #[getter]
    fn rights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.rights()))
    }

    /// All children, in the order of the text.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.children()))
    }

    /// The token with all that depends on it, directly or not, in the order of the text.
    #[getter]
    fn subtree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.walk(py, |token| positions(token.subtree()))
    }

    /// The head, its head, and so on to the root.
    #[getter]
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

    /// Whether the token is an ancestor of another one of the same document.
    fn is_ancestor(&self, py: Python<'_>, descendant: &Bound<'_, PyToken>) -> PyResult<bool> {
        if !self.owner(py).is(descendant.get().owner(py)) {
            return Ok(false);
        }
        let own = self.read(py)?.1;
        descendant.get().with(py, |token| token.ancestors().any(|above| above.i() == own))
    }

    /// The tokens coordinated with this one, as a tuple without the token itself.
    #[getter]
    fn conjuncts<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let this = slf.get();
        let hook = this.owner(py).get().hook(py, "user_token_hooks", "conjuncts")?;
        let found = match hook {
            Some(hook) => hook.call_user((slf,))?.try_iter()?,
            None => this.walk(py, |token| positions(token.conjuncts()))?,
        };
        PyTuple::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }

    /// The sentence that the token is in, a Span.
    ///
    /// Raises ValueError (E030) if nothing says where sentences start.
    #[getter]
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
