//! The command `lexpool`; see `lexpool --help`.

#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool::codes;
use lexpool::{Error, ErrorKind};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

fn main() -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    // The first Ctrl-C asks, so that an unfinished file is removed; a second one does not ask.
    let second = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&interrupted));
    let first = second.and_then(|_| flag::register(SIGINT, Arc::clone(&interrupted)));
    // Without a handler Ctrl-C still ends the process.
    drop(first);
    let check = || {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Error::new(
                ErrorKind::Interrupted,
                codes::INTERRUPTED,
                "stopped by Ctrl-C",
            ));
        }
        Ok(())
    };
    ExitCode::from(lexpool_cli::main(env::args_os(), &check))
}
