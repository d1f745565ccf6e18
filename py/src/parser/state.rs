//! `lexpool.parser.StateClass`: the state of a parse, as Python holds it.

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

/// What has been decided of a document's tokens, and what is to be decided next.
///
/// The lock is held for as long as one question takes, and never while the GIL is let go.
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

    /// The state, to be asked or changed; nothing of Python's runs meanwhile.
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
    /// The first state of a document: nothing on the stack, all in the buffer. offset: how many tokens
    /// stand before it in a batch, for models that look at features.
    ///
    /// What the document says of sentence starts and entities is taken now; a later change of it is
    /// not seen. ValueError state-length: positions would not fit in 31 bits.
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

    /// The document; None for a state without tokens that was made without one.
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

    /// The tokens of the buffer, the first first.
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
        let made = PyList::empty(py);
        for arc in arcs {
            let dict = PyDict::new(py);
            dict.set_item("head", arc.head)?;
            dict.set_item("child", arc.child)?;
            dict.set_item("label", arc.label.get())?;
            made.append(dict)?;
        }
        Ok(made)
    }

    /// The entities as (start, end, label); one that is open ends at -1.
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

    /// The i-th token of the stack from the top, or -1.
    #[pyo3(name = "S")]
    fn s(&self, i: isize) -> isize {
        shown(self.lock().s(given(i)))
    }

    /// The i-th token of the buffer, or -1.
    #[pyo3(name = "B")]
    fn b(&self, i: isize) -> isize {
        shown(self.lock().b(given(i)))
    }

    /// The head of a token, or -1.
    #[pyo3(name = "H")]
    fn h(&self, i: isize) -> isize {
        shown(self.lock().h(given(i)))
    }

    /// The first token of the last entity, or -1.
    #[pyo3(name = "E")]
    fn e(&self, i: isize) -> isize {
        let _ = i;
        shown(self.lock().e())
    }

    /// The idx-th child on the left of a head, the newest being the first, or -1.
    #[pyo3(name = "L")]
    fn l(&self, i: isize, idx: isize) -> isize {
        shown(self.lock().l(given(i), given(idx)))
    }

    /// The idx-th child on the right of a head, the newest being the first, or -1.
    #[pyo3(name = "R")]
    fn r(&self, i: isize, idx: isize) -> isize {
        shown(self.lock().r(given(i), given(idx)))
    }

    /// S(i) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "S_")]
    // stub: -> Token
    fn s_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.s(i))
    }

    /// B(i) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "B_")]
    // stub: -> Token
    fn b_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.b(i))
    }

    /// H(i) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "H_")]
    // stub: -> Token
    fn h_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.h(i))
    }

    /// E(i) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "E_")]
    // stub: -> Token
    fn e_<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.e(i))
    }

    /// L(i, idx) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "L_")]
    // stub: -> Token
    fn l_<'py>(&self, py: Python<'py>, i: isize, idx: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.l(i, idx))
    }

    /// R(i, idx) as a token; where that is -1, the document's last one, as in spaCy.
    #[pyo3(name = "R_")]
    // stub: -> Token
    fn r_<'py>(&self, py: Python<'py>, i: isize, idx: isize) -> PyResult<Bound<'py, PyAny>> {
        self.token(py, self.r(i, idx))
    }

    /// The number of children on the left.
    #[pyo3(name = "n_L")]
    fn n_l(&self, i: isize) -> usize {
        self.lock().n_l(given(i))
    }

    /// The number of children on the right.
    #[pyo3(name = "n_R")]
    fn n_r(&self, i: isize) -> usize {
        self.lock().n_r(given(i))
    }

    /// Whether a token has a head.
    fn has_head(&self, i: isize) -> bool {
        self.lock().has_head(given(i))
    }

    /// Whether stack and buffer are empty.
    fn is_final(&self) -> bool {
        self.lock().is_final()
    }

    /// Whether the stack is empty.
    fn empty(&self) -> bool {
        self.lock().stack_depth() == 0
    }

    /// Whether the buffer is empty.
    fn eol(&self) -> bool {
        self.lock().eol()
    }

    /// Always False, as in spaCy.
    // stub: -> Literal[False]
    fn at_break(&self) -> bool {
        false
    }

    /// Whether the last entity is open.
    fn entity_is_open(&self) -> bool {
        self.lock().entity_is_open()
    }

    /// The number of tokens on the stack.
    fn stack_depth(&self) -> usize {
        self.lock().stack_depth()
    }

    /// The number of tokens in the buffer.
    fn buffer_length(&self) -> usize {
        self.lock().buffer_length()
    }

    /// Move the first token of the buffer to the stack. RuntimeError state-buffer: it is empty.
    fn push(&self) -> PyResult<()> {
        self.lock().push().or_raise()
    }

    /// Take the top of the stack away. RuntimeError state-stack: it is empty.
    fn pop(&self) -> PyResult<()> {
        self.lock().pop().or_raise()
    }

    /// Put the top of the stack back on the buffer, for good. RuntimeError state-stack: it is empty.
    fn unshift(&self) -> PyResult<()> {
        self.lock().unshift().or_raise()
    }

    /// Add an arc in place of the one that the child had. IndexError state-token: one is no token.
    fn add_arc(&self, head: isize, child: isize, label: u64) -> PyResult<()> {
        self.lock().add_arc(given(head), given(child), StrId::new(label)).or_raise()
    }

    /// Take an arc back, if it is the newest to its side of its head; the child keeps its head.
    fn del_arc(&self, head: isize, child: isize) {
        self.lock().del_arc(given(head), given(child));
    }

    /// Open an entity at the first token of the buffer. RuntimeError state-buffer: it is empty.
    fn open_ent(&self, label: u64) -> PyResult<()> {
        self.lock().open_ent(StrId::new(label)).or_raise()
    }

    /// End the last entity after the first token of the buffer. RuntimeError state-buffer: it is empty;
    /// state-entity: there is no entity.
    fn close_ent(&self) -> PyResult<()> {
        self.lock().close_ent().or_raise()
    }

    /// A state of its own, equal to this one.
    fn copy(&self, py: Python<'_>) -> PyState {
        PyState::new(self.lock().clone(), self.doc_of(py))
    }

    /// Become equal to another state of as many tokens. ValueError state-length: it has others.
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

    /// The state in a line: depth of the stack, length of the buffer, the top of the stack with heads,
    /// and the first of the buffer with sentence starts, each with whether it has been put back.
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

/// A position as Python gives it; a negative one is as far outside as one can be.
fn given(at: isize) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// A position as Python sees it: -1 for none.
#[expect(clippy::cast_possible_wrap, reason = "positions are below 2^31")]
fn shown(at: Option<usize>) -> isize {
    at.map_or(-1, |at| at as isize)
}

fn without_doc() -> PyErr {
    PyValueError::new_err("[state-doc] the state was made without a document")
}
