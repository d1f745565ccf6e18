//! The entity ruler and the span ruler from their files.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lexpool_structs::AttrId;

use super::patterns::read_rules;
use crate::codes;
use crate::config::Value;
use crate::escape::shown;
use crate::pipeline::{
    Component, ComponentSource, EntityRuler, FailedDoc, Pipeline, SpanFilter, SpanRuler, SpanRules,
};
use crate::tokenizer::Text;
use crate::{Error, ErrorKind, Result};

/// spaCy's names of the filters.
pub(super) const LONGEST: &str = "spacy.first_longest_spans_filter.v1";
pub(super) const PREFER_NEW: &str = "spacy.prioritize_new_ents_filter.v1";
pub(super) const PREFER_EXISTING: &str = "spacy.prioritize_existing_ents_filter.v1";

/// The separator of label and id in the keys of the entity ruler.
const ID_SEPARATOR: &str = "||";
/// The separator in the keys of the span ruler, whose order has no effect.
const NO_SEPARATOR: &str = "\0";

/// The settings of the entity ruler that its factory takes.
const ENTITY_KEYS: [&str; 6] = [
    "phrase_matcher_attr",
    "matcher_fuzzy_compare",
    "validate",
    "overwrite_ents",
    "ent_id_sep",
    "scorer",
];

/// Makes an entity ruler of the file `NAME.jsonl`, or of the files `cfg` and `patterns.jsonl` of
/// its folder, which take precedence over the configuration.
pub(super) fn entity_ruler(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&ENTITY_KEYS)?;
    let (overwrite, separator, attr, file);
    let alone = format!("{}.jsonl", source.name);
    if source.files.contains(&alone) {
        overwrite = source.bool("overwrite_ents", false)?;
        separator = source.text("ent_id_sep", ID_SEPARATOR)?;
        attr = phrase_attr(source)?;
        file = alone;
    } else if source.files.contains_folder(source.name) {
        let saved = source.read_json("cfg")?;
        let source = ComponentSource { settings: &saved, ..*source };
        overwrite = source.bool("overwrite", false)?;
        separator = source.text("ent_id_sep", ID_SEPARATOR)?;
        attr = phrase_attr(&source)?;
        file = source.file("patterns.jsonl");
    } else {
        let folder = source.files.path(source.name);
        let folder = shown(&folder);
        let text = format!("{folder} is neither a file of patterns nor a folder");
        return Err(Error::new(ErrorKind::Value, codes::E146, text));
    }
    Ok(Arc::new(EntityRuler::new(rules(source, &file, attr, &separator)?, overwrite)))
}

/// Makes a span ruler that sets entities as the entity ruler does.
pub(super) fn future_entity_ruler(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&ENTITY_KEYS)?;
    let overwrite = source.bool("overwrite_ents", false)?;
    let filter = if overwrite { SpanFilter::PreferNew } else { SpanFilter::PreferExisting };
    let rules = rules(source, &source.file("patterns"), phrase_attr(source)?, NO_SEPARATOR)?;
    Ok(Arc::new(SpanRuler::new(rules).into_ents(filter)))
}

/// Makes a span ruler of the file `patterns` of its folder.
pub(super) fn span_ruler(source: &ComponentSource<'_>) -> Result<Arc<dyn Component>> {
    source.check_keys(&[
        "spans_key",
        "spans_filter",
        "annotate_ents",
        "ents_filter",
        "phrase_matcher_attr",
        "matcher_fuzzy_compare",
        "validate",
        "overwrite",
        "scorer",
    ])?;
    let key =
        source.setting("spans_key", "a string or null", Some("ruler".to_owned()), |value| {
            match value {
                Value::Null => Some(None),
                value => value.as_text().map(|key| Some(key.to_owned())),
            }
        })?;
    let of_spans =
        source.setting("spans_filter", "a filter or null", None, |value| match value {
            Value::Null => Some(None),
            value => filter(value).map(Some),
        })?;
    let of_ents = source.setting("ents_filter", "a filter", SpanFilter::Longest, filter)?;
    let attr = phrase_attr(source)?;
    let rules = rules(source, &source.file("patterns"), attr, NO_SEPARATOR)?;
    let mut ruler = SpanRuler::new(rules).overwriting(source.bool("overwrite", true)?);
    if let Some(key) = key.filter(|key| !key.is_empty()) {
        ruler = ruler.into_group(&key, of_spans);
    }
    if source.bool("annotate_ents", false)? {
        ruler = ruler.into_ents(of_ents);
    }
    Ok(Arc::new(ruler))
}

fn filter(value: &Value) -> Option<SpanFilter> {
    match value.as_section()?.get("@misc")?.as_text()? {
        LONGEST => Some(SpanFilter::Longest),
        PREFER_NEW => Some(SpanFilter::PreferNew),
        PREFER_EXISTING => Some(SpanFilter::PreferExisting),
        _ => None,
    }
}

/// Returns the attribute that phrases are compared by.
fn phrase_attr(source: &ComponentSource<'_>) -> Result<AttrId> {
    let attr = |value: &Value| match value {
        Value::Null => Some(AttrId::ORTH),
        Value::Int(number) => u32::try_from(*number).ok().map(AttrId::new),
        Value::Text(name) if name.eq_ignore_ascii_case("TEXT") => Some(AttrId::ORTH),
        Value::Text(name) => AttrId::from_name(name),
        _ => None,
    };
    source.setting("phrase_matcher_attr", "the name of an attribute", AttrId::ORTH, attr)
}

/// Reads and compiles rules. Phrases are annotated by the components before the ruler.
fn rules(
    source: &ComponentSource<'_>,
    file: &str,
    attr: AttrId,
    separator: &str,
) -> Result<SpanRules> {
    let rules = read_rules(source.files, file)?;
    let before = Pipeline::new(Arc::clone(source.tokenizer), source.steps_before.to_vec());
    let mut phrase = |text: &str| {
        let done = before.annotate(Text::Owned(text.to_owned()), &AtomicBool::new(false));
        done.map(|annotated| annotated.doc).map_err(|failed| FailedDoc::into_error(*failed))
    };
    let compiled =
        SpanRules::compile_with(&rules, source.vocab().strings(), attr, separator, &mut phrase);
    compiled.map_err(|error| error.context(shown(&source.files.path(file))))
}
