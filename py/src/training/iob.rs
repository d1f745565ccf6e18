//! `lexpool.training.iob_utils`: entities as tags.

use lexpool::iob::{Entity, Tag, biluo_from_offsets, entities_from_biluo};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};

use crate::runtime::error::OrRaise;
use crate::runtime::items::{self, Items};
use crate::runtime::op_calls;

/// Converts IOB tags into BILUO tags; an `I-` that does not follow a tag of its label begins an
/// entity.
///
/// Raises ValueError (E177) for a tag other than "O" without a label.
#[pyfunction]
// stub: (tags: Iterable[str])
fn iob_to_biluo(tags: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let tags: Vec<PyBackedStr> = items::read(tags, |tag| tag.extract())?;
    let tags: Vec<&str> = tags.iter().map(|tag| &**tag).collect();
    op_calls::biluo_from_iob(&tags)
}

/// Converts BILUO tags into IOB tags; None stays.
#[pyfunction]
// stub: (tags: Iterable[_Tag]) -> list[_Tag]
fn biluo_to_iob(tags: &Bound<'_, PyAny>) -> PyResult<Vec<Option<String>>> {
    let tags = optional(tags)?;
    let tags: Vec<Option<&str>> = tags.iter().map(Option::as_deref).collect();
    op_calls::iob_from_biluo(&tags)
}

/// Returns the entities of BILUO tags: (label, first token, last token), the last included.
///
/// A tag that is None or begins with "-" yields an entity with an empty label.
///
/// Raises ValueError: E067 for an "I" or "L" without a "B" before it, E068 for a tag that begins
/// with another letter.
#[pyfunction]
// stub: (tags: Iterable[str | None])
fn tags_to_entities(tags: &Bound<'_, PyAny>) -> PyResult<Vec<(String, usize, usize)>> {
    let tags = optional(tags)?;
    let tags: Vec<Option<&str>> = tags.iter().map(Option::as_deref).collect();
    let entities = entities_from_biluo(&tags).or_raise()?;
    let entities = entities.iter().map(|found| (found.label.to_owned(), found.first, found.last));
    Ok(entities.collect())
}

fn optional(tags: &Bound<'_, PyAny>) -> PyResult<Vec<Option<PyBackedStr>>> {
    items::read(tags, |tag| tag.extract())
}

/// Returns a BILUO tag for each token, given the tokens' starts and ends and entities (start, end,
/// label): `missing` for tokens outside of entities, "-" for tokens that an entity covers in part.
///
/// Raises ValueError (E103) for entities that overlap.
#[pyfunction]
// stub: (missing: str | None) -> list[Any]
fn biluo_tags<'py>(
    starts: Items<i64>,
    ends: Items<i64>,
    entities: Items<(i64, i64, String)>,
    missing: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = missing.py();
    if starts.len() != ends.len() {
        let text = format!("{} starts and {} ends of tokens", starts.len(), ends.len());
        return Err(PyValueError::new_err(text));
    }
    let tokens: Vec<_> = starts.into_iter().zip(ends).map(|(start, end)| start..end).collect();
    let entities: Vec<_> = entities
        .into_iter()
        .map(|(start, end, label)| Entity {
            start,
            end,
            label: Some(label).filter(|l| !l.is_empty()),
        })
        .collect();
    let tags = biluo_from_offsets(&tokens, &entities).or_raise()?;
    let tag = |tag| match tag {
        Tag::Untouched => missing.clone(),
        Tag::Outside => PyString::intern(py, "O").into_any(),
        Tag::Misaligned => PyString::intern(py, "-").into_any(),
        Tag::Entity(place, number) => {
            let label = entities[number].label.as_deref().unwrap_or_default();
            PyString::new(py, &format!("{}-{label}", place.letter())).into_any()
        }
    };
    PyList::new(py, tags.into_iter().map(tag))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(iob_to_biluo, module)?)?;
    module.add_function(wrap_pyfunction!(biluo_to_iob, module)?)?;
    module.add_function(wrap_pyfunction!(tags_to_entities, module)?)?;
    module.add_function(wrap_pyfunction!(biluo_tags, module)?)
}
