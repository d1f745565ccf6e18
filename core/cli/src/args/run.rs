//! The arguments of `lexpool run`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;

use super::{Errors, Format, Unit};
use lexpool::tokenizer::lang;

pub(super) const RUN_HELP: &str = r#"Examples:
  lexpool run shards/*.parquet -o docs
      A .corpus for each .parquet, from its column of strings; another run does what is missing.
      Open them with lexpool.Corpus, or with any tool for Arrow; --to spacy-docbin is for spaCy.
  lexpool run crawl/ -o docs --column body --dry-run
      Say what would be done with all .parquet, .jsonl and .txt in a folder and those inside it.
  lexpool run notes/ -o found --to jsonl --pipeline p.toml
      With the entities that patterns find, where p.toml is, for example:
        lang = "en"
        match = ["drugs.jsonl"]   # as for lexpool match; paths count from this file
        by = "lower"              # what makes words the same: "orth" or "lower"
        column = "body"           # the text, in Parquet and JSON lines
        per = "line"              # what makes a document of a .txt: "line" or "file"
        skip_blank = true
        errors = "replace"        # of bytes that are not UTF-8: "strict" or "replace"

Row n of an input is document n of its output; other columns are not read.

Stop it whenever you like, also with SIGKILL: what is whole stays, and the same command goes on from
there. It compares sums of inputs, outputs and pipeline (OUT/.lexpool-run/done.jsonl), so what has
changed since, or is damaged, is made again. Two runs into one folder do not mix: the second one ends
at once. An input that cannot be read is named, and the others go on; the exit code is 1 then.

Memory is bounded by some megabytes a thread, a vocab of a gigabyte at most, and what an output holds
until it is whole: all of it with --to spacy-docbin, its different words with --to corpus."#;

#[derive(ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[expect(clippy::struct_field_names, reason = "fields are named as the options are")]
pub(crate) struct Run {
    /// Files of texts (.parquet, .jsonl, .txt), and folders of them.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The folder for the documents.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// A TOML file that says what to do with texts. Options given here outrank it.
    #[arg(short, long, value_name = "PIPELINE")]
    pub(crate) pipeline: Option<PathBuf>,
    /// The form of the documents.
    #[arg(long, value_enum, default_value_t = Format::Corpus)]
    pub(crate) to: Format,
    /// The column of Parquet files, and the field of JSON lines, that has the text. [default: the
    /// only column of strings, or the one called text]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// What makes a document of a .txt: a line, or a file. [default: line]
    #[arg(long, value_enum)]
    pub(crate) per: Option<Unit>,
    /// Leave out texts of nothing but whitespace.
    #[arg(long)]
    pub(crate) skip_blank: bool,
    /// The language whose rules to follow; xx for any. [default: en]
    #[arg(long, value_parser = PossibleValuesParser::new(lang::languages()))]
    pub(crate) lang: Option<String>,
    /// Bytes that are not UTF-8: an error that says where, or U+FFFD for them. [default: strict]
    #[arg(long, value_enum)]
    pub(crate) errors: Option<Errors>,
    /// How many threads to work on; 0 for one a core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Only say what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Sum up as JSON, on the standard output.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw no progress, and sum up only if --json asks for it.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
