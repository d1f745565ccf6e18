//! `._` of documents, spans and tokens, and the class methods that declare extension attributes.
//!
//! The implementation is Python's: `lexpool.tokens.underscore`.

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::runtime::python_side::{self, PythonName};

macro_rules! extensible {
    ($($class:ident $kind:literal;)*) => {$(
        #[pymethods]
        impl $class {
            /// Declares an extension attribute, available as `._.name`.
            ///
            /// name (str): the attribute's name.
            /// default: its value where none was set; a dict, list or set is copied on first use.
            /// method: a function of the object and further arguments.
            /// getter, setter: functions that read and write the attribute; a setter requires a
            ///     getter.
            /// force (bool): replace an existing attribute of this name.
            ///
            /// Raises ValueError: E083 unless exactly one of default, method and getter is given,
            /// E089 for a setter alone, E090 for an existing name, E091 for an object that is not
            /// callable.
            #[classmethod]
            #[pyo3(signature = (name, **kwargs))]
            // stub: (**kwargs: Any)
            fn set_extension(
                cls: &Bound<'_, PyType>,
                name: &str,
                kwargs: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<()> {
                python_side::SET_EXTENSION.call_with(cls.py(), ($kind, name), kwargs).map(drop)
            }

            /// Returns default, method, getter and setter of an extension attribute, or None if it
            /// is not declared.
            #[classmethod]
            // stub: -> tuple[Any, Any, Any, Any] | None
            fn get_extension<'py>(
                cls: &Bound<'py, PyType>,
                name: &str,
            ) -> PyResult<Bound<'py, PyAny>> {
                python_side::GET_EXTENSION.call(cls.py(), ($kind, name))
            }

            /// Returns True if an extension attribute of this name is declared.
            #[classmethod]
            fn has_extension(cls: &Bound<'_, PyType>, name: &str) -> PyResult<bool> {
                let extension = python_side::GET_EXTENSION.call(cls.py(), ($kind, name))?;
                Ok(!extension.is_none())
            }

            /// Removes an extension attribute; returns its default, method, getter and setter.
            ///
            /// Raises ValueError (E046) if it is not declared.
            #[classmethod]
            // stub: -> tuple[Any, Any, Any, Any]
            fn remove_extension<'py>(
                cls: &Bound<'py, PyType>,
                name: &str,
            ) -> PyResult<Bound<'py, PyAny>> {
                python_side::REMOVE_EXTENSION.call(cls.py(), ($kind, name))
            }
        }
    )*};
}

extensible! {
    PyDoc "doc";
    PySpan "span";
    PyToken "token";
}

/// The extension attributes of a document.
#[pyfunction]
fn of_doc<'py>(doc: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
    replace_getter(doc, &python_side::UNDERSCORE_OF_DOC)?.call1((doc,))
}

/// The extension attributes of a span.
#[pyfunction]
fn of_span<'py>(span: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
    replace_getter(span, &python_side::UNDERSCORE_OF_SPAN)?.call1((span,))
}

/// The extension attributes of a token.
#[pyfunction]
fn of_token<'py>(token: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyAny>> {
    replace_getter(token, &python_side::UNDERSCORE_OF_TOKEN)?.call1((token,))
}

/// Puts Python's function itself behind `_` of an object's class, at the first use, for importing
/// its module takes time; returns the function. A call through Rust would cost more than the
/// function does.
fn replace_getter<'py, T: PyClass>(
    object: &Bound<'py, T>,
    function: &PythonName,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let function = function.get(py)?;
    let property = py.import("builtins")?.getattr("property")?.call1((&function,))?;
    py.get_type::<T>().setattr("_", property)?;
    Ok(function)
}

/// Adds the property `_` to the classes, a name that PyO3 does not accept as an identifier.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let property = py.import("builtins")?.getattr("property")?;
    let doc = property.call1((wrap_pyfunction!(of_doc, module)?,))?;
    // stub: Doc._: Underscore
    py.get_type::<PyDoc>().setattr("_", doc)?;
    let span = property.call1((wrap_pyfunction!(of_span, module)?,))?;
    // stub: Span._: Underscore
    py.get_type::<PySpan>().setattr("_", span)?;
    let token = property.call1((wrap_pyfunction!(of_token, module)?,))?;
    // stub: Token._: Underscore
    py.get_type::<PyToken>().setattr("_", token)
}
