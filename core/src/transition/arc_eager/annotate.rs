//! From a finished state to the annotation of a document.

use super::ArcEager;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::transition::{ArcC, StateC, TransitionSystem};
use crate::{Error, ErrorKind, Result};

/// A parse of a beam: its probability, and its arcs as [`StateC::arcs`] has them.
pub type BeamParse = (f64, Vec<ArcC>);

impl ArcEager {
    /// Writes heads and labels to a document; roots get `ROOT`, and children, edges and sentence
    /// starts follow from the heads. Tokens without an arc keep the head they have.
    ///
    /// Cost: one pass over the tokens for a projective tree.
    ///
    /// # Errors
    ///
    /// `transition-doc` if the document is of another length, `E018` for a label that is neither the
    /// system's nor in the document's strings; when memory runs out. The document is then unchanged.
    pub fn set_annotations(&self, state: &StateC, doc: &mut Doc) -> Result<()> {
        if doc.len() != state.len() {
            let (doc, state) = (doc.len(), state.len());
            let text = format!("a state of {state} tokens for a document of {doc}");
            return Err(Error::value("transition-doc", text));
        }
        self.enter_labels(state, doc)?;
        let syntax = doc.syntax_records_mut()?;
        for arc in state.arcs() {
            let record = &mut syntax[arc.child as usize];
            record.head = signed(arc.head) - signed(arc.child);
            record.dep = arc.label.get();
        }
        for record in syntax.iter_mut().filter(|record| record.head == 0) {
            record.dep = self.root.get();
        }
        doc.tree_mut().rebuild()
    }

    /// Sees to it that the document has a string for each label.
    fn enter_labels(&self, state: &StateC, doc: &Doc) -> Result<()> {
        doc.snapshot().add("ROOT")?;
        let mut last = StrId::EMPTY;
        for arc in state.arcs().filter(|arc| arc.label != StrId::EMPTY) {
            if arc.label == last || doc.snapshot().string(arc.label).is_some() {
                continue;
            }
            let known =
                [super::LEFT, super::RIGHT].map(|action| self.actions.find(action, arc.label));
            let Some(class) = known.into_iter().flatten().next() else {
                let text = format!(
                    "no string for the id {} of the label of token {}",
                    arc.label, arc.child
                );
                return Err(Error::new(ErrorKind::Key, "E018", text));
            };
            doc.snapshot().add(self.actions().label(class))?;
            last = arc.label;
        }
        Ok(())
    }
}

/// Positions of a state fit, as it was made.
fn signed(at: u32) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}
