//! Native component of `lexpool.pipeline.Sentencizer`.

use std::sync::Arc;

use lexpool::pipeline::Sentencizer;
use pyo3::prelude::*;

use super::component::PyComponent;
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::Items;

/// Marks that end sentences, with the component that sets sentence starts by them.
#[pyclass(name = "SentenceMarks", module = "lexpool._core", frozen)]
pub(super) struct PySentenceMarks(Arc<Sentencizer>);

class!(PySentenceMarks);

#[pymethods]
impl PySentenceMarks {
    /// SentenceMarks(marks, overwrite)
    ///
    /// marks: the tokens that end sentences.
    /// overwrite: replace existing sentence starts.
    #[new]
    fn py_new(marks: Items<String>, overwrite: bool) -> PySentenceMarks {
        PySentenceMarks(Arc::new(Sentencizer::new(marks, overwrite)))
    }

    /// Returns the default characters that end sentences.
    #[staticmethod]
    // stub: -> list[str]
    fn default_marks() -> Vec<char> {
        Sentencizer::default_marks().collect()
    }

    /// Returns for each token of a document True if a sentence starts with it.
    fn predict(&self, py: Python<'_>, doc: &Bound<'_, PyDoc>) -> PyResult<Vec<bool>> {
        let doc = doc.get().read(py)?;
        let (doc, marks) = (&*doc, &*self.0);
        Ok(detached(py, || marks.predict(doc)))
    }

    /// Sets sentence starts of the first tokens. Raises ValueError (E971) if there are more starts
    /// than tokens.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn annotate(
        &self,
        py: Python<'_>,
        doc: &Bound<'_, PyDoc>,
        starts: Items<bool>,
    ) -> PyResult<()> {
        self.0.annotate(&mut *doc.get().write(py)?, &starts).or_raise()
    }

    /// Returns the component that predicts and annotates.
    fn component(&self) -> PyComponent {
        PyComponent { component: Arc::clone(&self.0) as _, of_texts: false }
    }
}
