//! Linkers of entities: encodings of contexts get the direction of the vectors of entities.

use std::sync::Arc;

use lexpool::components::ComponentKind;
use lexpool::config::{Section, Value};
use lexpool::knowledge::{KnowledgeBase, LinkerVersion, check_filled};
use lexpool::loading::network_refusals;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool::{Error, ErrorKind, Result, codes, limits};
use lexpool_nn::Rows;
use lexpool_nn::learn::SpanRange;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::contexts::{has_candidates, linked_sentences, links_of_matches, sentences_of_entities};
use super::cosine;
use super::knowledge::SavedKnowledge;
use super::labels::{cfg_of, file_of, wrong_scores};
use super::update::{UpdateBatch, pass_bytes};
use super::weights::Weights;
use crate::corpora::example::Example;
use crate::settings::fields::{Fields, NumberRange};

struct EntityLinker {
    name: String,
    version: LinkerVersion,
    /// The number of sentences beside those of an entity, which only the first version learns from.
    n_sents: usize,
    overwrite: bool,
    use_gold_ents: bool,
    base: Arc<KnowledgeBase>,
    /// `true` if a batch without candidates in the knowledge base is left out.
    looks_up: bool,
    /// The files of the knowledge base; `None` if its owner saves it.
    saved: Option<SavedKnowledge>,
    weights: Weights,
}

/// Reads the section of a linker.
pub(super) fn read(name: &str, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let section = fields.value_of_all();
    let settings = section.as_section().cloned().unwrap_or_default();
    for reason in network_refusals(Some(ComponentKind::EntityLinker), &settings) {
        fields.unsupported(&reason);
    }
    for key in ["get_candidates", "get_candidates_batch", "generate_empty_kb"] {
        fields.get(key);
    }
    for key in ["incl_prior", "incl_context"] {
        fields.flag(key, true);
    }
    fields.texts("labels_discard");
    fields.at_least_one("candidates_batch_size", 1, limits::PIPE_BATCH);
    if fields.get("threshold").is_some() {
        fields.number_in("threshold", 0.0, NumberRange::SHARE);
    }
    let n_sents = fields.count("n_sents", 0, limits::DOC_LENGTH);
    let overwrite = fields.flag("overwrite", true);
    let use_gold_ents = fields.flag("use_gold_ents", true);
    let width = fields.count("entity_vector_length", 64, limits::VECTORS_WIDTH);
    let base = KnowledgeBase::new(width).into();
    fields.scorer("spacy.entity_linker_scorer.v1");
    let version = version_of(&settings);
    fields.finish();
    let (name, saved, weights) = (name.to_owned(), None, weights?);
    Some(Box::new(EntityLinker {
        name,
        version,
        n_sents,
        overwrite,
        use_gold_ents,
        base,
        looks_up: true,
        saved,
        weights,
    }))
}

/// Returns whether a linker of these settings is scored on the entities of references, as by
/// default; the first version never is.
pub(crate) fn uses_gold_entities(settings: &Section) -> bool {
    let flag = settings.get("use_gold_ents").and_then(Value::as_bool);
    flag.unwrap_or(true) && version_of(settings) == LinkerVersion::V2
}

/// Returns the version of a linker by its settings.
fn version_of(settings: &Section) -> LinkerVersion {
    let model = settings.get("model").and_then(Value::as_section);
    let name = model.and_then(|model| model.get("@architectures")?.as_text());
    LinkerVersion::of_architecture(name.unwrap_or_default())
}

impl EntityLinker {
    /// Takes a knowledge base with its files.
    fn take(&mut self, saved: Option<SavedKnowledge>) {
        if let Some(saved) = saved {
            self.base = Arc::clone(&saved.base);
            self.saved = Some(saved);
        }
    }

    /// Checks that the knowledge base has entities, if it is the one that candidates are looked up
    /// in.
    fn check_filled(&self) -> Result<()> {
        if self.looks_up { check_filled(&self.base, &self.name) } else { Ok(()) }
    }

    /// Returns the gradient of encodings, and the loss: the mean distance from the vectors of the
    /// entities that they are linked to. Encodings without a link have no gradient; an entity that
    /// the knowledge base lacks has a vector of zeros.
    ///
    /// # Errors
    ///
    /// `E147` for encodings of another width; `gradient-shape` for another number of them.
    fn gradient(&self, scores: &Rows, links: &[Option<StrId>]) -> Result<(Vec<f32>, f64)> {
        let width = self.base.width();
        if scores.len() != links.len() {
            return Err(wrong_scores(scores, links.len(), width));
        }
        if scores.width() != width {
            let text = format!(
                "the component {:?} encodes contexts as {} numbers, and the vectors of its \
                 knowledge base have {width}",
                self.name,
                scores.width()
            );
            return Err(Error::new(ErrorKind::State, codes::E147, text));
        }
        let zeros = vec![0.0; width];
        let mut d = Vec::with_capacity(scores.numbers().len());
        let (mut sum, mut count) = (0.0, 0_u32);
        for (row, link) in scores.rows().zip(links) {
            match link {
                None => d.extend_from_slice(&zeros),
                Some(entity) => {
                    let vector = self.base.vector_of(*entity).unwrap_or(&zeros);
                    sum += cosine::push_gradient(&mut d, row, vector);
                    count += 1;
                }
            }
        }
        Ok((d, sum / f64::from(count.max(1))))
    }

    /// Learns from the sentences of the entities of documents.
    fn update_by_spans(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        let given = if self.use_gold_ents { batch.examples } else { &[] };
        let copies = with_gold_entities(given)?;
        let docs = if self.use_gold_ents { copies.iter().collect() } else { batch.docs() };
        if self.looks_up && !has_candidates(&self.base, &docs)? {
            return Ok(0.0);
        }
        let spans = sentences_of_all(&docs)?;
        let links = links_of_all(batch.examples, &docs)?;
        let (scores, tape) = batch.forward_on(self.weights.network()?, &docs, Some(&spans))?;
        let (d, loss) = self.gradient(&scores, &links)?;
        let (network, gradients) = self.weights.parts()?;
        batch.backward(network, tape, d, gradients)?;
        Ok(loss)
    }

    /// Learns from sentences of references, each as a document: the first version.
    fn update_by_sentences(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        let (docs, links) = self.linked_docs(batch.examples)?;
        if docs.is_empty() {
            return Ok(0.0);
        }
        let docs: Vec<&Doc> = docs.iter().collect();
        let (scores, tape) = batch.forward_alone(self.weights.network()?, &docs)?;
        let (d, loss) = self.gradient(&scores, &links)?;
        let (network, gradients) = self.weights.parts()?;
        // The rows of a shared component are those of whole documents, so it learns nothing.
        network.backward(tape, d, gradients, batch.workers)?;
        Ok(loss)
    }

    /// Returns the sentences of linked entities, each as a document, and the links.
    fn linked_docs(&self, examples: &[&Example]) -> Result<(Vec<Doc>, Vec<Option<StrId>>)> {
        let (mut docs, mut links) = (Vec::new(), Vec::new());
        for example in examples {
            for (range, entity) in linked_sentences(example, self.n_sents)? {
                docs.push(example.predicted().span(range.start, range.end)?.to_doc()?);
                links.push(Some(entity));
            }
        }
        Ok((docs, links))
    }
}

/// Returns copies of the documents with the entities of their references.
fn with_gold_entities(examples: &[&Example]) -> Result<Vec<Doc>> {
    let with_entities = |example: &&Example| {
        let mut doc = example.predicted().try_clone()?;
        example.give_entities(&mut doc)?;
        Ok(doc)
    };
    examples.iter().map(with_entities).collect()
}

/// Returns the sentences of the entities of each document.
fn sentences_of_all(docs: &[&Doc]) -> Result<Vec<Vec<SpanRange>>> {
    docs.iter().map(|doc| sentences_of_entities(doc)).collect()
}

/// Returns the links of the entities of documents, one document after another.
fn links_of_all(examples: &[&Example], docs: &[&Doc]) -> Result<Vec<Option<StrId>>> {
    let mut links = Vec::new();
    for (example, doc) in examples.iter().zip(docs) {
        links.extend(links_of_matches(example, doc)?);
    }
    Ok(links)
}

impl TrainableComponent for EntityLinker {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        self.take(SavedKnowledge::load(start.settings, start.vocab)?);
        self.check_filled()?;
        self.weights.initialize(Some(self.base.width()), start)
    }

    fn set_knowledge(&mut self, base: &Arc<KnowledgeBase>, looks_up: bool) {
        self.base = Arc::clone(base);
        (self.saved, self.looks_up) = (None, looks_up);
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        let reference = example.reference();
        let linked = match self.version {
            LinkerVersion::V1 => linked_sentences(example, self.n_sents).map(|all| !all.is_empty()),
            LinkerVersion::V2 => {
                let entities = reference.doc.entities().spans();
                entities.map(|all| all.iter().any(|entity| entity.kb_id != 0))
            }
        };
        linked.map_err(|error| error.context(&reference.place))
    }

    /// Entities of references stand for those that other components will find.
    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let network = self.weights.network()?;
        let (docs, _) = match self.version {
            LinkerVersion::V1 => self.linked_docs(batch.examples)?,
            LinkerVersion::V2 => (with_gold_entities(batch.examples)?, Vec::new()),
        };
        let docs: Vec<&Doc> = docs.iter().collect();
        let (rows, tape) = match self.version {
            LinkerVersion::V1 if docs.is_empty() => return Ok(UpdateMemory::default()),
            LinkerVersion::V1 => batch.forward_alone(network, &docs)?,
            LinkerVersion::V2 => {
                let spans = sentences_of_all(&docs)?;
                if spans.iter().all(Vec::is_empty) {
                    return Ok(UpdateMemory::default());
                }
                batch.forward_on(network, &docs, Some(&spans))?
            }
        };
        Ok(UpdateMemory { kept: 0, passing: pass_bytes(&rows, &tape) })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        self.check_filled()?;
        match self.version {
            LinkerVersion::V1 => self.update_by_sentences(batch),
            LinkerVersion::V2 => self.update_by_spans(batch),
        }
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        let mut cfg = Section::default();
        cfg.set("overwrite", self.overwrite);
        let mut files = self.weights.files(cfg)?;
        files.extend(self.saved.iter().flat_map(SavedKnowledge::files));
        Ok(files)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        self.take(SavedKnowledge::find(files, vocab)?);
        if let Some(overwrite) = cfg_of(files)?.get("overwrite").and_then(Value::as_bool) {
            self.overwrite = overwrite;
        }
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        Ok(())
    }

    /// `examples` have the entities that were encoded.
    fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        _spans: &[Vec<SpanRange>],
    ) -> Result<(Vec<f32>, f64)> {
        let links = match self.version {
            LinkerVersion::V1 => {
                let mut links = Vec::new();
                for example in examples {
                    let all = linked_sentences(example, self.n_sents)?;
                    links.extend(all.into_iter().map(|(_, entity)| Some(entity)));
                }
                links
            }
            LinkerVersion::V2 => {
                let docs: Vec<&Doc> = examples.iter().map(|example| example.predicted()).collect();
                links_of_all(examples, &docs)?
            }
        };
        self.gradient(scores, &links)
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
