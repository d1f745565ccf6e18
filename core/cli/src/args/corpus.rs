//! Arguments of `lexpool corpus`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::exit_codes::EXIT_CODES;
use super::format::Format;
use super::input::{Input, Language};
use super::languages;

pub(super) const CORPUS_HELP: &str = "\
Examples:
  lexpool corpus info docs.corpus
      The number of documents, tokens and words, and the columns.
  lexpool corpus verify out/*.corpus train.spacy
      Read everything and compare checksums; the exit code is 1 if any file is invalid.
  lexpool corpus convert train.spacy -o train.corpus
      Converts from .corpus, .spacy, .conllu, .jsonl, .txt and .parquet to .corpus, .spacy, .conllu,
      .jsonl, .arrow and .parquet. Texts (.txt, a column of .parquet, lines of .jsonl without tokens)
      are tokenized as by lexpool tokenize. Annotation is kept as far as the output format supports
      it. A line of .jsonl with tokens is a document in the format of spaCy's Doc.to_json: annotation,
      categories and spans are kept, extension attributes are not. With --field NAME, that field is
      always a text.
  lexpool corpus head docs.corpus -n 3 | jq .text
      The first documents, as JSON.
  lexpool corpus merge a.corpus b.corpus -o both.corpus
      Merge corpora, which may come from different machines: their ids agree.";

#[derive(ClapArgs)]
pub(crate) struct Corpus {
    #[command(subcommand)]
    pub(crate) command: CorpusCommand,
}

#[derive(Subcommand)]
pub(crate) enum CorpusCommand {
    /// Describe corpora.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Info(Info),
    /// Verify files of documents completely: .corpus, .spacy, .conllu, .jsonl.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Verify(Verify),
    /// Convert a file of documents or texts to another format.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Convert(Convert),
    /// Print the first documents as JSON, one per line.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Head(Head),
    /// Merge corpora, in the given order.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
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
    /// Print nothing for valid files.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) language: Language,
    /// The file to write.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format of the output. [default: by the ending of OUT]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Number of sentences per document of a .conllu. [default: documents begin at # newdoc]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sentences: Option<u32>,
    /// Limit of the uncompressed size of a .spacy, in bytes; raise it for files that you trust.
    /// [default: 256 times its size, at least 64 MiB]
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// Make a .corpus small instead of fast to open.
    #[arg(long)]
    pub(crate) compress: bool,
    /// Show no progress and no summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Head {
    /// A file of documents: .corpus, .spacy, .conllu or .jsonl.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The number of documents to print.
    #[arg(short, value_name = "N", default_value_t = 10)]
    pub(crate) n: usize,
    /// Limit of the uncompressed size of a .spacy, in bytes; raise it for files that you trust.
    /// [default: 256 times its size, at least 64 MiB]
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// The language of files that do not name one; xx for any.
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = languages::code)]
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
    /// Make the corpus small instead of fast to open.
    #[arg(long)]
    pub(crate) compress: bool,
    /// Show no summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
