//! Components that merge and split tokens, for documents just made of texts.
//!
//! Behind a component of Python's a document may have a tensor, or its own way to find noun chunks; there
//! the functions of Python do the work.

use lexpool::pipeline::{Component, MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter};
use lexpool::strings::StrId;
use pyo3::prelude::*;

use super::PyComponent;

#[pymethods]
impl PyComponent {
    /// One token for each entity, in documents of texts.
    #[staticmethod]
    fn merge_entities() -> PyComponent {
        of_texts(MergeEntities)
    }

    /// One token for each English noun chunk, in documents of texts.
    #[staticmethod]
    fn merge_noun_chunks() -> PyComponent {
        of_texts(MergeNounChunks)
    }

    /// One token for each run of tokens with a relation and the one rest, in documents of texts.
    #[staticmethod]
    fn merge_subtokens(label: &str) -> PyComponent {
        of_texts(MergeSubtokens(StrId::of(label)))
    }

    /// Parts of so many characters for each token that has as many as a minimum, in documents of texts.
    #[staticmethod]
    fn split_tokens(min_length: usize, split_length: usize) -> PyComponent {
        of_texts(TokenSplitter { min_length, split_length })
    }
}

fn of_texts(component: impl Component + 'static) -> PyComponent {
    PyComponent { of_texts: true, ..PyComponent::new(component) }
}
