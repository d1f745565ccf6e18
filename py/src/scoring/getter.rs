//! Getters of attributes.

use lexpool::structs::AttrId;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::items;
use crate::runtime::user_calls::CallUser;

/// Attributes of `Token` whose value is that of the annotation column.
const COLUMNS: [(&str, AttrId); 4] =
    [("tag", AttrId::TAG), ("pos", AttrId::POS), ("lemma", AttrId::LEMMA), ("dep", AttrId::DEP)];

/// A getter of tokens' attributes for `Scorer`, which reads them without calling it. It returns the
/// value of a token as any other getter does.
#[pyclass(name = "TokenGetter", module = "lexpool._core", frozen)]
pub(super) struct PyTokenGetter {
    value: TokenValue,
}

class!(PyTokenGetter);

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenValue {
    /// The id of the features of a token's morphology.
    AnalysisKey,
    /// The string of an attribute that is an id, in lower case.
    LowerLabel,
}

#[pymethods]
impl PyTokenGetter {
    /// Returns a getter of the ids of features, for "morph".
    #[staticmethod]
    fn analysis_key() -> PyTokenGetter {
        PyTokenGetter { value: TokenValue::AnalysisKey }
    }

    /// Returns a getter of strings in lower case, for attributes that are ids.
    #[staticmethod]
    fn lower_label() -> PyTokenGetter {
        PyTokenGetter { value: TokenValue::LowerLabel }
    }

    /// Returns the value of a token's attribute.
    // stub: (token: Token, attr: str) -> Any
    fn __call__<'py>(
        &self,
        token: &Bound<'py, PyAny>,
        attr: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = token.getattr(attr)?;
        match self.value {
            TokenValue::AnalysisKey => value.getattr("key"),
            TokenValue::LowerLabel => {
                let strings = token.getattr("vocab")?.getattr("strings")?;
                strings.get_item(value)?.call_method0("lower")
            }
        }
    }
}

/// The function that returns an attribute of a token or of a document.
pub(super) struct Getter<'py> {
    attr: Bound<'py, PyAny>,
    function: Bound<'py, PyAny>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Python's `getattr`.
    Plain,
    /// One of this module.
    Native(TokenValue),
    /// A function of the user.
    Custom,
}

impl<'py> Getter<'py> {
    /// Reads the function and the attribute of a call; without a function it is `getattr`.
    pub(super) fn of(
        attr: &Bound<'py, PyAny>,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Getter<'py>> {
        let plain = attr.py().import("builtins")?.getattr("getattr")?;
        let function = given.unwrap_or(&plain).clone();
        let kind = match function.cast::<PyTokenGetter>() {
            _ if function.is(&plain) => Kind::Plain,
            Ok(own) => Kind::Native(own.get().value),
            Err(_) => Kind::Custom,
        };
        Ok(Getter { attr: attr.clone(), function, kind })
    }

    /// Returns the name of the attribute.
    pub(super) fn attr(&self) -> PyResult<String> {
        Ok(self.attr.str()?.to_string())
    }

    /// Returns the attribute of a token or a document.
    pub(super) fn call(&self, of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.function.call_user((of, &self.attr))
    }

    /// Returns the column of the values, which are ids, if the getter returns what it has.
    pub(super) fn column(&self) -> Option<AttrId> {
        let attr = self.attr.extract::<&str>().ok()?;
        match self.kind {
            Kind::Plain => COLUMNS.iter().find(|(name, _)| *name == attr).map(|(_, id)| *id),
            Kind::Native(TokenValue::AnalysisKey) if attr == "morph" => Some(AttrId::MORPH),
            _ => None,
        }
    }

    /// Returns whether the getter returns the labels of a tree as strings in lower case.
    pub(super) fn is_lower_label(&self) -> bool {
        self.kind == Kind::Native(TokenValue::LowerLabel) && self.is_attr("dep")
    }

    /// Returns whether the getter is `getattr` for an attribute.
    pub(super) fn is_plain(&self, attr: &str) -> bool {
        self.kind == Kind::Plain && self.is_attr(attr)
    }

    fn is_attr(&self, attr: &str) -> bool {
        self.attr.eq(attr).unwrap_or(false)
    }
}

/// Returns the tokens of a document.
pub(super) fn tokens_of<'py>(doc: &Bound<'py, PyDoc>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    items::read(doc, Ok)
}
