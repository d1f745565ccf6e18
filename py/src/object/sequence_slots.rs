//! Slots of hot sequence operations: `len(doc)`, `doc[i]`, `for token in doc`, `vocab[word]`,
//! `strings[id]`.
//!
//! Unsafe code: C functions replace PyO3's wrappers, which cost as much as the work itself.
//! Uncommon cases call the same Rust functions as the wrappers did.
//!
//! Invariants:
//! - **Q1** CPython calls slots on attached threads, with an instance of the slot's class, which
//!   has no subclasses, and keeps all arguments alive.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool::tokens::Doc;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::object::attribute_slots::raise;
use crate::object::doc::{PyDoc, TokenIter, position};
use crate::object::strings::PyStringStore;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;

/// Replaces the slots of the classes.
pub(crate) fn install(py: Python<'_>) {
    let doc = py.get_type::<PyDoc>().as_type_ptr();
    let iter = py.get_type::<TokenIter>().as_type_ptr();
    let vocab = py.get_type::<PyVocab>().as_type_ptr();
    let strings = py.get_type::<PyStringStore>().as_type_ptr();
    // SAFETY: the classes are this module's and not used yet; each slot has the type of its
    // function.
    unsafe {
        for (class, subscript) in [
            (doc, subscript_doc as ffi::binaryfunc),
            (vocab, subscript::<PyVocab>),
            (strings, subscript::<PyStringStore>),
        ] {
            if let Some(mapping) = (*class).tp_as_mapping.as_mut() {
                mapping.mp_subscript = Some(subscript);
                ffi::PyType_Modified(class);
            }
        }
        if let Some(mapping) = (*doc).tp_as_mapping.as_mut() {
            mapping.mp_length = Some(length);
        }
        if let Some(sequence) = (*doc).tp_as_sequence.as_mut() {
            sequence.sq_length = Some(length);
        }
        (*iter).tp_iternext = Some(next);
        ffi::PyType_Modified(iter);
    }
}

/// A class whose `[]` is a Rust function.
trait Subscript: pyo3::PyClass {
    fn item(object: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<*mut ffi::PyObject>;
}

impl Subscript for PyVocab {
    fn item(object: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<*mut ffi::PyObject> {
        Ok(PyVocab::__getitem__(object, key)?.into_ptr())
    }
}

impl Subscript for PyStringStore {
    fn item(object: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<*mut ffi::PyObject> {
        Ok(object.get().__getitem__(key)?.into_ptr())
    }
}

/// `object[key]`.
///
/// # Safety
///
/// Q1: an object of the class, and any object.
unsafe extern "C" fn subscript<T: Subscript>(
    object: *mut ffi::PyObject,
    key: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Q1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: Q1.
    let (object, key) = unsafe {
        (Borrowed::from_ptr(py, object).cast_unchecked::<T>(), Borrowed::from_ptr(py, key))
    };
    match catch_unwind(AssertUnwindSafe(|| T::item(&object, &key))) {
        Ok(Ok(found)) => found,
        failed => raise(py, failed, std::ptr::null_mut()),
    }
}

/// `len(doc)`.
///
/// # Safety
///
/// Q1: a Doc.
unsafe extern "C" fn length(doc: *mut ffi::PyObject) -> ffi::Py_ssize_t {
    // SAFETY: Q1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: Q1.
    let doc = unsafe { Borrowed::from_ptr(py, doc).cast_unchecked::<PyDoc>() };
    // SAFETY: the GIL is held and no Python code runs until the function returns, as
    // `DocLock::peek` requires.
    if let Some(doc) = unsafe { doc.get().peek(py) } {
        return signed(doc);
    }
    raise(py, Ok(doc.get().read(py).map(|doc| signed(&doc))), -1)
}

fn signed(doc: &Doc) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(doc.len()).unwrap_or(ffi::Py_ssize_t::MAX)
}

/// `doc[key]`.
///
/// # Safety
///
/// Q1: a Doc, and any object.
unsafe extern "C" fn subscript_doc(
    doc: *mut ffi::PyObject,
    key: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Q1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: Q1.
    let (doc, key) = unsafe {
        (Borrowed::from_ptr(py, doc).cast_unchecked::<PyDoc>(), Borrowed::from_ptr(py, key))
    };
    let item = catch_unwind(AssertUnwindSafe(|| -> PyResult<*mut ffi::PyObject> {
        // SAFETY: Q1: the key is an object.
        if unsafe { ffi::PyLong_CheckExact(key.as_ptr()) } != 0 {
            // SAFETY: the key is exactly an int, as checked.
            let index = unsafe { ffi::PyLong_AsSsize_t(key.as_ptr()) };
            let read = doc.get().read(py)?;
            // -1 may also mean that the number is too large; the general path tells them apart.
            if let Some(i) = position(index, read.len()).filter(|_| index != -1) {
                return Ok(PyToken::make(&doc, &read, i)?.into_ptr());
            }
            // SAFETY: Q1: the thread is attached.
            unsafe { ffi::PyErr_Clear() };
        }
        Python::attach(|_| Ok(PyDoc::__getitem__(&doc, &key)?.into_ptr()))
    }));
    match item {
        Ok(Ok(item)) => item,
        failed => raise(py, failed, std::ptr::null_mut()),
    }
}

/// The next token of an iteration; null without an exception at the end.
///
/// # Safety
///
/// Q1: a `TokenIter`.
unsafe extern "C" fn next(iter: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Q1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: Q1.
    let iter = unsafe { Borrowed::from_ptr(py, iter).cast_unchecked::<TokenIter>() };
    let token = catch_unwind(AssertUnwindSafe(|| iter.get().advance(py)));
    match token {
        Ok(Ok(Some(token))) => token.into_ptr(),
        Ok(Ok(None)) => std::ptr::null_mut(),
        failed => {
            raise(py, failed.map(|token| token.map(|_| std::ptr::null_mut())), std::ptr::null_mut())
        }
    }
}
