//! The command `lexpool`; see `lexpool --help`.

#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool::codes;
use lexpool::{Error, ErrorKind};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

fn main() -> ExitCode {
    let is_terminated = Arc::new(AtomicBool::new(false));
    drop(flag::register(SIGTERM, Arc::clone(&is_terminated)));
    // The first signal asks, so that an unfinished file is removed; a second one does not ask.
    let is_asked = lexpool_cli::end_at_second_signal(&[SIGINT, SIGTERM]);
    let check = || {
        let (code, text) = if is_terminated.load(Ordering::Relaxed) {
            (codes::TERMINATED, "stopped by SIGTERM")
        } else if is_asked.load(Ordering::Relaxed) {
            (codes::INTERRUPTED, "stopped by Ctrl-C")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Interrupted, code, text))
    };
    ExitCode::from(lexpool_cli::main(env::args_os(), &check))
}
