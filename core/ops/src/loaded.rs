//! The plugins that a registry has loaded.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// A loaded plugin, which stays loaded for the life of the process.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// Its name, which is its namespace.
    pub name: String,
    /// Its version, for people.
    pub version: String,
    /// The file, by its real path.
    pub path: PathBuf,
    /// The names of its ops, then those of its types of objects.
    pub names: Vec<String>,
    /// The size and the time of the file when it was loaded.
    pub(super) stamp: (u64, Option<SystemTime>),
}

/// The plugins of a registry, by their real paths.
#[derive(Debug, Default)]
pub(super) struct Plugins(Mutex<HashMap<PathBuf, Arc<Loaded>>>);

impl Plugins {
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Loaded>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
