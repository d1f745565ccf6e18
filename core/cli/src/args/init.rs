//! The arguments of `lexpool init`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::exit_codes::EXIT_CODES;

pub(super) const INIT_HELP: &str = "\
Examples:
  lexpool init config -l en -p tagger,parser,ner config.cfg
      A configuration to train a tagger, a parser and an entity recognizer with a shared network.
      Then: lexpool train config.cfg -o out --paths.train train.spacy --paths.dev dev.spacy
  lexpool init config -l de -p textcat_multilabel -o accuracy -
      The same settings as the quickstart of spaCy, printed; accuracy takes word vectors
      (--paths.vectors) and a wider and deeper network.
  lexpool init fill-config base.cfg config.cfg
      All settings that base.cfg leaves out, with spaCy's defaults.
  lexpool init labels config.cfg labels/ --paths.train train.spacy --paths.dev dev.spacy
      The labels of each component as labels/NAME.json, which trainings then need not search for:
      [initialize.components.ner.labels]
      @readers = \"spacy.read_labels.v1\"
      path = \"labels/ner.json\"

Components: tagger, morphologizer, trainable_lemmatizer, parser, ner, senter, sentencizer, textcat,
textcat_multilabel, spancat, spancat_singlelabel, span_finder, entity_linker (with --paths.kb).";

/// Subcommands of `lexpool init`.
#[derive(Subcommand)]
pub(crate) enum Init {
    /// Write a configuration to begin with, for a language, components and a goal.
    #[command(after_help = format!("{INIT_HELP}\n\n{EXIT_CODES}"))]
    Config(InitConfig),
    /// Fill a configuration with the defaults of all that it leaves out.
    #[command(after_help = format!("{INIT_HELP}\n\n{EXIT_CODES}"))]
    FillConfig(InitFillConfig),
    /// Write the labels of the training corpus, a JSON file for each component.
    #[command(after_help = format!("{INIT_HELP}\n\n{EXIT_CODES}"))]
    Labels(InitLabels),
}

/// Goals of a pipeline.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Optimize {
    /// Small and fast.
    Efficiency,
    /// Wide and deep, with word vectors.
    Accuracy,
}

#[derive(ClapArgs)]
pub(crate) struct InitConfig {
    /// The file to write; - for the standard output.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The code of the language.
    #[arg(short, long, value_name = "CODE", default_value = "en")]
    pub(crate) lang: String,
    /// The components, separated by commas.
    #[arg(
        short,
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "tagger,parser,ner"
    )]
    pub(crate) pipeline: Vec<String>,
    /// The goal of the pipeline.
    #[arg(short, long, value_enum, default_value_t = Optimize::Efficiency)]
    pub(crate) optimize: Optimize,
    /// Add the settings of `lexpool pretrain`.
    #[arg(long)]
    pub(crate) pretraining: bool,
    /// Replace a file that exists.
    #[arg(short = 'F', long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct InitFillConfig {
    /// The configuration to fill.
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The file to write; - for the standard output. It may be BASE.
    #[arg(value_name = "OUT", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Add the settings of `lexpool pretrain`.
    #[arg(long)]
    pub(crate) pretraining: bool,
}

#[derive(ClapArgs)]
pub(crate) struct InitLabels {
    /// The configuration of a training.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// The folder to write NAME.json into.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Print no summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
