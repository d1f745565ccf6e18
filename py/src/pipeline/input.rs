//! What goes into a stream, and what comes out: texts or documents, with their contexts or without.

use lexpool::tokenizer::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::batch::StreamItem;
use super::plan::Plan;
use crate::object::doc::PyDoc;
use crate::runtime::text_stream::as_text;
use crate::runtime::user_calls::CallUser;

/// What an item of a stream is.
pub(super) enum StreamInput<'py> {
    Text(Text),
    Doc(Bound<'py, PyDoc>),
}

impl Plan {
    /// An item without its context, and that.
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
        let given = item.get_type().name()?.to_string();
        let mut parts = item.try_iter().map_err(|_| {
            PyTypeError::new_err(format!(
                "item {position} of the stream is {given}; with as_tuples it is a pair of a text and \
                 a context"
            ))
        })?;
        match (parts.next().transpose()?, parts.next().transpose()?, parts.next()) {
            (Some(text), Some(context), None) => Ok((text, Some(context))),
            _ => Err(PyValueError::new_err(format!(
                "item {position} of the stream is a {given} of another length than 2; with as_tuples \
                 it is a pair of a text and a context"
            ))),
        }
    }

    /// What the pipeline is to work on.
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
        // Refuses what is too long, and what is neither text nor document.
        let made = make_doc.bind(py).call_user((item,))?;
        made.cast_into::<PyDoc>().map(StreamInput::Doc).map_err(|refused| {
            let given = refused.into_inner();
            let given = given.get_type().name().map_or_else(|_| String::new(), |it| it.to_string());
            PyTypeError::new_err(format!("the tokenizer is to give a Doc, and gave {given}"))
        })
    }

    /// A document as the reader gets it.
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
