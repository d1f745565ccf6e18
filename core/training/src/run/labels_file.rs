//! Labels of components as files that `[initialize.components]` reads instead of the corpus.

use std::path::Path;
use std::sync::Arc;

use lexpool::components::ComponentKind;
use lexpool::config::{Section, Value};
use lexpool::files::{AtomicFile, Links};
use lexpool::msgpack::Value as Message;
use lexpool::{Error, Result, codes};

use super::pipeline::TrainingPipeline;
use super::plan::{Part, TrainingPlan};
use crate::components::component::ComponentFiles;

/// The labels that were found for a component.
#[derive(Clone, Debug)]
pub struct FoundLabels {
    /// The name of the component.
    pub name: String,
    /// The labels as `spacy init labels` writes them; `None` for a component whose labels are not
    /// found in data.
    pub labels: Option<Value>,
    /// The number of labels.
    pub count: usize,
}

/// Finds the labels of all components that learn in the training corpus of a plan.
///
/// # Errors
///
/// Those of [`train`](crate::train()) before the first step.
pub fn find_labels(mut plan: TrainingPlan) -> Result<Vec<FoundLabels>> {
    let mut pipeline = TrainingPipeline::new(&mut plan)?;
    let tokenizer = Arc::clone(&pipeline.tokenizer);
    let train = plan.train.read(&tokenizer)?;
    if train.examples.is_empty() {
        return Err(plan.no_documents(&plan.settings.train_corpus, &train));
    }
    pipeline.initialize(&train.examples, &plan.initialize.components, plan.settings.seed)?;
    let mut found = Vec::new();
    for component in &pipeline.components {
        let Part::Trained(trained) = &component.part else { continue };
        let files = trained.files()?;
        let string = |id: u64| {
            let id = lexpool::strings::StrId::new(id);
            tokenizer.vocab().strings().get(id).map(|string| string.to_string())
        };
        let labels = match ComponentKind::of(&component.factory) {
            None
            | Some(
                ComponentKind::Tok2Vec
                | ComponentKind::Senter
                | ComponentKind::SpanFinder
                | ComponentKind::EntityLinker,
            ) => None,
            Some(kind) => Some(labels_of(kind, &files, &string)?),
        };
        let count = trained.labels().len();
        found.push(FoundLabels { name: component.name.clone(), labels, count });
    }
    Ok(found)
}

/// Writes labels as `NAME.json` into a folder, each atomically.
///
/// # Errors
///
/// `file-permission`, `disk-full`, `file-io`.
pub fn write_labels(folder: &Path, found: &[FoundLabels]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("write to", folder, error))?;
    for FoundLabels { name, labels, .. } in found {
        let Some(labels) = labels else { continue };
        let path = folder.join(format!("{name}.json"));
        AtomicFile::write(&path, labels.to_indented_json().as_bytes(), Links::Replaced)?;
    }
    Ok(())
}

/// Returns the labels that the files of a component have.
fn labels_of(
    kind: ComponentKind,
    files: &ComponentFiles,
    string: &dyn Fn(u64) -> Option<String>,
) -> Result<Value> {
    let file = |name: &str| files.iter().find(|(own, _)| own == name).map(|(_, bytes)| &**bytes);
    let wrong = || {
        let text = format!("the files of a component {:?} have no labels", kind.factory());
        Error::value(codes::MODEL_CFG, text)
    };
    let json = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        Value::from_json(text).ok()
    };
    let cfg = file("cfg").and_then(json).ok_or_else(wrong)?;
    let cfg = cfg.as_section().ok_or_else(wrong)?;
    let part = |key: &str| cfg.get(key).cloned().ok_or_else(wrong);
    match kind {
        ComponentKind::Morphologizer => {
            let mut labels = Section::default();
            labels.set("morph", part("labels_morph")?);
            labels.set("pos", part("labels_pos")?);
            Ok(labels.into())
        }
        ComponentKind::Parser
        | ComponentKind::BeamParser
        | ComponentKind::Ner
        | ComponentKind::BeamNer => {
            let message = Message::from_bytes(file("moves").ok_or_else(wrong)?)?;
            let Some(Message::Str(moves)) = message.get("moves") else { return Err(wrong()) };
            Value::from_json(moves).map_err(|_| wrong())
        }
        ComponentKind::TrainableLemmatizer => {
            let message = Message::from_bytes(file("trees").ok_or_else(wrong)?)?;
            let Some(Message::Array(trees)) = message.get("trees") else { return Err(wrong()) };
            let trees = trees.iter().map(|tree| tree_json(tree, string));
            let mut labels = Section::default();
            labels.set("trees", Value::List(trees.collect::<Option<_>>().ok_or_else(wrong)?));
            labels.set("labels", part("labels")?);
            Ok(labels.into())
        }
        _ => part("labels"),
    }
}

/// Returns a tree of the file `trees` with its strings in place of their ids.
fn tree_json(tree: &Message, string: &dyn Fn(u64) -> Option<String>) -> Option<Value> {
    let Message::Map(pairs) = tree else { return None };
    let mut json = Section::default();
    for (key, value) in pairs {
        let (Message::Str(key), Message::UInt(number)) = (key, value) else { return None };
        let is_string = ["orig", "subst"].contains(&key.as_str());
        match is_string.then(|| string(*number)).flatten() {
            Some(text) => json.set(key, text),
            None => json.set(key, i64::try_from(*number).ok()?),
        }
    }
    Some(json.into())
}
