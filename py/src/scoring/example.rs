//! The documents of an example.

use lexpool::tokens::Doc;
use lexpool_training::scoring::DocPair;
use pyo3::prelude::*;

use crate::object::doc::PyDoc;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::training::PyAlignmentArray;

/// An example with its two documents.
pub(super) struct ScoredExample<'py> {
    example: Bound<'py, PyAny>,
    pub(super) predicted: Bound<'py, PyDoc>,
    pub(super) reference: Bound<'py, PyDoc>,
}

impl<'py> ScoredExample<'py> {
    pub(super) fn of(example: Bound<'py, PyAny>) -> PyResult<ScoredExample<'py>> {
        let predicted = example.getattr("predicted")?.cast_into()?;
        let reference = example.getattr("reference")?.cast_into()?;
        Ok(ScoredExample { example, predicted, reference })
    }

    /// Calls `ask` with the locked documents and their alignment.
    ///
    /// # Errors
    ///
    /// `ValueError`: `E949` for documents of other texts, `scoring-alignment` for an alignment that
    /// was given with the example and is of other documents.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&DocPair<'_>) -> T) -> PyResult<T> {
        let py = self.example.py();
        let alignment = self.example.getattr("alignment")?.getattr("x2y")?;
        let alignment = alignment.cast_into::<PyAlignmentArray>()?;
        let (predicted, reference) =
            (self.predicted.get().read(py)?, self.reference.get().read(py)?);
        Ok(ask(&DocPair::new(&predicted, &reference, alignment.get().rows()).or_raise()?))
    }

    /// Calls `ask` with the locked reference.
    pub(super) fn with_reference<T>(&self, ask: impl FnOnce(&Doc) -> T) -> PyResult<T> {
        Ok(ask(&*self.reference.get().read(self.example.py())?))
    }

    /// Returns the predicted words that align with one reference token, each with its position.
    pub(super) fn aligned_words(&self) -> PyResult<Vec<(usize, usize)>> {
        self.with(|pair| {
            pair.words().filter_map(|(token, gold)| Some((token.i(), gold?))).collect()
        })
    }

    /// Returns predicted spans as spans of the reference, by the example's own method.
    pub(super) fn aligned_spans(
        &self,
        spans: &[Bound<'py, PyAny>],
        allow_overlap: bool,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let aligned =
            self.example.call_method1("get_aligned_spans_x2y", (spans.to_vec(), allow_overlap))?;
        items::read(&aligned, Ok)
    }
}

/// Returns the examples of an iterable.
pub(super) fn examples_of<'py>(
    given: &Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<ScoredExample<'py>>> + use<'py>> {
    Ok(items::iterate(given)?.map(|example| ScoredExample::of(example?)))
}
