//! Parsers and entity recognizers as components that are trained.

use ahash::AHashSet;
use lexpool::config::{Section, Value};
use lexpool::msgpack::{Item, Reader, Writer};
use lexpool::tokens::Doc;
use lexpool::trained::read_moves;
use lexpool::transition::{ArcEager, BiluoPushDown};
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes, limits};
use lexpool_msgpack::Value as Message;

use super::super::component::{
    ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory,
};
use super::super::labels::{file_of, given_value};
use super::super::update::UpdateBatch;
use super::super::weights::Weights;
use super::labels::{LabelSettings, LabelSystem, Moves, given_moves};
use super::learner::{Learner, UpdateSettings};
use crate::corpora::example::Example;
use crate::settings::fields::{Fields, NumberRange};

/// The settings of beams that a factory has when the configuration lacks them.
struct BeamDefaults {
    width: usize,
    density: f64,
    update_prob: f64,
}

/// A component whose network scores the states of a parse.
struct StateComponent<S> {
    learner: Learner<S>,
    labels: LabelSettings,
    weights: Weights,
}

/// Reads the section of a parser: of the factory `parser` or `beam_parser`.
pub(crate) fn read_parser(
    by_beams: bool,
    fields: Fields<'_>,
) -> Option<Box<dyn TrainableComponent>> {
    let labels = LabelSettings {
        min_action_freq: fields.count("min_action_freq", 30, limits::COMPONENT_FREQUENCY),
        learn_tokens: fields.flag("learn_tokens", false),
    };
    let beams = by_beams.then_some(BeamDefaults { width: 8, density: 0.01, update_prob: 0.5 });
    fields.scorer("spacy.parser_scorer.v1");
    read::<ArcEager>(beams, labels, fields)
}

/// Reads the section of an entity recognizer: of the factory `ner` or `beam_ner`.
pub(crate) fn read_ner(by_beams: bool, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    // Its labels are never too rare.
    let labels = LabelSettings { min_action_freq: 1, learn_tokens: false };
    let beams = by_beams.then_some(BeamDefaults { width: 32, density: 0.01, update_prob: 0.5 });
    fields.scorer("spacy.ner_scorer.v1");
    read::<BiluoPushDown>(beams, labels, fields)
}

fn read<S: LabelSystem>(
    beams: Option<BeamDefaults>,
    labels: LabelSettings,
    fields: Fields<'_>,
) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    fields.no_function("moves");
    let is_list = |value: &&Value| value.as_list().is_none_or(|tasks| !tasks.is_empty());
    if let Some(tasks) = fields.get("multitasks").filter(is_list) {
        fields.unsupported(&format!(
            "has \"multitasks\" {tasks}, which lexpool does not train; leave it out"
        ));
    }
    let mut settings = UpdateSettings {
        cut_size: fields.count("update_with_oracle_cut_size", 100, limits::DOC_LENGTH),
        beam_width: 1,
        beam_density: 0.0,
        beam_update_prob: 0.0,
        incorrect_spans_key: None,
    };
    if let Some(beams) = beams {
        let width = fields.at_least_one("beam_width", beams.width, limits::BEAM_WIDTH);
        settings.beam_width = width;
        settings.beam_density = fields.number_in("beam_density", beams.density, NumberRange::SHARE);
        let prob = beams.update_prob;
        settings.beam_update_prob = fields.number_in("beam_update_prob", prob, NumberRange::SHARE);
    }
    if S::HAS_INCORRECT_SPANS {
        settings.incorrect_spans_key = fields.text("incorrect_spans_key");
    }
    fields.finish();
    let learner = Learner { system: S::default(), settings, is_unseen: Vec::new() };
    Some(Box::new(StateComponent { learner, labels, weights: weights? }))
}

impl<S: LabelSystem> StateComponent<S> {
    /// Adds classes for labels of documents that have none. Their weights are 0, and they are
    /// unseen until a gold move has used them.
    fn add_missing_labels(&mut self, batch: &UpdateBatch<'_>) -> Result<()> {
        let predicted = batch.examples.iter().map(|example| example.predicted());
        let references = batch.examples.iter().map(|example| &example.reference().doc);
        let docs: Vec<&Doc> = predicted.chain(references).collect();
        let (moves, labels) = self.learner.system.missing_labels(&docs);
        for label in &labels {
            for action in &moves {
                self.learner.system.actions_mut().add(*action, label)?;
            }
        }
        let n_classes = self.learner.system.actions().len();
        if n_classes > self.learner.is_unseen.len() {
            self.weights.resize_classes(n_classes)?;
            self.learner.is_unseen.resize(n_classes, true);
        }
        Ok(())
    }

    /// Adds the labels that were added before to those that were found.
    fn with_known(&self, mut moves: Moves) -> Moves {
        for (action, known) in self.learner.system.actions().labels() {
            let at = moves.iter().position(|(own, _)| *own == action).unwrap_or_else(|| {
                moves.push((action, Vec::new()));
                moves.len() - 1
            });
            let labels = &mut moves[at].1;
            let found: AHashSet<String> = labels.iter().map(|(label, _)| label.clone()).collect();
            let new = known.filter(|(label, _)| !found.contains(*label));
            labels.extend(new.map(|(label, frequency)| (label.to_owned(), frequency)));
        }
        moves
    }

    fn cfg(&self) -> Section {
        let UpdateSettings { cut_size, beam_width, beam_density, beam_update_prob, .. } =
            self.learner.settings;
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let key = self.learner.settings.incorrect_spans_key.as_deref();
        let mut cfg = Section::default();
        cfg.set("moves", Value::Null);
        cfg.set("update_with_oracle_cut_size", count(cut_size));
        cfg.set("multitasks", Value::List(Vec::new()));
        cfg.set("min_action_freq", count(self.labels.min_action_freq));
        cfg.set("learn_tokens", self.labels.learn_tokens);
        cfg.set("beam_width", count(beam_width));
        cfg.set("beam_density", beam_density);
        cfg.set("beam_update_prob", beam_update_prob);
        cfg.set("incorrect_spans_key", key.map_or(Value::Null, Value::from));
        cfg
    }

    /// Returns the file `moves`: a message with a JSON text of labels and their frequencies.
    fn moves(&self) -> Result<Vec<u8>> {
        let mut moves = Section::default();
        for (action, labels) in self.learner.system.actions().labels() {
            let mut frequencies = Section::default();
            for (label, frequency) in labels {
                frequencies.set(label, frequency);
            }
            moves.set(&action.to_string(), frequencies);
        }
        let text = |text: &str| Message::Str(text.to_owned());
        let key = self.learner.settings.incorrect_spans_key.as_deref();
        let cfg = vec![(text("neg_key"), key.map_or(Message::Nil, text))];
        let moves = Value::Section(moves).to_json();
        let message = vec![(text("moves"), text(&moves)), (text("cfg"), Message::Map(cfg))];
        Message::Map(message).to_bytes()
    }
}

impl<S: LabelSystem> TrainableComponent for StateComponent<S> {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        let moves = match given_value(start)? {
            Some(given) => given_moves(&given)?,
            None => S::count_labels(start.examples, self.labels)?,
        };
        let moves = self.with_known(moves);
        self.learner.system.actions_mut().initialize(moves)?;
        let actions = self.learner.system.actions();
        let strings = start.vocab.strings();
        strings.add("ROOT")?;
        for class in actions.classes().filter(|class| !actions.label(*class).is_empty()) {
            strings.add(actions.label(class))?;
        }
        self.learner.is_unseen = vec![false; actions.len()];
        self.weights.initialize(Some(actions.len()), start)
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        self.learner.learns_from(example)
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let network = self.weights.network()?;
        let n_states = batch.n_tokens() * S::STATES_PER_TOKEN * self.learner.settings.n_paths();
        let of_states = network.state_layers()?.sizes().n_bytes(batch.n_tokens(), n_states);
        Ok(UpdateMemory { kept: 0, passing: batch.network_bytes(network, None)? + of_states })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        self.add_missing_labels(batch)?;
        let (network, gradients) = self.weights.parts()?;
        self.learner.update(network, gradients, batch)
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        let mut files = self.weights.files(self.cfg())?;
        files.push(("moves".to_owned(), self.moves()?));
        Ok(files)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        let actions = self.learner.system.actions_mut();
        if let Some(moves) = file_of(files, "moves") {
            actions.initialize(read_moves(moves)?)?;
        }
        let strings = vocab.strings();
        for class in actions.classes().filter(|class| !actions.label(*class).is_empty()) {
            strings.add(actions.label(class))?;
        }
        self.weights.restore(file_of(files, "model"))?;
        if file_of(files, "model").is_some() {
            let n_classes = self.weights.network()?.state_layers()?.sizes().classes;
            self.learner.is_unseen = vec![false; n_classes];
        }
        Ok(())
    }

    fn fit_outputs(&mut self) -> Result<()> {
        let n_classes = self.learner.system.actions().len();
        if !self.weights.are_made() || n_classes == self.learner.is_unseen.len() {
            return Ok(());
        }
        self.weights.resize_classes(n_classes)?;
        self.learner.is_unseen.resize(n_classes, true);
        Ok(())
    }

    fn keep_tutor(&mut self) -> Result<()> {
        self.weights.keep_tutor()
    }

    fn rehearse(&mut self, batch: &mut UpdateBatch<'_>) -> Result<Option<f64>> {
        let n_classes = self.learner.system.actions().len();
        let Some(tutor) = self.weights.tutor_mut() else { return Ok(None) };
        // Labels may have been added since the network and its tutor were made.
        tutor.resize_classes(n_classes)?;
        self.fit_outputs()?;
        let (network, tutor, gradients) = self.weights.parts_with_tutor()?;
        self.learner.rehearse(network, tutor, gradients, batch).map(Some)
    }

    fn labels(&self) -> Vec<String> {
        self.learner.system.labels()
    }

    /// Returns the classes, and which of them are unseen: labels of later documents add classes.
    fn progress(&self) -> Result<Vec<u8>> {
        let actions = self.learner.system.actions();
        let mut out = Writer::new();
        out.array(actions.len())?;
        let classes = actions.transitions().iter().zip(actions.classes());
        for ((transition, class), is_unseen) in classes.zip(&self.learner.is_unseen) {
            out.array(3)?;
            out.uint(u64::from(transition.action));
            out.str(actions.label(class))?;
            out.bool(*is_unseen);
        }
        Ok(out.into_bytes())
    }

    fn resume(&mut self, progress: &[u8]) -> Result<()> {
        let wrong = || {
            let text = "the classes of a paused training are other ones than those of this corpus";
            Error::value(codes::STATE_CONTENT, text)
        };
        let mut reader = Reader::new(progress);
        let n_classes = reader.array()?;
        let mut is_unseen = Vec::with_capacity(n_classes);
        for at in 0..n_classes {
            if reader.array()? != 3 {
                return Err(wrong());
            }
            let action = u8::try_from(reader.uint()?).map_err(|_| wrong())?;
            let label = reader.str()?;
            let Item::Bool(own) = reader.item()? else { return Err(wrong()) };
            is_unseen.push(own);
            let actions = self.learner.system.actions_mut();
            if at >= actions.len() {
                actions.add(action, label)?;
            }
            let class = actions.classes().nth(at).ok_or_else(wrong)?;
            let own = actions.get(class).map(|transition| transition.action);
            if own != Some(action) || actions.label(class) != label {
                return Err(wrong());
            }
        }
        reader.finish()?;
        let n_own = self.learner.system.actions().len();
        if n_classes != n_own {
            return Err(wrong());
        }
        if n_own > self.learner.is_unseen.len() {
            self.weights.resize_classes(n_own)?;
        }
        self.learner.is_unseen = is_unseen;
        Ok(())
    }
}
