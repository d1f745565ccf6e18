//! The knowledge base of a linker that is trained, as the configuration names it.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use lexpool::config::{Section, Value};
use lexpool::escape::shown;
use lexpool::knowledge::KnowledgeBase;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result};

use super::component::ComponentFiles;
use crate::settings::fields::Fields;

/// The setting of `[initialize.components.NAME]` that names the folder.
pub(crate) const LOADER: &str = "kb_loader";
/// The function that loads a folder.
const FROM_FILE: &str = "spacy.KBFromFile.v1";
/// The files of the folder, by their names in that of the component.
const CONTENTS: &str = "kb/contents";
const STRINGS: &str = "kb/strings.json";

/// A knowledge base with the files that it was read from.
pub(crate) struct SavedKnowledge {
    pub(crate) base: Arc<KnowledgeBase>,
    contents: Bytes,
    strings: Bytes,
}

/// Notes what is wrong with the section of a loader.
pub(crate) fn check_loader(fields: &Fields<'_>) {
    let Some(loader) = fields.inner(LOADER) else { return };
    if let Some(name) = loader.function("@misc").filter(|name| *name != FROM_FILE) {
        loader.unsupported(&format!("has the function {name:?}; lexpool has {FROM_FILE:?}"));
        return;
    }
    if loader.text("kb_path").is_none() {
        loader.missing("kb_path");
    }
    loader.finish();
}

/// Returns the folder that the settings `[initialize.components.NAME]` name; `None` without one.
pub(crate) fn folder(settings: &Section) -> Option<PathBuf> {
    let loader = settings.get(LOADER)?.as_section()?;
    loader.get("kb_path").and_then(Value::as_text).map(PathBuf::from)
}

impl SavedKnowledge {
    /// Reads the folder that settings name, and adds its strings to a vocab; `None` without one.
    ///
    /// # Errors
    ///
    /// `kb-file` for other contents; `file-not-found`, `file-permission`, `file-io`; those of
    /// adding strings.
    pub(crate) fn load(settings: &Section, vocab: &Vocab) -> Result<Option<SavedKnowledge>> {
        let Some(folder) = folder(settings) else { return Ok(None) };
        let read = |name: &str| {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
            Ok::<_, Error>(Bytes::from(bytes))
        };
        let (contents, strings) = (read("contents")?, read("strings.json")?);
        let saved = SavedKnowledge::of(contents, strings, vocab);
        saved.map(Some).map_err(|error| error.context(shown(&folder)))
    }

    /// Takes the knowledge base from the files of a component; `None` if it has none.
    ///
    /// # Errors
    ///
    /// `kb-file` for other contents; those of adding strings.
    pub(crate) fn find(files: &ComponentFiles, vocab: &Vocab) -> Result<Option<SavedKnowledge>> {
        let file = |name: &str| {
            let (_, bytes) = files.iter().find(|(own, _)| own == name)?;
            Some(Bytes::copy_from_slice(bytes))
        };
        let files = file(CONTENTS).zip(file(STRINGS));
        files.map(|(contents, strings)| SavedKnowledge::of(contents, strings, vocab)).transpose()
    }

    fn of(contents: Bytes, strings: Bytes, vocab: &Vocab) -> Result<SavedKnowledge> {
        let base = Arc::new(KnowledgeBase::from_contents(&contents)?);
        vocab.strings().add_json(&strings)?;
        Ok(SavedKnowledge { base, contents, strings })
    }

    /// Returns the files that it was read from, by their names in the folder of the component.
    pub(crate) fn files(&self) -> ComponentFiles {
        let file = |name: &str, bytes: &Bytes| (name.to_owned(), bytes.to_vec());
        vec![file(CONTENTS, &self.contents), file(STRINGS, &self.strings)]
    }
}
