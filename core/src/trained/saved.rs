//! Components from what spaCy has saved.

use std::fmt;
use std::sync::Arc;

use lexpool_msgpack::Value as Message;
use lexpool_nn::GemmOrder;
use lexpool_structs::Pos;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::doc_tokens::VectorSource;
use super::edit_tree_lemmatizer::{EditTreeLemmatizer, EditTreeSettings};
use super::encoder::Encoder;
use super::model::Model;
use super::morphologizer::{MorphLabel, Morphologizer};
use super::parser::{BeamSettings, DependencyParser, EntityRecognizer};
use super::senter::SentenceRecognizer;
use super::span_finder::{SpanFinder, SpanFinderSettings};
use super::spancat::{SpanCategorizer, SpanCategorizerSettings};
use super::states::StateModel;
use super::suggester::Suggester;
use super::tagger::Tagger;
use super::textcat::TextCategorizer;
use super::tok2vec::Tok2Vec;
use crate::codes;
use crate::pipeline::Component;
use crate::transition::{ArcEager, BiluoPushDown, TransitionSystem};
use crate::{Error, Result};

/// A component as spaCy has saved it.
pub struct SavedComponent<'a> {
    /// The name of the factory, such as "tagger".
    pub factory: &'a str,
    /// The name in the pipeline.
    pub name: &'a str,
    /// The section of the configuration, without references.
    pub settings: &'a Value,
    /// Returns a file of the component by its name, such as "model"; `None` if it is missing.
    pub file: &'a dyn Fn(&str) -> Result<Option<Vec<u8>>>,
    /// The word vectors of the pipeline's vocab.
    pub vectors: Option<Arc<dyn VectorSource>>,
    /// The order of additions in the sums of the network.
    pub order: GemmOrder,
}

/// The factories of trained components.
pub const FACTORIES: [&str; 14] = [
    "beam_ner",
    "beam_parser",
    "morphologizer",
    "ner",
    "parser",
    "senter",
    "span_finder",
    "spancat",
    "spancat_singlelabel",
    "tagger",
    "textcat",
    "textcat_multilabel",
    "tok2vec",
    "trainable_lemmatizer",
];

/// Makes a trained component from its files; `None` for a factory of another kind.
///
/// # Errors
///
/// `model-files` for a missing file; `model-cfg` for a file `cfg` or `moves` that is damaged; those
/// of [`Model::read`] and of the components.
pub fn component(saved: &SavedComponent<'_>) -> Result<Option<Arc<dyn Component>>> {
    if !FACTORIES.contains(&saved.factory) {
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
    let made: Arc<dyn Component> = match saved.factory {
        "tok2vec" => Arc::new(Tok2Vec::new(saved.encoder(model)?)),
        "tagger" => Arc::new(tagger(saved, model)?),
        "morphologizer" => Arc::new(morphologizer(saved, model)?),
        "senter" => {
            let overwrite = saved.cfg()?.flag("overwrite", false)?;
            Arc::new(SentenceRecognizer::new(saved.encoder(model)?, overwrite)?)
        }
        "trainable_lemmatizer" => Arc::new(lemmatizer(saved, model)?),
        "parser" | "beam_parser" => Arc::new(parser(saved, model)?),
        "ner" | "beam_ner" => {
            let mut moves = BiluoPushDown::new();
            saved.read_moves(&mut moves)?;
            let beam = saved.required_cfg()?.beam()?;
            Arc::new(EntityRecognizer::new(saved.state_model(model)?, Arc::new(moves), beam)?)
        }
        "textcat" | "textcat_multilabel" => {
            let labels = saved.cfg()?.labels("labels")?;
            Arc::new(TextCategorizer::new(saved.encoder(model)?, labels)?)
        }
        "spancat" | "spancat_singlelabel" => Arc::new(span_categorizer(saved, model)?),
        "span_finder" => Arc::new(span_finder(saved, model)?),
        _ => return Ok(None),
    };
    Ok(Some(made))
}

/// Parses settings that are JSON.
///
/// # Errors
///
/// `model-settings` for another text.
pub fn parse_settings(json: &str) -> Result<Value> {
    serde_json::from_str(json).map_err(|error| {
        Error::value(codes::MODEL_SETTINGS, format!("the settings are not JSON: {error}"))
    })
}

/// Returns the section `model` of a component's settings.
///
/// # Errors
///
/// `model-settings` if it is missing.
pub fn model_settings<'v>(settings: &'v Value, section: &str) -> Result<&'v Value> {
    settings.get("model").filter(|model| model.is_object()).ok_or_else(|| {
        Error::value(
            codes::MODEL_SETTINGS,
            format!("[{section}]: the section \"model\" is missing"),
        )
    })
}

fn tagger(saved: &SavedComponent<'_>, model: &Model) -> Result<Tagger> {
    let cfg = saved.cfg()?;
    Tagger::new(saved.encoder(model)?, cfg.labels("labels")?, cfg.flag("overwrite", false)?)
}

fn morphologizer(saved: &SavedComponent<'_>, model: &Model) -> Result<Morphologizer> {
    let cfg = saved.cfg()?;
    let features = cfg.ordered("labels_morph")?;
    let parts = cfg.object("labels_pos")?;
    let label = |(label, features): (String, Value)| {
        let pos = parts.get(&label).and_then(Value::as_u64).unwrap_or(0);
        let pos = u16::try_from(pos).ok().and_then(|pos| Pos::from_number(pos.into()));
        let pos = pos.ok_or_else(|| cfg.error(&format!("\"labels_pos\" of {label:?} is wrong")))?;
        let features = features.as_str().unwrap_or_default().to_owned();
        Ok(MorphLabel { features, pos })
    };
    let labels = features.into_iter().map(label).collect::<Result<_>>()?;
    let (overwrite, extend) = (cfg.flag("overwrite", true)?, cfg.flag("extend", false)?);
    Morphologizer::new(saved.encoder(model)?, labels, overwrite, extend)
}

fn lemmatizer(saved: &SavedComponent<'_>, model: &Model) -> Result<EditTreeLemmatizer> {
    let cfg = saved.cfg()?;
    let settings = EditTreeSettings {
        labels: cfg.numbers("labels")?,
        backoff: cfg.text("backoff")?.map(str::to_owned),
        top_k: cfg.count("top_k")?.unwrap_or(1),
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

fn span_categorizer(saved: &SavedComponent<'_>, model: &Model) -> Result<SpanCategorizer> {
    let cfg = saved.cfg()?;
    let is_single = saved.factory == "spancat_singlelabel";
    let settings = SpanCategorizerSettings {
        spans_key: cfg.text("spans_key")?.unwrap_or("sc").to_owned(),
        threshold: cfg.float("threshold")?,
        max_positive: cfg.count("max_positive")?.or(is_single.then_some(1)),
        add_negative_label: cfg.flag("add_negative_label", is_single)?,
        allow_overlap: cfg.flag("allow_overlap", true)?,
    };
    let suggester = Suggester::read(&saved.settings["suggester"], &saved.section())?;
    SpanCategorizer::new(saved.encoder(model)?, cfg.labels("labels")?, suggester, settings)
}

fn span_finder(saved: &SavedComponent<'_>, model: &Model) -> Result<SpanFinder> {
    let cfg = saved.cfg()?;
    let settings = SpanFinderSettings {
        spans_key: cfg.text("spans_key")?.unwrap_or("sc").to_owned(),
        threshold: cfg.float("threshold")?.unwrap_or(0.5),
        min_length: cfg.count("min_length")?,
        max_length: cfg.count("max_length")?,
    };
    SpanFinder::new(saved.encoder(model)?, settings)
}

impl SavedComponent<'_> {
    /// Returns the name of the section of the component.
    fn section(&self) -> String {
        format!("components.{}", self.name)
    }

    fn required(&self, file: &str) -> Result<Vec<u8>> {
        (self.file)(file)?.ok_or_else(|| {
            let text = format!("the component {:?} lacks the file {file:?}", self.name);
            Error::value(codes::MODEL_FILES, text)
        })
    }

    fn encoder(&self, model: &Model) -> Result<Encoder> {
        match model {
            Model::Rows(encoder) => Ok(encoder.clone()),
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
        self.cfg_of(self.required("cfg")?)
    }

    /// Returns the settings, of which those in the file `cfg` count, if there is one.
    fn cfg(&self) -> Result<Cfg> {
        self.cfg_of((self.file)("cfg")?.unwrap_or_else(|| b"{}".to_vec()))
    }

    fn cfg_of(&self, bytes: Vec<u8>) -> Result<Cfg> {
        let settings = self.settings.as_object().cloned().unwrap_or_default();
        Cfg::parse(bytes, settings, self.name)
    }

    fn read_moves<S: TransitionSystem>(&self, system: &mut S) -> Result<()> {
        let moves = read_moves(&self.required("moves")?).map_err(|error| {
            error.context(format_args!("component {:?}, file \"moves\"", self.name))
        })?;
        system.actions_mut().initialize(moves)
    }
}

/// The labels of each move with their frequencies, as a transition system takes them.
type Moves = Vec<(u8, Vec<(String, i64)>)>;

/// Reads the file `moves`: a message with a JSON text of labels and their frequencies by the number
/// of a move.
fn read_moves(bytes: &[u8]) -> Result<Moves> {
    let wrong = |text: &str| Error::value(codes::MODEL_CFG, text.to_owned());
    let message = Message::from_bytes(bytes)?;
    let Some(Message::Str(text)) = message.get("moves") else {
        return Err(wrong("the message has no text \"moves\""));
    };
    let moves: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| wrong(&format!("\"moves\" is not JSON: {error}")))?;
    let of_action = |(action, labels): (&String, &Value)| {
        let number = action.parse().map_err(|_| wrong(&format!("{action:?} is not a move")))?;
        let labels = labels.as_object().ok_or_else(|| wrong("labels are not an object"))?;
        let label = |(label, frequency): (&String, &Value)| {
            let frequency = frequency.as_i64();
            let frequency = frequency.ok_or_else(|| wrong("a frequency is not a number"))?;
            Ok((label.clone(), frequency))
        };
        Ok((number, labels.iter().map(label).collect::<Result<_>>()?))
    };
    moves.iter().map(of_action).collect()
}

/// The file `cfg` of a component above its settings.
struct Cfg {
    bytes: Vec<u8>,
    values: Map<String, Value>,
    name: String,
}

impl Cfg {
    fn parse(bytes: Vec<u8>, settings: Map<String, Value>, name: &str) -> Result<Cfg> {
        let mut cfg = Cfg { bytes, values: settings, name: name.to_owned() };
        match serde_json::from_slice::<Value>(&cfg.bytes) {
            Ok(Value::Object(own)) => cfg.values.extend(own),
            Ok(_) => return Err(cfg.error("it is not an object")),
            Err(error) => return Err(cfg.error(&format!("it is not JSON: {error}"))),
        }
        Ok(cfg)
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }

    fn flag(&self, key: &str, default: bool) -> Result<bool> {
        match self.get(key) {
            None => Ok(default),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(key, value, "true or false")),
        }
    }

    fn text(&self, key: &str) -> Result<Option<&str>> {
        let text = |value: &'_ Value| value.is_string();
        match self.get(key) {
            None => Ok(None),
            Some(value) if text(value) => Ok(value.as_str()),
            Some(value) => Err(self.wrong(key, value, "a text")),
        }
    }

    fn count(&self, key: &str) -> Result<Option<usize>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        count.map(Some).ok_or_else(|| self.wrong(key, value, "a whole number"))
    }

    #[expect(clippy::cast_possible_truncation, reason = "NumPy compares in single precision")]
    fn float(&self, key: &str) -> Result<Option<f32>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_f64().map(|number| number as f32);
        number.map(Some).ok_or_else(|| self.wrong(key, value, "a number"))
    }

    fn labels(&self, key: &str) -> Result<Vec<String>> {
        let items = self.get(key).and_then(Value::as_array);
        let items = items.ok_or_else(|| self.error(&format!("{key:?} is not a list")))?;
        let text = |item: &Value| match item {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.wrong(key, other, "a list of texts")),
        };
        items.iter().map(text).collect()
    }

    fn numbers(&self, key: &str) -> Result<Vec<u64>> {
        let items = self.get(key).and_then(Value::as_array);
        let items = items.ok_or_else(|| self.error(&format!("{key:?} is not a list")))?;
        let number =
            |item: &Value| item.as_u64().ok_or_else(|| self.wrong(key, item, "a list of numbers"));
        items.iter().map(number).collect()
    }

    fn object(&self, key: &str) -> Result<&Map<String, Value>> {
        let object = self.get(key).and_then(Value::as_object);
        object.ok_or_else(|| self.error(&format!("{key:?} is not an object")))
    }

    /// Returns the entries of an object in the order of the file.
    fn ordered(&self, key: &str) -> Result<Vec<(String, Value)>> {
        self.object(key)?;
        let mut reader = serde_json::Deserializer::from_slice(&self.bytes);
        let entries = Member(key).deserialize(&mut reader);
        entries.map_err(|error| self.error(&format!("it is not JSON: {error}")))
    }

    fn beam(&self) -> Result<BeamSettings> {
        let width = self.count("beam_width")?.unwrap_or(1);
        Ok(BeamSettings { width, density: self.float("beam_density")?.unwrap_or(0.0) })
    }

    fn wrong(&self, key: &str, value: &Value, expected: &str) -> Error {
        self.error(&format!("{key:?} is {value}; expected {expected}"))
    }

    fn error(&self, text: &str) -> Error {
        Error::value(codes::MODEL_CFG, format!("component {:?}, file \"cfg\": {text}", self.name))
    }
}

/// Reads the entries of an object within an object, in the order of the text, which decides the
/// order of classes; `serde_json`'s map sorts them.
struct Member<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = Vec<(String, Value)>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 {
                found = map.next_value_seed(Entries)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Reads the entries of an object in the order of the text.
struct Entries;

impl<'de> DeserializeSeed<'de> for Entries {
    type Value = Vec<(String, Value)>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
