//! Arguments of `lexpool lookups`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::exit_codes::EXIT_CODES;

pub(super) const LOOKUPS_HELP: &str = "\
Examples:
  pip install spacy-lookups-data
  lexpool lookups build
      Build a file for each language of the installed package, beside its tables. Lemmatizers and
      nlp.initialize() then open it in a millisecond, where JSON takes seconds.
  lexpool lookups build --lang de,fr
      Only these languages.
  lexpool lookups build tables/ -o built/
      Tables of your own: files such as de_lemma_lookup.json or de_lemma_lookup.json.gz, each an
      object of values by words. In Python:
      lookups = lexpool.lookups.Lookups.open(\"built/de.lookups\")
      nlp.add_pipe(\"lemmatizer\").initialize(lookups=lookups)
  lexpool lookups info built/de.lookups
      The tables with their numbers of words, and the files that they were built from.
  lexpool lookups info built/de.lookups --verify
      Verify the whole file; the exit code is 1 if any part is invalid.

A file of tables is memory-mapped: opening it takes no time however large it is, and processes share
its memory. It must not be changed while it is open; `build` replaces it by renaming. A file beside
the tables of a package that was updated since is not used until it is built again.";

/// Subcommands of `lexpool lookups`.
#[derive(Subcommand)]
pub(crate) enum Lookups {
    /// Build files of look-up tables, one for each language.
    #[command(after_help = format!("{LOOKUPS_HELP}\n\n{EXIT_CODES}"))]
    Build(LookupsBuild),
    /// Describe a file of look-up tables.
    #[command(after_help = format!("{LOOKUPS_HELP}\n\n{EXIT_CODES}"))]
    Info(LookupsInfo),
}

#[derive(ClapArgs)]
pub(crate) struct LookupsBuild {
    /// The folder of the tables' JSON files. [default: that of the installed spacy-lookups-data,
    /// with the Python package of lexpool]
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// The folder to write CODE.lookups into, which is made if it is missing. [default: the folder
    /// of the tables]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Codes of languages, separated by commas. [default: all that have tables]
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// Print JSON: a list of objects, one for each file.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct LookupsInfo {
    /// The file of tables.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Verify the whole file, not only its header and manifest.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
