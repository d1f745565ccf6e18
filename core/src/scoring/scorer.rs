//! The scorers of components, by the names of their factories.

use lexpool_structs::AttrId;

use super::cats::{CatSettings, cats};
use super::pair::ScoredPair;
use super::spans::{SpanKind, spans};
use super::{deps, entities, tokens};
use crate::Result;
use crate::config::Section;

/// The scorer of a component.
#[derive(Clone, Debug, PartialEq)]
pub enum Scorer {
    /// Boundaries of tokens.
    Tokenizer,
    /// Tags.
    Tagger,
    /// Parts of speech and morphological features.
    Morphologizer,
    /// Lemmas.
    Lemmatizer,
    /// All attributes that an attribute ruler may set.
    AttributeRuler,
    /// Sentences.
    Senter,
    /// Sentences and trees.
    Parser,
    /// Entities.
    Ner,
    /// Links of entities to a knowledge base.
    Links,
    /// Categories of documents.
    TextCat {
        /// The labels.
        labels: Vec<String>,
        /// `true` if a document may have several.
        multi_label: bool,
        /// The score from which a label is predicted, if there may be several; 0.5 by default.
        threshold: Option<f64>,
        /// The label of interest, if there are two exclusive ones.
        positive_label: Option<String>,
    },
    /// A span group.
    Spans {
        /// The name of the group.
        key: String,
        /// `true` to compare labels.
        labeled: bool,
        /// `true` to count all of overlapping predicted spans.
        allow_overlap: bool,
    },
}

impl Scorer {
    /// Returns the figures of documents by their names.
    ///
    /// # Errors
    ///
    /// `E093` for a document with inconsistent entities.
    pub fn score(&self, pairs: &[ScoredPair<'_>]) -> Result<Section> {
        let attribute = |name: &str, attr| tokens::attribute(pairs, name, attr);
        Ok(match self {
            Scorer::Tokenizer => tokens::boundaries(pairs),
            Scorer::Tagger => attribute("tag", AttrId::TAG),
            Scorer::Lemmatizer => attribute("lemma", AttrId::LEMMA),
            Scorer::Morphologizer => joined([
                attribute("pos", AttrId::POS),
                attribute("morph", AttrId::MORPH),
                tokens::features(pairs),
            ]),
            Scorer::AttributeRuler => joined([
                attribute("tag", AttrId::TAG),
                Scorer::Morphologizer.score(pairs)?,
                attribute("lemma", AttrId::LEMMA),
            ]),
            Scorer::Senter => spans(pairs, SpanKind::Sentences)?,
            Scorer::Parser => joined([spans(pairs, SpanKind::Sentences)?, deps::arcs(pairs)]),
            Scorer::Ner => entities::entities(pairs)?,
            Scorer::Links => entities::links(pairs)?,
            Scorer::TextCat { labels, multi_label, threshold, positive_label } => {
                let settings = CatSettings {
                    labels,
                    multi_label: *multi_label,
                    positive_label: positive_label.as_deref(),
                    threshold: threshold.unwrap_or(0.5),
                };
                cats(pairs, &settings)
            }
            Scorer::Spans { key, labeled, allow_overlap } => {
                let (labeled, allow_overlap) = (*labeled, *allow_overlap);
                spans(pairs, SpanKind::Group { key, labeled, allow_overlap })?
            }
        })
    }
}

/// Returns the entries of sections; of equal names the last one counts.
fn joined<const N: usize>(sections: [Section; N]) -> Section {
    let mut all = Section::default();
    for section in sections {
        section.iter().for_each(|(name, value)| all.set(name, value.clone()));
    }
    all
}
