//! Command-line arguments and their help.
#![expect(clippy::doc_markdown, reason = "comments on arguments are printed as they stand")]

mod config;
mod convert;
mod corpus;
mod evaluate;
mod exit_codes;
mod explain;
mod format;
mod init;
mod input;
mod languages;
mod lookups;
mod model;
mod package;
mod pretrain;
mod run;
mod train;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use config::{CONFIG_HELP, DEBUG_HELP};
pub(super) use config::{ConfigCheck, ConfigCommand, ConfigDiff, Debug, DebugData};
use convert::CONVERT_HELP;
pub(super) use convert::{ConvertToTrain, Converter, FileType};
use corpus::CORPUS_HELP;
pub(super) use corpus::{Convert, Corpus, CorpusCommand, Head, Info, Merge, Verify};
use evaluate::EVALUATE_HELP;
pub use evaluate::Evaluate;
use exit_codes::EXIT_CODES;
use explain::EXPLAIN_HELP;
pub(super) use explain::Explain;
pub(super) use format::Format;
use init::INIT_HELP;
pub(super) use init::{Init, InitConfig, InitFillConfig, InitLabels, Optimize};
pub(super) use input::{Errors, Input, Language, Unit};
use languages::LANGUAGES_HELP;
pub(super) use languages::Languages;
use lexpool::structs::records;
use lookups::LOOKUPS_HELP;
pub(super) use lookups::{Lookups, LookupsBuild, LookupsInfo};
use model::{ANNOTATE_HELP, MODEL_HELP};
pub(super) use model::{Annotate, Model, ModelCheck, ModelInfo, ModelPack, Selection};
use package::{ASSEMBLE_HELP, PACKAGE_HELP};
pub use package::{Assemble, Package};
use pretrain::PRETRAIN_HELP;
pub(super) use pretrain::Pretrain;
use run::RUN_HELP;
pub(super) use run::Run;
use train::TRAIN_HELP;
pub use train::{Resume, Train};

const TOP_HELP: &str = "\
Examples:
  lexpool tokenize reviews.txt -o reviews.arrow
      Tokenize a file, one document per line, for data frames.
  lexpool annotate -p model/ reviews.txt -o reviews.jsonl
      Run a trained pipeline of spaCy's: tags, trees, entities.
  lexpool run texts/ -o docs
      Tokenize all files of a folder; resume after an interruption.
  lexpool COMMAND --help
      Describe a command, with examples.";

const TOKENIZE_HELP: &str = "\
Examples:
  lexpool tokenize reviews.txt -o reviews.arrow
      One document per line; read it with pyarrow.ipc.open_file or polars.read_ipc.
  lexpool tokenize chapters/*.txt --per file -o book.spacy
      One document per file; read it with spacy.tokens.DocBin().from_disk.
  lexpool tokenize part.parquet --column body -o part.arrow
      One document per row, from one column.
  zcat crawl.gz | lexpool tokenize - --errors replace | jq -r '.tokens[].text'
      JSON, one document per line, for spacy.tokens.Doc.from_json.

The output appears under its name when it is complete. Until then it is a temporary file
.lexpool-*.part in the same folder, which is removed after an error or Ctrl-C. Memory is bounded by
some megabytes per thread, or by the longest documents; a DocBin is kept compressed in memory until
it is complete, at about 4 bytes per token.";

const MATCH_HELP: &str = r#"Examples:
  lexpool match --patterns drugs.jsonl notes.txt
      Each line of drugs.jsonl is a pattern, as spaCy's EntityRuler writes them:
      {"label": "DRUG", "pattern": "acetylsalicylic acid", "id": "aspirin"}
      {"label": "DOSE", "pattern": [{"LIKE_NUM": true}, {"LOWER": "mg"}]}
  lexpool match --patterns drugs.jsonl notes/*.txt --greedy longest -o found.jsonl
      One JSON object per match: file, line, label, id, start, end, start_char, end_char, text.
      Positions of tokens and characters are relative to the document.
  zcat crawl.gz | lexpool match --patterns drugs.jsonl - | jq -r .text | sort | uniq -c
      Count the distinct matches.

Token patterns support all attributes, operators and predicates of spaCy's Matcher except extension
attributes. The text format prints lines with matches as FILE:LINE: and the line, with matches in
colours on a terminal (unless NO_COLOR is set), else as [match](LABEL). Of overlapping matches it
shows the longest."#;

const STATS_HELP: &str = "\
Examples:
  lexpool stats novel.txt
      Documents, tokens, words, speed and memory, with the ten most frequent words.
  lexpool stats *.txt --top 100 --by lower
      The hundred most frequent words in lower case.
  lexpool stats corpus.txt --json | jq .tokens";

const VOCAB_HELP: &str = "\
Examples:
  lexpool vocab build novels/*.txt -o en.vocab
      Every word of the novels, the most frequent ones first. In Python:
      nlp = lexpool.blank(\"en\", vocab=lexpool.Vocab.open(\"en.vocab\"))
  lexpool vocab build crawl.txt -o en.vocab --min-count 5
      Only words that occur at least five times.
  lexpool vocab info en.vocab
      The number of words, the attribute getters, and the sections of the file.
  lexpool vocab info en.vocab --verify --json
      Verify the whole file; the exit code is 1 if any part is invalid.

A vocab file is memory-mapped: opening it takes no time however large it is, and processes share its
memory. It must not be changed while it is open; `build` replaces it by renaming.";

const STRUCT_HELP: &str = "\
Examples:
  lexpool struct TokenC
      Offset, size and type of each field of a token record.
  lexpool struct --json | jq '.[].name'";

const OPS_HELP: &str = "\
Examples:
  lexpool ops
      Every op with its signature and a summary.
  lexpool ops vectors.cosines
      Details of one op: its kernels, which of them this machine calls, and their origin.
  lexpool ops text --json | jq '.[].signature'";

/// Tokenize text as spaCy does, and run the pipelines that spaCy has trained, on all cores.
#[derive(Parser)]
#[command(name = "lexpool", bin_name = "lexpool", version)]
#[command(after_help = format!("{TOP_HELP}\n\n{EXIT_CODES}"))]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Convert texts to documents: an Arrow file, JSON lines, or spaCy's DocBin.
    #[command(after_help = format!("{TOKENIZE_HELP}\n\n{EXIT_CODES}"))]
    Tokenize(Tokenize),
    /// Run a trained pipeline on texts: tags, lemmas, trees, entities, categories.
    #[command(after_help = format!("{ANNOTATE_HELP}\n\n{EXIT_CODES}"))]
    Annotate(Annotate),
    /// Describe a trained pipeline, or check that lexpool can run it.
    #[command(subcommand, after_help = format!("{MODEL_HELP}\n\n{EXIT_CODES}"))]
    Model(Model),
    /// Find phrases and token patterns in texts.
    #[command(after_help = format!("{MATCH_HELP}\n\n{EXIT_CODES}"))]
    Match(Match),
    /// Convert files of texts to files of documents, one output per input; resume interrupted runs.
    #[command(after_help = format!("{RUN_HELP}\n\n{EXIT_CODES}"))]
    Run(Run),
    /// Inspect, verify, convert and merge corpora.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Corpus(Corpus),
    /// Convert annotated files, such as treebanks, to documents to train with.
    #[command(after_help = format!("{CONVERT_HELP}\n\n{EXIT_CODES}"))]
    Convert(ConvertToTrain),
    /// Score a pipeline on annotated documents. Needs the Python package: pip install lexpool.
    #[command(after_help = format!("{EVALUATE_HELP}\n\n{EXIT_CODES}"))]
    Evaluate(Evaluate),
    /// Train a pipeline from a configuration of spaCy's and annotated documents.
    #[command(after_help = format!("{TRAIN_HELP}\n\n{EXIT_CODES}"))]
    Train(Train),
    /// Pretrain a shared network on texts without annotation, for a training to begin with.
    #[command(after_help = format!("{PRETRAIN_HELP}\n\n{EXIT_CODES}"))]
    Pretrain(Pretrain),
    /// Make a pipeline of a configuration, without a training. Needs the Python package.
    #[command(after_help = format!("{ASSEMBLE_HELP}\n\n{EXIT_CODES}"))]
    Assemble(Assemble),
    /// Make a Python package of a pipeline, for pip. Needs the Python package: pip install lexpool.
    #[command(after_help = format!("{PACKAGE_HELP}\n\n{EXIT_CODES}"))]
    Package(Package),
    /// Write configurations to begin with, and the labels of a corpus.
    #[command(subcommand, after_help = format!("{INIT_HELP}\n\n{EXIT_CODES}"))]
    Init(Init),
    /// Check and compare configurations of trainings.
    #[command(subcommand, after_help = format!("{CONFIG_HELP}\n\n{EXIT_CODES}"))]
    Config(ConfigCommand),
    /// Describe the corpora of a training, with what is odd in them.
    #[command(subcommand, after_help = format!("{DEBUG_HELP}\n\n{EXIT_CODES}"))]
    Debug(Debug),
    /// Count documents, tokens and words; measure speed and memory.
    #[command(after_help = format!("{STATS_HELP}\n\n{EXIT_CODES}"))]
    Stats(Stats),
    /// Build a vocab file from texts, or inspect one.
    #[command(subcommand, after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Vocab(Vocab),
    /// Build files of look-up tables of languages, such as lemmas, or inspect one.
    #[command(subcommand, after_help = format!("{LOOKUPS_HELP}\n\n{EXIT_CODES}"))]
    Lookups(Lookups),
    /// Show the layout of the records, for kernels of your own.
    #[command(after_help = format!("{STRUCT_HELP}\n\n{EXIT_CODES}"))]
    Struct(Struct),
    /// List the functions that Rust, C and Python call by name.
    #[command(after_help = format!("{OPS_HELP}\n\n{EXIT_CODES}"))]
    Ops(Ops),
    /// List the languages that have rules, with what each has.
    #[command(after_help = format!("{LANGUAGES_HELP}\n\n{EXIT_CODES}"))]
    Languages(Languages),
    /// Explain the code of an error: its meaning and what to do.
    #[command(after_help = format!("{EXPLAIN_HELP}\n\n{EXIT_CODES}"))]
    Explain(Explain),
}

#[derive(ClapArgs)]
pub(super) struct Tokenize {
    #[command(flatten)]
    pub(super) input: Input,
    #[command(flatten)]
    pub(super) language: Language,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(super) output: PathBuf,
    /// The format of the output. [default: by the ending of OUT (.corpus, .arrow, .feather, .jsonl,
    /// .spacy, .conllu, .parquet); jsonl for the standard output]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Print a summary as JSON: to the standard output, or to the standard error if the documents
    /// go there.
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress, and a summary only with --json.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct Match {
    /// A file of patterns, one JSON object per line; may be repeated.
    #[arg(short, long, value_name = "PATTERNS", required = true)]
    pub(super) patterns: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) input: Input,
    #[command(flatten)]
    pub(super) language: Language,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(super) output: PathBuf,
    /// The format of the output. [default: text on a terminal, else jsonl]
    #[arg(long, value_enum)]
    pub(super) format: Option<MatchFormat>,
    /// Keep only one of overlapping matches with the same label and id. [default: keep all]
    #[arg(long, value_enum)]
    pub(super) greedy: Option<Choice>,
    /// Attribute by which the words of a phrase are compared with those of a text.
    #[arg(long, value_enum, default_value_t = By::Orth)]
    pub(super) by: By,
    /// Show no progress and no summary.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct Stats {
    #[command(flatten)]
    pub(super) input: Input,
    #[command(flatten)]
    pub(super) language: Language,
    /// The number of most frequent words to list.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) top: usize,
    /// Attribute by which words are counted.
    #[arg(long, value_enum, default_value_t = By::Orth)]
    pub(super) by: By,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Subcommand)]
pub(super) enum Vocab {
    /// Write a file with the words of texts and of the tokenizer's rules.
    #[command(after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Build(VocabBuild),
    /// Describe a vocab file.
    #[command(after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Info(VocabInfo),
}

#[derive(ClapArgs)]
pub(super) struct VocabBuild {
    #[command(flatten)]
    pub(super) input: Input,
    #[command(flatten)]
    pub(super) language: Language,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// Minimum number of occurrences of a word.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) min_count: u64,
    /// Show no progress and no summary.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct VocabInfo {
    /// The vocab file.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Verify the whole file, not only its header.
    #[arg(long)]
    pub(super) verify: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(ClapArgs)]
pub(super) struct Struct {
    /// The record. [default: all of them]
    #[arg(value_parser = PossibleValuesParser::new(records().iter().map(|info| info.name)))]
    #[arg(ignore_case = true)]
    pub(super) name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(ClapArgs)]
pub(super) struct Ops {
    /// An op, such as text.edit_distance, or a namespace. [default: all of them]
    pub(super) name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchFormat {
    /// JSON, one match per line.
    Jsonl,
    /// Lines with matches, highlighted and labelled.
    Text,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Choice {
    /// The match that starts first; of several the longest.
    First,
    /// The longest match; of several the first.
    Longest,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The word as written.
    Orth,
    /// The word in lower case.
    Lower,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_do_not_contradict_each_other() {
        Args::command().debug_assert();
    }

    #[test]
    fn formats_are_named_as_the_option_names_them() {
        for format in Format::value_variants() {
            assert_eq!(format.to_possible_value().unwrap().get_name(), format.name());
        }
    }
}
