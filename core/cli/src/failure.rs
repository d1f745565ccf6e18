//! Failures of commands, and their exit codes.

use crate::messages::{print_usage, say};
use lexpool::{Error, ErrorKind, Result};

/// Callback that returns an error of the kind [`Interrupted`](ErrorKind::Interrupted) to stop the
/// command.
pub(crate) type Check<'a> = &'a dyn Fn() -> Result<()>;

/// Failure of a command.
pub(crate) enum Failure {
    Usage(clap::Error),
    Error(Error),
}

impl Failure {
    /// Reports the failure, and returns the exit code.
    pub(crate) fn report(&self) -> u8 {
        match self {
            // Includes help and the version, with the exit code 0.
            Failure::Usage(error) => {
                // If printing fails, there is nowhere to report it.
                let _ = print_usage(error);
                u8::try_from(error.exit_code()).unwrap_or(2)
            }
            // The reader of the output closed it early, as `head` does.
            Failure::Error(error) if error.code() == "pipe-closed" => 0,
            Failure::Error(error) if error.code() == "terminated" => {
                say(format_args!("lexpool: terminated"));
                143
            }
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
