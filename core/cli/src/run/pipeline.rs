//! What is to be done with texts: a TOML file, outranked by the command line.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::args::{Errors, Run, Unit};
use lexpool::corpus::{DocUnit, InvalidUtf8, ReadOptions};
use lexpool::escape::shown;
use lexpool::tokenizer::lang;
use lexpool::{Error, Result};

/// What is to be done with texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) lang: String,
    /// Which column or field has the texts.
    pub(super) column: Option<String>,
    pub(super) reading: ReadOptions,
    /// Files of patterns whose matches become entities.
    pub(super) patterns: Vec<PathBuf>,
    /// What makes the words of a phrase the same as those of a text.
    pub(super) by_lower: bool,
}

const KEYS: &str = "by, column, errors, lang, match, per, skip_blank";

impl Pipeline {
    /// Reads the file that the arguments name, if any, and what they say themselves.
    ///
    /// # Errors
    ///
    /// `pipeline-syntax`, with the line; those of the system.
    pub(super) fn read(args: &Run) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        if let Some(path) = &args.pipeline {
            let text = fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
            File { path, text: &text }.read(&mut pipeline)?;
        }
        if let Some(lang) = &args.lang {
            pipeline.lang.clone_from(lang);
        }
        if args.column.is_some() {
            pipeline.column.clone_from(&args.column);
        }
        if let Some(per) = args.per {
            pipeline.reading.unit = per.into();
        }
        if let Some(errors) = args.errors {
            pipeline.reading.invalid = errors.into();
        }
        pipeline.reading.skip_blank |= args.skip_blank;
        Ok(pipeline)
    }

    /// All of it but the patterns, as a text that is the same whenever the outputs are.
    pub(super) fn describe(&self) -> String {
        let Pipeline { lang, column, reading, patterns: _, by_lower } = self;
        format!(
            "lexpool {}, lang {lang:?}, column {column:?}, {reading:?}, by_lower {by_lower}",
            env!("CARGO_PKG_VERSION")
        )
    }
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            lang: "en".to_owned(),
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

/// The file, for faults that name the line.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn read(&self, pipeline: &mut Pipeline) -> Result<()> {
        let table = DeTable::parse(self.text)
            .map_err(|error| self.fault(&error.span().unwrap_or_default(), error.message()))?;
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "lang" => {
                    let known: Vec<_> = lang::languages().collect();
                    self.one_of(value, &known)?.clone_into(&mut pipeline.lang);
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
        let text = format!("{string:?} is none of {}", known.join(", "));
        Err(self.fault(&value.span(), &text))
    }

    /// Paths count from the folder of the file.
    fn paths(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<PathBuf>> {
        let DeValue::Array(paths) = value.get_ref() else {
            return Err(self.mismatch(value, "a list of files"));
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        paths.iter().map(|path| Ok(folder.join(self.string(path)?))).collect()
    }

    fn unknown(&self, key: &Spanned<Cow<'_, str>>) -> Error {
        let text = format!("there is no key {:?}; there are {KEYS}", key.get_ref());
        self.fault(&key.span(), &text)
    }

    fn mismatch(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> Error {
        let text = format!("expected {expected}, found {}", value.get_ref().type_str());
        self.fault(&value.span(), &text)
    }

    fn fault(&self, span: &Range<usize>, text: &str) -> Error {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let text = format!("{}, line {line}: {text}", shown(self.path));
        Error::value("pipeline-syntax", text)
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
        File { path: Path::new("folder/p.toml"), text }.read(&mut pipeline)?;
        Ok(pipeline)
    }

    #[test]
    fn all_keys_are_read_and_paths_count_from_the_folder_of_the_file() {
        let text = "lang = 'xx'\ncolumn = 'body'\nper = 'file'\nerrors = 'replace'\n\
                    skip_blank = true\nby = 'lower'\nmatch = ['a.jsonl', '/b.jsonl']\n";
        let Pipeline { lang, column, reading, patterns, by_lower } = read(text).unwrap();
        assert_eq!((&*lang, column.as_deref(), by_lower), ("xx", Some("body"), true));
        let expected =
            ReadOptions { unit: DocUnit::File, invalid: InvalidUtf8::Replace, skip_blank: true };
        assert_eq!(reading, expected);
        assert_eq!(patterns, [Path::new("folder/a.jsonl"), Path::new("/b.jsonl")]);
        // What is said of each key is said of all of them.
        for line in text.lines() {
            let key = line.split(' ').next().unwrap();
            assert!(KEYS.contains(key), "{key}");
        }
    }

    #[test]
    fn a_fault_is_named_with_its_line_and_what_is_possible() {
        for (text, expected) in [
            (
                "lang = 'en'\nlangs = 'en'",
                "line 2: there is no key \"langs\"; there are by, column",
            ),
            ("lang = 'tlh'", "line 1: \"tlh\" is none of \"en\", \"xx\""),
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
