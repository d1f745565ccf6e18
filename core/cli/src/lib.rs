//! The command `lexpool`: `tokenize`, `run`, `corpus`, `match`, `stats`, `vocab`, `struct`, `ops` and `explain`.
//!
//! [`main`] is the whole command. The program `lexpool` of this crate and the Python package call it, each
//! with its own way to notice Ctrl-C:
//!
//! ```
//! let words = ["lexpool", "struct", "TokenC"].map(Into::into);
//! assert_eq!(lexpool_cli::main(words, &|| Ok(())), 0);
//! ```
//!
//! | item | role |
//! | --- | --- |
//! | [`main`] | parses the arguments, runs the command, reports errors; returns the exit code |
//! | [`lexpool::ErrorKind::Interrupted`] | kind of the error with which its callback `check` ends the command |
//!
//! Data goes to the standard output, messages and progress to the standard error. This crate alone reads
//! the environment: `NO_COLOR` (for matches, and in the libraries that print help and draw the progress
//! bar) and `TERM`. It calls `lexpool` by its public interface only.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

mod args;
mod corpus;
mod explain;
mod figures;
mod highlight;
mod json;
mod layout;
mod matching;
mod ops;
mod output;
mod progress;
mod pump;
mod run;
mod stats;
mod tokenize;
mod vocabs;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};

use clap::Parser;

use args::{Args, Command};
use lexpool::{Error, ErrorKind, Result, escape};

/// Asks whether to go on; its error of the kind [`Interrupted`](ErrorKind::Interrupted) ends the
/// command.
type Check<'a> = &'a dyn Fn() -> Result<()>;

/// Runs the command with its arguments, the name of the program first, and gives the exit code:
/// 0, or 1 for an error while reading, working or writing, 2 for wrong usage, 130 when `check`
/// fails. `check` is asked at least every 50 ms, on this thread.
pub fn main(args: impl IntoIterator<Item = OsString>, check: &dyn Fn() -> Result<()>) -> u8 {
    let done =
        Args::try_parse_from(args).map_err(Failure::Usage).and_then(|args| match args.command {
            Command::Tokenize(args) => tokenize::run(&args, check),
            Command::Run(args) => run::run(&args, check),
            Command::Corpus(args) => corpus::run(&args.command, check),
            Command::Match(args) => matching::run(&args, check).map_err(Failure::from),
            Command::Stats(args) => stats::run(&args, check).map_err(Failure::from),
            Command::Vocab(args) => vocabs::run(&args, check).map_err(Failure::from),
            Command::Struct(args) => layout::run(&args).map_err(Failure::from),
            Command::Ops(args) => ops::run(&args).map_err(Failure::from),
            Command::Explain(args) => explain::run(&args).map_err(Failure::from),
        });
    done.map_or_else(|failure| failure.report(), |()| 0)
}

/// Why a command came to nothing.
enum Failure {
    Usage(clap::Error),
    Error(Error),
}

impl Failure {
    /// Says it, and gives the exit code.
    fn report(&self) -> u8 {
        match self {
            // Help and the version are among these, with the exit code 0.
            Failure::Usage(error) => {
                // Nobody is left to be told that nobody reads.
                let _ = print_usage(error);
                u8::try_from(error.exit_code()).unwrap_or(2)
            }
            // Whoever read the output has had enough, as `head` has.
            Failure::Error(error) if error.code() == "pipe-closed" => 0,
            Failure::Error(error) if error.kind() == ErrorKind::Interrupted => {
                say(format_args!("lexpool: interrupted"));
                130
            }
            Failure::Error(error) => {
                say(format_args!("lexpool: {error}"));
                1
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

/// Prints a line for people, or several, with nothing in them that a terminal would obey.
fn say(line: fmt::Arguments<'_>) {
    // Where the standard error is closed there is no place to complain.
    let _ = writeln!(io::stderr(), "{}", escape::lines(&line.to_string()));
}

/// Prints help, or what is wrong with arguments; these are repeated in it as they were given.
fn print_usage(error: &clap::Error) -> io::Result<()> {
    let plain = error.render().to_string();
    let escaped = escape::lines(&plain).to_string();
    if escaped == plain {
        return error.print();
    }
    // Without colours, which could not be told from what was given. Help repeats no arguments.
    io::stderr().write_all(escaped.as_bytes())
}

#[cfg(test)]
mod tests;
