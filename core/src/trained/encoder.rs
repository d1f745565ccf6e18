//! Networks with the vectors that they read.

use std::sync::Arc;

use lexpool_nn::{Network, RowUnit, Rows, TokenSource};

use super::doc_tokens::{DocTokens, VectorSource};
use crate::Result;
use crate::pipeline::{Annotation, Groups, Notes};
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

    /// Returns what has a row in the result.
    pub fn unit(&self) -> RowUnit {
        self.network.unit()
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

    /// Runs the network on several documents, which reads its weights once.
    ///
    /// # Errors
    ///
    /// As for [`rows`](Encoder::rows), if one of the documents is wrong.
    pub fn rows_of_all(&self, docs: &[&Doc]) -> Result<Vec<Rows>> {
        with_sources(docs, self.vectors.as_deref(), |sources| self.network.run_all(sources))
    }

    /// Runs a network that scores spans: a row for each range of tokens.
    ///
    /// # Errors
    ///
    /// As for [`rows`](Encoder::rows); `model-span` for a range outside of the document.
    pub fn rows_of_spans(&self, doc: &Doc, spans: &[(usize, usize)]) -> Result<Rows> {
        with_sources(&[doc], self.vectors.as_deref(), |sources| {
            self.network.run_with_spans(sources[0], spans)
        })
    }

    /// Runs a network that scores spans on several documents, each with its ranges of tokens; reads
    /// its weights once.
    ///
    /// # Errors
    ///
    /// As for [`rows_of_spans`](Encoder::rows_of_spans), if one of the documents is wrong.
    pub fn rows_of_spans_of_all(
        &self,
        docs: &[&Doc],
        spans: &[&[(usize, usize)]],
    ) -> Result<Vec<Rows>> {
        with_sources(docs, self.vectors.as_deref(), |sources| {
            self.network.run_all_with_spans(sources, spans)
        })
    }

    /// Runs the network on several documents; returns for each the function that annotates it with
    /// its rows.
    ///
    /// # Errors
    ///
    /// As for [`rows_of_all`](Encoder::rows_of_all).
    pub(super) fn predict<'a>(
        &self,
        docs: &[&Doc],
        annotate: impl Fn(&mut Doc, &mut Groups, &mut Notes, Rows) -> Result<()> + Copy + 'a,
    ) -> Result<Vec<Annotation<'a>>> {
        let annotation = |rows| -> Annotation<'a> {
            Box::new(move |doc, groups, notes| annotate(doc, groups, notes, rows))
        };
        Ok(self.rows_of_all(docs)?.into_iter().map(annotation).collect())
    }
}

/// Calls a function with documents as the inputs of a network.
///
/// # Errors
///
/// Those of the function, and of the vectors.
pub fn with_sources<T>(
    docs: &[&Doc],
    vectors: Option<&dyn VectorSource>,
    function: impl Fn(&[&dyn TokenSource]) -> Result<T>,
) -> Result<T> {
    let run = |vectors: Option<&Vectors>| {
        let tokens: Vec<_> = docs.iter().map(|doc| DocTokens::new(doc, vectors)).collect();
        let sources: Vec<_> = tokens.iter().map(|tokens| tokens as &dyn TokenSource).collect();
        function(&sources)
    };
    let Some(source) = vectors else { return run(None) };
    let mut result = None;
    source.read(&mut |vectors: &Vectors| {
        result = Some(run(Some(vectors))?);
        Ok(())
    })?;
    Ok(result.expect("a source of vectors calls the function once"))
}
