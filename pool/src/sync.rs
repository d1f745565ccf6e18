//! The synchronization primitives of this crate: those of `std`, or those of loom under
//! `cfg(loom)`.
//!
//! The crate imports every atomic and every lock from here, so the model checker explores the code
//! that runs.

#![forbid(unsafe_code)]

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

/// Locks a mutex and ignores poisoning.
///
/// The structures of this crate are consistent at every point where foreign code can panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Orders earlier stores of this thread before its later loads (a `SeqCst` fence), under loom only.
///
/// `SeqCst` accesses guarantee that order themselves, but loom treats them as `AcqRel` and models
/// the total order of fences only.
pub(crate) fn total_order() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}
