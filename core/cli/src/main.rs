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
    let (is_asked, is_terminated) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
    let flags = |signal, code, own: &Arc<AtomicBool>| {
        // The first signal asks, so that an unfinished file is removed; a second one does not ask.
        let second = flag::register_conditional_shutdown(signal, code, Arc::clone(&is_asked));
        let first = second.and_then(|_| flag::register(signal, Arc::clone(own)));
        // Without a handler the signal still ends the process.
        drop(first.and_then(|_| flag::register(signal, Arc::clone(&is_asked))));
    };
    flags(SIGINT, 130, &is_asked);
    flags(SIGTERM, 143, &is_terminated);
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
