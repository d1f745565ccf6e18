//! The arguments of `lexpool package` and `lexpool assemble`, which the Python package runs.

use std::path::PathBuf;

use clap::Args as ClapArgs;

pub(super) const PACKAGE_HELP: &str = "\
Examples:
  lexpool package out/model-best packages/ -n core -v 1.0.0 -b wheel
      Writes packages/en_core-1.0.0/ and in it dist/en_core-1.0.0-py3-none-any.whl. Then:
      pip install packages/en_core-1.0.0/dist/en_core-1.0.0-py3-none-any.whl
      and spacy.load(\"en_core\") or lexpool.load(\"en_core\").
  lexpool package model/ packages/ -b none --no-require-parent
      Only the folder of the package, for environments without spaCy.
  lexpool package model/ packages/ -c components.py,readers.py
      Modules with components of your own are copied, and imported when spaCy loads the package.

The metadata are those of meta.json, which options and -C change. Archives are written without
network, and without setuptools.";

pub(super) const ASSEMBLE_HELP: &str = "\
Examples:
  lexpool assemble config.cfg out
      The pipeline of a configuration without a training: components from other pipelines (source),
      rules, tables and vectors, which [initialize] names.
  lexpool assemble config.cfg out --paths.vectors vectors/ --nlp.batch_size 64
      With values of the configuration given anew.";

/// Arguments of `lexpool package`.
#[derive(ClapArgs, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command")]
pub struct Package {
    /// The folder of a pipeline.
    #[arg(value_name = "MODEL")]
    pub input: PathBuf,
    /// The folder to write the folder of the package into.
    #[arg(value_name = "FOLDER")]
    pub output: PathBuf,
    /// Modules in Python to include, separated by commas.
    #[arg(short, long, value_name = "FILES", value_delimiter = ',')]
    pub code: Vec<PathBuf>,
    /// The metadata. [default: meta.json of the pipeline]
    #[arg(short, long, alias = "meta", value_name = "FILE")]
    pub meta_path: Option<PathBuf>,
    /// Ask for the metadata.
    #[arg(short = 'C', long)]
    pub create_meta: bool,
    /// The name, without the code of the language.
    #[arg(short, long, value_name = "NAME")]
    pub name: Option<String>,
    /// The version.
    #[arg(short = 'v', long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Archives to write, separated by commas: sdist, wheel or none.
    #[arg(short, long, value_name = "FORMATS", value_delimiter = ',', default_value = "sdist")]
    #[arg(value_parser = ["sdist", "wheel", "none"])]
    pub build: Vec<String>,
    /// Replace a folder that exists.
    #[arg(short, long, short_alias = 'F')]
    pub force: bool,
    /// Make spaCy a requirement of the package, which is the default.
    #[arg(short = 'R', long, overrides_with = "no_require_parent")]
    pub require_parent: bool,
    /// Leave spaCy out of the requirements of the package.
    #[arg(long)]
    pub no_require_parent: bool,
    /// Print no summary.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `lexpool assemble`.
#[derive(ClapArgs, Debug)]
pub struct Assemble {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// The folder to write the pipeline into.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// A module in Python to import first, with components of your own.
    #[arg(short, long, value_name = "FILE")]
    pub code: Option<PathBuf>,
    /// Print no summary.
    #[arg(long, short)]
    pub quiet: bool,
}
