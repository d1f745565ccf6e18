//! Components that merge and split tokens, for documents that the tokenizer has just made.
//!
//! After a Python component a document may have a tensor that only Python can read, or its own noun
//! chunk function; for such documents the Python functions are called.

use lexpool::pipeline::{Component, MergeEntities, MergeNounChunks, MergeSubtokens, TokenSplitter};
use lexpool::strings::StrId;
use pyo3::prelude::*;

use super::component::PyComponent;
use crate::object::noun_chunks::PyNounChunks;

#[pymethods]
impl PyComponent {
    /// Returns a component that merges each entity into one token, for new documents.
    #[staticmethod]
    fn merge_entities() -> PyComponent {
        of_texts(MergeEntities)
    }

    /// Returns a component that merges each noun chunk into one token, for new documents.
    #[staticmethod]
    fn merge_noun_chunks(chunks: &PyNounChunks) -> PyComponent {
        of_texts(MergeNounChunks(chunks.rules()))
    }

    /// Returns a component that merges each run of tokens with a relation with the token after it,
    /// for new documents.
    #[staticmethod]
    fn merge_subtokens(label: &str) -> PyComponent {
        of_texts(MergeSubtokens(StrId::of(label)))
    }

    /// Returns a component that splits tokens of a minimum length into parts of a number of
    /// characters, for new documents.
    #[staticmethod]
    fn split_tokens(min_length: usize, split_length: usize) -> PyComponent {
        of_texts(TokenSplitter { min_length, split_length })
    }
}

fn of_texts(component: impl Component + 'static) -> PyComponent {
    PyComponent { of_texts: true, ..PyComponent::new(component) }
}
