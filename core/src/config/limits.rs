//! Limits of configurations.

/// The maximum number of nested sections, lists and objects.
pub(super) const MAX_LEVELS: usize = 100;
/// The end of the message for a value with more levels.
pub(super) const NESTED: &str = "is nested in more than 100 levels; write it flatter";
