//! The command `lexpool`: `tokenize`, `annotate`, `model`, `run`, `corpus`, `convert`, `match`,
//! `evaluate`, `train`, `pretrain`, `assemble`, `package`, `init`, `config`, `debug`, `stats`,
//! `vocab`, `lookups`, `struct`, `ops`, `languages` and `explain`.
//!
//! [`main`] is the whole command. The program `lexpool` of this crate and the Python package call
//! it, each with its own way to notice Ctrl-C:
//!
//! ```
//! let words = ["lexpool", "struct", "TokenC"].map(Into::into);
//! assert_eq!(lexpool_cli::main(words, &|| Ok(())), 0);
//! ```
//!
//! | item | role |
//! | --- | --- |
//! | [`main`] | parses the arguments, runs the command, reports errors; returns the exit code |
//! | [`end_at_second_signal`] | lets the user end what does not notice Ctrl-C |
//! | [`main_with_python`] | `main` in a Python environment |
//! | [`PythonSide`] | commands that run in Python, the installed pipelines and tables |
//! | [`Evaluate`], [`Package`], [`Assemble`], [`Train`] | arguments of these commands |
//! | [`ConfigValue`] | a value of a configuration that an option gives |
//! | [`lexpool::ErrorKind::Interrupted`] | kind of the error with which its callback `check` ends the command |
//!
//! Data goes to the standard output, messages and progress to the standard error. This crate alone
//! reads the environment: `NO_COLOR` (for matches, and in the libraries that print help and draw
//! the progress bar) and `TERM`. It calls `lexpool` by its public interface only.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

mod annotate;
mod args;
mod batch_pipeline;
mod configuration;
mod conversion;
mod convert;
mod corpus;
mod debug;
mod doc_encoder;
mod explain;
mod failure;
mod figures;
mod highlight;
mod init;
mod json;
mod languages;
mod layout;
mod lookup_tables;
mod matching;
mod messages;
mod model;
mod ops;
mod output;
mod overrides;
mod pretraining;
mod progress;
mod run;
mod stats;
mod tokenize;
mod training;
mod vocabs;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use signal_hook::flag;

use args::{Args, Command};
pub use args::{Assemble, Evaluate, Package, Resume, Train};
use failure::Failure;
use lexpool::{Error, ErrorKind, Result, codes};

/// Runs the command with its arguments, the name of the program first, and returns the exit code: 0
/// for success, 1 for an error while reading, processing or writing, 2 for wrong usage, 130 if
/// `check` fails, 143 if it fails with `terminated`. Calls `check` at least every 50 ms, on this
/// thread.
pub fn main(args: impl IntoIterator<Item = OsString>, check: &dyn Fn() -> Result<()>) -> u8 {
    dispatch(args, check, None)
}

/// Makes the second of these signals end the process at once, wherever it is, with 128 plus the
/// number of the signal as its exit code; returns the flag that the first one sets.
///
/// Handlers that are there already run too. A signal that the system does not let a process handle
/// keeps its effect.
pub fn end_at_second_signal(signals: &[i32]) -> Arc<AtomicBool> {
    let is_asked = Arc::new(AtomicBool::new(false));
    for &signal in signals {
        let second =
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&is_asked));
        // Without a handler the signal still ends the process.
        drop(second.and_then(|_| flag::register(signal, Arc::clone(&is_asked))));
    }
    is_asked
}

/// A dotted name in a configuration, with its value: JSON or a text.
pub type ConfigValue = (String, String);

/// The parts of the command that a Python environment provides.
#[derive(Clone, Copy)]
pub struct PythonSide<'a> {
    /// Runs `lexpool evaluate`, reports its errors and returns its exit code.
    pub evaluate: &'a dyn Fn(&Evaluate) -> u8,
    /// Runs `lexpool package` likewise.
    pub package: &'a dyn Fn(&Package) -> u8,
    /// Runs `lexpool assemble` likewise, with the values of the configuration that options give.
    pub assemble: &'a dyn Fn(&Assemble, &[ConfigValue]) -> u8,
    /// Runs a `lexpool train` whose configuration names functions of Python likewise.
    pub train: &'a dyn Fn(&Train, &[ConfigValue]) -> u8,
    /// Returns the folder of an installed pipeline; `None` if no package has this name.
    pub find_package: &'a dyn Fn(&Path) -> Option<PathBuf>,
    /// Returns the folder of the tables of the installed `spacy-lookups-data`.
    pub find_tables: &'a dyn Fn() -> Option<PathBuf>,
}

/// Runs the command as [`main`] does, with the parts that a Python environment provides.
pub fn main_with_python(
    args: impl IntoIterator<Item = OsString>,
    check: &dyn Fn() -> Result<()>,
    python: PythonSide<'_>,
) -> u8 {
    dispatch(args, check, Some(python))
}

fn dispatch(
    args: impl IntoIterator<Item = OsString>,
    check: &dyn Fn() -> Result<()>,
    python: Option<PythonSide<'_>>,
) -> u8 {
    let packages = python.map(|python| python.find_package);
    let (args, overrides) = overrides::split(args.into_iter().collect());
    let tables = python.map(|python| python.find_tables);
    let parsed = Args::try_parse_from(args).map_err(Failure::Usage);
    let done = parsed.and_then(|args| {
        match args.command {
            Command::Tokenize(args) => tokenize::run(&args, check),
            Command::Annotate(args) => annotate::run(&args, packages, check),
            Command::Model(args) => model::run(&args, packages, check),
            Command::Run(args) => run::run(&args, packages, check),
            Command::Corpus(args) => corpus::run(&args.command, check),
            Command::Convert(args) => convert::run(&args, packages, check),
            Command::Match(args) => matching::run(&args, check).map_err(Failure::from),
            Command::Evaluate(args) => {
                return python
                    .map(|python| (python.evaluate)(&args))
                    .ok_or_else(|| needs_python("evaluate"));
            }
            Command::Package(args) => {
                return python
                    .map(|python| (python.package)(&args))
                    .ok_or_else(|| needs_python("package"));
            }
            Command::Assemble(args) => {
                let run = |python: PythonSide<'_>| (python.assemble)(&args, overrides.pairs());
                return python.map(run).ok_or_else(|| needs_python("assemble"));
            }
            // Without Python the functions of a configuration are refused by name.
            Command::Train(args)
                if (python.is_some() || args.code.is_some())
                    && training::needs_python(&args, &overrides) =>
            {
                let run = |python: PythonSide<'_>| (python.train)(&args, overrides.pairs());
                return python.map(run).ok_or_else(|| needs_python("train --code"));
            }
            Command::Train(args) => training::run(&args, &overrides, check),
            Command::Pretrain(args) => pretraining::run(&args, &overrides, check),
            Command::Config(command) => configuration::run(&command, &overrides),
            Command::Debug(command) => debug::run(&command, &overrides, check),
            Command::Init(command) => init::run(&command, &overrides, check),
            Command::Stats(args) => stats::run(&args, check).map_err(Failure::from),
            Command::Vocab(args) => vocabs::run(&args, check).map_err(Failure::from),
            Command::Lookups(args) => {
                lookup_tables::run(&args, tables, check).map_err(Failure::from)
            }
            Command::Struct(args) => layout::run(&args).map_err(Failure::from),
            Command::Ops(args) => ops::run(&args).map_err(Failure::from),
            Command::Languages(args) => languages::run(&args).map_err(Failure::from),
            Command::Explain(args) => explain::run(&args).map_err(Failure::from),
        }
        .map(|()| 0)
    });
    done.unwrap_or_else(|failure| failure.report())
}

fn needs_python(command: &str) -> Failure {
    let text =
        format!("lexpool {command} runs in Python; install the package: pip install lexpool");
    Failure::from(Error::new(ErrorKind::State, codes::NEEDS_PYTHON, text))
}

#[cfg(test)]
mod tests;
