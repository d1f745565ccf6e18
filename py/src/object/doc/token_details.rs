//! Details of tokens beside their annotation, in `doc.user_data` under the keys of spaCy's
//! tokenizers.
//!
//! A segmenter computes them when `user_data` is first used: few programs look at them, and the
//! text of a document never changes.

use lexpool::segment::{Segment, SubToken, TokenDetails};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::python_side;

/// Adds the details of the tokens of a text.
pub(super) fn add_details(
    user_data: &Bound<'_, PyDict>,
    segmenter: &dyn Segment,
    text: &str,
) -> PyResult<()> {
    let py = user_data.py();
    match detached(py, || segmenter.details(text)).or_raise()? {
        None => Ok(()),
        Some(TokenDetails::FullTags(tags)) => user_data.set_item("full_tags", tags),
        Some(TokenDetails::SubTokens(tokens)) => {
            let tokens = tokens.iter().map(|lengths| {
                let lengths = lengths.as_ref().map(|lengths| sub_tokens(py, lengths));
                lengths.transpose()
            });
            let tokens = tokens.collect::<PyResult<Vec<_>>>()?;
            user_data.set_item("sub_tokens", tokens)
        }
    }
}

/// The units of a token: a list for each length.
fn sub_tokens<'py>(
    py: Python<'py>,
    lengths: &[Vec<SubToken>],
) -> PyResult<Vec<Bound<'py, PyList>>> {
    let unit = |SubToken { text, tag, inflection, lemma, norm, reading }: &SubToken| {
        python_side::DETAILED_TOKEN.call(py, (text, tag, inflection, lemma, norm, reading))
    };
    let units = |units: &Vec<SubToken>| {
        PyList::new(py, units.iter().map(unit).collect::<PyResult<Vec<_>>>()?)
    };
    lengths.iter().map(units).collect()
}
