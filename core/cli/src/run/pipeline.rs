//! Pipeline of a run: a TOML file, overridden by the command line.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::args::{Errors, Run, Unit};
use super::super::model::{PipelineFolders, folder};
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::pipeline_files::is_packed_file;
use lexpool::tokenizer::lang;
use lexpool::{Error, Result};
use lexpool_io::corpus::{DocUnit, InvalidUtf8, ReadOptions};

/// Options of processing texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) lang: String,
    /// The folder or the packed file of a saved pipeline that annotates the texts.
    pub(super) model: Option<PathBuf>,
    /// The column or field that has the texts.
    pub(super) column: Option<String>,
    pub(super) reading: ReadOptions,
    /// Pattern files whose matches become entities.
    pub(super) patterns: Vec<PathBuf>,
    /// Set to compare the words of phrases in lower case.
    pub(super) by_lower: bool,
}

const KEYS: &str = "by, column, errors, lang, match, per, skip_blank";

impl Pipeline {
    /// Finds the saved pipeline or reads the pipeline file, if one is given, and applies the
    /// command-line options.
    ///
    /// # Errors
    ///
    /// `pipeline-syntax` with the line; `E050` for a path that does not exist and is not the name
    /// of an installed pipeline; errors of the system.
    pub(super) fn read(args: &Run, folders: PipelineFolders<'_>) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        if let Some(path) = &args.pipeline {
            let is_rules = path.extension() == Some(OsStr::new("toml"));
            if !is_rules && (!path.is_file() || is_packed_file(path)?) {
                pipeline.model = Some(folder(path, folders)?);
                return Ok(pipeline.with_options(args));
            }
            let text = fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
            PipelineFile { path, text: &text }.read(&mut pipeline)?;
        }
        Ok(pipeline.with_options(args))
    }

    /// Returns the pipeline with the options of the command line.
    fn with_options(mut self, args: &Run) -> Pipeline {
        if let Some(lang) = &args.lang {
            self.lang.clone_from(lang);
        }
        if args.column.is_some() {
            self.column.clone_from(&args.column);
        }
        if let Some(per) = args.per {
            self.reading.unit = per.into();
        }
        if let Some(errors) = args.errors {
            self.reading.invalid = errors.into();
        }
        self.reading.skip_blank |= args.skip_blank;
        self
    }

    /// Describes the pipeline without its patterns and its model. Equal descriptions mean equal
    /// outputs, and the digest in manifests depends on them, so the text must not change with the
    /// names of types or variants.
    pub(super) fn describe(&self) -> String {
        let Pipeline { lang, model: _, column, reading, patterns: _, by_lower } = self;
        let ReadOptions { unit, invalid, skip_blank } = reading;
        let unit = match unit {
            DocUnit::Line => "line",
            DocUnit::File => "file",
        };
        let invalid = match invalid {
            InvalidUtf8::Refuse => "refuse",
            InvalidUtf8::Replace => "replace",
        };
        format!(
            "lexpool {}, lang {lang:?}, column {column:?}, unit {unit}, invalid {invalid}, skip_blank \
             {skip_blank}, by_lower {by_lower}",
            env!("CARGO_PKG_VERSION")
        )
    }
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            lang: "en".to_owned(),
            model: None,
            column: None,
            reading: ReadOptions {
                unit: DocUnit::Line,
                invalid: InvalidUtf8::Refuse,
                skip_blank: false,
            },
            patterns: Vec::new(),
            by_lower: false,
        }
    }
}

/// Parser of a pipeline file, whose errors name the line.
struct PipelineFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl PipelineFile<'_> {
    fn read(&self, pipeline: &mut Pipeline) -> Result<()> {
        let table = DeTable::parse(self.text)
            .map_err(|error| self.invalid(&error.span().unwrap_or_default(), error.message()))?;
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "lang" => {
                    let given = self.string(value)?;
                    let code = lang::resolve(given).ok_or_else(|| {
                        let near = lang::nearest(given).join(", ");
                        let text = format!("unknown language {given:?}; the nearest are {near}");
                        self.invalid(&value.span(), &text)
                    })?;
                    code.clone_into(&mut pipeline.lang);
                }
                "column" => pipeline.column = Some(self.string(value)?.to_owned()),
                "per" => {
                    let per = self.one_of(value, &["line", "file"])?;
                    pipeline.reading.unit =
                        if per == "line" { DocUnit::Line } else { DocUnit::File };
                }
                "errors" => {
                    let errors = self.one_of(value, &["strict", "replace"])?;
                    pipeline.reading.invalid = match errors {
                        "strict" => InvalidUtf8::Refuse,
                        _ => InvalidUtf8::Replace,
                    };
                }
                "skip_blank" => match value.get_ref() {
                    DeValue::Boolean(skip) => pipeline.reading.skip_blank = *skip,
                    _ => return Err(self.mismatch(value, "true or false")),
                },
                "by" => pipeline.by_lower = self.one_of(value, &["orth", "lower"])? == "lower",
                "match" => pipeline.patterns = self.paths(value)?,
                _ => return Err(self.unknown(key)),
            }
        }
        Ok(())
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str> {
        match value.get_ref() {
            DeValue::String(string) => Ok(string),
            _ => Err(self.mismatch(value, "a string")),
        }
    }

    fn one_of<'v>(&self, value: &'v Spanned<DeValue<'_>>, known: &[&str]) -> Result<&'v str> {
        let string = self.string(value)?;
        if known.contains(&string) {
            return Ok(string);
        }
        let known: Vec<_> = known.iter().map(|name| format!("{name:?}")).collect();
        let text = format!("unknown value {string:?}; expected one of {}", known.join(", "));
        Err(self.invalid(&value.span(), &text))
    }

    /// Resolves paths relative to the folder of the file.
    fn paths(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<PathBuf>> {
        let DeValue::Array(paths) = value.get_ref() else {
            return Err(self.mismatch(value, "a list of files"));
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        paths.iter().map(|path| Ok(folder.join(self.string(path)?))).collect()
    }

    fn unknown(&self, key: &Spanned<Cow<'_, str>>) -> Error {
        let text = format!("unknown key {:?}; the keys are {KEYS}", key.get_ref());
        self.invalid(&key.span(), &text)
    }

    fn mismatch(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> Error {
        let text = format!("expected {expected}, found {}", value.get_ref().type_str());
        self.invalid(&value.span(), &text)
    }

    fn invalid(&self, span: &Range<usize>, text: &str) -> Error {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let text = format!("{}, line {line}: {text}", shown(self.path));
        Error::value(codes::PIPELINE_SYNTAX, text)
    }
}

impl From<Unit> for DocUnit {
    fn from(unit: Unit) -> DocUnit {
        match unit {
            Unit::Line => DocUnit::Line,
            Unit::File => DocUnit::File,
        }
    }
}

impl From<Errors> for InvalidUtf8 {
    fn from(errors: Errors) -> InvalidUtf8 {
        match errors {
            Errors::Strict => InvalidUtf8::Refuse,
            Errors::Replace => InvalidUtf8::Replace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        PipelineFile { path: Path::new("folder/p.toml"), text }.read(&mut pipeline)?;
        Ok(pipeline)
    }

    #[test]
    fn the_description_in_manifests_does_not_change_with_names_in_the_code() {
        let described = read("lang = 'xx'\nper = 'file'\nerrors = 'replace'").unwrap().describe();
        let (_, described) = described.split_once(", ").unwrap();
        let expected = "lang \"xx\", column None, unit file, invalid replace, skip_blank false, \
                        by_lower false";
        assert_eq!(described, expected);
    }

    #[test]
    fn all_keys_are_read_and_paths_count_from_the_folder_of_the_file() {
        let text = "lang = 'xx'\ncolumn = 'body'\nper = 'file'\nerrors = 'replace'\n\
                    skip_blank = true\nby = 'lower'\nmatch = ['a.jsonl', '/b.jsonl']\n";
        let Pipeline { lang, column, reading, patterns, by_lower, .. } = read(text).unwrap();
        assert_eq!((&*lang, column.as_deref(), by_lower), ("xx", Some("body"), true));
        let expected =
            ReadOptions { unit: DocUnit::File, invalid: InvalidUtf8::Replace, skip_blank: true };
        assert_eq!(reading, expected);
        assert_eq!(patterns, [Path::new("folder/a.jsonl"), Path::new("/b.jsonl")]);
        // `KEYS`, which errors list, has every key.
        for line in text.lines() {
            let key = line.split(' ').next().unwrap();
            assert!(KEYS.contains(key), "{key}");
        }
    }

    #[test]
    fn a_fault_is_named_with_its_line_and_what_is_possible() {
        for (text, expected) in [
            ("lang = 'en'\nlangs = 'en'", "line 2: unknown key \"langs\"; the keys are by, column"),
            ("lang = 'tlh'", "line 1: unknown language \"tlh\"; the nearest are ta, te, "),
            ("\nper = 3", "line 2: expected a string, found integer"),
            ("match = 'a.jsonl'", "expected a list of files, found string"),
            ("skip_blank = 'no'", "expected true or false, found string"),
            ("per = 'line'\n[x", "line 2: "),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.code(), "pipeline-syntax");
            assert!(error.message().contains("p.toml, line "), "{error}");
            assert!(error.message().contains(expected), "{error}");
        }
    }
}
