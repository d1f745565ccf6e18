//! The arguments of `lexpool config` and `lexpool debug`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::exit_codes::EXIT_CODES;

pub(super) const CONFIG_HELP: &str = "\
Examples:
  lexpool config check config.cfg --paths.train train.spacy --paths.dev dev.spacy
      Check that lexpool can train the pipeline: each unknown key, wrong value and part that lexpool
      lacks is listed, with the section. The exit code is 1 then. No corpus is read.
  lexpool config diff config.cfg
      The keys whose values are not spaCy's defaults.
  lexpool config diff first.cfg second.cfg --json | jq -r '.[].key'
      The keys whose values are not the same in two files, defaults filled in.";

pub(super) const DEBUG_HELP: &str = "\
Examples:
  lexpool debug data config.cfg --paths.train train.spacy --paths.dev dev.spacy
      What each component has to learn from: labels with their numbers, rare ones, labels that the
      training corpus lacks, crossing arcs, spans that begin with whitespace or cross sentences,
      tokens that do not align with the annotation, texts that both corpora have.
  lexpool debug data config.cfg --verbose
      All labels, with their numbers in the two corpora.
  lexpool debug data config.cfg --json | jq '.components[].labels'

Damaged files and documents whose annotation does not fit their texts are errors, all listed.";

/// Subcommands of `lexpool config`.
#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check that lexpool can train the pipeline of a configuration.
    #[command(after_help = format!("{CONFIG_HELP}\n\n{EXIT_CODES}"))]
    Check(ConfigCheck),
    /// List the differences of two configurations, or of one from the defaults.
    #[command(after_help = format!("{CONFIG_HELP}\n\n{EXIT_CODES}"))]
    Diff(ConfigDiff),
}

#[derive(ClapArgs)]
pub(crate) struct ConfigCheck {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct ConfigDiff {
    /// The first configuration.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// The second configuration. [default: spaCy's defaults for the language and the components of
    /// the first]
    #[arg(value_name = "OTHER")]
    pub(crate) other: Option<PathBuf>,
    /// Print JSON: a list of objects with section, key, first and second.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Subcommands of `lexpool debug`.
#[derive(Subcommand)]
pub(crate) enum Debug {
    /// Count what components have to learn from, and list what is odd in the corpora.
    #[command(after_help = format!("{DEBUG_HELP}\n\n{EXIT_CODES}"))]
    Data(DebugData),
}

#[derive(ClapArgs)]
pub(crate) struct DebugData {
    /// The configuration of a training.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// List all labels.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
