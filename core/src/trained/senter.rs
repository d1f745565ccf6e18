//! Sentence starts by a network.

use lexpool_nn::Rows;

use super::encoder::Encoder;
use super::labels::{arg_max, check_count};
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups};
use crate::tokens::Doc;

/// The labels of spaCy's sentence recognizers: inside, start.
const LABELS: usize = 2;
const START: usize = 1;

/// Sets whether a sentence starts with each token: spaCy's `SentenceRecognizer`.
pub struct SentenceRecognizer {
    encoder: Encoder,
    overwrite: bool,
}

impl SentenceRecognizer {
    /// Makes a recognizer of a network with two outputs. Sentence starts that are set are kept,
    /// unless it overwrites.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of outputs.
    pub fn new(encoder: Encoder, overwrite: bool) -> Result<SentenceRecognizer> {
        check_count(LABELS, encoder.width())?;
        Ok(SentenceRecognizer { encoder, overwrite })
    }

    /// Annotates a document by a row for each token.
    fn annotate(&self, doc: &mut Doc, rows: &Rows) -> Result<()> {
        for (token, row) in doc.tokens_mut()?.iter_mut().zip(rows.rows()) {
            if token.sent_start() == 0 || self.overwrite {
                token.set_sent_start(if arg_max(row) == START { 1 } else { -1 });
            }
        }
        Ok(())
    }
}

impl Component for SentenceRecognizer {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        self.annotate(doc, &self.encoder.rows(doc)?)
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        self.encoder.predict(docs, |doc, _, _, rows| self.annotate(doc, &rows))
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Sentences
    }
}
