//! Functions that the program gives for plugins: a log, and the check of long work.

use std::sync::OnceLock;

/// What a program that has lexpool in it does for plugins.
#[derive(Clone, Copy, Debug)]
pub struct HostHooks {
    /// Takes what plugins tell: a level as in Python's `logging`, and a text.
    pub log: fn(level: u32, text: &str),
    /// Asks whether long work is to go on; its error ends the work.
    pub go_on: fn() -> crate::Result<()>,
}

pub(super) static HOOKS: OnceLock<HostHooks> = OnceLock::new();

/// Says what to do with what plugins tell and ask; the first call counts.
pub fn set_host_hooks(hooks: HostHooks) {
    // Whoever comes second finds a program that is set up already.
    let _ = HOOKS.set(hooks);
}

/// Asks the program whether long work is to go on.
///
/// # Errors
///
/// What the program gives, where it has said how to ask.
pub(super) fn go_on() -> crate::Result<()> {
    HOOKS.get().map_or(Ok(()), |hooks| (hooks.go_on)())
}
