//! The factories of components that are made of rules.

use std::sync::Arc;

use super::{attribute_rules, rulers};
use crate::codes;
use crate::components::ComponentKind;
use crate::config::{Section, Value};
use crate::escape::shown;
use crate::lookups::Lookups;
use crate::pipeline::{
    AnnotationKind, BaseForms, Component, ComponentSource, Groups, LanguageRules, LemmaLanguage,
    LemmaMode, LemmaTables, Lemmatizer, MergeEntities, MergeNounChunks, MergeSubtokens,
    Sentencizer, TokenSplitter, json_object,
};
use crate::tokens::{Doc, NounChunkRules};
use crate::{Error, Result, limits};

/// Factories of spaCy's and of packages beside it whose components lexpool cannot run.
const UNSUPPORTED: [&str; 3] = ["curated_transformer", "experimental_coref", "transformer"];

/// spaCy's functions in settings for which lexpool has equivalents.
const FUNCTIONS: [&str; 4] =
    ["spacy.levenshtein_compare.v1", rulers::LONGEST, rulers::PREFER_NEW, rulers::PREFER_EXISTING];

/// The file of a lemmatizer's tables.
const LOOKUPS: &str = "lookups/lookups.bin";

/// The label of the tokens that `merge_subtokens` merges.
const SUBTOKEN: &str = "subtok";

/// A function that makes a component.
pub(super) type Factory = fn(&ComponentSource<'_>) -> Result<Arc<dyn Component>>;

/// Returns the factory of a name, if its components are made of rules.
pub(super) fn find(factory: &str) -> Option<Factory> {
    Some(match ComponentKind::of(factory)? {
        ComponentKind::AttributeRuler => attribute_rules::attribute_ruler,
        ComponentKind::DocCleaner => doc_cleaner,
        ComponentKind::EntityRuler => rulers::entity_ruler,
        ComponentKind::FutureEntityRuler => rulers::future_entity_ruler,
        ComponentKind::Lemmatizer => lemmatizer,
        ComponentKind::MergeEntities => |source| plain(source, MergeEntities),
        ComponentKind::MergeNounChunks => merge_noun_chunks,
        ComponentKind::MergeSubtokens => merge_subtokens,
        ComponentKind::Sentencizer => sentencizer,
        ComponentKind::SpanRuler => rulers::span_ruler,
        ComponentKind::TokenSplitter => token_splitter,
        _ => return None,
    })
}

/// Returns the reason for which a factory is refused that neither `find` nor the loader of trained
/// components has.
pub(super) fn unknown(factory: &str) -> String {
    if factory.is_empty() {
        return "is taken from another pipeline ('source'); save the pipeline by nlp.to_disk, which \
                writes the component itself"
            .to_owned();
    }
    if UNSUPPORTED.contains(&factory) {
        return format!("has the factory {factory:?}, a trained component that lexpool cannot run");
    }
    if ComponentKind::of(factory) == Some(ComponentKind::Op) {
        return "calls an op; load it with the options of lexpool-ops".to_owned();
    }
    format!("has the factory {factory:?}, which lexpool does not have")
}

/// Returns the reasons for which a component of rules cannot run, from its settings alone.
pub(crate) fn refusals(factory: &str, settings: &Section, lang: &str) -> Vec<String> {
    let Some(kind) = ComponentKind::of(factory).filter(|kind| !kind.is_trained()) else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
    for (key, value) in settings.iter().filter(|(key, _)| *key != "scorer") {
        let functions = value.as_section().into_iter().flat_map(Section::iter);
        for (registry, name) in functions.filter(|(key, _)| key.starts_with('@')) {
            if !name.as_text().is_some_and(|name| FUNCTIONS.contains(&name)) {
                reasons.push(format!(
                    "has the function {registry} = {name} as {key:?}, which lexpool does not have; it \
                     has {}",
                    FUNCTIONS.join(", ")
                ));
            }
        }
    }
    match kind {
        ComponentKind::MergeNounChunks if NounChunkRules::of_language(lang).is_none() => {
            reasons.push(format!("needs rules for noun chunks, which lexpool lacks for {lang:?}"));
        }
        ComponentKind::Lemmatizer => {
            let default = default_mode(lang);
            let mode = settings.get("mode").and_then(Value::as_text).unwrap_or(default);
            let is_general = mode == "lookup" || mode == "rule";
            if !is_general && LemmaLanguage::of_mode(lang, mode).is_none() {
                reasons.push(format!(
                    "is a lemmatizer of the mode {mode:?}, which lexpool lacks for {lang:?}"
                ));
            }
        }
        _ => {}
    }
    reasons
}

/// Returns the mode of spaCy's lemmatizer factory for a language.
fn default_mode(lang: &str) -> &'static str {
    match lang {
        "bn" | "en" | "fa" | "nb" | "sv" => "rule",
        "ru" | "uk" => "pymorphy3",
        _ => LemmaLanguage::from_code(lang).map_or("lookup", LemmaLanguage::mode),
    }
}

fn plain(
    source: &ComponentSource<'_>,
    component: impl Component + 'static,
) -> Result<Arc<dyn Component>> {
    source.check_keys(&[])?;
    Ok(Arc::new(component))
}

fn merge_subtokens(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    plain(source, MergeSubtokens(source.vocab().strings().add(SUBTOKEN)?))
}

fn merge_noun_chunks(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    let rules = NounChunkRules::of_language(source.lang).ok_or_else(|| {
        let text = format!("{:?} needs rules for noun chunks of {:?}", source.name, source.lang);
        Error::value(codes::PIPELINE_UNSUPPORTED, text)
    })?;
    plain(source, MergeNounChunks(rules))
}

/// Makes a sentencizer; its file `NAME.json` takes precedence over the configuration.
fn sentencizer(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&["punct_chars", "overwrite", "scorer"])?;
    let saved = json_object(source.files, &format!("{}.json", source.name))?;
    let mut settings = source.settings.clone();
    for key in ["punct_chars", "overwrite"] {
        if let Some(value) = saved.get(key) {
            settings.set(key, value.clone());
        }
    }
    let source = ComponentSource { settings: &settings, ..*source };
    let overwrite = source.bool("overwrite", false)?;
    let chars =
        source.setting("punct_chars", "a list of strings or null", Vec::new(), |value| {
            if value.is_null() { Some(Vec::new()) } else { value.as_texts().map(owned) }
        })?;
    // An empty list means the default in a configuration, but not in the file.
    if chars.is_empty() && !saved.contains("punct_chars") {
        let default = Sentencizer::default_marks().map(String::from);
        return Ok(Arc::new(Sentencizer::new(default, overwrite)));
    }
    Ok(Arc::new(Sentencizer::new(chars, overwrite)))
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// Makes a splitter of long tokens; its file `NAME/cfg` takes precedence over the configuration.
fn token_splitter(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&["min_length", "split_length"])?;
    let saved = source.read_json("cfg")?;
    let source = ComponentSource { settings: &saved, ..*source };
    Ok(Arc::new(TokenSplitter {
        min_length: source.count("min_length", 0, limits::DOC_LENGTH)?,
        split_length: source.count("split_length", 0, limits::DOC_LENGTH)?,
    }))
}

/// A component that does nothing: the attributes that it clears are kept in Python only.
struct DocCleaner;

impl Component for DocCleaner {
    fn apply(&self, _doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        Ok(())
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

/// Makes a cleaner of documents. Only the tensor and extension attributes can be cleared, which
/// documents in Rust do not have.
fn doc_cleaner(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&["attrs", "silent"])?;
    let mut settings = source.settings.clone();
    for (key, value) in source.read_json("cfg")?.iter() {
        settings.set(key, value.clone());
    }
    let source = ComponentSource { settings: &settings, ..*source };
    let attrs = source
        .setting("attrs", "an object", Section::default(), |value| value.as_section().cloned())?;
    match attrs.keys().find(|attr| *attr != "tensor" && !attr.starts_with("_.")) {
        None => Ok(Arc::new(DocCleaner)),
        Some(attr) => {
            Err(source.unsupported(&format!("clears {attr:?} of documents, which lexpool cannot")))
        }
    }
}

/// Makes a lemmatizer with the tables of `NAME/lookups/lookups.bin`.
fn lemmatizer(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&["model", "mode", "overwrite", "scorer"])?;
    let overwrite = source.bool("overwrite", false)?;
    let mode = source.text("mode", default_mode(source.lang))?;
    let language = LemmaLanguage::of_mode(source.lang, &mode);
    let required = match language {
        Some(language) => language.required_tables(),
        None if mode == "lookup" => &["lemma_lookup"][..],
        None => &["lemma_rules"],
    };
    let (file, path) = (source.read_optional(LOOKUPS)?, source.path(LOOKUPS));
    let lookups = file.map(|bytes| Lookups::from_bytes(&bytes)).transpose();
    let lookups = lookups.map_err(|error| error.context(shown(&path)))?.unwrap_or_default();
    if let Some(missing) = required.iter().find(|name| lookups.table(name).is_none()) {
        let names = lookups.names().collect::<Vec<_>>().join(", ");
        let text = format!(
            "{}: the mode needs the table {missing}, but the tables are: {names}",
            shown(&path)
        );
        return Err(Error::value(codes::E912, text));
    }
    let tables = LemmaTables::from_lookups(&lookups);
    let tables = Arc::new(tables.map_err(|error| error.context(shown(&path)))?);
    let lemmatizer = match (language, source.lang) {
        (Some(language), _) => {
            let rules = LanguageRules::new(tables, language);
            let rules = rules.map_err(|error| error.context(shown(&path)))?;
            Lemmatizer::of_language(source.vocab(), Arc::new(rules))
        }
        (None, lang) => {
            let mode = match (&*mode, lang) {
                ("lookup", "nl") => LemmaMode::LowerLookup,
                ("lookup", _) => LemmaMode::Lookup,
                (_, "en") => LemmaMode::Rule(BaseForms::English),
                _ => LemmaMode::Rule(BaseForms::None),
            };
            Lemmatizer::new(source.vocab(), tables, mode)
        }
    };
    Ok(Arc::new(lemmatizer.overwriting(overwrite)))
}
