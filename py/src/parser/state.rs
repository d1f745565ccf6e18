//! `lexpool.parser.StateClass`: the state of a parse.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::strings::StrId;
use lexpool::transition::{ParseState, token_facts};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// Decisions about a document's tokens, with stack and buffer of the tokens still to be processed.
///
/// The lock is held for one operation, and never while the GIL is released.
#[pyclass(name = "StateClass", module = "lexpool.parser", frozen, weakref)]
pub(crate) struct PyState {
    state: Mutex<ParseState>,
    doc: Option<Py<PyDoc>>,
}

class!(PyState);

impl PyState {
    pub(super) fn new(state: ParseState, doc: Option<Py<PyDoc>>) -> PyState {
        PyState { state: Mutex::new(state), doc }
    }

    /// Locks the state; no Python code may run meanwhile.
    pub(super) fn lock(&self) -> MutexGuard<'_, ParseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn doc_of(&self, py: Python<'_>) -> Option<Py<PyDoc>> {
        self.doc.as_ref().map(|doc| doc.clone_ref(py))
    }

    fn token<'py>(&self, py: Python<'py>, at: isize) -> PyResult<Bound<'py, PyAny>> {
        let doc = self.doc.as_ref().ok_or_else(without_doc)?;
        PyDoc::__getitem__(doc.bind(py), at.into_pyobject(py)?.as_any())
    }
}

#[pymethods]
impl PyState {
    /// StateClass(doc=None, offset=0)
    ///
    /// The initial state of a document: an empty stack, and all tokens in the buffer.
    ///
    /// offset: the number of tokens before it in a batch, for models that read features.
    ///
    /// Sentence starts and entities of the document are copied now; later changes are ignored.
    /// Raises ValueError (state-length) if positions do not fit in 31 bits.
    #[new]
    #[pyo3(signature = (doc=None, offset=0))]
    fn py_new(doc: Option<Bound<'_, PyDoc>>, offset: usize) -> PyResult<PyState> {
        let state = match &doc {
            Some(doc) => ParseState::new(token_facts(&*doc.get().read(doc.py())?), offset),
            None => ParseState::new([].into(), offset),
        };
        Ok(PyState::new(state.or_raise()?, doc.map(Bound::unbind)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.doc.as_ref().map_or(Ok(()), |doc| visit.call(doc))
    }

    /// The document; None for a state without tokens that was created without a document.
    #[getter]
    fn doc(&self, py: Python<'_>) -> Option<Py<PyDoc>> {
        self.doc_of(py)
    }

    /// The tokens of the stack, the top first.
    #[getter]
    fn stack(&self) -> Vec<isize> {
        let state = self.lock();
        (0..state.stack_depth()).map(|i| shown(state.s(i))).collect()
    }

    /// The tokens of the buffer, in order.
    #[getter]
    fn queue(&self) -> Vec<isize> {
        let state = self.lock();
        (0..state.buffer_length()).map(|i| shown(state.b(i))).collect()
    }

    /// The arcs, as dicts of head, child and label: those to the left, then those to the right.
    #[getter]
    // stub: -> list[_Arc]
    fn arcs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let arcs: Vec<_> = self.lock().arcs().collect();
        let dicts = PyList::empty(py);
        for arc in arcs {
            let dict = PyDict::new(py);
            dict.set_item("head", arc.head)?;
            dict.set_item("child", arc.child)?;
            dict.set_item("label", arc.label.get())?;
            dicts.append(dict)?;
        }
        Ok(dicts)
    }

    /// The entities as (start, end, label); an open one ends at -1.
    #[getter]
    fn ents(&self) -> Vec<(i32, i32, u64)> {
        self.lock().ents().iter().map(|ent| (ent.start, ent.end, ent.label)).collect()
    }

    /// The width of the document's tensor.
    #[getter]
    // stub: -> int
    fn token_vector_length<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let doc = self.doc.as_ref().ok_or_else(without_doc)?.bind(py);
        doc.getattr("tensor")?.getattr("shape")?.get_item(1)
    }

    /// The first token that was never pushed.
    #[getter]
    fn _b_i(&self) -> usize {
        self.lock().next()
    }

    /// The number of tokens.
    #[getter]
    fn length(&self) -> usize {
        self.lock().len()
    }

    /// The number of tokens before these in the batch.
    #[getter]
    fn offset(&self) -> usize {
        self.lock().offset()
    }

    /// Returns the i-th token of the stack from the top, or -1.
    #[pyo3(name = "S")]
    fn s(&self, i: isize) -> isize {
        shown(self.lock().s(given(i)))
    }

    /// Returns the i-th token of the buffer, or -1.
    #[pyo3(name = "B")]
    fn b(&self, i: isize) -> isize {
        shown(self.lock().b(given(i)))
    }

    /// Returns the head of a token, or -1.
    #[pyo3(name = "H")]
    fn h(&self, i: isize) -> isize {
        shown(self.lock().h(given(i)))
    }

    /// Returns the first token of the last entity, or -1.
    #[pyo3(name = "E")]
    fn e(&self, i: isize) -> isize {
        let _ = i;
        shown(self.lock().e())
    }

    /// Returns the idx-th child to the left of a head, the newest first, or -1.
    #[pyo3(name = "L")]
    fn l(&self, i: isize, idx: isize) -> isize {
        shown(self.lock().l(given(i), given(idx)))
    }

    /// Returns the idx-th child to the right of a head, the newest first, or -1.
    #[pyo3(name = "R")]
    fn r(&self, i: isize, idx: isize) -> isize {
        shown(self.lock().r(given(i), given(idx)))
    }

    /// Returns S(i) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "S_")]
    // stub: -> Token
    fn s_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.s(i))
    }

    /// Returns B(i) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "B_")]
    // stub: -> Token
    fn b_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.b(i))
    }

    /// Returns H(i) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "H_")]
    // stub: -> Token
    fn h_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.h(i))
    }

    /// Returns E(i) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "E_")]
    // stub: -> Token
    fn e_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.e(i))
    }

    /// Returns L(i, idx) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "L_")]
    // stub: -> Token
    fn l_<'py>(&self, py: Python<'py>, i: isize, idx: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.l(i, idx))
    }

    /// Returns R(i, idx) as a token; for -1 the document's last token, as in spaCy.
    #[pyo3(name = "R_")]
    // stub: -> Token
    fn r_<'py>(&self, py: Python<'py>, i: isize, idx: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.r(i, idx))
    }

    /// Returns the number of children to the left.
    #[pyo3(name = "n_L")]
    fn n_l(&self, i: isize) -> usize {
        self.lock().n_l(given(i))
    }

    /// Returns the number of children to the right.
    #[pyo3(name = "n_R")]
    fn n_r(&self, i: isize) -> usize {
        self.lock().n_r(given(i))
    }

    /// Returns True if a token has a head.
    fn has_head(&self, i: isize) -> bool {
        self.lock().has_head(given(i))
    }

    /// Returns True if stack and buffer are empty.
    fn is_final(&self) -> bool {
        self.lock().is_final()
    }

    /// Returns True if the stack is empty.
    fn empty(&self) -> bool {
        self.lock().stack_depth() == 0
    }

    /// Returns True if the buffer is empty.
    fn eol(&self) -> bool {
        self.lock().eol()
    }

    /// Always False, as in spaCy.
    // stub: -> Literal[False]
    fn at_break(&self) -> bool {
        false
    }

    /// Returns True if the last entity is open.
    fn entity_is_open(&self) -> bool {
        self.lock().entity_is_open()
    }

    /// Returns the number of tokens on the stack.
    fn stack_depth(&self) -> usize {
        self.lock().stack_depth()
    }

    /// Returns the number of tokens in the buffer.
    fn buffer_length(&self) -> usize {
        self.lock().buffer_length()
    }

    /// Moves the first token of the buffer to the stack. Raises RuntimeError (state-buffer) if the
    /// buffer is empty.
    fn push(&self) -> PyResult<()> {
        self.lock().push().or_raise()
    }

    /// Removes the top of the stack. Raises RuntimeError (state-stack) if the stack is empty.
    fn pop(&self) -> PyResult<()> {
        self.lock().pop().or_raise()
    }

    /// Moves the top of the stack back to the buffer, permanently. Raises RuntimeError
    /// (state-stack) if the stack is empty.
    fn unshift(&self) -> PyResult<()> {
        self.lock().unshift().or_raise()
    }

    /// Adds an arc, replacing the child's former one. Raises IndexError (state-token) for an
    /// unknown token.
    fn add_arc(&self, head: isize, child: isize, label: u64) -> PyResult<()> {
        self.lock().add_arc(given(head), given(child), StrId::new(label)).or_raise()
    }

    /// Removes an arc, if it is the newest one on its side of its head; the child keeps its head.
    fn del_arc(&self, head: isize, child: isize) {
        self.lock().del_arc(given(head), given(child));
    }

    /// Opens an entity at the first token of the buffer. Raises RuntimeError (state-buffer) if the
    /// buffer is empty.
    fn open_ent(&self, label: u64) -> PyResult<()> {
        self.lock().open_ent(StrId::new(label)).or_raise()
    }

    /// Closes the last entity after the first token of the buffer. Raises RuntimeError:
    /// state-buffer if the buffer is empty, state-entity without an entity.
    fn close_ent(&self) -> PyResult<()> {
        self.lock().close_ent().or_raise()
    }

    /// Returns a copy of the state.
    fn copy(&self, py: Python<'_>) -> PyState {
        PyState::new(self.lock().clone(), self.doc_of(py))
    }

    /// Becomes equal to another state of the same length. Raises ValueError (state-length) for
    /// another length.
    fn clone(&self, src: &PyState) -> PyResult<()> {
        let from = src.lock().clone();
        let mut state = self.lock();
        if from.len() != state.len() {
            let (own, other) = (state.len(), from.len());
            let text =
                format!("[state-length] a state of {own} tokens cannot become one of {other}");
            return Err(PyValueError::new_err(text));
        }
        *state = from;
        Ok(())
    }

    /// Returns the state as a line: depth of the stack, length of the buffer, the top of the stack
    /// with heads, and the first tokens of the buffer with sentence starts, each with a mark if it
    /// was moved back.
    fn print_state(&self, py: Python<'_>) -> PyResult<String> {
        let state = Clone::clone(&*self.lock());
        let doc = self.doc.as_ref().ok_or_else(without_doc)?.bind(py).get().read(py)?;
        let word = |at: Option<usize>| at.and_then(|at| doc.token(at)).map_or("_", |t| t.text());
        let number = |at: Option<usize>| shown(at);
        let put_back = |at: Option<usize>| {
            at.map_or_else(String::new, |at| u8::from(state.is_unshiftable(at)).to_string())
        };
        let stacked = |i: usize| {
            let at = state.s(i);
            let head = at.and_then(|at| state.h(at));
            format!("{}{}_{}_{}", number(at), word(at), word(head), put_back(at))
        };
        let buffered = |i: usize| {
            let at = state.b(i);
            let start = at.map_or("", |at| if state.is_sent_start(at) { "T" } else { "F" });
            format!("{}{}_{}_{}", number(at), word(at), start, put_back(at))
        };
        let (depth, length) = (state.stack_depth(), state.buffer_length());
        let stack = format!("{} {} {}", stacked(2), stacked(1), stacked(0));
        Ok(format!("{depth} {length} {stack} | {} {}", buffered(0), buffered(1)))
    }
}

/// A position from Python; a negative one is mapped to one that is outside of any document.
fn given(at: isize) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// A position for Python: -1 for `None`.
#[expect(clippy::cast_possible_wrap, reason = "positions are below 2^31")]
fn shown(at: Option<usize>) -> isize {
    at.map_or(-1, |at| at as isize)
}

fn without_doc() -> PyErr {
    PyValueError::new_err("[state-doc] the state was made without a document")
}
