//! The choice among candidates for the entities of a document: spaCy's `EntityLinker.predict`.

use std::ops::Range;

use super::base::Candidate;
use super::scores::{Encoding, highest, scores};
use crate::codes;
use crate::seeded::IdSet;
use crate::strings::StrId;
use crate::tokens::{Doc, Span, range_of};
use crate::{Error, Result};

/// Encodes a context: the sentences around a mention, cut out of the document with their
/// annotation.
///
/// Functions from documents to vectors are encoders. The vector has the width of those of the
/// knowledge base.
pub trait ContextEncoder: Send + Sync {
    /// Returns the encoding.
    ///
    /// # Errors
    ///
    /// Those of the encoder.
    fn encode(&self, sentences: &Doc) -> Result<Vec<f32>>;
}

impl<F: Fn(&Doc) -> Result<Vec<f32>> + Send + Sync> ContextEncoder for F {
    fn encode(&self, sentences: &Doc) -> Result<Vec<f32>> {
        self(sentences)
    }
}

/// The version of spaCy's component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkerVersion {
    /// The component of models with the architecture `EntityLinker.v1`: the context of an entity
    /// begins and ends with the sentence in which the entity begins, and a threshold is ignored.
    V1,
    /// The present component: the context begins with the first sentence of an entity and ends with
    /// its last.
    #[default]
    V2,
}

impl LinkerVersion {
    /// Returns the version of the component that spaCy makes for an architecture.
    pub fn of_architecture(name: &str) -> LinkerVersion {
        if name.ends_with("EntityLinker.v1") { LinkerVersion::V1 } else { LinkerVersion::V2 }
    }
}

/// The settings of a linker, by spaCy's names.
#[derive(Clone, Debug)]
pub struct LinkSettings {
    /// The number of sentences before and after those of the entity that belong to its context.
    pub n_sents: usize,
    /// The labels of entities that are not linked.
    pub labels_discard: Vec<StrId>,
    /// True if the prior probabilities count.
    pub incl_prior: bool,
    /// True if the similarity to the context counts.
    pub incl_context: bool,
    /// The score that a candidate needs, if any.
    pub threshold: Option<Threshold>,
    /// The version of the component.
    pub version: LinkerVersion,
}

impl Default for LinkSettings {
    /// Returns spaCy's defaults: no neighbouring sentences, all labels, priors and context, no
    /// threshold.
    fn default() -> LinkSettings {
        LinkSettings {
            n_sents: 0,
            labels_discard: Vec::new(),
            incl_prior: true,
            incl_context: true,
            threshold: None,
            version: LinkerVersion::V2,
        }
    }
}

/// A score from 0 to 1 that the candidate of an entity must reach, or the entity gets no link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(f64);

impl Threshold {
    /// Validates a score.
    ///
    /// # Errors
    ///
    /// `E1043` unless it is from 0 to 1.
    pub fn new(score: f64) -> Result<Threshold> {
        if !(0.0..=1.0).contains(&score) {
            let text =
                format!("the threshold of the linker is {score}; expected a number from 0 to 1");
            return Err(Error::value(codes::E1043, text));
        }
        Ok(Threshold(score))
    }
}

/// Returns for each entity of a document the candidate that it refers to, or `None`.
///
/// `candidates` gives the candidates of a mention; of candidates with equal scores the first is
/// taken. `encode` gives the encoding of a context, a range of tokens; it is called once for
/// entities in a row that have the same context, and only where several candidates, or a threshold,
/// need it.
///
/// Cost: for each entity a product of its context with the vectors of its candidates.
///
/// # Errors
///
/// `E030` if sentence starts are not set, `E093` for inconsistent entities, `kb-encoding` for an
/// encoding of another width than the vectors; errors of `encode`.
///
/// ```
/// use lexpool::knowledge::{KnowledgeBase, LinkSettings, link_entities};
/// use lexpool::strings::StrId;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let mut base = KnowledgeBase::new(1);
/// base.add_entity("Q1", 1.0, &[1.0])?;
/// base.add_entity("Q2", 1.0, &[-1.0])?;
/// base.add_alias("Ada", &[("Q1", 0.5), ("Q2", 0.5)])?;
///
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("Ada", true)])?;
/// let ents = Some(vec![Some("B-PERSON".to_owned())]);
/// doc.annotate(&Annotations { ents, ..Annotations::default() })?;
/// let links = link_entities(
///     &doc,
///     &LinkSettings::default(),
///     |mention| base.candidates(mention.text()).collect(),
///     |_| Ok(vec![-1.0]),
/// )?;
/// assert_eq!(links, [Some(StrId::of("Q2"))]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn link_entities<'k>(
    doc: &Doc,
    settings: &LinkSettings,
    mut candidates: impl FnMut(Span<'_>) -> Vec<Candidate<'k>>,
    mut encode: impl FnMut(Range<usize>) -> Result<Vec<f32>>,
) -> Result<Vec<Option<StrId>>> {
    let is_v1 = settings.version == LinkerVersion::V1;
    let threshold = settings.threshold.filter(|_| !is_v1);
    let discarded: IdSet = settings.labels_discard.iter().map(|label| label.get()).collect();
    let sentences: Vec<_> = doc.sentences().ranges()?.collect();
    let entities = doc.entities().spans()?;
    let mut links = Vec::with_capacity(entities.len());
    let mut known: Option<(Range<usize>, Encoding)> = None;
    for entity in &entities {
        let mention = range_of(entity);
        let candidates = if discarded.contains(&entity.label) {
            Vec::new()
        } else {
            candidates(doc.span(mention.start, mention.end)?)
        };
        let context = match &candidates[..] {
            [] => {
                links.push(None);
                continue;
            }
            [only] if threshold.is_none() => {
                links.push(Some(only.entity));
                continue;
            }
            _ if settings.incl_context => {
                let last = if is_v1 { mention.start } else { mention.end - 1 };
                let range = context(&sentences, mention.start, last, settings.n_sents);
                if known.as_ref().is_none_or(|(of, _)| *of != range) {
                    known = Some((range.clone(), Encoding::new(encode(range)?)));
                }
                known.as_ref().map(|(_, encoding)| encoding)
            }
            _ => None,
        };
        let scores = scores(&candidates, settings.incl_prior, context)?;
        let best = highest(&scores);
        let best = best.filter(|(_, score)| threshold.is_none_or(|least| *score >= least.0));
        links.push(best.map(|(at, _)| candidates[at].entity));
    }
    Ok(links)
}

/// Returns the tokens from `n_sents` sentences before that of the first token to `n_sents`
/// sentences after that of the last token.
fn context(sentences: &[Range<usize>], first: usize, last: usize, n_sents: usize) -> Range<usize> {
    let sentence_of = |token: usize| sentences.partition_point(|sentence| sentence.end <= token);
    let start = sentence_of(first).saturating_sub(n_sents);
    let end = sentence_of(last).saturating_add(n_sents).min(sentences.len() - 1);
    sentences[start].start..sentences[end].end
}
