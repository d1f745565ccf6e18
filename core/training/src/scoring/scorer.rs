//! The scorers of components, by the names of their factories.

use lexpool::Result;
use lexpool::config::Section;
use lexpool::knowledge::NIL;
use lexpool::pipeline::Groups;
use lexpool::tokens::{Doc, SpanGroup};
use lexpool_structs::AttrId;

use super::attributes::AttributeCounts;
use super::boundaries::BoundaryCounts;
use super::cats::{CatCounts, CatSettings, CatValue};
use super::counts::Summation;
use super::deps::{ArcCounts, lower_label};
use super::entities::EntityCounts;
use super::features::FeatureCounts;
use super::links::LinkCounts;
use super::pair::{DocPair, has_annotation};
use super::scores::Scores;
use super::spans::{SpanCounts, SpanSettings, sentence_spans};

/// Relations that the scorer of a parser leaves out.
const IGNORED_LABELS: [&str; 2] = ["p", "punct"];

/// Annotation that a document has no place for.
#[derive(Clone, Copy)]
pub struct ScoredExtras<'a> {
    /// The scores of its categories, each once.
    pub cats: &'a [(String, f64)],
    /// Its span groups by name.
    pub groups: &'a Groups,
}

/// A predicted document beside its reference, with what documents have no place for.
#[derive(Clone, Copy)]
pub struct ScoredPair<'a> {
    /// The documents.
    pub docs: DocPair<'a>,
    /// Further annotation of the predicted document.
    pub predicted: ScoredExtras<'a>,
    /// Further annotation of the reference.
    pub reference: ScoredExtras<'a>,
}

/// The scorer of a component.
///
/// ```
/// use lexpool::alignment::Alignment;
/// use lexpool::config::Value;
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool_training::scoring::{DocPair, ScoredExtras, ScoredPair, Scorer};
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let doc_with = |tags: [&str; 2]| -> lexpool::Result<Doc> {
///     let mut doc = tokenizer.tokenize("Go on")?;
///     let tags = Some(tags.map(str::to_owned).to_vec());
///     doc.annotate(&Annotations { tags, ..Annotations::default() })?;
///     Ok(doc)
/// };
/// let (predicted, reference) = (doc_with(["VB", "RB"])?, doc_with(["VB", "RP"])?);
/// let x2y = Alignment::of(&["Go", "on"], &["Go", "on"])?.x2y;
/// let extras = ScoredExtras { cats: &[], groups: &Default::default() };
/// let docs = DocPair::new(&predicted, &reference, &x2y)?;
/// let scores = Scorer::Tagger.score(&[ScoredPair { docs, predicted: extras, reference: extras }])?;
/// assert_eq!(scores.get("tag_acc").and_then(Value::as_float), Some(0.5));
/// # Ok::<(), lexpool::Error>(())
/// ```
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
        Ok(match self {
            Scorer::Tokenizer => {
                let mut counts = BoundaryCounts::default();
                for pair in pairs {
                    counts.add(&pair.docs);
                }
                counts.scores().into()
            }
            Scorer::Tagger => attribute(pairs, "tag", AttrId::TAG),
            Scorer::Lemmatizer => attribute(pairs, "lemma", AttrId::LEMMA),
            Scorer::Morphologizer => joined([
                attribute(pairs, "pos", AttrId::POS),
                attribute(pairs, "morph", AttrId::MORPH),
                features(pairs),
            ]),
            Scorer::AttributeRuler => joined([
                attribute(pairs, "tag", AttrId::TAG),
                Scorer::Morphologizer.score(pairs)?,
                attribute(pairs, "lemma", AttrId::LEMMA),
            ]),
            Scorer::Senter => sentences(pairs)?,
            Scorer::Parser => joined([sentences(pairs)?, trees(pairs)]),
            Scorer::Ner => {
                let mut counts = EntityCounts::default();
                for pair in pairs {
                    counts.add(&pair.docs)?;
                }
                counts.scores().into()
            }
            Scorer::Links => {
                let mut counts = LinkCounts::default();
                for docs in pairs.iter().map(|pair| pair.docs) {
                    counts.add(docs.predicted(), docs.reference(), |link| link == NIL)?;
                }
                counts.scores(Summation::Plain).into()
            }
            Scorer::TextCat { labels, multi_label, threshold, positive_label } => {
                let position = |label: &String| labels.iter().position(|own| own == label);
                let settings = CatSettings {
                    multi_label: *multi_label,
                    threshold: threshold.unwrap_or(0.5),
                    positive_label: positive_label
                        .as_ref()
                        .and_then(|label| Some((position(label)?, label.clone()))),
                };
                cats(pairs, labels, settings).into()
            }
            Scorer::Spans { key, labeled, allow_overlap } => {
                let (labeled, allow_overlap) = (*labeled, *allow_overlap);
                group(pairs, key, SpanSettings { labeled, allow_overlap })
            }
        })
    }
}

fn attribute(pairs: &[ScoredPair<'_>], name: &str, attr: AttrId) -> Section {
    let mut counts = AttributeCounts::default();
    for pair in pairs {
        counts.add_attr(&pair.docs, attr);
    }
    counts.scores(name).into()
}

fn features(pairs: &[ScoredPair<'_>]) -> Section {
    let mut counts = FeatureCounts::default();
    for pair in pairs {
        counts.add_morph(&pair.docs);
    }
    counts.scores("morph").into()
}

fn trees(pairs: &[ScoredPair<'_>]) -> Section {
    let mut counts = ArcCounts::default();
    let label_of = |doc: &Doc, id| {
        Some(lower_label(doc, id)).filter(|label| !IGNORED_LABELS.contains(&&**label))
    };
    for pair in pairs {
        counts.add_trees(&pair.docs, label_of);
    }
    counts.scores("dep").relabelled(|label| label.to_string()).into()
}

/// Sentences have no labels to tell apart.
fn sentences(pairs: &[ScoredPair<'_>]) -> Result<Section> {
    let settings = SpanSettings { labeled: false, allow_overlap: false };
    let mut counts = SpanCounts::new(settings);
    let has_sentences = |doc| has_annotation(doc, AttrId::SENT_START);
    for pair in pairs.iter().map(|pair| pair.docs) {
        if has_sentences(pair.reference()) {
            let mut predicted = Vec::new();
            if has_sentences(pair.predicted()) {
                predicted = sentence_spans(pair.predicted())?;
            }
            counts.add_records(&pair, &sentence_spans(pair.reference())?, &predicted);
        }
    }
    Ok(counts.scores("sents").into())
}

fn group(pairs: &[ScoredPair<'_>], key: &str, settings: SpanSettings) -> Section {
    let mut counts = SpanCounts::new(settings);
    for pair in pairs {
        let [wanted, found] = [pair.reference, pair.predicted].map(|own| own.groups.get(key));
        if let Some(wanted) = wanted {
            counts.add_records(&pair.docs, wanted.spans(), found.map_or(&[], SpanGroup::spans));
        }
    }
    counts.scores(&format!("spans_{key}")).into()
}

fn cats(pairs: &[ScoredPair<'_>], labels: &[String], settings: CatSettings) -> Scores {
    let places: ahash::AHashMap<&str, usize> =
        labels.iter().enumerate().map(|(at, label)| (label.as_str(), at)).collect();
    let values = |cats: &[(String, f64)]| -> Vec<CatValue> {
        let known = cats
            .iter()
            .filter_map(|(label, value)| places.get(label.as_str()).map(|at| (*at, *value)));
        known.collect()
    };
    let mut counts = CatCounts::new(labels.len(), settings);
    for pair in pairs {
        counts.add(&values(pair.predicted.cats), &values(pair.reference.cats));
    }
    counts.scores("cats", Summation::Plain).relabelled(|at| labels[at].clone())
}

/// Returns the entries of sections; of equal names the last one counts.
fn joined<const N: usize>(sections: [Section; N]) -> Section {
    let mut all = Section::default();
    for section in sections {
        section.iter().for_each(|(name, value)| all.set(name, value.clone()));
    }
    all
}
