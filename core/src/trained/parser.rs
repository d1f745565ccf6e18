//! Dependency parsers and entity recognizers: a transition system whose classes a network scores.

use std::sync::Arc;

use super::labels::check_count;
use super::states::StateModel;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups, apply_plan, merge_subtokens};
use crate::projective::deprojectivize;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::transition::{
    AnnotateDoc, ArcEager, Batching, Beam, BiluoPushDown, ParseState, TransitionSystem, batch,
    beam, token_facts,
};

/// The width of a beam, and the share of the best parse's probability below which parses are
/// dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSettings {
    /// The number of parses; 1 for a greedy parse.
    pub width: usize,
    /// The share, from 0 to 1.
    pub density: f32,
}

impl BeamSettings {
    /// The settings of a greedy parse.
    pub const GREEDY: BeamSettings = BeamSettings { width: 1, density: 0.0 };
}

/// A transition system, its network and its search.
struct Parser<S> {
    model: StateModel,
    system: Arc<S>,
    beam: BeamSettings,
}

impl<S: TransitionSystem + Clone> Parser<S> {
    fn new(model: StateModel, system: Arc<S>, beam: BeamSettings) -> Result<Parser<S>> {
        // Classes that were added since the network was trained have its lowest scores.
        if system.actions().len() < model.n_classes() {
            check_count(system.actions().len(), model.n_classes())?;
        }
        Ok(Parser { model, system, beam })
    }

    /// Returns the system with classes for labels that a document brings along.
    fn system_for(&self, doc: &Doc, labels: &[u64]) -> Result<Arc<S>> {
        let mut missing: Vec<StrId> = labels.iter().copied().map(StrId::new).collect();
        missing.sort_unstable();
        missing.dedup();
        let actions: Vec<u8> = self.system.actions().labels().map(|(action, _)| action).collect();
        missing.retain(|label| {
            *label != StrId::EMPTY
                && actions.iter().any(|action| self.system.actions().lacks(*action, *label))
        });
        if missing.is_empty() {
            return Ok(Arc::clone(&self.system));
        }
        let mut system = S::clone(&self.system);
        for label in missing {
            let Some(text) = doc.snapshot().string(label) else { continue };
            for action in &actions {
                system.actions_mut().add(*action, text)?;
            }
        }
        Ok(Arc::new(system))
    }

    /// Returns the final state of the best parse.
    fn parse(&self, doc: &Doc, system: &S) -> Result<ParseState> {
        let state = ParseState::new(token_facts(doc), 0)?;
        if doc.is_empty() {
            return Ok(state);
        }
        if self.beam.width > 1 {
            let beam = self.beam_of(doc, system, self.beam)?;
            return Ok(beam.state(0).cloned().unwrap_or(state));
        }
        let mut states = [state];
        let scorer = self.model.scorer([doc], system.actions().len(), false)?;
        batch::parse(system, &mut states, &scorer, Batching::default())?;
        let [state] = states;
        Ok(state)
    }

    /// Returns the final states of the greedy parses of documents, whose weights are read once.
    fn parse_all(&self, docs: &[&Doc]) -> Result<Vec<ParseState>> {
        let mut first = 0;
        let mut states = Vec::with_capacity(docs.len());
        for doc in docs {
            states.push(ParseState::new(token_facts(doc), first)?);
            first += doc.len();
        }
        let n_classes = self.system.actions().len();
        let scorer = self.model.scorer(docs.iter().copied(), n_classes, false)?;
        batch::parse(&*self.system, &mut states, &scorer, Batching::default())?;
        Ok(states)
    }

    fn beam_of(&self, doc: &Doc, system: &S, settings: BeamSettings) -> Result<Beam> {
        let state = ParseState::new(token_facts(doc), 0)?;
        // spaCy rectifies hidden layers of one piece in beams, and in beams only.
        let scorer = self.model.scorer([doc], system.actions().len(), true)?;
        let BeamSettings { width, density } = settings;
        let mut beams =
            beam::parse(system, &[state], &scorer, width, density, Batching::default())?;
        Ok(beams.remove(0))
    }
}

/// Sets heads, labels and sentence starts: spaCy's `DependencyParser`.
pub struct DependencyParser {
    parser: Parser<ArcEager>,
    learn_tokens: bool,
}

impl DependencyParser {
    /// Makes a parser of a network and the moves that it scores.
    ///
    /// `learn_tokens` says whether tokens that the label `subtok` joins are merged.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of classes than outputs.
    pub fn new(
        model: StateModel,
        moves: Arc<ArcEager>,
        beam: BeamSettings,
        learn_tokens: bool,
    ) -> Result<DependencyParser> {
        Ok(DependencyParser { parser: Parser::new(model, moves, beam)?, learn_tokens })
    }

    /// Parses a document by a beam.
    ///
    /// # Errors
    ///
    /// Those of a parse; `beam-width`, `beam-density` for wrong settings.
    pub fn beam(&self, doc: &Doc, settings: BeamSettings) -> Result<Beam> {
        self.parser.beam_of(doc, &self.parser.system, settings)
    }

    fn annotate(&self, doc: &mut Doc, state: &ParseState) -> Result<()> {
        self.parser.system.annotate(state, doc)?;
        deprojectivize(doc)?;
        if self.learn_tokens {
            apply_plan(&merge_subtokens(doc, StrId::of("subtok"))?, doc)?;
        }
        Ok(())
    }
}

impl Component for DependencyParser {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let state = self.parser.parse(doc, &self.parser.system)?;
        self.annotate(doc, &state)
    }

    fn prefers_groups(&self) -> bool {
        self.parser.beam.width <= 1
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        let annotation =
            |state| -> Annotation<'a> { Box::new(move |doc, _, _| self.annotate(doc, &state)) };
        Ok(self.parser.parse_all(docs)?.into_iter().map(annotation).collect())
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        matches!(kind, AnnotationKind::Trees | AnnotationKind::Sentences)
    }
}

/// Sets named entities: spaCy's `EntityRecognizer`.
pub struct EntityRecognizer {
    parser: Parser<BiluoPushDown>,
}

impl EntityRecognizer {
    /// Makes a recognizer of a network and the moves that it scores.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of classes than outputs.
    pub fn new(
        model: StateModel,
        moves: Arc<BiluoPushDown>,
        beam: BeamSettings,
    ) -> Result<EntityRecognizer> {
        Ok(EntityRecognizer { parser: Parser::new(model, moves, beam)? })
    }

    /// Searches the entities of a document by a beam.
    ///
    /// # Errors
    ///
    /// Those of a parse; `beam-width`, `beam-density` for wrong settings.
    pub fn beam(&self, doc: &Doc, settings: BeamSettings) -> Result<Beam> {
        self.parser.beam_of(doc, &*self.system_for(doc)?, settings)
    }

    fn system_for(&self, doc: &Doc) -> Result<Arc<BiluoPushDown>> {
        let types: Vec<u64> = doc
            .entity_records()
            .map_or(Vec::new(), |all| all.iter().map(|own| own.ent_type).collect());
        self.parser.system_for(doc, &types)
    }
}

impl Component for EntityRecognizer {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let system = self.system_for(doc)?;
        let state = self.parser.parse(doc, &system)?;
        system.annotate(&state, doc)
    }

    fn prefers_groups(&self) -> bool {
        self.parser.beam.width <= 1
    }

    /// Documents with preset entities of other types need a system of their own: they are parsed
    /// alone.
    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        let system = &self.parser.system;
        let is_plain = |doc: &&Doc| Ok(Arc::ptr_eq(&self.system_for(doc)?, system));
        let is_plain = docs.iter().map(is_plain).collect::<Result<Vec<bool>>>()?;
        let plain = docs.iter().zip(&is_plain).filter(|(_, is_plain)| **is_plain);
        let plain: Vec<&Doc> = plain.map(|(doc, _)| *doc).collect();
        let mut states = self.parser.parse_all(&plain)?.into_iter();
        let annotations = is_plain.into_iter().map(|is_plain| -> Annotation<'a> {
            match is_plain.then(|| states.next()).flatten() {
                Some(state) => Box::new(move |doc, _, _| system.annotate(&state, doc)),
                None => Box::new(|doc, groups, _| self.apply(doc, groups)),
            }
        });
        Ok(annotations.collect())
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Entities
    }
}
