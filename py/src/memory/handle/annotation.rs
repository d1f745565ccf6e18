//! Annotation columns and leases of a handle on tokens.

use lexpool::structs::{EntityC, SyntaxC, TagC};
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;

use super::lease::{Lease, SpacyLease};
use super::record_handle::Handle;

#[pymethods]
impl Handle {
    /// Tags, lemmas, morphology: a handle on TagC records of the same tokens. None if the document
    /// has none of them, except in a lease, which creates them.
    ///
    /// Raises AttributeError if these are not tokens, StaleError if tokens were merged since.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<TagC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::tag_records),
        }
    }

    /// The dependency tree: a handle on SyntaxC records; as `tags`.
    #[getter]
    fn syntax<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<SyntaxC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::syntax_records),
        }
    }

    /// Types and ids of entities: a handle on EntityC records; as `tags`.
    #[getter]
    fn entities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Handle>>> {
        match self.owner.bind(py).cast::<Lease>() {
            Ok(lease) => lease.get().annotation_column::<EntityC>(lease, self).map(Some),
            Err(_) => self.annotation_column(py, Doc::entity_records),
        }
    }

    /// A lease to write the tokens' records: `with doc.c.writable() as tokens: ...`.
    ///
    /// Inside, `tokens` and its annotation columns are writable copies, and any other access to the
    /// document raises BusyError. At the end the records are validated and put into the document.
    /// If they are invalid, a ValueError says why and the document stays unchanged; the same holds
    /// after an exception inside. Handles on the copies stay readable afterwards, but writing them
    /// changes nothing any more.
    #[pyo3(name = "writable")]
    fn lease<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Lease>> {
        let (doc, first) = self.tokens(py)?;
        Bound::new(py, Lease::new(doc, first, self.len(), self.generation))
    }

    /// A copy of the tokens in spaCy's own layout of 120 bytes: a handle on SpacyTokenC records,
    /// whose `lex` points to the vocab's LexemeC, with five tokens of padding on either side.
    ///
    /// With `writable=True` a lease, as `writable()` returns: the records are put back at its end.
    /// For a whole document only.
    ///
    /// Raises ValueError for a part of a document.
    #[pyo3(signature = (writable=false))]
    // stub: (writable: Literal[False] = False) -> Handle
    // stub: (writable: Literal[True]) -> SpacyLease
    fn as_spacy<'py>(&self, py: Python<'py>, writable: bool) -> PyResult<Bound<'py, PyAny>> {
        let (doc, first) = self.tokens(py)?;
        let len = doc.get().read(py)?.len();
        if first != 0 || self.len() != len {
            let text = format!(
                "these are {} of {len} tokens, but spaCy's records are exported for whole \
                 documents only; use doc.c.as_spacy()",
                self.len()
            );
            return Err(PyValueError::new_err(text));
        }
        let lease = Bound::new(py, SpacyLease::new(doc)?)?;
        if writable { Ok(lease.into_any()) } else { Ok(SpacyLease::handle(&lease)?.into_any()) }
    }

    /// Recomputes children and edges from the heads, in a lease; see
    /// `Lease.set_children_from_heads`.
    ///
    /// Raises AttributeError outside of a lease, ValueError (E190) for a head outside of the
    /// document.
    fn set_children_from_heads(&self, py: Python<'_>) -> PyResult<()> {
        let Ok(lease) = self.owner.bind(py).cast::<Lease>() else {
            let text = "only the records of a lease can be written: `with doc.c.writable()`";
            return Err(PyAttributeError::new_err(text));
        };
        Lease::set_children_from_heads(lease)
    }
}
