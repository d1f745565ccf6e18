//! Weights of an earlier training, with which another one begins.

use std::path::Path;

use lexpool::codes;
use lexpool::config::{Config, Value};
use lexpool::escape::shown;
use lexpool::pipeline_files::PipelineFiles;
use lexpool::{Error, Result};

use super::output::{MODEL_BEST, MODEL_LAST};
use super::pipeline::TrainingPipeline;
use super::plan::{Part, TrainingPlan};
use crate::components::component::{ComponentFiles, Learned};
use crate::components::sources::read_component;

/// The number of labels that a message lists.
const MAX_LABELS: usize = 5;

/// The components of the last pipeline of a training, with their weights.
pub(crate) struct SavedWeights {
    /// The folder, for errors.
    folder: String,
    components: Vec<SavedComponent>,
    strings: Option<bytes::Bytes>,
}

struct SavedComponent {
    name: String,
    files: ComponentFiles,
}

impl SavedWeights {
    /// Reads the components of a plan that learn from `model-last`, or `model-best` if that is
    /// missing.
    ///
    /// # Errors
    ///
    /// `E050` if both are missing; `weights-different` for a pipeline without one of the
    /// components, or with one of another factory; those of reading files.
    pub(crate) fn read(output: &Path, plan: &TrainingPlan) -> Result<SavedWeights> {
        let mut folder = output.join(MODEL_LAST);
        if !folder.exists() && output.join(MODEL_BEST).exists() {
            folder = output.join(MODEL_BEST);
        }
        let files = PipelineFiles::open(&folder)?;
        let text = files.read("config.cfg")?;
        let origin = shown(&files.path("config.cfg")).to_string();
        let config = Config::parse_bytes(&text, &origin)?.interpolate()?;
        let mut saved = SavedWeights {
            folder: shown(&folder).to_string(),
            components: Vec::new(),
            strings: files.read_optional("vocab/strings.json")?,
        };
        let mut problems = Vec::new();
        for component in &plan.components {
            let (name, Part::Trained(_)) = (&component.name, &component.part) else { continue };
            let own = config.section("components").and_then(|all| all.get(name)?.as_section());
            match own.and_then(|own| own.get("factory")).and_then(Value::as_text) {
                None => problems.push(format!("the component {name:?} is missing there")),
                Some(factory) if factory != component.factory => problems.push(format!(
                    "the component {name:?} is a {:?}; there it is a {factory:?}",
                    component.factory
                )),
                Some(_) => {
                    let files = read_component(name, name, &files)?.component_files();
                    saved.components.push(SavedComponent { name: name.clone(), files });
                }
            }
        }
        if problems.is_empty() { Ok(saved) } else { Err(saved.different(&problems)) }
    }

    /// Gives the components of an initialized pipeline their weights.
    ///
    /// # Errors
    ///
    /// `weights-different` for components with other labels or other sizes, all as one; those of
    /// reading networks.
    pub(crate) fn restore(&self, pipeline: &mut TrainingPipeline) -> Result<()> {
        let vocab = std::sync::Arc::clone(pipeline.tokenizer.vocab());
        if let Some(strings) = &self.strings {
            vocab.strings().add_json(strings)?;
        }
        let mut problems = Vec::new();
        for component in &mut pipeline.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            let name = &component.name;
            let Some(saved) = self.components.iter().find(|saved| saved.name == *name) else {
                continue;
            };
            let (labels, shapes) = (trained.labels(), trained.learned().map(|own| shapes_of(&own)));
            let restored = trained.restore(&saved.files, &vocab);
            restored.map_err(|error| {
                error.context(format_args!("{}, component {name:?}", self.folder))
            })?;
            let saved_labels = trained.labels();
            let lacks = |own: &[String], other: &[String]| -> Vec<String> {
                own.iter().filter(|label| !other.contains(label)).cloned().collect()
            };
            for (labels, what) in [
                (lacks(&labels, &saved_labels), "the weights lack labels of the corpus"),
                (lacks(&saved_labels, &labels), "the corpus lacks labels of the weights"),
            ] {
                if !labels.is_empty() {
                    problems.push(format!("the component {name:?}: {what}: {}", listed(&labels)));
                }
            }
            if labels.len() == saved_labels.len() {
                let own = shapes.unwrap_or_default();
                let saved = trained.learned().map(|own| shapes_of(&own)).unwrap_or_default();
                if let Some(problem) = shape_problem(&own, &saved) {
                    problems.push(format!("the component {name:?}: {problem}"));
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(self.different(&problems)) }
    }

    fn different(&self, problems: &[String]) -> Error {
        let text = format!("{} does not fit:\n  {}", self.folder, problems.join("\n  "));
        Error::value(codes::WEIGHTS_DIFFERENT, text)
    }
}

/// The name and the shape of a tensor.
type NamedShape = (String, Vec<usize>);

fn shapes_of(learned: &Learned<'_>) -> Vec<NamedShape> {
    let tensors = learned.parameters.tensors().iter();
    tensors.map(|tensor| (tensor.name().to_owned(), tensor.shape().to_vec())).collect()
}

/// Returns how the tensors of two networks differ; `None` if they have the same.
fn shape_problem(own: &[NamedShape], saved: &[NamedShape]) -> Option<String> {
    if own.len() != saved.len() {
        let (own, saved) = (own.len(), saved.len());
        return Some(format!("its network has {own} tensors; there it has {saved}"));
    }
    let differs = own.iter().zip(saved).find(|(own, saved)| own != saved);
    let ((name, shape), (_, other)) = differs?;
    Some(format!("its tensor {name:?} has the shape {shape:?}; there it has {other:?}"))
}

fn listed(labels: &[String]) -> String {
    let shown: Vec<String> =
        labels.iter().take(MAX_LABELS).map(|label| format!("{label:?}")).collect();
    let more = if labels.len() > MAX_LABELS { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}
