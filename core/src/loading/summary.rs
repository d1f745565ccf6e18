//! A pipeline's folder, described without loading it.

use std::path::Path;

use lexpool_nn::ModelFile;

use super::plan::{LoadingPlan, PlannedComponent};
use super::selection::LoadOptions;
use crate::Result;
use crate::config::{Section, Value};
use crate::pipeline::json_object;
use crate::pipeline_files::PipelineFiles;

/// The metadata and the components of a pipeline's folder.
///
/// ```
/// use lexpool::loading::PipelineSummary;
///
/// let folder = tempfile::tempdir().unwrap();
/// let config = "[nlp]\nlang = \"en\"\npipeline = [\"sents\"]\n\
///               [components]\n[components.sents]\nfactory = \"sentencizer\"\n";
/// std::fs::write(folder.path().join("config.cfg"), config).unwrap();
/// let summary = PipelineSummary::read(folder.path())?;
/// assert_eq!(summary.lang, "en");
/// assert_eq!(summary.components[0].factory, "sentencizer");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineSummary {
    /// The code of the language.
    pub lang: String,
    /// The name from `meta.json`, such as `core_web_sm`; empty if it lacks one.
    pub name: String,
    /// The version from `meta.json`; empty if it lacks one.
    pub version: String,
    /// The versions of spaCy that the pipeline was made for; empty if not given.
    pub spacy_version: String,
    /// The license; empty if not given.
    pub license: String,
    /// The number of word vectors and their width, from `meta.json`.
    pub vectors: (u64, u64),
    /// The components in order.
    pub components: Vec<ComponentSummary>,
}

/// A component of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentSummary {
    /// The name in the pipeline.
    pub name: String,
    /// The factory, such as `ner`; empty for a component from another pipeline.
    pub factory: String,
    /// The architecture of its network, such as `spacy.TransitionBasedParser.v2`.
    pub architecture: Option<String>,
    /// The number of its labels, from `meta.json`.
    pub labels: usize,
    /// The number of parameters of its network. `None` if it has no file `model`, or one that
    /// [`ModelFile`] refuses.
    pub parameters: Option<u64>,
    /// The size of its folder or file in bytes.
    pub bytes: u64,
    /// `true` if the configuration disables it.
    pub is_disabled: bool,
}

impl PipelineSummary {
    /// Reads the summary of a folder that `nlp.to_disk` wrote. Cost: reading the configuration and
    /// the networks; the other files are only measured.
    ///
    /// # Errors
    ///
    /// Those of [`load`](super::load) for the folder and its configuration; `json-syntax` for an
    /// invalid `meta.json`; errors of reading files.
    pub fn read(path: &Path) -> Result<PipelineSummary> {
        let (files, options) = (PipelineFiles::open(path)?, LoadOptions::default());
        let plan = LoadingPlan::read(&files, &options)?;
        let has_meta = files.contains("meta.json");
        let meta = if has_meta { json_object(&files, "meta.json")? } else { Section::default() };
        let text =
            |key: &str| meta.get(key).and_then(Value::as_text).unwrap_or_default().to_owned();
        let components = plan.components.into_iter().map(|planned| {
            let is_disabled = plan.disabled.contains(&planned.name);
            component(&files, planned, &meta, is_disabled)
        });
        Ok(PipelineSummary {
            lang: plan.lang,
            name: text("name"),
            version: text("version"),
            spacy_version: text("spacy_version"),
            license: text("license"),
            vectors: (count(&meta, "vectors", "vectors"), count(&meta, "vectors", "width")),
            components: components.collect::<Result<_>>()?,
        })
    }
}

fn component(
    files: &PipelineFiles,
    planned: PlannedComponent,
    meta: &Section,
    is_disabled: bool,
) -> Result<ComponentSummary> {
    let PlannedComponent { name, factory, settings } = planned;
    let architecture = settings.get("model").and_then(Value::as_section);
    let architecture = architecture.and_then(|model| model.get("@architectures")?.as_text());
    let labels = meta.get("labels").and_then(Value::as_section);
    let labels = labels.and_then(|labels| labels.get(&name)?.as_list()).map_or(0, <[_]>::len);
    let network = files.read_optional(&format!("{name}/model"))?;
    let parameters =
        network.and_then(|bytes| ModelFile::parse(&bytes).ok().map(|file| file.param_count()));
    Ok(ComponentSummary {
        architecture: architecture.map(str::to_owned),
        labels,
        parameters,
        bytes: files.size(&name)?,
        is_disabled,
        name,
        factory,
    })
}

fn count(meta: &Section, section: &str, key: &str) -> u64 {
    let value =
        meta.get(section).and_then(Value::as_section).and_then(|own| own.get(key)?.as_int());
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or_default()
}
