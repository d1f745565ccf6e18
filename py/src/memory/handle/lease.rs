//! Leases: checked write access to a document's records.
//!
//! Opening a lease is one atomic transition ([`OpenOnce`]). The thread that makes it locks the
//! document for writing, and only then copies the records, so that no write of another thread is
//! lost. The models of both are in the tests of `lexpool-pool`.
//!
//! Unsafe code: takes over leaked write locks, and hands out addresses of the copies.
//!
//! Invariants:
//! - **E1** A [`LeasedDoc`] owns the leaked write lock of its document while its state is open, and
//!   only then.
//! - **E2** The records handed out lie in boxes that the lease owns. The boxes are created once,
//!   before the lease is open, and are freed with it.

use std::sync::{Mutex, PoisonError};

use lexpool::structs::{EntityC, Record, RecordInfo, SpacyTokenC, SyntaxC, TagC, TokenC};
use lexpool::tokens::{Doc, RecordEdit, SpacyTokens};
use lexpool_pool::OpenOnce;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::record_handle::Handle;
use crate::object::doc::PyDoc;
use crate::runtime::classes::{self, class};
use crate::runtime::error::{BusyError, OrRaise, StaleError};
use crate::runtime::free_list;

/// A function that puts records back into a document.
type WriteBack<'a> = &'a dyn Fn(&mut Doc) -> lexpool::Result<()>;

/// The document of a lease, and the state of the lease.
struct LeasedDoc {
    doc: Py<PyDoc>,
    state: OpenOnce,
}

impl LeasedDoc {
    fn new(doc: &Bound<'_, PyDoc>) -> LeasedDoc {
        LeasedDoc { doc: doc.clone().unbind(), state: OpenOnce::new() }
    }

    /// Locks the document for writing and opens the lease, after `copy` has filled its boxes. If
    /// that fails, the lease can be opened again.
    fn open(&self, py: Python<'_>, copy: impl FnOnce(&Doc) -> PyResult<()>) -> PyResult<()> {
        let Some(opening) = self.state.begin() else {
            let text = "a lease can be opened only once, and not if it is read-only; take a new \
                        one";
            return Err(PyRuntimeError::new_err(text));
        };
        let doc = self.doc.get().write(py)?;
        copy(&doc)?;
        doc.leak();
        opening.open();
        Ok(())
    }

    /// Ends the lease; calls `put_back`, if given, on the document.
    fn end(&self, py: Python<'_>, put_back: Option<WriteBack<'_>>) -> PyResult<()> {
        if !self.state.end() {
            return Err(PyRuntimeError::new_err("the lease is not open"));
        }
        // SAFETY: E1: the lease was open, so it owns the leaked lock, and `end` returns true once.
        let mut doc = unsafe { self.doc.get().reacquire_leaked(py) };
        match put_back {
            Some(put_back) => put_back(&mut doc).or_raise(),
            None => Ok(()),
        }
    }

    /// Ends the lease. After an exception nothing is put back; otherwise a copy of the records is
    /// put into the document. The copy is validated, since holders of the address could still
    /// change the original.
    fn exit<T>(
        &self,
        lease: &Bound<'_, PyAny>,
        exc_type: Option<&Bound<'_, PyAny>>,
        copied: impl FnOnce() -> PyResult<T>,
        put_back: impl Fn(&T, &mut Doc) -> lexpool::Result<()>,
    ) -> PyResult<()> {
        let py = lease.py();
        if exc_type.is_some() {
            return self.end(py, None);
        }
        if crate::memory::call_claims::in_use(lease) {
            self.end(py, None)?;
            let text = "the lease has ended while a call writes its records; nothing was put back";
            return Err(BusyError::new_err(text));
        }
        let records = copied()?;
        self.end(py, Some(&|doc| put_back(&records, doc)))
    }
}

impl Drop for LeasedDoc {
    fn drop(&mut self) {
        if self.state.is_open() {
            Python::attach(|py| drop(self.end(py, None)));
        }
    }
}

/// Writes access to the records of some tokens: `with doc.c.writable() as tokens: ...`.
#[pyclass(name = "Lease", module = "lexpool", frozen)]
pub(crate) struct Lease {
    leased: LeasedDoc,
    first: usize,
    len: usize,
    /// The generation of the document in which `first` and `len` are valid.
    generation: u32,
    /// `None` before the lease is opened (E2). The lock is never held while Python code runs.
    edit: Mutex<Option<RecordEdit>>,
}

class!(Lease);

impl Lease {
    pub(super) fn new(doc: &Bound<'_, PyDoc>, first: usize, len: usize, generation: u32) -> Lease {
        Lease { leased: LeasedDoc::new(doc), first, len, generation, edit: Mutex::new(None) }
    }

    fn with_edit<T>(&self, f: impl FnOnce(&mut RecordEdit) -> T) -> PyResult<T> {
        let mut edit = self.edit.lock().unwrap_or_else(PoisonError::into_inner);
        let edit = edit.as_mut();
        edit.map(f).ok_or_else(|| PyRuntimeError::new_err("the lease was not opened"))
    }

    /// The records of an annotation column for the tokens of a handle of this lease.
    pub(super) fn annotation_column<'py, T: EditedRecords>(
        &self,
        lease: &Bound<'py, Lease>,
        handle: &Handle,
    ) -> PyResult<Bound<'py, Handle>> {
        if !handle.is_contiguous() || !handle.is_token() {
            let text = "annotation columns need contiguous tokens; take the slice without a step";
            return Err(PyValueError::new_err(text));
        }
        let (first, len) = (handle.first as usize, handle.len());
        let address = self.with_edit(|edit| T::of(edit)[first..first + len].as_mut_ptr())?;
        handle_on(lease, &T::INFO, address, len, first)
    }
}

/// Accesses to the records of an edit by their type.
pub(super) trait EditedRecords: Record {
    fn of(edit: &mut RecordEdit) -> &mut [Self];
}

impl EditedRecords for TokenC {
    fn of(edit: &mut RecordEdit) -> &mut [TokenC] {
        edit.tokens_mut()
    }
}

impl EditedRecords for TagC {
    fn of(edit: &mut RecordEdit) -> &mut [TagC] {
        edit.tags_mut()
    }
}

impl EditedRecords for SyntaxC {
    fn of(edit: &mut RecordEdit) -> &mut [SyntaxC] {
        edit.syntax_mut()
    }
}

impl EditedRecords for EntityC {
    fn of(edit: &mut RecordEdit) -> &mut [EntityC] {
        edit.entities_mut()
    }
}

/// A writable handle on records in a box of the owner.
fn handle_on<'py, T: Record, O>(
    owner: &Bound<'py, O>,
    info: &'static RecordInfo,
    address: *mut T,
    len: usize,
    first: usize,
) -> PyResult<Bound<'py, Handle>> {
    let object = owner.clone().into_any().unbind();
    // SAFETY: E2: the box lives as long as its owner, which the handle keeps alive, and only
    // holders of such handles use it until the lease has ended.
    let handle = unsafe { Handle::new(object, info, address.cast(), len).writable() };
    free_list::make(owner.py(), Handle { first: u32::try_from(first).unwrap_or(0), ..handle })
}

#[pymethods]
impl Lease {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.leased.doc)
    }

    /// Opens the lease and returns a writable handle on the tokens. Raises BusyError while others
    /// read or write the document, StaleError if tokens were merged or split since the lease was
    /// made, RuntimeError if it was opened before.
    fn __enter__<'py>(slf: &Bound<'py, Lease>) -> PyResult<Bound<'py, Handle>> {
        let this = slf.get();
        this.leased.open(slf.py(), |doc| {
            if doc.generation() != this.generation {
                let text = "tokens were merged or split since writable(); take doc.c again";
                return Err(StaleError::new_err(text));
            }
            *this.edit.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(RecordEdit::copy_of(doc));
            Ok(())
        })?;
        let (first, len) = (this.first, this.len);
        let address = this.with_edit(|edit| edit.tokens_mut()[first..first + len].as_mut_ptr())?;
        handle_on(slf, &TokenC::INFO, address, len, first)
    }

    /// Puts the records into the document, unless an exception ends the lease. Raises ValueError
    /// for invalid records; the document is then unchanged.
    #[pyo3(signature = (exc_type, _exc, _traceback))]
    // stub: (exc_type: Any, _exc: Any, _traceback: Any)
    fn __exit__(
        slf: &Bound<'_, Lease>,
        exc_type: Option<&Bound<'_, PyAny>>,
        _exc: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let this = slf.get();
        let copied = || this.with_edit(|edit| edit.clone());
        this.leased.exit(slf.as_any(), exc_type, copied, RecordEdit::apply)
    }

    /// Recomputes children and edges of the leased tree from the heads, and sets the sentence
    /// starts of a tree that has relations. The end of the lease does this in any case.
    ///
    /// Raises ValueError (E190) for a head outside of the document, BusyError while a call writes
    /// the records.
    pub(super) fn set_children_from_heads(slf: &Bound<'_, Lease>) -> PyResult<()> {
        if crate::memory::call_claims::in_use(slf.as_any()) {
            let text = "a call is writing the records of this lease; try again when it has \
                        returned";
            return Err(BusyError::new_err(text));
        }
        slf.get().with_edit(RecordEdit::set_children_from_heads)?.or_raise()
    }
}

/// A document's tokens in spaCy's layout, and write access to them, as a `Lease`.
#[pyclass(name = "SpacyLease", module = "lexpool", frozen)]
pub(crate) struct SpacyLease {
    leased: LeasedDoc,
    /// The box is stable until the lease is dropped or opened; a lease that has handed out a
    /// read-only handle is never opened (E2).
    tokens: Mutex<SpacyTokens>,
}

class!(SpacyLease);

impl SpacyLease {
    pub(super) fn new(doc: &Bound<'_, PyDoc>) -> PyResult<SpacyLease> {
        let tokens = SpacyTokens::copy_of(&*doc.get().read(doc.py())?);
        Ok(SpacyLease { leased: LeasedDoc::new(doc), tokens: Mutex::new(tokens) })
    }

    /// A read-only handle on the tokens.
    pub(super) fn handle<'py>(lease: &Bound<'py, SpacyLease>) -> PyResult<Bound<'py, Handle>> {
        // The lease must not be opened through the handle's `owner`: that would replace the box.
        lease.get().leased.state.retire();
        let (address, len) = lease.get().with_tokens(|all| {
            let tokens = all.tokens();
            (tokens.as_ptr(), tokens.len())
        });
        let owner = lease.clone().into_any().unbind();
        // SAFETY: E2: the box belongs to the lease, which can no longer be opened; the lexemes
        // belong to the document, which the lease keeps alive.
        let handle = unsafe { Handle::new(owner, &SpacyTokenC::INFO, address.cast(), len) };
        free_list::make(lease.py(), handle)
    }

    fn with_tokens<T>(&self, f: impl FnOnce(&mut SpacyTokens) -> T) -> T {
        f(&mut self.tokens.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl SpacyLease {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.leased.doc)
    }

    /// Opens the lease and returns a writable handle on the tokens; as for `Lease`.
    fn __enter__<'py>(slf: &Bound<'py, SpacyLease>) -> PyResult<Bound<'py, Handle>> {
        let this = slf.get();
        this.leased.open(slf.py(), |doc| {
            this.with_tokens(|tokens| *tokens = SpacyTokens::copy_of(doc));
            Ok(())
        })?;
        let (address, len) = this.with_tokens(|tokens| {
            let tokens = tokens.tokens_mut();
            (tokens.as_mut_ptr(), tokens.len())
        });
        handle_on(slf, &SpacyTokenC::INFO, address, len, 0)
    }

    /// Puts the tokens back; as for `Lease`.
    #[pyo3(signature = (exc_type, _exc, _traceback))]
    // stub: (exc_type: Any, _exc: Any, _traceback: Any)
    fn __exit__(
        slf: &Bound<'_, SpacyLease>,
        exc_type: Option<&Bound<'_, PyAny>>,
        _exc: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let this = slf.get();
        let copied = || Ok(this.with_tokens(|tokens| tokens.clone()));
        this.leased.exit(slf.as_any(), exc_type, copied, SpacyTokens::apply)
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<Lease>(module)?;
    classes::add::<SpacyLease>(module)
}
