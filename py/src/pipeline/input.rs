//! Input and output of streams: texts or documents, with or without a context.

use lexpool::tokenizer::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::batch::StreamItem;
use super::plan::Plan;
use crate::object::doc::PyDoc;
use crate::runtime::items;
use crate::runtime::text_stream::as_text;
use crate::runtime::user_calls::CallUser;

/// An item of a stream.
pub(super) enum StreamInput<'py> {
    Text(Text),
    Doc(Bound<'py, PyDoc>),
}

impl Plan {
    /// Splits an item into text or document, and context.
    pub(super) fn parts<'py>(
        &self,
        item: Bound<'py, PyAny>,
        position: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)> {
        if !self.as_tuples {
            return Ok((item, None));
        }
        if let Ok(pair) = item.cast::<PyTuple>() {
            if let [text, context] = pair.as_slice() {
                return Ok((text.clone(), Some(context.clone())));
            }
        }
        let class = item.get_type().name()?.to_string();
        let mut parts = items::iterate(&item).map_err(|_| {
            PyTypeError::new_err(format!(
                "item {position} of the stream is {class}; with as_tuples it must be a pair of a \
                 text and a context"
            ))
        })?;
        match (parts.next().transpose()?, parts.next().transpose()?, parts.next()) {
            (Some(text), Some(context), None) => Ok((text, Some(context))),
            _ => Err(PyValueError::new_err(format!(
                "item {position} of the stream is a {class} of another length than 2; with \
                 as_tuples it must be a pair of a text and a context"
            ))),
        }
    }

    /// Converts an item: a document, a text for the native tokenizer, or a document that `make_doc`
    /// makes of it.
    pub(super) fn given<'py>(
        &self,
        item: &Bound<'py, PyAny>,
        position: usize,
    ) -> PyResult<StreamInput<'py>> {
        let py = item.py();
        let Some(make_doc) = &self.make_doc else {
            return as_text(item, position).map(StreamInput::Text);
        };
        if let Ok(doc) = item.cast::<PyDoc>() {
            return Ok(StreamInput::Doc(doc.clone()));
        }
        if self.front.is_some() && item.is_instance_of::<PyString>() {
            let length = item.len()?;
            if self.max_length.is_none_or(|most| length <= most) {
                return as_text(item, position).map(StreamInput::Text);
            }
        }
        // Raises the error for a text that is too long, and for an item that is neither text nor
        // document.
        let result = make_doc.bind(py).call_user((item,))?;
        result.cast_into::<PyDoc>().map(StreamInput::Doc).map_err(|refused| {
            let item = refused.into_inner();
            let class = item.get_type().name().map_or_else(|_| String::new(), |it| it.to_string());
            PyTypeError::new_err(format!("the tokenizer must return a Doc, and returned {class}"))
        })
    }

    /// A finished document in the form that the stream yields.
    pub(super) fn hand_out<'py>(
        &self,
        py: Python<'py>,
        item: StreamItem,
    ) -> PyResult<Bound<'py, PyAny>> {
        let doc = item.doc.into_bound(py);
        if !self.as_tuples {
            return Ok(doc.into_any());
        }
        if self.visits_python {
            doc.get().python_attributes.set(py, "_context", py.None().bind(py))?;
        }
        let context = item.context.map_or_else(|| py.None().into_bound(py), |it| it.into_bound(py));
        Ok(PyTuple::new(py, [doc.into_any(), context])?.into_any())
    }
}
