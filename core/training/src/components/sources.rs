//! Components that are taken from other pipelines.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lexpool::config::{Config, Section, Value};
use lexpool::pipeline_files::{PipelineFiles, SAVE_NUMBER};
use lexpool::{Error, Result, codes};

use super::component::ComponentFiles;
use crate::settings::fields::Problems;

/// A component with files that training does not change.
pub(crate) struct Sourced {
    /// The name in the pipeline that is trained.
    pub(crate) name: String,
    /// The files, by their names in the pipeline's folder.
    pub(crate) files: Vec<(String, Bytes)>,
    /// The strings of the pipeline that the component is taken from.
    pub(crate) strings: Option<Bytes>,
}

impl Sourced {
    /// Returns the files as a component that learns takes them.
    pub(crate) fn component_files(&self) -> ComponentFiles {
        let own = self.files.iter().filter_map(|(file, bytes)| {
            let name = file.strip_prefix(&self.name)?.strip_prefix('/')?;
            Some((name.to_owned(), bytes.to_vec()))
        });
        own.collect()
    }

    /// Returns the labels of the file `cfg`.
    ///
    /// # Errors
    ///
    /// `model-cfg` for a file without a list of labels.
    pub(crate) fn labels(&self) -> Result<Vec<String>> {
        let wrong = || {
            let text = format!("component {:?}, file \"cfg\": it has no list of labels", self.name);
            Error::value(codes::MODEL_CFG, text)
        };
        let name = format!("{}/cfg", self.name);
        let file = self.files.iter().find(|(file, _)| *file == name).ok_or_else(wrong)?;
        let text = std::str::from_utf8(&file.1).map_err(|_| wrong())?;
        let cfg = Value::from_json(text).map_err(|_| wrong())?;
        let labels = cfg.as_section().and_then(|cfg| cfg.get("labels")?.as_texts());
        Ok(labels.ok_or_else(wrong)?.into_iter().map(str::to_owned).collect())
    }
}

/// Replaces sections with `source` by the settings of the components that they name, and reads the
/// files of these components.
///
/// # Errors
///
/// `E050` and the other errors of [`PipelineFiles::open`]; those of reading files.
pub(crate) fn source(config: &mut Config, problems: &Problems) -> Result<Vec<Arc<Sourced>>> {
    let resolved = config.interpolate()?;
    let components = resolved.section("components").cloned().unwrap_or_default();
    let mut found = Vec::new();
    for (name, section) in components.iter() {
        let Some(section) = section.as_section() else { continue };
        let Some(from) = section.get("source").filter(|source| !source.is_null()) else { continue };
        let place = format!("[components.{name}]");
        let Some(from) = from.as_text() else {
            problems.add_wrong(format!("{place} \"source\" is {from}; expected a path"));
            continue;
        };
        if section.get("replace_listeners").is_some_and(|names| names.as_list() != Some(&[])) {
            let text = format!("{place} has 'replace_listeners', which lexpool does not have");
            problems.add_unsupported(text);
        }
        let component = section.get("component").and_then(Value::as_text).unwrap_or(name);
        let files = PipelineFiles::open(Path::new(from))?;
        let bytes = files.read("config.cfg")?;
        let origin = files.path("config.cfg");
        let other = Config::parse_bytes(&bytes, &lexpool::escape::shown(&origin).to_string())?;
        let other = other.interpolate()?;
        let own = other.section("components").and_then(|all| all.get(component)?.as_section());
        let Some(own) = own else {
            problems
                .add_wrong(format!("{place} \"source\": {from} has no component {component:?}"));
            continue;
        };
        found.push(Arc::new(read_component(name, component, &files)?));
        config.set(&format!("components.{name}"), Section::clone(own).into())?;
    }
    Ok(found)
}

/// Reads the files of a component of another pipeline, which is `name` in the pipeline that is
/// trained.
///
/// # Errors
///
/// `save-mixed` for a component of another save than the folder; those of reading files.
pub(crate) fn read_component(
    name: &str,
    component: &str,
    files: &PipelineFiles,
) -> Result<Sourced> {
    files.check_parts([component, "vocab"])?;
    let mut own = Vec::new();
    for file in files.names()? {
        let is_own = file.strip_prefix(component).is_some_and(|rest| rest.starts_with(['/', '.']));
        if is_own && !file.ends_with(SAVE_NUMBER) {
            own.push((format!("{name}{}", &file[component.len()..]), files.read(&file)?));
        }
    }
    let strings = files.read_optional("vocab/strings.json")?;
    Ok(Sourced { name: name.to_owned(), files: own, strings })
}
