//! Maps an op over many documents, without the GIL.
//!
//! Holds unsafe code (invariants G2, G3 of [`ops`](super)): the shared argument values borrow from
//! the caller's objects.

use lexpool::structs::{Record, TokenC};
use lexpool::tokens::Doc;
use lexpool_ops::{Mapping, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::borrows::CallBorrows;
use super::prepared_op::PreparedOp;
use super::{failure, from_python, prepare, to_python};
use crate::object::doc::PyDoc;
use crate::runtime::gil;
use crate::runtime::items::Items;
use crate::runtime::op_failure::{self, raise};

/// Calls an op for each document, on lexpool's threads, and returns the results in order.
///
/// `first` is the position of the first document, for messages. `progress` is called with the
/// number of finished documents, a few times a second.
#[pyfunction]
#[pyo3(signature = (name, docs, args, kwargs, n_threads, first, progress))]
#[expect(clippy::too_many_arguments, reason = "called by lexpool/ops.py alone")]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (args: tuple[Any, ...], kwargs: dict[str, Any], progress: Callable[[int],
//     object] | None) -> list[Any]
fn map_op(
    py: Python<'_>,
    name: &str,
    docs: Items<Py<PyDoc>>,
    args: &Bound<'_, PyTuple>,
    kwargs: &Bound<'_, PyDict>,
    n_threads: usize,
    first: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Py<PyAny>>> {
    let op = lexpool_ops::global().find(name).map_err(|failed| raise(py, failed))?;
    let prepared = prepare::known(py, op);
    let mut borrows = CallBorrows::new();
    let rest = rest_of(py, prepared, args, kwargs, &mut borrows)?;
    let readings = docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
    let docs: Vec<&Doc> = readings.iter().map(|reading| &**reading).collect();
    let mapping = Mapping { op, rest: &rest, threads: n_threads, first };
    let mut watch = |done: usize| {
        Python::attach(|py| {
            let outcome = py.check_signals().and_then(|()| match &progress {
                Some(progress) => progress.call1(py, (first + done,)).map(drop),
                None => Ok(()),
            });
            outcome.map_err(|error| op_failure::failure(py, error))
        })
    };
    let results = gil::waiting(py, || mapping.run(&docs, &mut watch));
    drop(readings);
    let results = results.map_err(|failed| raise(py, failed))?;
    results.into_iter().map(|result| to_python::owned(py, result)).collect()
}

/// Converts the arguments behind the document.
fn rest_of<'a>(
    py: Python<'_>,
    known: &'static PreparedOp,
    args: &Bound<'_, PyTuple>,
    kwargs: &Bound<'_, PyDict>,
    borrows: &mut CallBorrows,
) -> PyResult<Vec<Value<'a>>> {
    let params = known.op.params();
    let fail = |text: String| Err(PyTypeError::new_err(format!("{}() {text}", known.op.name())));
    let takes_doc = |param: &lexpool_ops::Param| {
        let is_doc = match &param.ty {
            lexpool_ops::Type::Doc => true,
            lexpool_ops::Type::Records(name) => name == TokenC::INFO.name,
            _ => false,
        };
        is_doc && !param.keyword_only
    };
    if !params.first().is_some_and(takes_doc) {
        let signature = known.op.signature();
        return fail(format!("does not take a Doc or records[TokenC] first: it is {signature}"));
    }
    if args.len() >= known.positional {
        let most = known.positional - 1;
        return fail(format!("takes {most} arguments beside the document, got {}", args.len()));
    }
    for name in kwargs.keys() {
        let name = name.extract::<String>()?;
        if !params[1..].iter().any(|param| param.name == name) {
            return fail(format!("got an unexpected keyword argument '{name}'"));
        }
    }
    let mut values = Vec::with_capacity(params.len() - 1);
    for (at, param) in params.iter().enumerate().skip(1) {
        let by_place = (at <= args.len()).then(|| args.get_item(at - 1)).transpose()?;
        let by_name = kwargs.get_item(&*param.name)?;
        let argument = match (by_place, by_name) {
            (Some(_), Some(_)) => {
                return fail(format!("got multiple values for argument '{}'", param.name));
            }
            (argument, None) | (None, argument) => argument,
        };
        let Some(argument) = argument else {
            let Some(default) = &param.default else {
                return fail(format!("missing argument '{}' (position {})", param.name, at + 1));
            };
            values.push(lexpool_ops::literal(default));
            continue;
        };
        // SAFETY: G2, G3: the tuple and the dict keep the object until the work is done, and
        // `borrows` the conversions. `Gil::Release` copies NumPy's shapes, which could change
        // without the GIL.
        let conversion = unsafe {
            let ty = &known.types[at];
            from_python::take(ty, argument.as_ptr(), borrows, lexpool_ops::Gil::Release)
        };
        match conversion {
            // SAFETY: G3, as for the conversion above.
            Ok(value) => values.push(unsafe { Value::from_c(value) }),
            Err(refused) => {
                // SAFETY: G1, G2.
                let null: *mut ffi::PyObject =
                    unsafe { failure::set_refused(&known.op, at, argument.as_ptr(), refused) };
                debug_assert!(null.is_null());
                return Err(PyErr::fetch(py));
            }
        }
    }
    Ok(values)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(map_op, module)?)
}
