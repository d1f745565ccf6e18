//! Search of one document, with or without the GIL.

use std::ops::Range;

use pyo3::prelude::*;

use crate::runtime::gil::detached;

/// Number of tokens from which a search releases the GIL; a shorter search takes less time than
/// that.
pub(super) const MANY_TOKENS: usize = 256;

/// Searches without the GIL if that pays off.
pub(super) fn search<T: Send>(
    py: Python<'_>,
    tokens: Range<usize>,
    doc: &lexpool::tokens::Doc,
    find: impl FnOnce(&lexpool::tokens::Doc, Range<usize>) -> T + Send,
) -> T {
    if tokens.len() < MANY_TOKENS { find(doc, tokens) } else { detached(py, || find(doc, tokens)) }
}
