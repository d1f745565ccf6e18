//! Sentence starts by a network.

use lexpool_nn::Rows;

use super::encoder::Encoder;
use super::labels::{arg_max, check_count};
use super::row_annotator::RowAnnotator;
use crate::Result;
use crate::pipeline::AnnotationKind;
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
}

impl RowAnnotator for SentenceRecognizer {
    const KINDS: &'static [AnnotationKind] = &[AnnotationKind::Sentences];

    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()> {
        for (token, row) in doc.tokens_mut()?.iter_mut().zip(rows.rows()) {
            if token.sent_start() == 0 || self.overwrite {
                token.set_sent_start(if arg_max(row) == START { 1 } else { -1 });
            }
        }
        Ok(())
    }
}
