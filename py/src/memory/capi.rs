//! `_C_API`: the table of functions for other native code, and the same functions for Cython.
//!
//! Unsafe code: receives objects as pointers, and fills C structs.
//!
//! Invariants, which the C headers state as the caller's duty:
//! - **P1** The caller of a function that takes an object holds the GIL, and the object is null or
//!   alive.
//! - **P2** An output pointer is null or points to writable memory of the stated size.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use lexpool::structs::{LexemeC, SpacyTokenC};
use lexpool::threads::ForkGuard;
use lexpool_ops::HOST;
use lexpool_ops::capi::{Api, DocC, Host, VocabC, open_doc, open_vocab};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyClass, PyTypeInfo};

use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;

/// The core's table, whose functions know nothing of the GIL.
const CORE: Api = Api::new(Host { doc_open, vocab_open, doc_spacy, doc_length }, &HOST);

/// The table that `_C_API` points to.
static API: Api = Api { vocab_get, vocab_get_by_orth, ..CORE };

/// The functions with their signatures in Cython's spelling, which Cython compares with its own.
static CYTHON: [(&str, &CStr, FunctionAddress); 11] = [
    ("doc_open", c"int (PyObject *, lexpool_doc *, uint32_t)", FunctionAddress(doc_open as _)),
    ("vocab_open", c"lexpool_vocab const *(PyObject *)", FunctionAddress(vocab_open as _)),
    (
        "token_by_start",
        c"int32_t (lexpool_doc const *, int32_t)",
        FunctionAddress(API.token_by_start as _),
    ),
    (
        "token_by_end",
        c"int32_t (lexpool_doc const *, int32_t)",
        FunctionAddress(API.token_by_end as _),
    ),
    (
        "token_get_attr",
        c"uint64_t (lexpool_doc const *, int32_t, uint32_t)",
        FunctionAddress(API.token_get_attr as _),
    ),
    (
        "token_set_attr",
        c"int (lexpool_doc_mut *, int32_t, uint32_t, uint64_t)",
        FunctionAddress(API.token_set_attr as _),
    ),
    (
        "set_children_from_heads",
        c"int (TokenC *, SyntaxC *, int32_t, int32_t)",
        FunctionAddress(API.set_children_from_heads as _),
    ),
    (
        "lexeme_get_attr",
        c"uint64_t (LexemeC const *, uint32_t)",
        FunctionAddress(API.lexeme_get_attr as _),
    ),
    ("check_flag", c"int (LexemeC const *, uint32_t)", FunctionAddress(API.check_flag as _)),
    (
        "vocab_get",
        c"LexemeC const *(lexpool_vocab const *, char const *, size_t)",
        FunctionAddress(vocab_get as _),
    ),
    (
        "vocab_get_by_orth",
        c"LexemeC const *(lexpool_vocab const *, uint64_t)",
        FunctionAddress(vocab_get_by_orth as _),
    ),
];

/// The address of a function.
struct FunctionAddress(*const c_void);

// SAFETY: the address of code, which never changes.
unsafe impl Sync for FunctionAddress {}

/// Opens a document for C code: `doc_open` of `lexpool_api`.
///
/// # Safety
///
/// P1 for `doc`; P2 for `out`, of `out_size` bytes.
unsafe extern "C" fn doc_open(doc: *mut c_void, out: *mut DocC, out_size: u32) -> c_int {
    call_checked(-1, |py| {
        // SAFETY: P1: the caller passes null or an object.
        let doc = unsafe { object_of::<PyDoc>(py, doc, "doc_open")? };
        let (size, needed) = (out_size as usize, size_of::<DocC>());
        if out.is_null() || size < needed {
            let place = if out.is_null() { "NULL" } else { "a place" };
            let text = format!("doc_open fills {needed} bytes; got {place} of {size} bytes");
            return Err(PyValueError::new_err(text));
        }
        let opened = open_doc(&*doc.get().read(py)?);
        // SAFETY: P2: `out` has `size` bytes, and `needed` is not larger.
        unsafe {
            out.write_unaligned(opened);
            out.cast::<u8>().add(needed).write_bytes(0, size - needed);
        }
        Ok(0)
    })
}

/// Opens a vocab for C code: `vocab_open` of `lexpool_api`.
///
/// # Safety
///
/// P1 for `vocab`.
unsafe extern "C" fn vocab_open(vocab: *mut c_void) -> *const VocabC {
    call_checked(ptr::null(), |py| {
        // SAFETY: P1: the caller passes null or an object. The class is frozen, so that the address
        // of the `Arc` is stable.
        let vocab = unsafe { object_of::<PyVocab>(py, vocab, "vocab_open")? };
        Ok(open_vocab(vocab.get().vocab()))
    })
}

/// Gives C code the tokens in spaCy's layout: `doc_spacy` of `lexpool_api`.
///
/// # Safety
///
/// P1 for `doc`; P2 for `length`.
unsafe extern "C" fn doc_spacy(doc: *mut c_void, length: *mut i32) -> *mut SpacyTokenC {
    call_checked(ptr::null_mut(), |py| {
        // SAFETY: P1: the caller passes null or an object.
        let doc = unsafe { object_of::<PyDoc>(py, doc, "doc_spacy")? };
        let (first, len) = doc.get().export_spacy(py)?;
        if !length.is_null() {
            // SAFETY: P2: `length` points to a number.
            unsafe { length.write_unaligned(i32::try_from(len).unwrap_or(i32::MAX)) };
        }
        Ok(first)
    })
}

/// Counts the tokens of a document: `doc_length` of `lexpool_api`.
///
/// # Safety
///
/// P1 for `doc`.
unsafe extern "C" fn doc_length(doc: *mut c_void) -> i32 {
    call_checked(-1, |py| {
        // SAFETY: P1: the caller passes null or an object.
        let doc = unsafe { object_of::<PyDoc>(py, doc, "doc_length")? };
        Ok(i32::try_from(doc.get().len(py)?).unwrap_or(i32::MAX))
    })
}

/// Looks up a word by its text as the core's function does, but never while the process forks.
///
/// # Safety
///
/// As for the core's function.
unsafe extern "C" fn vocab_get(
    vocab: *const VocabC,
    utf8: *const c_char,
    n: usize,
) -> *const LexemeC {
    // SAFETY: the arguments are the caller's, whose duties are those of the core's function.
    between_forks(|| unsafe { (CORE.vocab_get)(vocab, utf8, n) })
}

/// Looks up a word by its id as the core's function does, but never while the process forks.
///
/// # Safety
///
/// As for the core's function.
unsafe extern "C" fn vocab_get_by_orth(vocab: *const VocabC, orth: u64) -> *const LexemeC {
    // SAFETY: the arguments are the caller's, whose duties are those of the core's function.
    between_forks(|| unsafe { (CORE.vocab_get_by_orth)(vocab, orth) })
}

/// Runs a function that takes locks, while no fork can happen. A holder of the GIL already keeps
/// others from forking, and must not wait for one of them.
fn between_forks<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: may be called from any thread at any time.
    let has_gil = unsafe { ffi::PyGILState_Check() } == 1;
    let _busy = (!has_gil).then(ForkGuard::enter);
    f()
}

/// The object behind a pointer.
///
/// # Errors
///
/// `TypeError` for null and for an object of another class.
///
/// # Safety
///
/// P1 for `object`.
unsafe fn object_of<'py, T: PyClass + PyTypeInfo>(
    py: Python<'py>,
    object: *mut c_void,
    function: &str,
) -> PyResult<Bound<'py, T>> {
    let expected = T::NAME;
    // SAFETY: P1: the caller passes null or an object.
    let object = unsafe { Bound::from_borrowed_ptr_or_opt(py, object.cast()) };
    let Some(object) = object else {
        return Err(PyTypeError::new_err(format!("{function} takes a {expected}, not NULL")));
    };
    let class = object.get_type().name()?;
    object
        .cast_into::<T>()
        .map_err(|_| PyTypeError::new_err(format!("{function} takes a {expected}, not {class}")))
}

/// Calls `f`. If it fails or panics, sets the exception and returns `otherwise`.
fn call_checked<T>(otherwise: T, f: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    Python::attach(|py| {
        let answer = catch_unwind(AssertUnwindSafe(|| f(py))).unwrap_or_else(|_| {
            Err(PyRuntimeError::new_err("a bug in lexpool; please report it: its C API panicked"))
        });
        answer.unwrap_or_else(|error| {
            error.restore(py);
            otherwise
        })
    })
}

fn capsule<'py>(
    py: Python<'py>,
    address: *const c_void,
    name: &'static CStr,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: address and name are static, and the capsule frees nothing.
    unsafe {
        let capsule = ffi::PyCapsule_New(address.cast_mut(), name.as_ptr(), None);
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let table = ptr::from_ref(&API).cast();
    module.setattr("_C_API", capsule(py, table, c"lexpool._core._C_API")?)?;
    let functions = PyDict::new(py);
    for (name, signature, function) in &CYTHON {
        functions.set_item(name, capsule(py, function.0, signature)?)?;
    }
    module.add("cython_functions", functions)
}
