//! Arguments of `lexpool annotate` and `lexpool model`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Subcommand};
use lexpool::nn::GemmOrder;

use super::exit_codes::EXIT_CODES;
use super::format::Format;
use super::input::Input;

pub(super) const ANNOTATE_HELP: &str = "\
Examples:
  lexpool annotate -p model/ reviews.txt -o reviews.arrow
      Tags, lemmas, trees, entities and categories of each line, for data frames.
  lexpool annotate -p model/ chapters/*.txt --per file -o book.conllu
      A treebank of all chapters; its format has no place for entities and categories.
  lexpool annotate -p model/ part.parquet --column body --enable tok2vec,ner -o part.spacy
      Only entities; read them with spacy.tokens.DocBin.
  zcat crawl.gz | lexpool annotate -p model/ - | jq -r '.ents[].label' | sort | uniq -c
      JSON, one document per line, for spacy.tokens.Doc.from_json.

MODEL is a folder that nlp.to_disk of spaCy or lexpool wrote, or, with the Python package of lexpool,
the name of an installed pipeline such as en_core_web_sm; spaCy need not be installed. Annotation
equals spaCy's. A pipeline that lexpool cannot run is refused with a list of the reasons.

The output appears under its name when it is complete; after an error or Ctrl-C there is none.";

pub(super) const MODEL_HELP: &str = "\
Examples:
  lexpool model info model/
      Language, version, and the components with their labels, parameters and sizes.
  lexpool model check model/
      Load the pipeline and annotate sample texts; the exit code is 1 if lexpool cannot run it.
  lexpool model info model/ --json | jq '.components[].name'
  lexpool model pack model/ -o en.pipeline
      Write the pipeline into one file, for services and for workers that share its memory.
  lexpool annotate -p en.pipeline texts.txt -o out.jsonl";

/// Arguments of `lexpool annotate`.
#[derive(ClapArgs)]
pub(crate) struct Annotate {
    /// The folder of a pipeline, its packed file, or the name of an installed one.
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) pipeline: PathBuf,
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write; - for the standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The format of the output. [default: by the ending of OUT (.corpus, .arrow, .feather, .jsonl,
    /// .spacy, .conllu); jsonl for the standard output]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Print a summary as JSON: to the standard output, or to the standard error if the documents
    /// go there.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress and no warnings, and a summary only with --json.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The choice of the components of a pipeline.
#[derive(ClapArgs)]
pub(crate) struct Selection {
    /// Components that are not run, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable: Vec<String>,
    /// The only components to run, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable: Vec<String>,
    /// Components and parts that are not read, such as vectors, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// The order of additions in networks: the fastest, or that of the kernel that spaCy's BLIS
    /// chooses on a kind of processor, for results with spaCy's bits.
    #[arg(long, value_name = "ORDER", default_value = "fast", value_parser = numerics())]
    pub(crate) numerics: GemmOrder,
}

impl Selection {
    /// Returns true if all components run as the pipeline says.
    pub(crate) fn is_default(&self) -> bool {
        let Selection { disable, enable, exclude, numerics } = self;
        disable.is_empty()
            && enable.is_empty()
            && exclude.is_empty()
            && *numerics == GemmOrder::default()
    }
}

fn numerics() -> impl TypedValueParser<Value = GemmOrder> {
    PossibleValuesParser::new(GemmOrder::ALL.map(|(name, _)| name))
        .map(|name| GemmOrder::from_name(&name).unwrap_or_default())
}

/// Subcommands of `lexpool model`.
#[derive(Subcommand)]
pub(crate) enum Model {
    /// Describe a pipeline, also one that lexpool cannot run.
    #[command(after_help = format!("{MODEL_HELP}\n\n{EXIT_CODES}"))]
    Info(ModelInfo),
    /// Check that lexpool can run a pipeline: load it and annotate sample texts.
    #[command(after_help = format!("{MODEL_HELP}\n\n{EXIT_CODES}"))]
    Check(ModelCheck),
    /// Pack a pipeline into one file, which loads in milliseconds and is mapped by all processes.
    #[command(after_help = format!("{MODEL_HELP}\n\n{EXIT_CODES}"))]
    Pack(ModelPack),
}

#[derive(ClapArgs)]
pub(crate) struct ModelPack {
    /// The folder of a pipeline, its packed file, or the name of an installed one.
    #[arg(value_name = "MODEL")]
    pub(crate) pipeline: PathBuf,
    /// The file to write, such as `en.pipeline`; an existing one is replaced at once.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct ModelInfo {
    /// The folder of a pipeline, its packed file, or the name of an installed one.
    #[arg(value_name = "MODEL")]
    pub(crate) pipeline: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct ModelCheck {
    /// The folder of a pipeline, its packed file, or the name of an installed one.
    #[arg(value_name = "MODEL")]
    pub(crate) pipeline: PathBuf,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
