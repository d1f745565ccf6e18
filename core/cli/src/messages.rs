//! Messages to people, on the standard error.

use std::fmt;
use std::io::{self, Write};

use lexpool::escape;

/// Prints lines to the standard error, with control characters escaped.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    // If the standard error is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr(), "{}", escape::lines(&line.to_string()));
}

/// Prints help, or a usage error, which repeats the given arguments.
pub(crate) fn print_usage(error: &clap::Error) -> io::Result<()> {
    let plain = error.render().to_string();
    let escaped = escape::lines(&plain).to_string();
    if escaped == plain {
        return error.print();
    }
    // Without colours: their escape sequences cannot be told from those of arguments.
    io::stderr().write_all(escaped.as_bytes())
}
