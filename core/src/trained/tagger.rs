//! Fine-grained tags.

use lexpool_nn::Rows;

use super::encoder::Encoder;
use super::labels::{Labels, arg_max};
use super::row_annotator::RowAnnotator;
use crate::Result;
use crate::pipeline::AnnotationKind;
use crate::tokens::Doc;

/// Sets the tag of each token to the label of the highest score: spaCy's `Tagger`.
pub struct Tagger {
    encoder: Encoder,
    labels: Labels,
    overwrite: bool,
}

impl Tagger {
    /// Makes a tagger of a network and its labels. Tags that are set are kept, unless it
    /// overwrites.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of labels than outputs.
    pub fn new<S: AsRef<str>>(
        encoder: Encoder,
        labels: impl IntoIterator<Item = S>,
        overwrite: bool,
    ) -> Result<Tagger> {
        let labels = Labels::new(labels);
        labels.check(encoder.width())?;
        Ok(Tagger { encoder, labels, overwrite })
    }
}

impl RowAnnotator for Tagger {
    const KINDS: &'static [AnnotationKind] = &[AnnotationKind::Tags];

    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()> {
        let mut tags = Vec::with_capacity(doc.len());
        for row in rows.rows() {
            tags.push(self.labels.id(doc, arg_max(row))?.get());
        }
        for (record, tag) in doc.tag_records_mut()?.iter_mut().zip(tags) {
            if record.tag == 0 || self.overwrite {
                record.tag = tag;
            }
        }
        Ok(())
    }
}
