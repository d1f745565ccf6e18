//! A report on the corpora of a training: what each component has to learn from, and what is odd.

use std::collections::BTreeMap;
use std::sync::Arc;

use ahash::AHashSet;
use lexpool::Result;
use lexpool::components::ComponentKind;
use lexpool::config::Value;
use lexpool::knowledge::KnowledgeBase;
use lexpool::projective::is_nonprojective_tree;
use lexpool::strings::StrId;
use lexpool::tokens::{Doc, range_of};
use lexpool_structs::AttrId;

use super::pipeline::make_tokenizer;
use super::plan::{Part, PlannedComponent, TrainingPlan};
use crate::components::knowledge::SavedKnowledge;
use crate::corpora::example::Example;
use crate::corpora::example_stream::ReadExamples;
use crate::scoring::Scorer;

/// A report on the two corpora of a plan.
#[derive(Clone, Debug)]
pub struct DataReport {
    /// The corpus to learn from.
    pub train: CorpusFigures,
    /// The corpus to evaluate with.
    pub dev: CorpusFigures,
    /// The number of texts of the second that the first has too.
    pub overlap: usize,
    /// The components that learn.
    pub components: Vec<ComponentFigures>,
}

/// Counts over a corpus.
#[derive(Clone, Debug, Default)]
pub struct CorpusFigures {
    /// The number of documents.
    pub documents: usize,
    /// The number of tokens of the tokenizer.
    pub words: usize,
    /// The number of distinct tokens.
    pub word_types: usize,
    /// The number of tokens that align with no single token of the annotation.
    pub misaligned: usize,
    /// The number of documents and sentences that `max_length` leaves out.
    pub too_long: usize,
}

/// Counts over the annotation of a component, of the two corpora.
#[derive(Clone, Debug)]
pub struct ComponentFigures {
    /// The name of the component.
    pub name: String,
    /// The name of its factory.
    pub factory: String,
    /// The number of documents with annotation of its kind.
    pub annotated: [usize; 2],
    /// The labels with the numbers of their uses, sorted.
    pub labels: Vec<(String, [usize; 2])>,
    /// The kinds of odd annotation with their numbers in the two corpora.
    pub oddities: Vec<(Oddity, [usize; 2])>,
}

/// A kind of odd annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// A tree with crossing arcs.
    CrossingArcs,
    /// An entity or span that begins or ends with whitespace.
    WhitespaceEdge,
    /// An entity or span that lies in several sentences.
    AcrossSentences,
    /// A document with several exclusive categories.
    SeveralCategories,
    /// A document of a single sentence, of which a parser learns no sentence boundaries.
    OneSentence,
    /// An entity without a link to a knowledge base.
    Unlinked,
    /// A link to an entity that the knowledge base lacks.
    UnknownLink,
    /// A link that the candidates of the text of its entity lack.
    NoCandidate,
}

impl Oddity {
    /// Returns the kind in words.
    pub fn text(self) -> &'static str {
        match self {
            Oddity::CrossingArcs => "trees with crossing arcs",
            Oddity::WhitespaceEdge => "spans that begin or end with whitespace",
            Oddity::AcrossSentences => "spans across sentences",
            Oddity::SeveralCategories => "documents with several exclusive categories",
            Oddity::OneSentence => "documents of one sentence",
            Oddity::Unlinked => "entities without a link",
            Oddity::UnknownLink => "links to entities that the knowledge base lacks",
            Oddity::NoCandidate => "links that are no candidates for the text of the entity",
        }
    }

    /// Returns whether a corpus with it is worth a second look; others are usual.
    pub fn is_suspect(self) -> bool {
        !matches!(self, Oddity::CrossingArcs | Oddity::OneSentence | Oddity::Unlinked)
    }
}

impl ComponentFigures {
    /// Returns labels with fewer uses in the training corpus.
    pub fn rarer_than(&self, uses: usize) -> impl Iterator<Item = (&str, usize)> {
        let labels = self.labels.iter().map(|(label, [train, _])| (label.as_str(), *train));
        labels.filter(move |(_, train)| (1..uses).contains(train))
    }

    /// Returns labels that only the corpus to evaluate with has.
    pub fn only_dev(&self) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter().filter(|(_, [train, dev])| *train == 0 && *dev > 0);
        labels.map(|(label, _)| label.as_str())
    }

    /// Returns categories that all annotated documents of the training corpus have, so that there
    /// is nothing to tell them from.
    pub fn without_negatives(&self) -> impl Iterator<Item = &str> {
        let all = self.annotated[0];
        let is_of_documents = matches!(
            ComponentKind::of(&self.factory),
            Some(ComponentKind::Textcat | ComponentKind::TextcatMultilabel)
        );
        let labels =
            self.labels.iter().filter(move |(_, [train, _])| is_of_documents && *train == all);
        let labels = labels.filter(|(_, [train, _])| *train > 0);
        labels.map(|(label, _)| label.as_str())
    }
}

/// Reads the corpora of a plan, and counts what its components have to learn from.
///
/// # Errors
///
/// The errors of reading the corpora and knowledge bases.
pub fn report_data(plan: &TrainingPlan) -> Result<DataReport> {
    let (tokenizer, _) = make_tokenizer(plan)?;
    let (train, dev) = (plan.train.read(&tokenizer)?, plan.dev.read(&tokenizer)?);
    let texts = |read: &ReadExamples| -> AHashSet<String> {
        read.examples.iter().map(|example| example.predicted().text().to_owned()).collect()
    };
    let overlap = texts(&dev).intersection(&texts(&train)).count();
    let learns = |component: &&PlannedComponent| matches!(component.part, Part::Trained(_));
    let listed = plan.components.iter().filter(learns);
    let listed = listed.filter(|component| component.kind() != Some(ComponentKind::Tok2Vec));
    let components = listed.map(|component| {
        let mut figures = Counting::default();
        if component.kind() == Some(ComponentKind::EntityLinker) {
            let settings = plan.initialize.components.get(&component.name);
            let settings = settings.and_then(Value::as_section).cloned().unwrap_or_default();
            let saved = SavedKnowledge::load(&settings, tokenizer.vocab())?;
            figures.knowledge = saved.map(|saved| saved.base);
        }
        for (corpus, read) in [&train, &dev].into_iter().enumerate() {
            for example in &read.examples {
                figures.count(component, example, corpus);
            }
        }
        Ok(ComponentFigures {
            name: component.name.clone(),
            factory: component.factory.clone(),
            annotated: figures.annotated,
            labels: figures.labels.into_iter().collect(),
            oddities: figures.oddities.into_iter().collect(),
        })
    });
    let components = components.collect::<Result<_>>()?;
    Ok(DataReport { components, overlap, train: corpus_figures(&train), dev: corpus_figures(&dev) })
}

fn corpus_figures(read: &ReadExamples) -> CorpusFigures {
    let mut figures = CorpusFigures {
        documents: read.examples.len(),
        too_long: read.too_long,
        ..CorpusFigures::default()
    };
    let mut types = AHashSet::new();
    for example in &read.examples {
        let doc = example.predicted();
        figures.words += doc.len();
        figures.misaligned += (0..doc.len()).filter(|at| example.gold_token(*at).is_none()).count();
        types.extend(doc.attrs().column(AttrId::ORTH));
    }
    figures.word_types = types.len();
    figures
}

/// The counts of a component while examples are read.
#[derive(Default)]
struct Counting {
    /// The knowledge base that links refer to, if the configuration names one.
    knowledge: Option<Arc<KnowledgeBase>>,
    annotated: [usize; 2],
    labels: BTreeMap<String, [usize; 2]>,
    oddities: BTreeMap<Oddity, [usize; 2]>,
}

impl Counting {
    fn count(&mut self, component: &PlannedComponent, example: &Example, corpus: usize) {
        let reference = example.reference();
        let doc = &reference.doc;
        let labels_before: usize = self.labels.values().map(|uses| uses[corpus]).sum();
        let mut is_annotated = false;
        match component.kind() {
            Some(ComponentKind::Tagger) => self.values(doc, &[AttrId::TAG], corpus),
            Some(ComponentKind::Morphologizer) => {
                self.values(doc, &[AttrId::POS, AttrId::MORPH], corpus);
            }
            Some(ComponentKind::TrainableLemmatizer) => {
                is_annotated = doc.attrs().column(AttrId::LEMMA).iter().any(|lemma| *lemma != 0);
            }
            Some(ComponentKind::Senter) => is_annotated = doc.sentences().are_set(),
            Some(ComponentKind::Parser | ComponentKind::BeamParser) => self.tree(doc, corpus),
            Some(ComponentKind::Ner | ComponentKind::BeamNer) => {
                is_annotated = doc.attrs().column(AttrId::ENT_IOB).iter().any(|tag| *tag != 0);
                for span in doc.entities().spans().unwrap_or_default() {
                    self.span(doc, span.start, span.end, span.label, corpus);
                }
            }
            Some(ComponentKind::EntityLinker) => self.links(doc, corpus),
            Some(ComponentKind::Textcat | ComponentKind::TextcatMultilabel) => {
                is_annotated = !reference.cats.is_empty();
                let positive = reference.cats.iter().filter(|(_, value)| *value > 0.0);
                let positive: Vec<_> = positive.collect();
                for (label, _) in &reference.cats {
                    self.labels.entry(label.clone()).or_default();
                }
                for (label, _) in &positive {
                    self.labels.entry(label.clone()).or_default()[corpus] += 1;
                }
                let is_exclusive = component.kind() == Some(ComponentKind::Textcat);
                if is_exclusive && positive.len() > 1 {
                    self.odd(Oddity::SeveralCategories, corpus);
                }
            }
            _ => {
                let Some(Scorer::Spans { key, .. }) = &component.scorer else { return };
                let group = reference.groups.get(key.as_str());
                for span in group.map_or(&[][..], |group| group.spans()) {
                    self.span(doc, span.start, span.end, span.label, corpus);
                }
            }
        }
        let labels: usize = self.labels.values().map(|uses| uses[corpus]).sum();
        self.annotated[corpus] += usize::from(is_annotated || labels > labels_before);
    }

    /// Counts the values of attributes of each token, joined.
    fn values(&mut self, doc: &Doc, attrs: &[AttrId], corpus: usize) {
        for token in doc.iter() {
            let parts = attrs.iter().map(|attr| token.text_of(*attr));
            let parts: Vec<&str> = parts.filter(|part| !["", "_"].contains(part)).collect();
            if !parts.is_empty() {
                self.labels.entry(parts.join(" ")).or_default()[corpus] += 1;
            }
        }
    }

    fn tree(&mut self, doc: &Doc, corpus: usize) {
        self.values(doc, &[AttrId::DEP], corpus);
        if !doc.syntax_records().is_some_and(|all| all.iter().any(|one| one.dep != 0)) {
            return;
        }
        let heads: Vec<_> = doc.iter().map(|token| Some(token.head().i())).collect();
        if is_nonprojective_tree(&heads).unwrap_or(false) {
            self.odd(Oddity::CrossingArcs, corpus);
        }
        if doc.sentences().ranges().is_ok_and(|sentences| sentences.count() == 1) {
            self.odd(Oddity::OneSentence, corpus);
        }
    }

    /// Counts linked entities by their labels, and the links that cannot be predicted.
    fn links(&mut self, doc: &Doc, corpus: usize) {
        let knowledge = self.knowledge.clone();
        for entity in doc.entities().spans().unwrap_or_default() {
            if entity.kb_id == 0 {
                self.odd(Oddity::Unlinked, corpus);
                continue;
            }
            self.span(doc, entity.start, entity.end, entity.label, corpus);
            let (Some(base), link) = (&knowledge, StrId::new(entity.kb_id)) else { continue };
            let range = range_of(&entity);
            let text = doc.span(range.start, range.end).map(|span| span.text().to_string());
            if base.vector_of(link).is_none() {
                self.odd(Oddity::UnknownLink, corpus);
            } else if !base.candidates(&text.unwrap_or_default()).any(|own| own.entity == link) {
                self.odd(Oddity::NoCandidate, corpus);
            }
        }
    }

    fn span(&mut self, doc: &Doc, start: i32, end: i32, label: u64, corpus: usize) {
        let place = |position: i32| usize::try_from(position).unwrap_or(0);
        let (start, end) = (place(start), place(end).min(doc.len()));
        let label = doc.snapshot().string(StrId::new(label)).unwrap_or_default().to_owned();
        self.labels.entry(label).or_default()[corpus] += 1;
        if start >= end {
            return;
        }
        let is_space =
            |at: usize| doc.token(at).is_some_and(|token| token.text().trim().is_empty());
        if is_space(start) || is_space(end - 1) {
            self.odd(Oddity::WhitespaceEdge, corpus);
        }
        if doc.sentences().are_set() && doc.sentences().containing(start).end < end {
            self.odd(Oddity::AcrossSentences, corpus);
        }
    }

    fn odd(&mut self, oddity: Oddity, corpus: usize) {
        self.oddities.entry(oddity).or_default()[corpus] += 1;
    }
}
