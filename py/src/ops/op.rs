//! An op in Python: its builtin function, and the description behind it.
//!
//! Holds unsafe code (invariants G1, G4, G7 of [`ops`](super)): makes a builtin function, whose
//! definition lives as long as the process.

use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use lexpool::registry::{Gil, KernelInfo, Key, Op, Param, Type};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict};

use super::call;
use super::fast_call::FastCall;

use crate::runtime::classes::{self, class};

/// The description of an op: the `__self__` of its function.
#[pyclass(name = "Op", module = "lexpool.ops", frozen)]
pub(crate) struct PyOp {
    known: &'static PreparedOp,
}

class!(PyOp);

/// The prepared form of an op, which its calls read. Lives as long as the process, as a builtin's
/// definition must (G7): one for each op that was ever looked up.
pub(super) struct PreparedOp {
    pub(super) op: Arc<Op>,
    /// The types of the parameters.
    pub(super) types: Box<[Type]>,
    /// The names of the parameters, interned.
    pub(super) names: Box<[Py<pyo3::types::PyString>]>,
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

impl PyOp {
    /// Returns the op of an op's function; `None` for any other object.
    pub(crate) fn of_function(function: &Bound<'_, PyAny>) -> Option<&'static Arc<Op>> {
        let this = function.cast::<PyCFunction>().ok()?.getattr("__self__").ok()?;
        // G7: a prepared op lives as long as the process.
        Some(&this.cast::<PyOp>().ok()?.get().known.op)
    }

    /// Returns the prepared op of a function's `__self__`.
    ///
    /// # Safety
    ///
    /// `slf` is a `PyOp`.
    #[inline]
    pub(super) unsafe fn known(slf: *mut ffi::PyObject) -> &'static PreparedOp {
        // SAFETY: G4; a frozen class without a dict has its value right behind the header, which
        // `register` checks.
        unsafe { slf.add(1).cast::<PyOp>().as_ref().unwrap_unchecked().known }
    }
}

/// Returns the prepared form of an op, made on first use.
pub(super) fn known(py: Python<'_>, op: &Arc<Op>) -> &'static PreparedOp {
    static KNOWN: Mutex<Vec<(usize, &'static PreparedOp)>> = Mutex::new(Vec::new());
    let key = Arc::as_ptr(op) as usize;
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = |all: &Vec<(usize, &'static PreparedOp)>| {
        all.binary_search_by_key(&key, |(key, _)| *key).map(|at| all[at].1)
    };
    // Ops are never freed while their registry lives, and that of the process does.
    if let Ok(known) = found(&lock()) {
        return known;
    }
    let made: &'static PreparedOp = Box::leak(Box::new(PreparedOp::of(py, op)));
    let mut all = lock();
    let at = all.partition_point(|(other, _)| *other < key);
    // If two threads race, the first one's stays.
    if all.get(at).is_none_or(|(other, _)| *other != key) {
        all.insert(at, (key, made));
    }
    all[at].1
}

/// Returns the builtin function of an op.
pub(super) fn function(py: Python<'_>, op: &Arc<Op>) -> PyResult<Py<PyAny>> {
    let known = known(py, op);
    let module = op.name().rsplit_once('.').map_or("", |(namespace, _)| namespace);
    let module = format!("lexpool.ops.{module}").into_pyobject(py)?;
    // CPython never writes a definition.
    let definition = std::ptr::from_ref(&known.definition).cast_mut();
    let this = Bound::new(py, PyOp { known })?;
    // SAFETY: G1, G7; the function holds `__self__` and the module.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, this.as_ptr(), module.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(py, made)?.unbind())
    }
}

impl PreparedOp {
    fn of(py: Python<'_>, op: &Arc<Op>) -> PreparedOp {
        let short = op.name().rsplit('.').next().unwrap_or_default();
        let text = |text: String| CString::new(text.replace('\0', "")).expect("no zero is left");
        // `inspect.signature` reads the first lines; they cannot contain types.
        let params = text_params(op.params());
        let doc = format!("{short}({params})\n--\n\n{}\n\n{}", op.signature(), op.doc());
        let types: Box<[Type]> = op.params().iter().map(|param| param.ty.clone()).collect();
        let has_key = |kernel: &KernelInfo| kernel.key == Key::Parallel;
        let locks = types.iter().any(takes_locks) || op.kernels().iter().any(has_key);
        let positional = op.params().iter().filter(|param| !param.keyword_only).count();
        let direct = FastCall::of(&types, positional, op.gil());
        let function = direct.map_or(call::trampoline as _, |direct| direct.trampoline);
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
        let name = |param: &Param| pyo3::types::PyString::intern(py, &param.name).unbind();
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

#[pymethods]
impl PyOp {
    /// The full name, such as "doc.count_by".
    #[getter]
    fn name(&self) -> &str {
        self.known.op.name()
    }

    /// The signature: name, parameters with types and defaults, and result.
    #[getter]
    fn schema(&self) -> String {
        self.known.op.signature()
    }

    /// The description.
    #[getter]
    fn doc(&self) -> &str {
        self.known.op.doc()
    }

    /// The GIL during a call: "hold", "release", or the size of the arguments from which it is
    /// released.
    #[getter]
    // stub: -> str | int
    fn gil(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self.known.gil {
            Gil::Hold => "hold".into_pyobject(py)?.into_any().unbind(),
            Gil::Release => "release".into_pyobject(py)?.into_any().unbind(),
            Gil::BySize(size) => size.into_pyobject(py)?.into_any().unbind(),
            _ => py.None(),
        })
    }

    /// File and line of the declaration.
    #[getter]
    fn source(&self) -> &str {
        self.known.op.place()
    }

    /// The parameters: for each its name, type, default as text or None, and whether it is
    /// keyword-only.
    #[getter]
    fn params(&self) -> Vec<(String, String, Option<String>, bool)> {
        let param = |param: &Param| {
            let default = param.default.as_ref().map(ToString::to_string);
            (param.name.to_string(), param.ty.to_string(), default, param.keyword_only)
        };
        self.known.op.params().iter().map(param).collect()
    }

    /// The type of the result.
    #[getter]
    fn result(&self) -> String {
        self.known.op.result().to_string()
    }

    /// The kernels, oldest first: for each "key", "source", "available", and "current", which is
    /// true for the kernel that calls use now.
    #[getter]
    // stub: -> list[_Kernel]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let kernels = self.known.op.kernels().into_iter().map(|kernel| {
            let dict = PyDict::new(py);
            dict.set_item("key", kernel.key.name())?;
            dict.set_item("source", kernel.place)?;
            dict.set_item("available", kernel.available)?;
            dict.set_item("current", kernel.current)?;
            Ok(dict)
        });
        kernels.collect()
    }

    fn __repr__(&self) -> String {
        format!("<op {}: {}>", self.known.op.name(), self.known.op.signature())
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    classes::add::<PyOp>(module)?;
    let class = py.get_type::<PyOp>().as_type_ptr();
    // SAFETY: the module keeps the class alive.
    let size = unsafe { (*class).tp_basicsize };
    if usize::try_from(size) != Ok(size_of::<ffi::PyObject>() + size_of::<PyOp>()) {
        let text = "this version of PyO3 has an object layout that lexpool does not support";
        return Err(PyRuntimeError::new_err(text));
    }
    Ok(())
}
