//! `lexpool.ops`: the functions and types of the registry, for Python.
//!
//! An op becomes a builtin function, which CPython calls faster than any other callable. Arguments become
//! sixteen plain bytes each, by the op's own types, and the entry is called that C calls too: by way of
//! one trampoline for all ops, or of a shorter one that is made for up to two arguments of usual types.

mod arrays;
mod bind_args;
mod borrows;
mod call;
mod callback;
mod containers;
mod failure;
mod fast_arg;
mod fast_call;
mod from_python;
mod functions;
mod instance;
mod map;
mod methods;
mod objects;
mod op;
mod overrides;
mod plugins;
mod profile;
mod to_python;

use lexpool::registry::{self, Key};
use pyo3::ffi;
use pyo3::prelude::*;

use failure::raise;
pub(crate) use op::PyOp;
pub(crate) use to_python::owned as owned_to_python;

/// A size in memory as CPython has it.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "nothing in memory is larger")]
fn ssize(size: usize) -> ffi::Py_ssize_t {
    size as ffi::Py_ssize_t
}

/// The whole number in a value.
#[inline]
fn whole(bits: u64) -> i64 {
    i64::from_ne_bytes(bits.to_ne_bytes())
}

/// The names of all ops, or of those of a namespace, in order.
#[pyfunction]
#[pyo3(signature = (namespace = None))]
fn op_names(namespace: Option<&str>) -> Vec<String> {
    let within = |name: &str| {
        namespace.is_none_or(|namespace| {
            name.strip_prefix(namespace).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let names = registry::global().ops().map(|op| op.name());
    let mut names: Vec<_> = names.filter(|name| within(name)).map(str::to_owned).collect();
    names.sort();
    names
}

/// The op of a name as a function; KeyError names the nearest ones.
#[pyfunction]
// stub: -> BuiltinFunctionType
fn op_function(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    let op = registry::global().find(name).map_err(|failure| raise(py, failure))?;
    op::function(py, op)
}

/// All ops and types as a Python stub, for type checkers and editors.
#[pyfunction]
fn op_stubs() -> String {
    registry::stubs(registry::global())
}

/// Whether an op has this name.
#[pyfunction]
fn has_op(name: &str) -> bool {
    registry::global().get(name).is_some_and(|op| !op.is_removed())
}

/// Calls only kernels up to this key from now on, and gives the key from before.
///
/// Raises ValueError for a name that is no key, and for a key that this machine cannot run.
#[pyfunction]
fn limit_kernels(py: Python<'_>, key: &str) -> PyResult<&'static str> {
    let Some(known) = Key::from_name(key) else {
        let names: Vec<_> = Key::ALL.iter().map(|key| key.name()).collect();
        let text = format!("{key:?} is no key of kernels; there are {}", names.join(", "));
        return Err(pyo3::exceptions::PyValueError::new_err(text));
    };
    let before = registry::global().limit(known).map_err(|failure| raise(py, failure))?;
    Ok(before.name())
}

/// The keys of kernels that this machine can run, the best last.
#[pyfunction]
fn available_kernels() -> Vec<&'static str> {
    registry::available_keys().iter().map(|key| key.name()).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    op::register(module)?;
    plugins::register(module)?;
    functions::register(module)?;
    objects::register(module)?;
    profile::register(module)?;
    map::register(module)?;
    overrides::register(module)?;
    arrays::register(module)?;
    module.add_function(wrap_pyfunction!(op_names, module)?)?;
    module.add_function(wrap_pyfunction!(op_function, module)?)?;
    module.add_function(wrap_pyfunction!(has_op, module)?)?;
    module.add_function(wrap_pyfunction!(op_stubs, module)?)?;
    module.add_function(wrap_pyfunction!(limit_kernels, module)?)?;
    module.add_function(wrap_pyfunction!(available_kernels, module)?)
}
