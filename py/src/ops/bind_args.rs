//! Keyword arguments and defaults: binds the arguments of a call to the op's parameters.
//!
//! Holds unsafe code (invariants G1, G2 of [`ops`](super)): reads the argument array of the
//! vectorcall convention.

use pyo3::ffi;

use super::c_ints::ssize;
use super::prepared_op::{MAX_PARAMS, PreparedOp};

/// The arguments by position; null if one was not given.
pub(super) type Bound = [*mut ffi::PyObject; MAX_PARAMS];

/// The message of a TypeError, or `None` if an exception is set already.
pub(super) type BindError = Option<String>;

/// Binds `n` positional arguments, and the keyword arguments behind them, to parameters.
///
/// # Safety
///
/// For CPython: `args` has `n` arguments and one for each item of `names`, a tuple of `str` or
/// null.
pub(super) unsafe fn bind(
    known: &PreparedOp,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> Result<Bound, BindError> {
    let arity = known.types.len();
    let mut bound: Bound = [std::ptr::null_mut(); MAX_PARAMS];
    if n > known.positional {
        let most = known.positional;
        let plural = if most == 1 { "" } else { "s" };
        let text = format!("takes {most} positional argument{plural}, got {n}");
        return Err(Some(text));
    }
    for (i, place) in bound.iter_mut().enumerate().take(n) {
        // SAFETY: there are `n` of them.
        *place = unsafe { *args.add(i) };
    }
    if !names.is_null() {
        // SAFETY: a tuple, whose items live as long as it.
        let count = unsafe { ffi::PyTuple_Size(names) };
        for k in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: below the length; the argument stands behind the first `n`.
            let (name, value) =
                unsafe { (ffi::PyTuple_GetItem(names, ssize(k)), *args.add(n + k)) };
            // Names mostly come in the order of the declaration, and are interned.
            let guess = n + k;
            let same = |at: &usize| known.names[*at].as_ptr() == name;
            let at =
                if guess < arity && same(&guess) { Some(guess) } else { (0..arity).find(same) };
            // SAFETY: both are strings.
            let equal = |at: &usize| unsafe {
                ffi::PyUnicode_Compare(known.names[*at].as_ptr(), name) == 0
            };
            let at = at.or_else(|| (0..arity).find(equal));
            let Some(at) = at else {
                return Err(Some(format!("got an unexpected keyword argument '{}'", text(name))));
            };
            if !bound[at].is_null() {
                return Err(Some(format!("got multiple values for argument '{}'", text(name))));
            }
            bound[at] = value;
        }
    }
    for (at, param) in known.op.params().iter().enumerate() {
        if bound[at].is_null() && param.default.is_none() {
            let text = format!("missing argument '{}' (position {})", param.name, at + 1);
            return Err(Some(text));
        }
    }
    Ok(bound)
}

/// Copies a Python string for a message.
fn text(string: *mut ffi::PyObject) -> String {
    let mut len = 0;
    // SAFETY: the caller has a `str`.
    let utf8 = unsafe { ffi::PyUnicode_AsUTF8AndSize(string, &raw mut len) };
    if utf8.is_null() {
        // SAFETY: the error is that of a lone surrogate, which the message does without.
        unsafe { ffi::PyErr_Clear() };
        return String::from("?");
    }
    // SAFETY: as many bytes as it says, alive as long as the string.
    let bytes = unsafe { std::slice::from_raw_parts(utf8.cast::<u8>(), len.unsigned_abs()) };
    String::from_utf8_lossy(bytes).into_owned()
}
