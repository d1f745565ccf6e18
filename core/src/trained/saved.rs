//! Components from what spaCy has saved.

use std::sync::Arc;

use bytes::Bytes;
use lexpool_msgpack::Value as Message;
use lexpool_nn::{GemmOrder, RowUnit};
use lexpool_structs::Pos;

use super::cfg::Cfg;
use super::doc_tokens::VectorSource;
use super::edit_tree_lemmatizer::{EditTreeLemmatizer, EditTreeSettings};
use super::encoder::Encoder;
use super::model::Model;
use super::morphologizer::{MorphLabel, Morphologizer};
use super::parser::{DependencyParser, EntityRecognizer};
use super::senter::SentenceRecognizer;
use super::settings::{model_settings, setting};
use super::span_finder::{SpanFinder, SpanFinderSettings};
use super::spancat::{SpanCategorizer, SpanCategorizerSettings};
use super::states::StateModel;
use super::suggester::Suggester;
use super::tagger::Tagger;
use super::textcat::TextCategorizer;
use super::tok2vec::Tok2Vec;
use crate::codes;
use crate::components::ComponentKind;
use crate::config::{Section, Value};
use crate::pipeline::Component;
use crate::transition::{ArcEager, BiluoPushDown, TransitionSystem};
use crate::{Error, Result, limits};

/// A component as spaCy has saved it.
pub struct SavedComponent<'a> {
    /// The name of the factory, such as "tagger".
    pub factory: &'a str,
    /// The name in the pipeline.
    pub name: &'a str,
    /// The section of the configuration, without references.
    pub settings: &'a Value,
    /// Returns a file of the component by its name, such as "model"; `None` if it is missing.
    pub file: &'a dyn Fn(&str) -> Result<Option<Bytes>>,
    /// The word vectors of the pipeline's vocab.
    pub vectors: Option<Arc<dyn VectorSource>>,
    /// The order of additions in the sums of the network.
    pub order: GemmOrder,
}

/// Returns whether [`component`] makes the components of a kind.
pub fn is_made_here(kind: ComponentKind) -> bool {
    kind.is_trained() && kind != ComponentKind::EntityLinker
}

/// Makes a trained component from its files; `None` for a factory of another kind.
///
/// # Errors
///
/// `model-files` for a missing file; `model-cfg` for a file `cfg` or `moves` that is damaged; those
/// of [`Model::read`] and of the components.
pub fn component(saved: &SavedComponent<'_>) -> Result<Option<Arc<dyn Component>>> {
    if !ComponentKind::of(saved.factory).is_some_and(is_made_here) {
        return Ok(None);
    }
    let section = format!("components.{}", saved.name);
    let settings = model_settings(saved.settings, &section)?;
    let section = format!("{section}.model");
    let (file, vectors) = (saved.required("model")?, saved.vectors.clone());
    let model = Model::read(settings, &section, &file, vectors, saved.order)?;
    component_of(saved, &model)
}

/// Makes a trained component of a network that was read before; `None` for a factory of another
/// kind.
///
/// # Errors
///
/// As for [`component`].
pub fn component_of(
    saved: &SavedComponent<'_>,
    model: &Model,
) -> Result<Option<Arc<dyn Component>>> {
    let Some(kind) = ComponentKind::of(saved.factory) else { return Ok(None) };
    let component: Arc<dyn Component> = match kind {
        ComponentKind::Tok2Vec => Arc::new(Tok2Vec::new(saved.encoder(model)?)),
        ComponentKind::Tagger => Arc::new(tagger(saved, model)?),
        ComponentKind::Morphologizer => Arc::new(morphologizer(saved, model)?),
        ComponentKind::Senter => {
            let overwrite = saved.cfg()?.flag("overwrite", false)?;
            Arc::new(SentenceRecognizer::new(saved.encoder(model)?, overwrite)?)
        }
        ComponentKind::TrainableLemmatizer => Arc::new(lemmatizer(saved, model)?),
        ComponentKind::Parser | ComponentKind::BeamParser => Arc::new(parser(saved, model)?),
        ComponentKind::Ner | ComponentKind::BeamNer => {
            let mut moves = BiluoPushDown::new();
            saved.read_moves(&mut moves)?;
            let beam = saved.required_cfg()?.beam()?;
            Arc::new(EntityRecognizer::new(saved.state_model(model)?, Arc::new(moves), beam)?)
        }
        ComponentKind::Textcat | ComponentKind::TextcatMultilabel => {
            let labels = saved.cfg()?.labels("labels")?;
            Arc::new(TextCategorizer::new(saved.encoder(model)?, labels)?)
        }
        ComponentKind::Spancat => Arc::new(span_categorizer(saved, model, false)?),
        ComponentKind::SpancatSingleLabel => Arc::new(span_categorizer(saved, model, true)?),
        ComponentKind::SpanFinder => Arc::new(span_finder(saved, model)?),
        _ => return Ok(None),
    };
    Ok(Some(component))
}

fn tagger(saved: &SavedComponent<'_>, model: &Model) -> Result<Tagger> {
    let cfg = saved.cfg()?;
    Tagger::new(saved.encoder(model)?, cfg.labels("labels")?, cfg.flag("overwrite", false)?)
}

fn morphologizer(saved: &SavedComponent<'_>, model: &Model) -> Result<Morphologizer> {
    let cfg = saved.cfg()?;
    let (morphs, parts) = (cfg.object("labels_morph")?, cfg.object("labels_pos")?);
    let label = |(label, features): (&str, &Value)| {
        let wrong = |key: &str, value: &Value, expected: &str| {
            cfg.wrong(&format!("{key:?} of {label:?}"), value, expected)
        };
        // As in spaCy, a label without an entry has no part of speech.
        let pos = parts.get(label).unwrap_or(&Value::Int(0));
        let number = pos.as_int().and_then(|number| u32::try_from(number).ok());
        let pos = number.and_then(Pos::from_number).ok_or_else(|| {
            wrong("labels_pos", pos, "0 or the number of a part of speech, such as 92 for NOUN")
        })?;
        let text = features.as_text().ok_or_else(|| wrong("labels_morph", features, "a text"))?;
        Ok(MorphLabel { features: text.to_owned(), pos })
    };
    let labels = morphs.iter().map(label).collect::<Result<_>>()?;
    let (overwrite, extend) = (cfg.flag("overwrite", true)?, cfg.flag("extend", false)?);
    Morphologizer::new(saved.encoder(model)?, labels, overwrite, extend)
}

fn lemmatizer(saved: &SavedComponent<'_>, model: &Model) -> Result<EditTreeLemmatizer> {
    let cfg = saved.cfg()?;
    let settings = EditTreeSettings {
        labels: cfg.numbers("labels")?,
        backoff: cfg.text("backoff")?.map(str::to_owned),
        top_k: cfg.count("top_k", limits::COMPONENT_CHOICES)?.unwrap_or(1),
        overwrite: cfg.flag("overwrite", false)?,
    };
    EditTreeLemmatizer::read(saved.encoder(model)?, &saved.required("trees")?, settings)
}

fn parser(saved: &SavedComponent<'_>, model: &Model) -> Result<DependencyParser> {
    let mut moves = ArcEager::new();
    saved.read_moves(&mut moves)?;
    let cfg = saved.required_cfg()?;
    let learn_tokens = cfg.flag("learn_tokens", false)?;
    DependencyParser::new(saved.state_model(model)?, Arc::new(moves), cfg.beam()?, learn_tokens)
}

fn span_categorizer(
    saved: &SavedComponent<'_>,
    model: &Model,
    is_single: bool,
) -> Result<SpanCategorizer> {
    let cfg = saved.cfg()?;
    let max_positive = cfg.count("max_positive", limits::COMPONENT_CHOICES)?;
    let settings = SpanCategorizerSettings {
        spans_key: cfg.text("spans_key")?.unwrap_or("sc").to_owned(),
        threshold: cfg.float("threshold")?,
        max_positive: max_positive.or(is_single.then_some(1)),
        add_negative_label: cfg.flag("add_negative_label", is_single)?,
        allow_overlap: cfg.flag("allow_overlap", true)?,
    };
    let suggester = setting(saved.settings, "suggester").unwrap_or(&Value::Null);
    let suggester = Suggester::read(suggester, &saved.section())?;
    SpanCategorizer::new(saved.encoder(model)?, cfg.labels("labels")?, suggester, settings)
}

fn span_finder(saved: &SavedComponent<'_>, model: &Model) -> Result<SpanFinder> {
    let cfg = saved.cfg()?;
    let settings = SpanFinderSettings {
        spans_key: cfg.text("spans_key")?.unwrap_or("sc").to_owned(),
        threshold: cfg.float("threshold")?.unwrap_or(0.5),
        min_length: cfg.count("min_length", limits::DOC_LENGTH)?,
        max_length: cfg.count("max_length", limits::DOC_LENGTH)?,
    };
    SpanFinder::new(saved.encoder(model)?, settings)
}

impl SavedComponent<'_> {
    /// Returns the name of the section of the component.
    fn section(&self) -> String {
        format!("components.{}", self.name)
    }

    fn required(&self, file: &str) -> Result<Bytes> {
        (self.file)(file)?.ok_or_else(|| {
            let text = format!("the component {:?} lacks the file {file:?}", self.name);
            Error::value(codes::MODEL_FILES, text)
        })
    }

    fn encoder(&self, model: &Model) -> Result<Encoder> {
        match model {
            Model::Rows(encoder) => {
                let is_of_documents = matches!(
                    ComponentKind::of(self.factory),
                    Some(
                        ComponentKind::Textcat
                            | ComponentKind::TextcatMultilabel
                            | ComponentKind::Spancat
                            | ComponentKind::SpancatSingleLabel
                    )
                );
                let unit = if is_of_documents { RowUnit::Sequence } else { RowUnit::Token };
                if encoder.unit() == unit {
                    return Ok(encoder.clone());
                }
                Err(self.wrong_model(&format!(
                    "a network with rows for {}, not for {unit}",
                    encoder.unit()
                )))
            }
            Model::States(_) => Err(self.wrong_model("a network of parse states")),
        }
    }

    fn state_model(&self, model: &Model) -> Result<StateModel> {
        match model {
            Model::States(model) => Ok(model.clone()),
            Model::Rows(_) => Err(self.wrong_model("a network without parse states")),
        }
    }

    fn wrong_model(&self, found: &str) -> Error {
        let text = format!(
            "[components.{}.model] is {found}, which the factory {:?} cannot use",
            self.name, self.factory
        );
        Error::value(codes::MODEL_SETTINGS, text)
    }

    /// Returns the settings, of which those in the file `cfg` count. As in spaCy, parsers need the
    /// file.
    fn required_cfg(&self) -> Result<Cfg> {
        self.cfg_of(&self.required("cfg")?)
    }

    /// Returns the settings, of which those in the file `cfg` count, if there is one.
    fn cfg(&self) -> Result<Cfg> {
        self.cfg_of(&(self.file)("cfg")?.unwrap_or(Bytes::from_static(b"{}")))
    }

    fn cfg_of(&self, bytes: &[u8]) -> Result<Cfg> {
        let none = Section::default();
        Cfg::parse(bytes, self.settings.as_section().unwrap_or(&none), self.name)
    }

    fn read_moves<S: TransitionSystem>(&self, system: &mut S) -> Result<()> {
        let moves = read_moves(&self.required("moves")?).map_err(|error| {
            error.context(format_args!("component {:?}, file \"moves\"", self.name))
        })?;
        system.actions_mut().initialize(moves)
    }
}

/// The labels of each move with their frequencies, as a transition system takes them.
pub type Moves = Vec<(u8, Vec<(String, i64)>)>;

/// Reads the file `moves`: a message with a JSON text of labels and their frequencies by the number
/// of a move.
///
/// # Errors
///
/// `model-cfg` for another form; those of the message.
pub fn read_moves(bytes: &[u8]) -> Result<Moves> {
    let wrong = |text: &str| Error::value(codes::MODEL_CFG, text.to_owned());
    let message = Message::from_bytes(bytes)?;
    let Some(Message::Str(text)) = message.get("moves") else {
        return Err(wrong("the message has no text \"moves\""));
    };
    let moves = Value::from_json(text);
    let moves = moves.map_err(|error| wrong(&format!("\"moves\" is not JSON: {error}")))?;
    let Some(moves) = moves.as_section() else {
        return Err(wrong(&format!("\"moves\" is {moves}; expected an object")));
    };
    let of_action = |(action, labels): (&str, &Value)| {
        let number = action.parse().map_err(|_| {
            wrong(&format!("the move {action:?}; expected a whole number as the name of a move"))
        })?;
        let labels = labels.as_section().ok_or_else(|| {
            let place = format!("move {action}: the labels are {labels}");
            wrong(&format!("{place}; expected an object with the frequency of each"))
        })?;
        let label = |(label, frequency): (&str, &Value)| {
            let number = frequency.as_int().ok_or_else(|| {
                let place = format!("move {action}: the frequency of {label:?} is {frequency}");
                wrong(&format!("{place}; expected a whole number"))
            })?;
            Ok((label.to_owned(), number))
        };
        Ok((number, labels.iter().map(label).collect::<Result<_>>()?))
    };
    moves.iter().map(of_action).collect()
}
