//! The arguments, and the help that explains them.
#![expect(clippy::doc_markdown, reason = "comments on arguments are printed as they stand")]

mod corpus;
mod explain;
mod run;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use corpus::CORPUS_HELP;
pub(super) use corpus::{Convert, Corpus, CorpusCommand, Head, Info, Merge, Verify};
use explain::EXPLAIN_HELP;
pub(super) use explain::Explain;
use lexpool::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source};
use lexpool::structs::records;
use lexpool::tokenizer::lang;
use run::RUN_HELP;
pub(super) use run::Run;

const EXIT_CODES: &str = "\
Exit codes:
  0    fine, also when the reader of the output had enough (lexpool ... | head)
  1    an error while reading, tokenizing or writing
  2    wrong usage
  130  interrupted (Ctrl-C)";

const TOKENIZE_HELP: &str = "\
Examples:
  lexpool tokenize reviews.txt -o reviews.arrow
      A document a line; read it with pyarrow.ipc.open_file or polars.read_ipc.
  lexpool tokenize chapters/*.txt --per file -o book.spacy
      A document a file; read it with spacy.tokens.DocBin().from_disk.
  lexpool tokenize part.parquet --column body -o part.arrow
      A document a row, from one column.
  zcat crawl.gz | lexpool tokenize - --errors replace | jq -r '.tokens[].text'
      JSON, a document a line, as spacy.tokens.Doc.from_json reads it.

The output takes its name when it is whole: until then it is a file .lexpool-*.part in the same
folder, which an error or Ctrl-C removes. Memory is bounded by some megabytes a thread, or by the
longest documents; a DocBin is held compressed until its end, at about 4 bytes a token.";

const MATCH_HELP: &str = r#"Examples:
  lexpool match --patterns drugs.jsonl notes.txt
      With a line of drugs.jsonl for each pattern, as spaCy's EntityRuler writes them:
      {"label": "DRUG", "pattern": "acetylsalicylic acid", "id": "aspirin"}
      {"label": "DOSE", "pattern": [{"LIKE_NUM": true}, {"LOWER": "mg"}]}
  lexpool match --patterns drugs.jsonl notes/*.txt --greedy longest -o found.jsonl
      A JSON object for each match: file, line, label, id, start, end, start_char, end_char, text.
      The numbers of tokens and characters are counted within the document.
  zcat crawl.gz | lexpool match --patterns drugs.jsonl - | jq -r .text | sort | uniq -c
      What was found, and how often.

Token patterns know all attributes, operators and predicates of spaCy's Matcher but extension
attributes. As text, lines with matches are shown as FILE:LINE: and the line, in colours on a terminal
(not if NO_COLOR is set), else as [match](LABEL); of matches that overlap the longest is shown."#;

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
      Without words that occur four times or less.
  lexpool vocab info en.vocab
      How many words, which getters, and what is where in the file.
  lexpool vocab info en.vocab --verify --json
      Everything in the file is judged; the exit code is 1 if something is wrong.

A vocab in a file is mapped: it opens at once however large it is, and processes share its memory.
It must not be written to while it is open; `build` writes beside it and renames.";

const STRUCT_HELP: &str = "\
Examples:
  lexpool struct TokenC
      Offset, size and type of each field of a token's record.
  lexpool struct --json | jq '.[].name'";

const OPS_HELP: &str = "\
Examples:
  lexpool ops
      Every op with what it takes, gives and does.
  lexpool ops vectors.cosines
      All that is known of one: its kernels, the one that this machine calls, and where they are from.
  lexpool ops text --json | jq '.[].signature'";

/// Tokenizes text as spaCy does, on all cores.
#[derive(Parser)]
#[command(name = "lexpool", bin_name = "lexpool", version)]
#[command(after_help = EXIT_CODES, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Turn texts into documents: an Arrow file, JSON lines, or spaCy's DocBin.
    #[command(after_help = format!("{TOKENIZE_HELP}\n\n{EXIT_CODES}"))]
    Tokenize(Tokenize),
    /// Find phrases and patterns of tokens in texts.
    #[command(after_help = format!("{MATCH_HELP}\n\n{EXIT_CODES}"))]
    Match(Match),
    /// Turn files of texts into files of documents, each into one; go on where the last run ended.
    #[command(after_help = format!("{RUN_HELP}\n\n{EXIT_CODES}"))]
    Run(Run),
    /// Look at corpora, check, convert and merge them.
    #[command(after_help = format!("{CORPUS_HELP}\n\n{EXIT_CODES}"))]
    Corpus(Corpus),
    /// Count documents, tokens and words, and measure speed and memory.
    #[command(after_help = format!("{STATS_HELP}\n\n{EXIT_CODES}"))]
    Stats(Stats),
    /// Make a vocab of texts, a file that opens at once, or look into one.
    #[command(subcommand, after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Vocab(Vocab),
    /// Show the layout of the records, for kernels of your own.
    #[command(after_help = format!("{STRUCT_HELP}\n\n{EXIT_CODES}"))]
    Struct(Struct),
    /// List the functions that Rust, C and Python call by name.
    #[command(after_help = format!("{OPS_HELP}\n\n{EXIT_CODES}"))]
    Ops(Ops),
    /// Explain the code of an error: its meaning and what to do.
    #[command(after_help = format!("{EXPLAIN_HELP}\n\n{EXIT_CODES}"))]
    Explain(Explain),
}

#[derive(ClapArgs)]
pub(super) struct Tokenize {
    #[command(flatten)]
    pub(super) input: Input,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(super) output: PathBuf,
    /// The form of the output. [default: what OUT ends in (.corpus, .arrow, .feather, .jsonl,
    /// .spacy, .conllu); jsonl for the standard output]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Sum up as JSON: on the standard output, or on the standard error if the documents go there.
    #[arg(long)]
    pub(super) json: bool,
    /// Draw no progress, and sum up only if --json asks for it.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct Match {
    /// A file of patterns, a JSON object on each line; may be given more than once.
    #[arg(short, long, value_name = "PATTERNS", required = true)]
    pub(super) patterns: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) input: Input,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(super) output: PathBuf,
    /// The form of the output. [default: text on a terminal, else jsonl]
    #[arg(long, value_enum)]
    pub(super) format: Option<MatchFormat>,
    /// Of matches of one label and id that overlap, keep only one. [default: all are kept]
    #[arg(long, value_enum)]
    pub(super) greedy: Option<Choice>,
    /// What makes the words of a phrase the same as those of a text.
    #[arg(long, value_enum, default_value_t = By::Orth)]
    pub(super) by: By,
    /// Draw no progress and do not sum up.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct Stats {
    #[command(flatten)]
    pub(super) input: Input,
    /// How many of the most frequent words to list.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) top: usize,
    /// What counts as the same word.
    #[arg(long, value_enum, default_value_t = By::Orth)]
    pub(super) by: By,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Draw no progress.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Subcommand)]
pub(super) enum Vocab {
    /// Write a file with the words of texts, those of the tokenizer's rules among them.
    #[command(after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Build(VocabBuild),
    /// Say what is in such a file.
    #[command(after_help = format!("{VOCAB_HELP}\n\n{EXIT_CODES}"))]
    Info(VocabInfo),
}

#[derive(ClapArgs)]
pub(super) struct VocabBuild {
    #[command(flatten)]
    pub(super) input: Input,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// How often a word has to occur to be kept.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) min_count: u64,
    /// Draw no progress and do not sum up.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ClapArgs)]
pub(super) struct VocabInfo {
    /// The file.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Judge everything in the file, and not its header alone.
    #[arg(long)]
    pub(super) verify: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(ClapArgs)]
pub(super) struct Struct {
    /// The record; all of them without a name.
    #[arg(value_parser = PossibleValuesParser::new(records().iter().map(|info| info.name)))]
    #[arg(ignore_case = true)]
    pub(super) name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(ClapArgs)]
pub(super) struct Ops {
    /// An op, such as text.edit_distance, or a namespace; all of them without a name.
    pub(super) name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// What is read, and how.
#[derive(ClapArgs)]
pub(super) struct Input {
    /// Texts in UTF-8, and Parquet files by the name .parquet; - for the standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The column of Parquet files that has the texts. [default: the only one of strings, or the one
    /// called text]
    #[arg(long, value_name = "COLUMN")]
    pub(super) column: Option<String>,
    /// Read a JSON object from each line, and take the text from this field.
    #[arg(long, value_name = "FIELD")]
    pub(super) field: Option<String>,
    /// What makes a document: a line, or a file.
    #[arg(long, value_enum, default_value_t = Unit::Line)]
    pub(super) per: Unit,
    /// Leave out texts of nothing but whitespace. Without this an empty line is an empty document,
    /// and document n stands for line n.
    #[arg(long)]
    pub(super) skip_blank: bool,
    /// The language whose rules to follow; xx for any.
    #[arg(long, default_value = "en", value_parser = PossibleValuesParser::new(lang::languages()))]
    pub(super) lang: String,
    /// How many threads to work on; 0 for one a core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) threads: usize,
    /// Bytes that are not UTF-8: end with an error that says where, or read U+FFFD for them.
    #[arg(long, value_enum, default_value_t = Errors::Strict)]
    pub(super) errors: Errors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// lexpool's own, which is mapped, and is an Arrow file too.
    Corpus,
    /// Arrow IPC file, for data frames.
    Arrow,
    /// JSON, a document a line.
    Jsonl,
    /// spaCy's DocBin.
    SpacyDocbin,
    /// CoNLL-U, for treebanks.
    Conllu,
    /// Parquet: texts with their words, for data frames.
    Parquet,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchFormat {
    /// JSON, a match a line.
    Jsonl,
    /// The lines with matches, marked and named.
    Text,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Choice {
    /// The one that starts first, and of those the longest.
    First,
    /// The longest one, and of those the first.
    Longest,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Unit {
    Line,
    File,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Errors {
    Strict,
    Replace,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The word as it is written.
    Orth,
    /// The word in lower case.
    Lower,
}

impl Input {
    pub(super) fn sources(&self) -> Vec<Source> {
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

    pub(super) fn reading(&self) -> ReadOptions {
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

impl Format {
    /// The name that `--format` takes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Format::Corpus => "corpus",
            Format::Arrow => "arrow",
            Format::Jsonl => "jsonl",
            Format::SpacyDocbin => "spacy-docbin",
            Format::Conllu => "conllu",
            Format::Parquet => "parquet",
        }
    }

    /// The form of a file whose name ends so.
    pub(super) fn of_ending(ending: &str) -> Option<Format> {
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

    /// What the name of a file ends in.
    pub(super) fn ending(self) -> &'static str {
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
