//! Examples of Python, copied for components that learn.

use lexpool::pipeline::Groups;
use lexpool::tokens::Doc;
use lexpool_training::{Example, Reference};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::object::doc::PyDoc;
use crate::object::span_group::PySpanGroup;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::{self, Items};

/// Copies of the documents of some examples, with their alignments, which components learn from
/// without the GIL.
///
/// examples: pairs of the predicted document and the reference.
///
/// Raises ValueError: E949 for a reference of another text, E851 for a category whose value is not
/// a number.
#[pyclass(name = "TrainingBatch", module = "lexpool._core", frozen)]
pub(super) struct PyTrainingBatch {
    pub(super) examples: Vec<Example>,
}

class!(PyTrainingBatch);

#[pymethods]
impl PyTrainingBatch {
    #[new]
    // stub: (examples: Sequence[tuple[Doc, Doc]])
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn py_new(
        py: Python<'_>,
        examples: Items<(Bound<'_, PyDoc>, Bound<'_, PyDoc>)>,
    ) -> PyResult<PyTrainingBatch> {
        let mut copies = Vec::with_capacity(examples.len());
        for (number, (predicted, reference)) in examples.iter().enumerate() {
            predicted.get().sync_tensor(py)?;
            let place = format!("example {}", number + 1);
            copies.push((copy(predicted)?, self::reference(reference, place)?));
        }
        let make = |(predicted, reference)| Example::new(predicted, reference);
        let made = detached(py, || copies.into_iter().map(make).collect::<lexpool::Result<_>>());
        Ok(PyTrainingBatch { examples: made.or_raise()? })
    }

    /// The number of examples.
    fn __len__(&self) -> usize {
        self.examples.len()
    }

    /// The number of tokens of all predicted documents.
    #[getter]
    fn n_tokens(&self) -> usize {
        self.examples.iter().map(|example| example.predicted().len()).sum()
    }
}

fn copy(doc: &Bound<'_, PyDoc>) -> PyResult<Doc> {
    doc.get().read(doc.py())?.try_clone().or_raise()
}

pub(super) fn reference(doc: &Bound<'_, PyDoc>, place: String) -> PyResult<Reference> {
    let mut cats = Vec::new();
    for item in items::iterate(&doc.getattr("cats")?.call_method0("items")?)? {
        let (label, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let number = value.extract::<f64>().map_err(|_| {
            PyValueError::new_err(format!(
                "[E851] {place}: the category {label} has the value {value}; expected 0 or 1"
            ))
        })?;
        cats.push((label.str()?.to_string(), number));
    }
    let mut groups = Groups::new();
    for item in items::iterate(&PyDoc::spans(doc)?.call_method0("items")?)? {
        let (name, group): (Bound<'_, PyString>, Bound<'_, PySpanGroup>) = item?.extract()?;
        groups.insert(name.to_string(), group.get().group_of(doc)?);
    }
    Ok(Reference { doc: copy(doc)?, cats, groups, place })
}
