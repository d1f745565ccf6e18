//! An op as Python sees it: the function to call, and behind it what is known of the op.
//!
//! Holds unsafe code: makes a builtin function, whose definition lives as long as the process.

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

/// What is known of an op: the `__self__` of its function.
#[pyclass(name = "Op", module = "lexpool.ops", frozen)]
pub(crate) struct PyOp {
    known: &'static PreparedOp,
}

class!(PyOp);

/// What a call needs to know of its op. Lives as long as the process, as a builtin's definition has
/// to: one for each op that was ever asked for.
pub(super) struct PreparedOp {
    pub(super) op: Arc<Op>,
    /// The arguments' types.
    pub(super) types: Box<[Type]>,
    /// The arguments' names, interned.
    pub(super) names: Box<[Py<pyo3::types::PyString>]>,
    /// How many arguments may be given without a name.
    pub(super) positional: usize,
    pub(super) gil: Gil,
    /// True if the op may take locks that a fork must not meet: it is given more than plain data, or works on
    /// the threads of a pool.
    pub(super) locks: bool,
    /// The short way, for ops of few arguments of usual types.
    pub(super) direct: Option<FastCall>,
    /// What is said of each argument of a wrong type, up to the type itself.
    pub(super) refusals: Box<[Box<str>]>,
    pub(super) definition: ffi::PyMethodDef,
}

// SAFETY: the definition is never written after it is made.
unsafe impl Sync for PreparedOp {}
// SAFETY: as above.
unsafe impl Send for PreparedOp {}

impl PyOp {
    /// The op of a function that Python was given for one; none for any other object.
    pub(crate) fn of_function(function: &Bound<'_, PyAny>) -> Option<&'static Arc<Op>> {
        let this = function.cast::<PyCFunction>().ok()?.getattr("__self__").ok()?;
        // What is known of an op lives as long as the process.
        Some(&this.cast::<PyOp>().ok()?.get().known.op)
    }

    /// What is known, by the object that a builtin function has for a self.
    ///
    /// # Safety
    ///
    /// `slf` is such an object.
    #[inline]
    pub(super) unsafe fn known(slf: *mut ffi::PyObject) -> &'static PreparedOp {
        // SAFETY: a frozen class without a dict has its value right behind the header, which `register`
        // has checked.
        unsafe { slf.add(1).cast::<PyOp>().as_ref().unwrap_unchecked().known }
    }
}

/// What is known of an op, made once.
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
    // Of two threads that come at once the first is right.
    if all.get(at).is_none_or(|(other, _)| *other != key) {
        all.insert(at, (key, made));
    }
    all[at].1
}

/// The function of an op.
pub(super) fn function(py: Python<'_>, op: &Arc<Op>) -> PyResult<Py<PyAny>> {
    let known = known(py, op);
    let module = op.name().rsplit_once('.').map_or("", |(namespace, _)| namespace);
    let module = format!("lexpool.ops.{module}").into_pyobject(py)?;
    // CPython never writes a definition.
    let definition = std::ptr::from_ref(&known.definition).cast_mut();
    let this = Bound::new(py, PyOp { known })?;
    // SAFETY: definition, self and module are alive; the first for good, the function holds the rest.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, this.as_ptr(), module.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(py, made)?.unbind())
    }
}

impl PreparedOp {
    fn of(py: Python<'_>, op: &Arc<Op>) -> PreparedOp {
        let short = op.name().rsplit('.').next().unwrap_or_default();
        let text = |text: String| CString::new(text.replace('\0', "")).expect("no zero is left");
        // The first lines are what `inspect.signature` reads; types cannot stand there.
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

/// Arguments as `inspect.signature` reads them.
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

/// Whether work on a value of the type may take locks of lexpool's.
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
    /// The whole name, such as "doc.count_by".
    #[getter]
    fn name(&self) -> &str {
        self.known.op.name()
    }

    /// Name, arguments with types and defaults, and result.
    #[getter]
    fn schema(&self) -> String {
        self.known.op.signature()
    }

    /// What it does.
    #[getter]
    fn doc(&self) -> &str {
        self.known.op.doc()
    }

    /// What becomes of the GIL during a call: "hold", "release", or how much the arguments have to
    /// have for it to be released.
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

    /// The arguments: for each its name, type, default as text or None, and whether it is given by
    /// name only.
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

    /// What may run the op, oldest first: for each "key", "source", "available", and "current", which
    /// says whether it is the one that is called now.
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
    // SAFETY: the class is PyO3's own and alive.
    let size = unsafe { (*class).tp_basicsize };
    if usize::try_from(size) != Ok(size_of::<ffi::PyObject>() + size_of::<PyOp>()) {
        let text = "this PyO3 lays its objects out in a way that lexpool does not know";
        return Err(PyRuntimeError::new_err(text));
    }
    Ok(())
}
