//! `lexpool.ops`: the functions and types of the registry, for Python.
//!
//! An op becomes a builtin function, which CPython calls faster than any other callable. Each
//! argument is converted to a value of sixteen bytes by the op's declared type (`from_python`), and
//! the entry point that C calls too is called with them: through one trampoline for all ops
//! (`call`), or through a monomorphized one for up to two arguments of common types (`fast_call`).
//! `to_python` converts the result.
//!
//! Each row of files uses those above it:
//!
//! | files | purpose |
//! | --- | --- |
//! | `conversion_error`, `scalars`, `dlpack`, `function_ref`, `borrows` | parts of conversions |
//! | `prepared_op`, `op`, `bind_args`, `failure` | what calls of an op read, and their errors |
//! | `instance` | layout of the instances of registered classes |
//! | `arrays`, `from_python`, `numbers`, `to_python` | arguments to values, results to objects |
//! | `callback`, `functions` | Python callables for ops, native functions for Python |
//! | `call`, `fast_arg`, `fast_call`, `prepare` | the trampolines, and their selection |
//! | `construct`, `methods`, `objects` | registered classes as Python classes |
//! | `map`, `overrides`, `plugins`, `profile` | functions of `lexpool.ops` beside calls |
//!
//! **Invariants** of the unsafe code in this folder, which `SAFETY:` comments cite:
//!
//! - G1: the GIL is held wherever a Python object is read, made, or counted.
//! - G2: an argument lives until the call has returned: CPython's caller owns a reference to it.
//! - G3: a value borrows from its argument (G2) or from memory that [`borrows::CallBorrows`] keeps
//!   at a fixed address until the call has returned.
//! - G4: the `slf` of a trampoline is a [`PyOp`], and the receiver of a method or field is an
//!   instance of its class: CPython's descriptors check both.
//! - G5: an entry is called with its own context and as many values as the op declares, and gives
//!   its result away.
//! - G6: each reference that is taken is given up once.
//! - G7: descriptions of ops and classes are leaked, so they live as long as the process.

mod arrays;
mod bind_args;
mod borrows;
mod c_ints;
mod call;
mod callback;
mod construct;
mod conversion_error;
mod conversion_hooks;
mod dlpack;
mod failure;
mod fast_arg;
mod fast_call;
mod from_python;
mod function_ref;
mod functions;
mod instance;
mod map;
mod methods;
mod numbers;
mod objects;
mod op;
mod overrides;
mod plugins;
mod prepare;
mod prepared_op;
mod profile;
mod scalars;
mod to_python;

use lexpool::nn::{InstructionSet, limit_instructions};
use lexpool_ops::Key;
use pyo3::prelude::*;

use crate::runtime::op_failure::raise;
use conversion_hooks::ConversionHooks;
pub(crate) use op::PyOp;
pub(crate) use to_python::owned as owned_to_python;

/// Returns the names of all ops, or of those of a namespace, sorted.
#[pyfunction]
#[pyo3(signature = (namespace = None))]
fn op_names(namespace: Option<&str>) -> Vec<String> {
    let within = |name: &str| {
        namespace.is_none_or(|namespace| {
            name.strip_prefix(namespace).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let names = lexpool_ops::global().ops().map(|op| op.name());
    let mut names: Vec<_> = names.filter(|name| within(name)).map(str::to_owned).collect();
    names.sort();
    names
}

/// Returns an op as a function. Raises KeyError, with similar names, if no op has the name.
#[pyfunction]
// stub: -> BuiltinFunctionType
fn op_function(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    let op = lexpool_ops::global().find(name).map_err(|failure| raise(py, failure))?;
    prepare::function(py, op)
}

/// Returns a Python stub of all ops and types, for type checkers and editors.
#[pyfunction]
fn op_stubs() -> String {
    lexpool_ops::stubs(lexpool_ops::global())
}

/// Returns whether an op has this name.
#[pyfunction]
fn has_op(name: &str) -> bool {
    lexpool_ops::global().get(name).is_some_and(|op| !op.is_removed())
}

/// Restricts calls of ops, and networks, to kernels up to a key; returns the previous limit.
///
/// Raises ValueError if the key is unknown or this machine cannot run it.
#[pyfunction]
fn limit_kernels(py: Python<'_>, key: &str) -> PyResult<&'static str> {
    let Some(known) = Key::from_name(key) else {
        let names: Vec<_> = Key::ALL.iter().map(|key| key.name()).collect();
        let text = format!("{key:?} is not a key of kernels; the keys are {}", names.join(", "));
        return Err(pyo3::exceptions::PyValueError::new_err(text));
    };
    let before = lexpool_ops::global().limit(known).map_err(|failure| raise(py, failure))?;
    limit_instructions(match known {
        Key::Avx512 | Key::Parallel => InstructionSet::Avx512,
        Key::Avx2 => InstructionSet::Avx2,
        Key::Neon => InstructionSet::Neon,
        _ => InstructionSet::Plain,
    });
    Ok(before.name())
}

/// Returns the keys of kernels that this machine can run, the best last.
#[pyfunction]
fn available_kernels() -> Vec<&'static str> {
    lexpool_ops::available_keys().iter().map(|key| key.name()).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let hooks = ConversionHooks {
        to_function: functions::of_callable,
        wrap_function: functions::give,
        wrap_object: objects::give,
    };
    conversion_hooks::set(hooks);
    op::register(module)?;
    plugins::register(module)?;
    functions::register(module)?;
    objects::register(module)?;
    profile::register(module)?;
    map::register(module)?;
    overrides::register(module)?;
    numbers::register(module)?;
    module.add_function(wrap_pyfunction!(op_names, module)?)?;
    module.add_function(wrap_pyfunction!(op_function, module)?)?;
    module.add_function(wrap_pyfunction!(has_op, module)?)?;
    module.add_function(wrap_pyfunction!(op_stubs, module)?)?;
    module.add_function(wrap_pyfunction!(limit_kernels, module)?)?;
    module.add_function(wrap_pyfunction!(available_kernels, module)?)
}
