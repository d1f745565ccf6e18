//! Writes a final parse state to a document.

use lexpool_parse::transition::{ArcEager, BiluoPushDown, ParseState, TransitionSystem};
use lexpool_structs::SpanC;

use crate::codes;
use crate::strings::StrId;
use crate::tokens::{Doc, EntityAssignment, EntityDefault};
use crate::{Error, ErrorKind, Result};

/// Values of `TokenC::ent_iob`.
const UNKNOWN: u8 = 0;
const OUTSIDE: u8 = 2;

/// A transition system whose states annotate documents.
pub trait AnnotateDoc: TransitionSystem {
    /// Writes the annotation that a state holds to its document: spaCy's `set_annotations`.
    ///
    /// [`ArcEager`] writes heads and labels. Roots get the label `ROOT`; children, edges and
    /// sentence starts follow from the heads; a token without an arc keeps its head. Cost: one pass
    /// over the tokens for a projective tree.
    ///
    /// [`BiluoPushDown`] sets the entities that the state has closed. Other tokens keep their
    /// annotation, except that a token with none becomes outside of entities.
    ///
    /// # Errors
    ///
    /// `transition-doc` if the document has another number of tokens; `E018` if neither the system
    /// nor the document has the string of a label; `E1010` if entities overlap, which only a caller
    /// can cause who opened them without a move; an error of memory. The document is then
    /// unchanged.
    fn annotate(&self, state: &ParseState, doc: &mut Doc) -> Result<()>;
}

impl AnnotateDoc for ArcEager {
    fn annotate(&self, state: &ParseState, doc: &mut Doc) -> Result<()> {
        if doc.len() != state.len() {
            let (doc, state) = (doc.len(), state.len());
            let text = format!("a state of {state} tokens for a document of {doc}");
            return Err(Error::value(codes::TRANSITION_DOC, text));
        }
        add_dep_labels(self, state, doc)?;
        let root = StrId::of("ROOT").get();
        let syntax = doc.syntax_records_mut()?;
        for arc in state.arcs() {
            let record = &mut syntax[arc.child as usize];
            record.head = signed(arc.head) - signed(arc.child);
            record.dep = arc.label.get();
        }
        for record in syntax.iter_mut().filter(|record| record.head == 0) {
            record.dep = root;
        }
        doc.tree_mut().rebuild()
    }
}

impl AnnotateDoc for BiluoPushDown {
    fn annotate(&self, state: &ParseState, doc: &mut Doc) -> Result<()> {
        if state.len() != doc.len() {
            let (of, given) = (state.len(), doc.len());
            let text = format!("a state of {of} tokens cannot annotate a document of {given}");
            return Err(Error::value(codes::TRANSITION_DOC, text));
        }
        let closed = state.ents().iter().filter(|ent| ent.end != -1);
        let mut ents: Vec<SpanC> = closed.copied().collect();
        for ent in &mut ents {
            let start = usize::try_from(ent.start).unwrap_or_default();
            ent.kb_id =
                doc.entity_records().and_then(|all| all.get(start)).map_or(0, |own| own.ent_kb_id);
        }
        add_ent_labels(self, &ents, doc)?;
        let default = EntityDefault::Unmodified;
        let assignment =
            EntityAssignment { entities: &ents, default, ..EntityAssignment::default() };
        doc.entities_mut().set(&assignment)?;
        for token in doc.tokens_mut()? {
            if token.ent_iob() == UNKNOWN {
                token.set_ent_iob(OUTSIDE);
            }
        }
        Ok(())
    }
}

/// Adds the strings of a tree's labels to the document's vocab, so that each label has its string.
fn add_dep_labels(moves: &ArcEager, state: &ParseState, doc: &Doc) -> Result<()> {
    doc.snapshot().add("ROOT")?;
    let mut last = StrId::EMPTY;
    for arc in state.arcs().filter(|arc| arc.label != StrId::EMPTY) {
        if arc.label == last || doc.snapshot().string(arc.label).is_some() {
            continue;
        }
        let label = moves.label_text(arc.label).ok_or_else(|| {
            let text =
                format!("no string for the id {} of the label of token {}", arc.label, arc.child);
            Error::new(ErrorKind::Key, codes::E018, text)
        })?;
        doc.snapshot().add(label)?;
        last = arc.label;
    }
    Ok(())
}

/// Adds the strings of entities' labels to the document's vocab, so that each label has its string.
fn add_ent_labels(moves: &BiluoPushDown, ents: &[SpanC], doc: &Doc) -> Result<()> {
    for label in ents.iter().map(|ent| StrId::new(ent.label)) {
        if label != StrId::EMPTY && doc.snapshot().string(label).is_none() {
            let text = moves.label_text(label).ok_or_else(|| {
                let text = format!("no string for the id {} of an entity's label", label.get());
                Error::new(ErrorKind::Key, codes::E018, text)
            })?;
            doc.snapshot().add(text)?;
        }
    }
    Ok(())
}

/// Converts a position, which a state keeps below 2^31.
fn signed(at: u32) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}
