//! The prepared form of an op: the types, names and messages that its calls read.
//!
//! Holds unsafe code (invariant G7 of [`ops`](super)): a definition with raw pointers is shared
//! between threads.

use std::ffi::CString;
use std::sync::Arc;

use lexpool_ops::plugin::{MAX_ARGS, ValueC};
use lexpool_ops::{Gil, KernelInfo, Key, Op, Param, Type};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Maximum number of arguments of an op.
pub(super) const MAX_PARAMS: usize = MAX_ARGS;

/// The prepared form of an op, which its calls read. Lives as long as the process, as a builtin's
/// definition must (G7): one for each op that was ever looked up.
pub(super) struct PreparedOp {
    pub(super) op: Arc<Op>,
    /// The types of the parameters.
    pub(super) types: Box<[Type]>,
    /// The names of the parameters, interned.
    pub(super) names: Box<[Py<PyString>]>,
    /// Maximum number of positional arguments.
    pub(super) positional: usize,
    pub(super) gil: Gil,
    /// True if the op may take locks that a fork must not interrupt: it has parameters beyond plain
    /// data, or uses the threads of a pool.
    pub(super) locks: bool,
    /// The fast call, for ops of few parameters of common types.
    pub(super) direct: Option<FastCall>,
    /// The message for an argument of a wrong type, up to the name of its type, by position.
    pub(super) refusals: Box<[Box<str>]>,
    pub(super) definition: ffi::PyMethodDef,
}

// SAFETY: nothing is written after construction.
unsafe impl Sync for PreparedOp {}
// SAFETY: nothing is written after construction.
unsafe impl Send for PreparedOp {}

/// The outcome of a fast call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The result was written.
    Done,
    /// The failure was written as the result.
    Failed,
    /// An exception is set.
    Raised,
    /// The fast call does not apply and has had no effect; the general call is needed.
    Fallback,
}

/// A function that calls an op with up to two arguments; missing ones are null.
type Call =
    unsafe fn(&'static PreparedOp, *mut ffi::PyObject, *mut ffi::PyObject, &mut ValueC) -> Outcome;

/// The fast call of an op.
#[derive(Clone, Copy)]
pub(super) struct FastCall {
    pub(super) call: Call,
    pub(super) arity: usize,
    /// The same call as a builtin function.
    pub(super) trampoline: ffi::PyCFunctionFastWithKeywords,
}

impl PreparedOp {
    /// Prepares an op. `fast` selects the fast call for its parameter types, `general` calls ops
    /// without one.
    pub(super) fn new(
        py: Python<'_>,
        op: &Arc<Op>,
        fast: impl FnOnce(&[Type], usize, Gil) -> Option<FastCall>,
        general: ffi::PyCFunctionFastWithKeywords,
    ) -> PreparedOp {
        let short = op.name().rsplit('.').next().unwrap_or_default();
        let text = |text: String| CString::new(text.replace('\0', "")).expect("no zero is left");
        // `inspect.signature` reads the first lines; they cannot contain types.
        let params = text_params(op.params());
        let doc = format!("{short}({params})\n--\n\n{}\n\n{}", op.signature(), op.doc());
        let types: Box<[Type]> = op.params().iter().map(|param| param.ty.clone()).collect();
        let has_key = |kernel: &KernelInfo| kernel.key == Key::Parallel;
        let locks = types.iter().any(takes_locks) || op.kernels().iter().any(has_key);
        let positional = op.params().iter().filter(|param| !param.keyword_only).count();
        let direct = fast(&types, positional, op.gil());
        let function = direct.map_or(general, |direct| direct.trampoline);
        let refusal = |at: usize, param: &Param| {
            let (name, position, ty) = (op.name(), at + 1, &param.ty);
            format!(
                "{name}(): argument '{}' (position {position}): expected {ty}, got ",
                param.name
            )
        };
        let refusals = op.params().iter().enumerate();
        let definition = ffi::PyMethodDef {
            ml_name: text(short.to_owned()).into_raw(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: text(doc).into_raw(),
        };
        let name = |param: &Param| PyString::intern(py, &param.name).unbind();
        PreparedOp {
            op: Arc::clone(op),
            types,
            names: op.params().iter().map(name).collect(),
            positional,
            gil: op.gil(),
            locks,
            direct,
            refusals: refusals.map(|(at, param)| refusal(at, param).into()).collect(),
            definition,
        }
    }
}

/// Formats parameters as `inspect.signature` reads them.
pub(super) fn text_params(params: &[Param]) -> String {
    let mut parts = Vec::new();
    for (i, param) in params.iter().enumerate() {
        if param.keyword_only && (i == 0 || !params[i - 1].keyword_only) {
            parts.push("*".to_owned());
        }
        let default = param.default.as_ref();
        let default = default.map_or_else(String::new, |value| format!("={value}"));
        let name = if &*param.name == "self" { "$self" } else { &param.name };
        parts.push(format!("{name}{default}"));
    }
    parts.join(", ")
}

/// Returns whether work on a value of the type may take locks of lexpool.
fn takes_locks(ty: &Type) -> bool {
    match ty {
        Type::None
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Str
        | Type::Bytes
        | Type::Array(..)
        | Type::Records(_)
        | Type::RecordsMut(_) => false,
        Type::Optional(inner) | Type::List(inner) => takes_locks(inner),
        Type::Map(key, value) => takes_locks(key) || takes_locks(value),
        _ => true,
    }
}
