//! The arguments of `lexpool evaluate`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

pub(super) const EVALUATE_HELP: &str = "\
Examples:
  lexpool evaluate model/ dev.spacy
      Annotate the texts of dev.spacy and compare with its annotation: accuracy of tokens, tags and
      lemmas, attachment of trees, F-scores of entities and spans, and those by label.
  lexpool evaluate model/ corpus/ -o figures.json
      All .spacy files of a folder and its folders; figures from 0 to 1 as JSON.
  lexpool evaluate model/ dev.spacy --gold-preproc
      Annotate sentence by sentence, with the tokens of the data.

Figures are percentages, equal to those of `spacy evaluate` on the same annotation; a figure without
data is -. SPEED is in words per second, tokenizing and annotating, without reading.";

/// Arguments of `lexpool evaluate`, which the Python package runs.
#[derive(ClapArgs, Debug)]
pub struct Evaluate {
    /// The folder of a pipeline, its packed file, or the name of an installed one.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Files of annotated documents (.spacy), or folders with such files.
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// The file to write all figures to as JSON; - for the standard output, instead of the tables.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Use the sentences and tokens of the data.
    #[arg(short = 'G', long)]
    pub gold_preproc: bool,
    /// Show the figures of each component apart.
    #[arg(short = 'P', long)]
    pub per_component: bool,
    /// A module in Python to import first, with components of your own.
    #[arg(short, long, value_name = "FILE")]
    pub code: Option<PathBuf>,
    /// The group of spans to show.
    #[arg(long, value_name = "KEY", default_value = "sc")]
    pub spans_key: String,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}
