//! How much one search may find and do.

use crate::{Error, ErrorKind};

/// The most matches of one search, before a choice among those that overlap.
pub(super) const MATCHES: usize = 10_000_000;

/// The most steps of one search: at each token, of what is under way, equal states with all their
/// starts are one. So many take some seconds.
pub(super) const STEPS: u64 = 1 << 30;

/// How many steps it takes to learn one.
pub(super) const LEARNING: u64 = 8;

/// The error of a search that came to one of them at a token, after so many steps.
pub(super) fn error(steps: u64, token: usize) -> Error {
    let (limit, unit) = if steps > STEPS { (STEPS, "steps") } else { (MATCHES as u64, "matches") };
    let text = format!(
        "the patterns reached the limit of {limit} {unit} in one search, at token {token}; bound \
         repetitions that take any token, as in {{,10}}, or search sentence by sentence"
    );
    Error::new(ErrorKind::Value, "match-limit", text)
}
