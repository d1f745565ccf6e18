//! The arguments of `lexpool corpus`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Subcommand};

use super::{Format, Input};
use lexpool::tokenizer::lang;

pub(super) const CORPUS_HELP: &str = "\
Examples:
  lexpool corpus info docs.corpus
      Documents, tokens, words, annotation and columns.
  lexpool corpus verify out/*.corpus train.spacy
      Read all of it, checksums included; the exit code is 1 if anything is wrong.
  lexpool corpus convert train.spacy -o train.corpus
      Also from .corpus, .conllu, .txt, .jsonl and .parquet, and to .spacy, .conllu, .jsonl, .arrow and
      .parquet. A text (.txt, the column of .parquet, a line of .jsonl without tokens) is tokenized, as
      lexpool tokenize does; what else a document has is kept as far as the form has a place for it.
      A line of .jsonl with tokens is a document, as spaCy's Doc.to_json has it: annotation,
      categories and spans are kept, extension attributes are not. With --field NAME, that field is
      a text in any case.
  lexpool corpus head docs.corpus -n 3 | jq .text
      The first documents, as JSON.
  lexpool corpus merge a.corpus b.corpus -o both.corpus
      One corpus of several, also from other machines: their ids agree.";

#[derive(ClapArgs)]
pub(crate) struct Corpus {
    #[command(subcommand)]
    pub(crate) command: CorpusCommand,
}

#[derive(Subcommand)]
pub(crate) enum CorpusCommand {
    /// Say what is in corpora.
    Info(Info),
    /// Check files of documents, all of them: .corpus, .spacy, .conllu, .jsonl.
    Verify(Verify),
    /// Write the documents, or the texts, of a file in another form.
    Convert(Convert),
    /// Print the first documents as JSON, one a line.
    Head(Head),
    /// Put corpora together, in the order in which they are given.
    Merge(Merge),
}

#[derive(ClapArgs)]
pub(crate) struct Info {
    /// Corpora.
    #[arg(required = true, value_name = "CORPUS")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Verify {
    /// Files of documents.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Say nothing of what is whole.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The form of the output. [default: what OUT ends in]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Of .conllu, so many sentences make a document. [default: what # newdoc says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sentences: Option<u32>,
    /// Read a .spacy that you trust up to so many bytes uncompressed. [default: 256 times its size, and 64 MiB
    /// at least]
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// Make a .corpus small instead of fast to open.
    #[arg(long)]
    pub(crate) compress: bool,
    /// Draw no progress and do not sum up.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Head {
    /// A file of documents: .corpus, .spacy, .conllu or .jsonl.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How many documents to print.
    #[arg(short, value_name = "N", default_value_t = 10)]
    pub(crate) n: usize,
    /// Read a .spacy that you trust up to so many bytes uncompressed. [default: 256 times its size, and 64 MiB
    /// at least]
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// The language of what has none of its own; xx for any.
    #[arg(long, default_value = "en", value_parser = PossibleValuesParser::new(lang::languages()))]
    pub(crate) lang: String,
}

#[derive(ClapArgs)]
pub(crate) struct Merge {
    /// Corpora.
    #[arg(required = true, value_name = "CORPUS")]
    pub(crate) files: Vec<PathBuf>,
    /// The corpus to write.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Make it small instead of fast to open.
    #[arg(long)]
    pub(crate) compress: bool,
    /// Do not sum up.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
