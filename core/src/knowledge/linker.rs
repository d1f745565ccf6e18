//! The component `entity_linker`: knowledge base ids of the entities of documents.

use std::sync::Arc;

use super::base::KnowledgeBase;
use super::context::{ContextEncoder, LinkSettings, link_entities};
use crate::codes;
use crate::pipeline::{AnnotationKind, Component, Groups};
use crate::strings::StrId;
use crate::tokens::{Doc, range_of};
use crate::vocab::Vocab;
use crate::{Error, ErrorKind, Result};

/// The id of an entity without a link.
pub const NIL: &str = "NIL";

/// Checks that the knowledge base of a component has entities.
///
/// # Errors
///
/// `E139` for an empty one.
pub fn check_filled(base: &KnowledgeBase, component: &str) -> Result<()> {
    if base.is_empty() {
        let text = format!(
            "the knowledge base of the component '{component}' is empty; add entities and aliases, \
             or load one"
        );
        return Err(Error::value(codes::E139, text));
    }
    Ok(())
}

/// Links the entities of documents to a knowledge base: spaCy's `EntityLinker`.
///
/// The encoder is called only for entities whose candidates have to be compared in context.
///
/// ```
/// use lexpool::knowledge::{EntityLinker, KnowledgeBase, LinkSettings};
/// use lexpool::pipeline::{Component, Groups};
/// use lexpool::structs::AttrId;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// vocab.strings().add("Q1")?;
/// let mut base = KnowledgeBase::new(1);
/// base.add_entity("Q1", 1.0, &[1.0])?;
/// base.add_alias("Ada", &[("Q1", 0.5)])?;
/// let encoder = |_: &Doc| Ok(vec![1.0]);
/// let linker = EntityLinker::new("linker", &vocab, base.into(), LinkSettings::default(), encoder);
///
/// let mut doc = Doc::from_words(&vocab, &[("Ada", true)])?;
/// let ents = Some(vec![Some("B-PERSON".to_owned())]);
/// doc.annotate(&Annotations { ents, ..Annotations::default() })?;
/// linker.apply(&mut doc, &mut Groups::new())?;
/// assert_eq!(doc.token(0).unwrap().text_of(AttrId::ENT_KB_ID), "Q1");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct EntityLinker<E> {
    name: String,
    /// The vocab with the strings of the knowledge base.
    vocab: Arc<Vocab>,
    knowledge: Arc<KnowledgeBase>,
    settings: LinkSettings,
    overwrite: bool,
    encoder: E,
}

impl<E: ContextEncoder> EntityLinker<E> {
    /// Returns a linker that overwrites the ids that entities have. `vocab` has the strings of the
    /// knowledge base; `name` is for errors.
    pub fn new(
        name: impl Into<String>,
        vocab: &Arc<Vocab>,
        knowledge: Arc<KnowledgeBase>,
        settings: LinkSettings,
        encoder: E,
    ) -> EntityLinker<E> {
        let (name, vocab) = (name.into(), Arc::clone(vocab));
        EntityLinker { name, vocab, knowledge, settings, overwrite: true, encoder }
    }

    /// Sets whether ids which are already set are overwritten.
    #[must_use]
    pub fn overwriting(mut self, overwrite: bool) -> EntityLinker<E> {
        self.overwrite = overwrite;
        self
    }

    /// Returns for each entity of a document the id of the knowledge base's entity, or `None`.
    ///
    /// # Errors
    ///
    /// `E139` for an empty knowledge base, and those of [`link_entities`].
    pub fn predict(&self, doc: &Doc) -> Result<Vec<Option<StrId>>> {
        check_filled(&self.knowledge, &self.name)?;
        link_entities(
            doc,
            &self.settings,
            |mention| self.knowledge.candidates(mention.text()).collect(),
            |range| self.encoder.encode(&doc.span(range.start, range.end)?.to_doc()?),
        )
    }

    /// Sets the ids of the entities of a document, [`NIL`] for `None`.
    ///
    /// # Errors
    ///
    /// `E148` for another number of links than entities, `E018` for an id without a string;
    /// nothing is set then. `E093` for inconsistent entities.
    pub fn annotate(&self, doc: &mut Doc, links: &[Option<StrId>]) -> Result<()> {
        let entities = doc.entities().spans()?;
        if entities.len() != links.len() {
            let (found, expected) = (links.len(), entities.len());
            let text =
                format!("{found} ids were given for {expected} entities; expected one for each");
            return Err(Error::value(codes::E148, text));
        }
        if entities.is_empty() {
            return Ok(());
        }
        let snapshot = self.vocab.snapshot();
        let ids = links.iter().map(|link| {
            let Some(id) = link else { return doc.snapshot().add(NIL) };
            let name = snapshot.string(*id).ok_or_else(|| {
                let text = format!(
                    "the id {} of an entity has no string in the vocab; load the strings of the \
                     knowledge base with it",
                    id.get()
                );
                Error::new(ErrorKind::Key, codes::E018, text)
            })?;
            doc.snapshot().add(name)
        });
        let ids = ids.collect::<Result<Vec<_>>>()?;
        let records = doc.entity_records_mut()?;
        for (entity, id) in entities.iter().zip(ids) {
            for record in &mut records[range_of(entity)] {
                if record.ent_kb_id == 0 || self.overwrite {
                    record.ent_kb_id = id.get();
                }
            }
        }
        Ok(())
    }
}

impl<E: ContextEncoder> Component for EntityLinker<E> {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let links = self.predict(doc)?;
        self.annotate(doc, &links)
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::EntityIds
    }
}
