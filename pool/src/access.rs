//! A reader-writer count without a lock: many read a value, or one changes it, or it is lent.
//!
//! The value itself lies elsewhere; this is the state machine of its cell, apart so that the model checker
//! can explore it (`tests/schedules.rs`).
//!
//! ```text
//!             enter                claim                 lend
//!   n readers <----> 0 = free <------------> changing -----------> lent
//!             leave                release    ^                     |
//!                                             +------ recall -------+
//! ```
//!
//! **Invariant.** A claim, and a recall, succeed for one thread at a time and only while no reader is
//! counted; a reader is counted only while nobody changes the value and it is not lent. What happened
//! before a release, a `lend` or a `leave` happens before the claim, recall or `enter` that follows.

use crate::sync::{AtomicU32, Ordering};

/// The count of a value that is being changed.
const CHANGING: u32 = u32::MAX;
/// The count of a value that is lent.
const LENT: u32 = CHANGING - 1;

/// The state of a cell that many may read or one may change, or that is lent to neither.
///
/// ```
/// use lexpool_pool::Access;
///
/// let access = Access::new();
/// assert!(access.enter());
/// assert!(!access.claim()); // somebody reads
/// access.leave();
/// assert!(access.claim());
/// assert!(!access.enter());
/// access.release();
/// ```
#[derive(Debug)]
pub struct Access(AtomicU32);

impl Access {
    /// The state of a value that nobody uses.
    pub fn new() -> Access {
        Access(AtomicU32::new(0))
    }

    /// Counts a reader in, unless the value is being changed or lent.
    #[inline]
    pub fn enter(&self) -> bool {
        let more = |readers| (readers < LENT - 1).then(|| readers + 1);
        self.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok()
    }

    /// Counts a reader out.
    #[inline]
    pub fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Counts a reader in, as [`enter`](Access::enter), by a plain load and store.
    ///
    /// For callers that hold one lock around every change of this state, such as Python's GIL; the lock
    /// orders what they do.
    #[inline]
    pub fn enter_under_lock(&self) -> bool {
        let readers = self.0.load(Ordering::Relaxed);
        if readers >= LENT - 1 {
            return false;
        }
        self.0.store(readers + 1, Ordering::Relaxed);
        true
    }

    /// Counts a reader out under the lock of [`enter_under_lock`](Access::enter_under_lock).
    #[inline]
    pub fn leave_under_lock(&self) {
        self.0.store(self.0.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }

    /// Takes the value to change it, if nobody uses it.
    #[inline]
    pub fn claim(&self) -> bool {
        self.0.compare_exchange(0, CHANGING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Ends a claim or a recall.
    #[inline]
    pub fn release(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Ends a claim by lending the value.
    #[inline]
    pub fn lend(&self) {
        self.0.store(LENT, Ordering::Release);
    }

    /// Takes a value that is lent to change it.
    #[inline]
    pub fn recall(&self) -> bool {
        self.is_lent()
            && self.0.compare_exchange(LENT, CHANGING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Returns whether the value is lent.
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == LENT
    }

    /// Returns whether the value is being changed.
    #[inline]
    pub fn is_changing(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CHANGING
    }

    /// Returns whether a reader would be let in.
    #[inline]
    pub fn is_readable(&self) -> bool {
        self.0.load(Ordering::Relaxed) < LENT
    }
}

impl Default for Access {
    fn default() -> Access {
        Access::new()
    }
}
