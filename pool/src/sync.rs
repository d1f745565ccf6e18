//! The synchronization primitives of this crate: std's, or loom's under `cfg(loom)`.
//!
//! Every atomic and every lock is taken from here, so that one source is what runs and what the
//! model checker explores.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc, Mutex, MutexGuard, RwLock,
    atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};
#[cfg(not(loom))]
pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard, RwLock,
    atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

use std::sync::PoisonError;

/// Locks, whether or not an earlier holder panicked.
///
/// Each structure here is whole at every point where foreign code can panic, so a poisoned lock
/// says nothing about the data behind it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Orders what this thread wrote before what it reads after, for all threads alike.
///
/// `SeqCst` accesses do so by themselves, but loom takes them for `AcqRel`, and knows the total order of
/// fences only.
pub(crate) fn total_order() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}
