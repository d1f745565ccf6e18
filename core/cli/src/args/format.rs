//! Formats of outputs.
#![expect(clippy::doc_markdown, reason = "comments on arguments are printed as they stand")]

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// lexpool's own format, memory-mapped; also an Arrow file.
    Corpus,
    /// Arrow IPC file, for data frames.
    Arrow,
    /// JSON, one document per line.
    Jsonl,
    /// spaCy's DocBin.
    SpacyDocbin,
    /// CoNLL-U, for treebanks.
    Conllu,
    /// Parquet: texts with their words, for data frames.
    Parquet,
}

impl Format {
    /// Returns the value of `--format`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Corpus => "corpus",
            Format::Arrow => "arrow",
            Format::Jsonl => "jsonl",
            Format::SpacyDocbin => "spacy-docbin",
            Format::Conllu => "conllu",
            Format::Parquet => "parquet",
        }
    }

    /// Returns the format of a file name ending.
    pub(crate) fn of_ending(ending: &str) -> Option<Format> {
        match ending {
            "corpus" => Some(Format::Corpus),
            "arrow" | "feather" => Some(Format::Arrow),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "spacy" => Some(Format::SpacyDocbin),
            "parquet" => Some(Format::Parquet),
            "conllu" => Some(Format::Conllu),
            _ => None,
        }
    }

    /// Returns the file name ending.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Format::Corpus => "corpus",
            Format::Arrow => "arrow",
            Format::Jsonl => "jsonl",
            Format::SpacyDocbin => "spacy",
            Format::Conllu => "conllu",
            Format::Parquet => "parquet",
        }
    }
}
