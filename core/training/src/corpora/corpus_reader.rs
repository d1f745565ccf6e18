//! A corpus in files, as the readers of `spacy.training.corpus` have it.

use std::fs;
use std::path::{Path, PathBuf};

use lexpool::{Error, Result, limits};

use super::augmenter::Augmenter;
use super::text_lines::{LineFormat, TextLines};
use crate::settings::fields::Fields;

/// A corpus in files.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusReader {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The least number of tokens of a document; 0 for any.
    pub(crate) min_length: usize,
    /// The number of tokens from which on a document is cut into sentences, or dropped; 0 for none.
    pub(crate) max_length: usize,
    /// The number of documents; 0 for all.
    pub(crate) limit: usize,
    pub(crate) augmenter: Option<Augmenter>,
    /// The seed of the augmenter's random numbers.
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Format {
    /// `.spacy` files of annotated documents.
    DocBin { gold_preproc: bool },
    /// A mapped corpus of lexpool.
    #[cfg(feature = "arrow")]
    Mapped { gold_preproc: bool },
    /// Texts without annotation.
    Lines(LineFormat),
}

impl Format {
    /// Returns whether predicted documents have the tokens of the references, a sentence each.
    pub(crate) fn has_gold_tokens(self) -> bool {
        match self {
            Format::DocBin { gold_preproc } => gold_preproc,
            #[cfg(feature = "arrow")]
            Format::Mapped { gold_preproc } => gold_preproc,
            Format::Lines(_) => false,
        }
    }
}

impl CorpusReader {
    /// Reads a section of `[corpora]`. Returns `None` after a problem.
    pub(crate) fn read_settings(fields: Fields<'_>) -> Option<CorpusReader> {
        let format = match fields.function("@readers")? {
            "spacy.Corpus.v1" => {
                Format::DocBin { gold_preproc: fields.flag("gold_preproc", false) }
            }
            #[cfg(feature = "arrow")]
            "lexpool.Corpus.v1" => {
                Format::Mapped { gold_preproc: fields.flag("gold_preproc", false) }
            }
            "spacy.JsonlCorpus.v1" => Format::Lines(LineFormat::Json),
            "spacy.PlainTextCorpus.v1" => Format::Lines(LineFormat::Plain),
            name => {
                let text = format!("has the reader {name:?}, which lexpool does not have");
                fields.unsupported(&text);
                return None;
            }
        };
        let has_lines = matches!(format, Format::Lines(_));
        let augmenter =
            if has_lines { None } else { fields.inner("augmenter").and_then(Augmenter::read) };
        let path = fields.text("path");
        let length = |key| fields.count(key, 0, limits::DOC_LENGTH);
        let reader = CorpusReader {
            path: path.clone().map_or_else(PathBuf::new, PathBuf::from),
            format,
            min_length: if has_lines { length("min_length") } else { 0 },
            max_length: length("max_length"),
            limit: fields.count("limit", 0, limits::TRAINING_DOCUMENTS),
            augmenter,
            seed: 0,
        };
        fields.finish();
        Some(reader)
    }

    /// Returns the reader with another seed of the augmenter's random numbers.
    pub(crate) fn for_seed(self, seed: u64) -> CorpusReader {
        CorpusReader { seed, ..self }
    }

    /// Returns whether the examples of an epoch differ from those of another.
    pub(crate) fn varies(&self) -> bool {
        self.augmenter.is_some()
    }

    /// Returns the path of the files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files that are read, in their order.
    ///
    /// # Errors
    ///
    /// `file-not-found` for a path without files; those of reading folders.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        match self.format {
            Format::DocBin { .. } => files(&self.path, "spacy"),
            #[cfg(feature = "arrow")]
            Format::Mapped { .. } => Ok(vec![self.path.clone()]),
            Format::Lines(format) => files(&self.path, format.ending()),
        }
    }

    /// Returns the lines of files of texts; `None` for a corpus of annotated documents.
    ///
    /// # Errors
    ///
    /// The same as of [`files`](CorpusReader::files).
    pub(crate) fn text_lines(&self) -> Result<Option<TextLines>> {
        match self.format {
            Format::Lines(format) => self.lines_of(format).map(Some),
            _ => Ok(None),
        }
    }

    pub(crate) fn lines_of(&self, format: LineFormat) -> Result<TextLines> {
        let CorpusReader { min_length, max_length, .. } = *self;
        Ok(TextLines { format, files: self.files()?, min_length, max_length })
    }

    /// Returns the files that are held in memory while their documents are read, with their bytes.
    ///
    /// # Errors
    ///
    /// Those of [`files`](CorpusReader::files) and of reading their sizes.
    pub(crate) fn held_files(&self) -> Result<Vec<(PathBuf, u64)>> {
        if !matches!(self.format, Format::DocBin { .. }) {
            return Ok(Vec::new());
        }
        let with_size = |path: PathBuf| match fs::metadata(&path) {
            Ok(data) => Ok((path, data.len())),
            Err(error) => Err(Error::io("read", &path, error)),
        };
        self.files()?.into_iter().map(with_size).collect()
    }
}

/// Returns the files in a folder and its folders whose names have an ending, sorted, but for those
/// with a hidden part; or the path itself if it is a file.
fn files(path: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let is_ours = |path: &Path| path.extension().is_some_and(|own| own == ending);
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io("read", &folder, error))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_ours(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let missing = std::io::Error::new(
            std::io::ErrorKind::NotFound,
            format!("the folder has no files with the ending .{ending}"),
        );
        return Err(Error::io("read", path, missing));
    }
    Ok(found)
}
