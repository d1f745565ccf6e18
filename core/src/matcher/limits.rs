//! Limits of one search for token patterns.

use crate::codes;
use crate::{Error, ErrorKind};

/// The maximum number of matches of one search, before a choice among overlapping ones.
pub(super) const MAX_MATCHES: usize = 10_000_000;

/// The maximum number of steps of one search, which take a few seconds. A DFA state with all its
/// starts counts as one thread.
pub(super) const MAX_STEPS: u64 = 1 << 30;

/// The number of steps that one step of the DFA construction counts as.
pub(super) const CONSTRUCTION_COST: u64 = 8;

/// Returns the error of a search that reached a limit at a token, after the given number of steps.
pub(super) fn error(steps: u64, token: usize) -> Error {
    let (limit, unit) =
        if steps > MAX_STEPS { (MAX_STEPS, "steps") } else { (MAX_MATCHES as u64, "matches") };
    let text = format!(
        "the patterns reached the limit of {limit} {unit} in one search, at token {token}; bound \
         repetitions that take any token, as in {{,10}}, or search sentence by sentence"
    );
    Error::new(ErrorKind::Value, codes::MATCH_LIMIT, text)
}
