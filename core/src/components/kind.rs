//! Kinds of components, and the facts of each.

/// A kind of component. The number of a kind is that of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of spaCy's factories")]
pub enum ComponentKind {
    AttributeRuler,
    DocCleaner,
    EntityRuler,
    FutureEntityRuler,
    Lemmatizer,
    MergeEntities,
    MergeNounChunks,
    MergeSubtokens,
    Op,
    Sentencizer,
    SpanRuler,
    TokenSplitter,
    BeamNer,
    BeamParser,
    EntityLinker,
    Morphologizer,
    Ner,
    Parser,
    Senter,
    SpanFinder,
    Spancat,
    SpancatSingleLabel,
    Tagger,
    Textcat,
    TextcatMultilabel,
    Tok2Vec,
    TrainableLemmatizer,
}

/// The weight of a score by its name; `None` for one that is neither shown nor counted.
pub type ScoreWeight = (&'static str, Option<f64>);

/// The facts of a kind of component, before one is made.
#[derive(Debug)]
pub struct ComponentRow {
    /// The kind.
    pub kind: ComponentKind,
    /// The name of spaCy's factory.
    pub factory: &'static str,
    /// `true` if the components have weights.
    pub is_trained: bool,
    /// The attributes that the components set, in spaCy's notation.
    pub assigns: &'static [&'static str],
    /// The attributes that they read.
    pub requires: &'static [&'static str],
    /// `true` if they merge or split tokens.
    pub retokenizes: bool,
    /// The scores of the components, in spaCy's order.
    pub scores: &'static [ScoreWeight],
}
