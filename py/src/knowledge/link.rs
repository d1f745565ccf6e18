//! Links of the entities of a document, with contexts that Python encodes.

use std::ops::Range;

use lexpool::knowledge::{LinkSettings, LinkerVersion, Threshold, link_entities};
use lexpool::strings::StrId;
use pyo3::prelude::*;

use super::table::{PyKnowledgeTable, numbers};
use crate::object::doc::PyDoc;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::items::Items;

/// Returns the settings of links from those of spaCy's component; `counted` says whether prior
/// probabilities and contexts count.
///
/// # Errors
///
/// `ValueError` (E1043) for a threshold out of range.
pub(crate) fn link_settings(
    n_sents: usize,
    labels_discard: &[String],
    counted: (bool, bool),
    threshold: Option<f64>,
    is_first_version: bool,
) -> PyResult<LinkSettings> {
    let (incl_prior, incl_context) = counted;
    Ok(LinkSettings {
        n_sents,
        labels_discard: labels_discard.iter().map(|label| StrId::of(label)).collect(),
        incl_prior,
        incl_context,
        threshold: threshold.map(Threshold::new).transpose().or_raise()?,
        version: if is_first_version { LinkerVersion::V1 } else { LinkerVersion::V2 },
    })
}

#[pymethods]
impl PyKnowledgeTable {
    /// Returns for each entity of a document the id of the candidate that it refers to, or None.
    ///
    /// encode: called with the first token of a context and the one after its last; returns its
    ///     encoding, of the width of the vectors. Called once for each context that several
    ///     candidates or a threshold need.
    /// n_sents: the number of sentences before and after those of an entity that belong to its
    ///     context.
    /// labels_discard: labels of entities that are not linked.
    /// incl_prior, incl_context: whether prior probabilities and contexts count.
    /// threshold: the score from 0 to 1 below which an entity is not linked.
    /// v1: choose as spaCy's linker of models with the architecture "spacy.EntityLinker.v1".
    ///
    /// Raises ValueError for a document without sentence starts (E030), for a threshold out of
    /// range (E1043), and for an encoding of another width (kb-encoding).
    #[expect(clippy::too_many_arguments, reason = "the settings of spaCy's component")]
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    #[pyo3(signature = (doc, encode, *, n_sents, labels_discard, incl_prior, incl_context,
        threshold, v1))]
    // stub: (encode: Callable[[int, int], Iterable[float]])
    fn link(
        &self,
        doc: &Bound<'_, PyDoc>,
        encode: &Bound<'_, PyAny>,
        n_sents: usize,
        labels_discard: Items<String>,
        incl_prior: bool,
        incl_context: bool,
        threshold: Option<f64>,
        v1: bool,
    ) -> PyResult<Vec<Option<u64>>> {
        let (py, base) = (doc.py(), self.now());
        let settings =
            link_settings(n_sents, &labels_discard, (incl_prior, incl_context), threshold, v1)?;
        // Python must not run while the document is locked.
        let doc = doc.get().read(py)?.try_clone().or_raise()?;
        let links = link_entities(
            &doc,
            &settings,
            |mention| base.candidates(mention.text()).collect(),
            |Range { start, end }| {
                let encoding = encode.call1((start, end)).and_then(|encoding| numbers(&encoding));
                encoding.map_err(|error| from_py(py, error, "encoding a context"))
            },
        );
        Ok(links.or_raise()?.into_iter().map(|link| link.map(StrId::get)).collect())
    }
}
