//! Functions that the program gives for plugins: a log, and the check of long work.

use std::sync::OnceLock;

/// Callbacks of the program that embeds lexpool, for plugins.
#[derive(Clone, Copy, Debug)]
pub struct HostHooks {
    /// Logs a text, at a level of Python's `logging`.
    pub log: fn(level: u32, text: &str),
    /// Checks whether long work may go on; its error ends the work.
    pub go_on: fn() -> lexpool::Result<()>,
}

pub(super) static HOOKS: OnceLock<HostHooks> = OnceLock::new();

/// Sets the callbacks for plugins; only the first call has an effect.
pub fn set_host_hooks(hooks: HostHooks) {
    // A second call finds the callbacks set.
    let _ = HOOKS.set(hooks);
}

/// Checks with the program whether long work may go on.
///
/// # Errors
///
/// The error of the program's callback, if it has set one.
pub(super) fn go_on() -> lexpool::Result<()> {
    HOOKS.get().map_or(Ok(()), |hooks| (hooks.go_on)())
}
