//! Token vectors that several components share.

use std::sync::Arc;

use lexpool_nn::Rows;

use super::encoder::Encoder;
use super::row_annotator::RowAnnotator;
use crate::Result;
use crate::pipeline::AnnotationKind;
use crate::tokens::{Doc, Tensor};

/// Sets the tensor of documents, which the listeners of other components read: spaCy's `Tok2Vec`.
pub struct Tok2Vec(Encoder);

impl Tok2Vec {
    /// Makes a component of a network.
    pub fn new(encoder: Encoder) -> Tok2Vec {
        Tok2Vec(encoder)
    }
}

impl RowAnnotator for Tok2Vec {
    const KINDS: &'static [AnnotationKind] = &[];

    fn encoder(&self) -> &Encoder {
        &self.0
    }

    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()> {
        doc.set_tensor(Some(Arc::new(Tensor::new(rows.width(), rows.into_numbers())?)))
    }
}
