//! Components that annotate a document by a row for each token.

use lexpool_nn::Rows;

use super::encoder::Encoder;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups};
use crate::tokens::Doc;

/// A component of a network with a row for each token.
pub(super) trait RowAnnotator: Send + Sync {
    /// The kinds of annotation that it sets.
    const KINDS: &'static [AnnotationKind];

    /// Returns the network.
    fn encoder(&self) -> &Encoder;

    /// Annotates a document by its rows.
    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()>;
}

impl<T: RowAnnotator> Component for T {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        self.annotate(doc, self.encoder().rows(doc)?)
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        self.encoder().predict(docs, |doc, _, _, rows| self.annotate(doc, rows))
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        T::KINDS.contains(&kind)
    }
}
