//! Token vectors that several components share.

use std::sync::Arc;

use lexpool_nn::Rows;

use super::encoder::Encoder;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups};
use crate::tokens::{Doc, Tensor};

/// Sets the tensor of documents, which the listeners of other components read: spaCy's `Tok2Vec`.
pub struct Tok2Vec(Encoder);

impl Tok2Vec {
    /// Makes a component of a network.
    pub fn new(encoder: Encoder) -> Tok2Vec {
        Tok2Vec(encoder)
    }
}

impl Component for Tok2Vec {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let rows = self.0.rows(doc)?;
        set_tensor(doc, rows)
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        self.0.predict(docs, |doc, _, _, rows| set_tensor(doc, rows))
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

fn set_tensor(doc: &mut Doc, rows: Rows) -> Result<()> {
    doc.set_tensor(Some(Arc::new(Tensor::new(rows.width(), rows.into_numbers())?)))
}
