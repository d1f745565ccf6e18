//! The folder of a trained pipeline, which spaCy and lexpool load.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use lexpool::Result;
use lexpool::config::{Config, Section, Value};
use lexpool::files::write_folder;
use lexpool::pipeline_files::add_numbers;
use lexpool::strings::JsonLayout;
use lexpool::vectors::Vectors;

use super::pipeline::TrainingPipeline;
use super::plan::{Part, PlannedComponent};
use super::state::STATE;

/// The versions of spaCy that read the files.
const SPACY: &str = ">=3.8.0,<3.9.0";

/// The name of the folder of the last state.
pub const MODEL_LAST: &str = "model-last";
/// The name of the folder of the state with the best score.
pub const MODEL_BEST: &str = "model-best";

/// The paths of the results of a training.
pub(crate) struct OutputPaths {
    pub(crate) model_last: PathBuf,
    pub(crate) model_best: PathBuf,
    pub(crate) state: PathBuf,
}

impl OutputPaths {
    pub(crate) fn of(output: &Path) -> OutputPaths {
        OutputPaths {
            model_last: output.join(MODEL_LAST),
            model_best: output.join(MODEL_BEST),
            state: output.join(STATE),
        }
    }
}

/// Returns all files of the pipeline's folder.
pub(crate) fn model_files(
    pipeline: &TrainingPipeline,
    config: &Config,
    lang: &str,
    performance: Option<&Section>,
) -> Result<Vec<(String, Bytes)>> {
    let vocab = pipeline.tokenizer.vocab();
    let mut files = pipeline.component_files()?;
    files.push(("tokenizer".to_owned(), pipeline.tokenizer_file.clone()));
    let strings = vocab.strings().to_json(JsonLayout::Lines);
    files.push(("vocab/strings.json".to_owned(), strings.into()));
    // An empty table of lookups.
    files.push(("vocab/lookups.bin".to_owned(), Bytes::from_static(b"\x80")));
    let none = Vectors::with_shape(0, 0)?;
    let vectors = vocab.vectors();
    let vectors = vectors.as_deref().unwrap_or(&none);
    for (name, bytes) in vectors.to_files()? {
        files.push((format!("vocab/{name}"), bytes.into()));
    }
    let meta = meta(pipeline, lang, vectors, performance);
    files.push(("meta.json".to_owned(), Value::Section(meta).to_indented_json().into()));
    files.push(("config.cfg".to_owned(), config.to_text().into()));
    add_numbers(&mut files);
    Ok(files)
}

/// Writes the folder of a pipeline, which replaces an old one as a whole.
pub(crate) fn write(folder: &Path, files: &[(String, Bytes)]) -> Result<()> {
    write_folder(folder, files)
}

fn meta(
    pipeline: &TrainingPipeline,
    lang: &str,
    vectors: &Vectors,
    performance: Option<&Section>,
) -> Section {
    let mut meta = Section::default();
    meta.set("lang", lang);
    meta.set("name", "pipeline");
    meta.set("version", "0.0.0");
    meta.set("spacy_version", SPACY);
    meta.set("lexpool_version", env!("CARGO_PKG_VERSION"));
    for key in ["description", "author", "email", "url", "license"] {
        meta.set(key, "");
    }
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let mut table = Section::default();
    table.set("width", count(vectors.rows().width()));
    table.set("vectors", count(vectors.rows().len()));
    table.set("keys", count(vectors.keys().len()));
    table.set("name", Value::Null);
    table.set("mode", vectors.mode().name());
    meta.set("vectors", table);
    let labels = pipeline.components.iter().filter_map(labels);
    meta.set("labels", labels.collect::<Section>());
    let names = || {
        let names = pipeline.components.iter().map(|own| Value::from(own.name.as_str()));
        Value::List(names.collect())
    };
    meta.set("pipeline", names());
    meta.set("components", names());
    meta.set("disabled", Value::List(Vec::new()));
    if let Some(performance) = performance {
        meta.set("performance", performance.clone());
    }
    meta
}

/// Returns the labels of a component; `None` for one that shows none.
fn labels(component: &PlannedComponent) -> Option<(String, Value)> {
    let Part::Trained(trained) = &component.part else { return None };
    if trained.hides_labels() {
        return None;
    }
    let labels = trained.labels().into_iter().map(Value::from).collect();
    Some((component.name.clone(), Value::List(labels)))
}
