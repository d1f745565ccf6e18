//! Networks with the vectors that they read.

use std::sync::Arc;

use lexpool_nn::{Network, Rows};

use super::doc_tokens::{DocTokens, VectorSource};
use crate::Result;
use crate::tokens::Doc;
use crate::vectors::Vectors;

/// A network from a document to rows of numbers, with the word vectors that it reads.
#[derive(Clone)]
pub struct Encoder {
    network: Arc<Network>,
    vectors: Option<Arc<dyn VectorSource>>,
}

impl Encoder {
    pub(super) fn new(network: Network, vectors: Option<Arc<dyn VectorSource>>) -> Encoder {
        Encoder { network: Arc::new(network), vectors }
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.network.width()
    }

    /// Runs the network on a document: a row for each token, or one for the document.
    ///
    /// # Errors
    ///
    /// `model-vectors`, `model-tensor` for vectors that do not fit the network.
    pub fn rows(&self, doc: &Doc) -> Result<Rows> {
        self.rows_of_spans(doc, &[])
    }

    /// Runs a network that scores spans: a row for each range of tokens.
    ///
    /// # Errors
    ///
    /// As for [`rows`](Encoder::rows); `model-span` for a range outside of the document.
    pub fn rows_of_spans(&self, doc: &Doc, spans: &[(usize, usize)]) -> Result<Rows> {
        with_tokens(doc, self.vectors.as_deref(), |tokens| {
            self.network.run_with_spans(tokens, spans)
        })
    }
}

/// Calls a function with a document as the input of a network.
pub(super) fn with_tokens<T>(
    doc: &Doc,
    vectors: Option<&dyn VectorSource>,
    function: impl Fn(&DocTokens<'_>) -> Result<T>,
) -> Result<T> {
    let Some(source) = vectors else { return function(&DocTokens::new(doc, None)) };
    let mut result = None;
    source.read(&mut |vectors: &Vectors| {
        result = Some(function(&DocTokens::new(doc, Some(vectors)))?);
        Ok(())
    })?;
    Ok(result.expect("a source of vectors calls the function once"))
}
