//! The input of a network: several documents, and the spans of each.

use lexpool_error::{Error, Result, codes};

use crate::infer::TokenSource;

/// A range of tokens, from the first to the one behind the last.
pub type SpanRange = (usize, usize);

/// Documents that are computed together.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    documents: &'a [&'a dyn TokenSource],
    /// Empty, or as many as documents.
    spans: &'a [Vec<SpanRange>],
}

impl<'a> Batch<'a> {
    /// Makes a batch of documents.
    pub fn new(documents: &'a [&'a dyn TokenSource]) -> Batch<'a> {
        Batch { documents, spans: &[] }
    }

    /// Makes a batch of documents with spans each, for networks that score spans.
    ///
    /// # Errors
    ///
    /// `model-span` for another number of lists than of documents, and for a span that ends before
    /// its start or behind its document.
    pub fn with_spans(
        documents: &'a [&'a dyn TokenSource],
        spans: &'a [Vec<SpanRange>],
    ) -> Result<Batch<'a>> {
        if documents.len() != spans.len() {
            let (given, expected) = (spans.len(), documents.len());
            let text = format!("{given} lists of spans for {expected} documents");
            return Err(Error::value(codes::MODEL_SPAN, text));
        }
        for (document, spans) in documents.iter().zip(spans) {
            let is_outside = |(start, end): &&SpanRange| start > end || *end > document.len();
            if let Some((start, end)) = spans.iter().find(is_outside) {
                let text = format!("a span ({start}, {end}) of {} tokens", document.len());
                return Err(Error::value(codes::MODEL_SPAN, text));
            }
        }
        Ok(Batch { documents, spans })
    }

    /// Returns the documents.
    pub fn documents(&self) -> &'a [&'a dyn TokenSource] {
        self.documents
    }

    /// Returns the spans of each document; an empty slice for a batch without spans.
    pub fn spans(&self) -> &'a [Vec<SpanRange>] {
        self.spans
    }

    /// Returns the number of tokens of each document.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.documents.iter().map(|document| document.len()).collect()
    }
}
