//! Sections of a configuration as values, their defaults, and new configurations.
//!
//! | module | contains |
//! | --- | --- |
//! | `fields` | the reader of sections, which notes all problems |
//! | `functions` | what a configuration names that only Python has |
//! | `loop_settings`, `schedule_settings`, `initialize_settings` | sections as values |
//! | `defaults`, `fill`, `starter` | configurations by defaults |

pub(crate) mod defaults;
pub(crate) mod fields;
pub(crate) mod fill;
pub(crate) mod functions;
pub(crate) mod initialize_settings;
pub(crate) mod loop_settings;
pub(crate) mod schedule_settings;
pub(crate) mod starter;
