//! Arguments of `lexpool run`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::format::Format;
use super::input::{Errors, Unit};
use super::languages;
use super::model::Selection;

pub(super) const RUN_HELP: &str = r#"Examples:
  lexpool run shards/*.parquet -o docs
      One .corpus per .parquet, from its column of strings; another run does what is missing.
      Open them with lexpool.Corpus or any Arrow tool; use --to spacy-docbin for spaCy.
  lexpool run crawl/ -o docs --column body --dry-run
      Show what would be done with all .parquet, .jsonl and .txt in a folder and its subfolders.
  lexpool run crawl/ -o annotated --pipeline model/ --to arrow
      Tags, lemmas, trees, entities and categories by a trained pipeline, as lexpool annotate
      writes them; change --threads, stop and go on as you like, the bytes are the same.
  lexpool run notes/ -o found --to jsonl --pipeline p.toml
      Set the matches of patterns as entities, with p.toml for example:
        lang = "en"
        match = ["drugs.jsonl"]   # as for lexpool match; paths are relative to this file
        by = "lower"              # attribute to compare words by: "orth" or "lower"
        column = "body"           # the text, in Parquet and JSON lines
        per = "line"              # a document of a .txt is a "line" or the "file"
        skip_blank = true
        errors = "replace"        # for bytes that are not UTF-8: "strict" or "replace"

Row n of an input is document n of its output; other columns are not read.

A run may be stopped at any time, even with SIGKILL: complete outputs are kept, and the same command
resumes from there. It compares checksums of inputs, outputs and the pipeline with the manifest
(OUT/.lexpool-run/done.jsonl), and makes changed or damaged outputs again. Only one run at a time may
write to a folder; a second one stops at once. An input that cannot be read is reported, and the run
continues with the others; the exit code is then 1.

Memory is bounded by some megabytes per thread, a vocab of at most a gigabyte, and the output in
progress: all of it with --to spacy-docbin, its distinct words with --to corpus."#;

#[derive(ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[expect(clippy::struct_field_names, reason = "fields are named as the options are")]
pub(crate) struct Run {
    /// Files of texts (.parquet, .jsonl, .txt), or folders with such files.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The folder for the outputs.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The folder or the packed file of a saved pipeline, or the name of an installed one, whose
    /// annotation the outputs get; or a TOML file with rules, over which options of the command
    /// take precedence.
    #[arg(short, long, value_name = "PIPELINE")]
    pub(crate) pipeline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// The format of the outputs.
    #[arg(long, value_enum, default_value_t = Format::Corpus)]
    pub(crate) to: Format,
    /// The text column of Parquet files, and the text field of JSON lines. [default: the only
    /// column of strings, or the one called text]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// Unit of a .txt that makes one document. [default: line]
    #[arg(long, value_enum)]
    pub(crate) per: Option<Unit>,
    /// Skip texts of whitespace only.
    #[arg(long)]
    pub(crate) skip_blank: bool,
    /// The language, which selects the tokenizer's rules; xx for any. `lexpool languages` lists
    /// all. [default: en]
    #[arg(long, value_name = "CODE", value_parser = languages::code)]
    pub(crate) lang: Option<String>,
    /// Bytes that are not UTF-8: report an error, or replace them by U+FFFD. [default: strict]
    #[arg(long, value_enum)]
    pub(crate) errors: Option<Errors>,
    /// The number of threads; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Show what would be done, without doing it.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print a summary as JSON to the standard output.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress, and a summary only with --json.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
