//! The kinds of annotation that components set.

use lexpool_structs::AttrId;

/// A kind of annotation, which a component sets as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationKind {
    /// Fine-grained tags.
    Tags,
    /// Parts of speech.
    Pos,
    /// Morphological features.
    Morphs,
    /// Lemmas.
    Lemmas,
    /// Heads and dependency labels.
    Trees,
    /// Sentence boundaries.
    Sentences,
    /// Entities with their types.
    Entities,
    /// Identifiers of entities in a knowledge base.
    EntityIds,
    /// Categories of documents.
    Categories,
}

impl AnnotationKind {
    /// Returns the kind that an attribute of tokens belongs to; `None` for attributes of words.
    pub fn of_attr(attr: AttrId) -> Option<AnnotationKind> {
        Some(match attr {
            AttrId::TAG => AnnotationKind::Tags,
            AttrId::POS => AnnotationKind::Pos,
            AttrId::MORPH => AnnotationKind::Morphs,
            AttrId::LEMMA => AnnotationKind::Lemmas,
            AttrId::HEAD | AttrId::DEP => AnnotationKind::Trees,
            AttrId::SENT_START => AnnotationKind::Sentences,
            AttrId::ENT_TYPE | AttrId::ENT_IOB => AnnotationKind::Entities,
            AttrId::ENT_KB_ID => AnnotationKind::EntityIds,
            _ => return None,
        })
    }

    /// Returns the usual components that set this kind, for errors.
    pub fn usual_components(self) -> &'static str {
        match self {
            AnnotationKind::Tags => "a tagger",
            AnnotationKind::Pos => "a morphologizer, or a tagger with an attribute_ruler",
            AnnotationKind::Morphs => "a morphologizer",
            AnnotationKind::Lemmas => "a lemmatizer",
            AnnotationKind::Trees => "a parser",
            AnnotationKind::Sentences => "a parser, a senter or a sentencizer",
            AnnotationKind::Entities => "an ner or an entity_ruler",
            AnnotationKind::EntityIds => "an entity_linker",
            AnnotationKind::Categories => "a textcat",
        }
    }
}
