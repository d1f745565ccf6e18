//! Arguments that name the inputs.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use lexpool_io::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source};

use super::languages;

/// Inputs, and options of reading them.
#[derive(Clone, ClapArgs)]
pub(crate) struct Input {
    /// Files of text in UTF-8, and Parquet files (.parquet); - for the standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The text column of Parquet files. [default: the only column of strings, or the one called
    /// text]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// Read a JSON object per line, with the text in this field.
    #[arg(long, value_name = "FIELD")]
    pub(crate) field: Option<String>,
    /// Unit of text that makes one document.
    #[arg(long, value_enum, default_value_t = Unit::Line)]
    pub(crate) per: Unit,
    /// Skip texts of whitespace only. By default an empty line is an empty document, so that
    /// document n is line n.
    #[arg(long)]
    pub(crate) skip_blank: bool,
    /// The number of threads; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Bytes that are not UTF-8: stop with an error, or replace them by U+FFFD.
    #[arg(long, value_enum, default_value_t = Errors::Strict)]
    pub(crate) errors: Errors,
}

/// The language of texts.
#[derive(Clone, ClapArgs)]
pub(crate) struct Language {
    /// The language, which selects the tokenizer's rules; xx for any. `lexpool languages` lists
    /// all.
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = languages::code)]
    pub(crate) lang: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Unit {
    Line,
    File,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Errors {
    Strict,
    Replace,
}

impl Input {
    pub(crate) fn sources(&self) -> Vec<Source> {
        let source = |path: &PathBuf| match path.extension() {
            _ if path.as_os_str() == "-" => Source::Stdin,
            Some(end) if end == "parquet" => {
                Source::Parquet { path: path.clone(), column: self.column.clone() }
            }
            _ => match &self.field {
                Some(field) => Source::Jsonl { path: path.clone(), field: field.clone() },
                None => Source::File(path.clone()),
            },
        };
        self.files.iter().map(source).collect()
    }

    pub(crate) fn reading(&self) -> ReadOptions {
        ReadOptions {
            unit: match self.per {
                Unit::Line => DocUnit::Line,
                Unit::File => DocUnit::File,
            },
            invalid: match self.errors {
                Errors::Strict => InvalidUtf8::Refuse,
                Errors::Replace => InvalidUtf8::Replace,
            },
            skip_blank: self.skip_blank,
        }
    }
}
