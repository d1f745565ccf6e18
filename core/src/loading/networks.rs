//! Components with networks.

use std::sync::Arc;

use crate::codes;
use crate::components::ComponentKind;
use crate::config::{Section, Value};
use crate::escape::shown;
use crate::knowledge::{EntityLinker, KnowledgeBase, LinkSettings, LinkerVersion, Threshold};
use crate::pipeline::{Component, ComponentSource};
use crate::strings::StrId;
use crate::trained::{self, ContextNetwork, Model, SavedComponent, VectorSource};
use crate::{Error, Result, limits};

/// The functions of entity linkers by setting, with the names under `@misc` whose behaviour the
/// linker has.
const LINKER_FUNCTIONS: [(&str, &[&str]); 3] = [
    ("get_candidates", &["spacy.CandidateGenerator.v1"]),
    ("get_candidates_batch", &["spacy.CandidateBatchGenerator.v1"]),
    ("generate_empty_kb", &["spacy.EmptyKB.v2", "spacy.EmptyKB.v1"]),
];

/// Returns the reasons for which a trained component cannot run, from its settings beside those of
/// its network.
pub fn refusals(kind: Option<ComponentKind>, settings: &Section) -> Vec<String> {
    if kind != Some(ComponentKind::EntityLinker) {
        return Vec::new();
    }
    let reason = |(key, known): &(&str, &[&str])| {
        let value = settings.get(key).filter(|value| !value.is_null())?;
        let name = value.as_section().and_then(|function| function.get("@misc")?.as_text());
        if name.is_some_and(|name| known.contains(&name)) {
            return None;
        }
        let known = known.join(", ");
        Some(format!("has {value} as {key:?}, which lexpool does not have; it has {known}"))
    };
    LINKER_FUNCTIONS.iter().filter_map(reason).collect()
}

/// Makes a trained component from its part of the folder; `None` for another factory.
pub(super) fn trained_component(
    source: &ComponentSource<'_>,
) -> Result<Option<Arc<dyn Component>>> {
    let Some(kind) = ComponentKind::of(source.factory).filter(|kind| kind.is_trained()) else {
        return Ok(None);
    };
    let settings = Value::Section(source.settings.clone());
    let vectors = source.vectors().map(|vectors| vectors as Arc<dyn VectorSource>);
    let component = if kind == ComponentKind::EntityLinker {
        entity_linker(source, &settings, vectors).map(Some)
    } else {
        let file = |name: &str| source.read_optional(name);
        let saved = SavedComponent {
            factory: source.factory,
            name: source.name,
            settings: &settings,
            file: &file,
            vectors,
            order: source.order,
        };
        trained::component(&saved)
    };
    component.map_err(|error| {
        if error.code() == codes::MODEL_ARCHITECTURE.as_str() {
            return source.unsupported(&format!("cannot run here: {}", error.message()));
        }
        error
    })
}

fn entity_linker(
    source: &ComponentSource<'_>,
    settings: &Value,
    vectors: Option<Arc<dyn VectorSource>>,
) -> Result<Arc<dyn Component>> {
    let section = format!("components.{}", source.name);
    let network = trained::model_settings(settings, &section)?;
    let section = format!("{section}.model");
    let file = source.read("model")?;
    let Model::Rows(encoder) = Model::read(network, &section, &file, vectors, source.order)? else {
        let text = format!("[{section}] is a network of parse states");
        return Err(Error::value(codes::MODEL_SETTINGS, text));
    };
    let name = network.as_section().and_then(|network| network.get("@architectures")?.as_text());
    let labels = |value: &Value| {
        let texts = value.as_texts()?;
        Some(texts.into_iter().map(StrId::of).collect())
    };
    let score =
        |value: &Value| if value.is_null() { Some(None) } else { value.as_float().map(Some) };
    let threshold = source.setting("threshold", "a number or null", None, score)?;
    let link_settings = LinkSettings {
        n_sents: source.count("n_sents", 0, limits::DOC_LENGTH)?,
        labels_discard: source.setting(
            "labels_discard",
            "a list of strings",
            Vec::new(),
            labels,
        )?,
        incl_prior: source.bool("incl_prior", true)?,
        incl_context: source.bool("incl_context", true)?,
        threshold: threshold.map(Threshold::new).transpose()?,
        version: LinkerVersion::of_architecture(name.unwrap_or_default()),
    };
    let cfg = match source.read_optional("cfg")? {
        Some(_) => source.read_json("cfg")?,
        None => Section::default(),
    };
    let overwrite = match cfg.get("overwrite").and_then(Value::as_bool) {
        Some(overwrite) => overwrite,
        None => source.bool("overwrite", true)?,
    };
    let base = knowledge_base(source)?;
    let encoder = ContextNetwork::new(encoder);
    let linker =
        EntityLinker::new(source.name, source.vocab(), base.into(), link_settings, encoder);
    Ok(Arc::new(linker.overwriting(overwrite)))
}

/// Reads the knowledge base of an entity linker, and adds its strings to the vocab.
fn knowledge_base(source: &ComponentSource<'_>) -> Result<KnowledgeBase> {
    let base = KnowledgeBase::from_contents(&source.read("kb/contents")?);
    let base = base.map_err(|error| error.context(shown(&source.path("kb/contents"))))?;
    let strings = source.vocab().strings().add_json(&source.read("kb/strings.json")?);
    strings.map_err(|error| error.context(shown(&source.path("kb/strings.json"))))?;
    Ok(base)
}
