//! Claims of op calls to writable memory: a lease does not end while a call uses its records.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

/// Writable memory, of a lease or a pool, that a call is using.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryClaim {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) writes: bool,
    /// The address of the object that owns the memory.
    pub(crate) owner: usize,
}

/// The claims of all calls, in all threads.
pub(crate) static CLAIMS: Mutex<Vec<MemoryClaim>> = Mutex::new(Vec::new());

/// Returns true while a call uses writable memory of this object.
pub(crate) fn in_use(owner: &Bound<'_, PyAny>) -> bool {
    let claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.iter().any(|claim| claim.owner == owner.as_ptr() as usize)
}
