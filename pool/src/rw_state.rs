//! The state word of a reader-writer lock with a third state, exported.
//!
//! A value has any number of readers, or one writer, or is exported: a copy of it was given to
//! foreign code that may change the copy, so the value is neither read nor written until it is
//! reclaimed. The value itself is in another cell; its state machine is separate so that the model
//! checker can explore it (`tests/schedules.rs`).
//!
//! ```text
//!            try_read            try_write               export
//!   n readers <----> 0 = free <------------> writing -----------> exported
//!            end_read            end_write      ^                    |
//!                                               +--- try_reclaim ----+
//! ```
//!
//! **Invariant.** `try_write` and `try_reclaim` succeed for one thread at a time, and only while
//! there are no readers; `try_read` succeeds only while the value is neither being written nor
//! exported. Everything before an `end_write`, `export` or `end_read` happens before the
//! `try_write`, `try_reclaim` or `try_read` that follows it.

#![forbid(unsafe_code)]

use crate::sync::{AtomicU32, Ordering};

/// The state of a value that is being written.
const WRITING: u32 = u32::MAX;
/// The state of a value that is exported.
const EXPORTED: u32 = WRITING - 1;
/// The largest number of readers.
const MAX_READERS: u32 = EXPORTED - 1;

/// The state of a cell: a number of readers, being written, or exported.
///
/// ```
/// use lexpool_pool::RwState;
///
/// let state = RwState::new();
/// assert!(state.try_read());
/// assert!(!state.try_write()); // there is a reader
/// state.end_read();
/// assert!(state.try_write());
/// assert!(!state.try_read());
/// state.end_write();
/// ```
#[derive(Debug)]
pub struct RwState(AtomicU32);

impl RwState {
    /// Creates the state of a free value.
    pub fn new() -> RwState {
        RwState(AtomicU32::new(0))
    }

    /// Adds a reader, unless the value is being written or exported.
    #[inline]
    pub fn try_read(&self) -> bool {
        let more = |readers| (readers < MAX_READERS).then(|| readers + 1);
        self.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok()
    }

    /// Removes a reader.
    #[inline]
    pub fn end_read(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Adds a reader as [`try_read`](RwState::try_read) does, but by a plain load and store.
    ///
    /// For callers that hold one lock, such as Python's GIL, around every change of this state: the
    /// lock orders their accesses.
    #[inline]
    pub fn try_read_under_lock(&self) -> bool {
        let readers = self.0.load(Ordering::Relaxed);
        if readers >= MAX_READERS {
            return false;
        }
        self.0.store(readers + 1, Ordering::Relaxed);
        true
    }

    /// Removes a reader, under the lock of [`try_read_under_lock`](RwState::try_read_under_lock).
    #[inline]
    pub fn end_read_under_lock(&self) {
        self.0.store(self.0.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }

    /// Begins a write if the value is free.
    #[inline]
    pub fn try_write(&self) -> bool {
        self.0.compare_exchange(0, WRITING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Ends a write.
    #[inline]
    pub fn end_write(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Ends a write by exporting the value.
    #[inline]
    pub fn export(&self) {
        self.0.store(EXPORTED, Ordering::Release);
    }

    /// Begins a write if the value is exported.
    #[inline]
    pub fn try_reclaim(&self) -> bool {
        self.is_exported()
            && self
                .0
                .compare_exchange(EXPORTED, WRITING, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Returns whether the value is exported.
    #[inline]
    pub fn is_exported(&self) -> bool {
        self.0.load(Ordering::Relaxed) == EXPORTED
    }

    /// Returns whether the value is being written.
    #[inline]
    pub fn is_writing(&self) -> bool {
        self.0.load(Ordering::Relaxed) == WRITING
    }

    /// Returns whether [`try_read`](RwState::try_read) would succeed.
    #[inline]
    pub fn is_readable(&self) -> bool {
        self.0.load(Ordering::Relaxed) < MAX_READERS
    }
}

impl Default for RwState {
    fn default() -> RwState {
        RwState::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The state as the diagram of the module has it.
    #[derive(Clone, Copy, PartialEq)]
    enum Model {
        Readers(u32),
        Writing,
        Exported,
    }

    proptest! {
        #[test]
        fn a_state_takes_the_steps_of_its_diagram_and_no_others(
            steps in proptest::collection::vec(0_u8..8, 0..200),
        ) {
            let (state, mut model) = (RwState::default(), Model::Readers(0));
            for step in steps {
                match (step, model) {
                    (0, Model::Readers(readers)) => {
                        prop_assert!(state.try_read());
                        model = Model::Readers(readers + 1);
                    }
                    (1, Model::Readers(readers)) => {
                        prop_assert!(state.try_read_under_lock());
                        model = Model::Readers(readers + 1);
                    }
                    (0, _) => prop_assert!(!state.try_read()),
                    (1, _) => prop_assert!(!state.try_read_under_lock()),
                    (2, Model::Readers(readers @ 1..)) => {
                        state.end_read();
                        model = Model::Readers(readers - 1);
                    }
                    (3, Model::Readers(readers @ 1..)) => {
                        state.end_read_under_lock();
                        model = Model::Readers(readers - 1);
                    }
                    (4, _) => {
                        let is_free = model == Model::Readers(0);
                        prop_assert_eq!(state.try_write(), is_free);
                        model = if is_free { Model::Writing } else { model };
                    }
                    (5, _) => {
                        let is_exported = model == Model::Exported;
                        prop_assert_eq!(state.try_reclaim(), is_exported);
                        model = if is_exported { Model::Writing } else { model };
                    }
                    (6, Model::Writing) => {
                        state.end_write();
                        model = Model::Readers(0);
                    }
                    (7, Model::Writing) => {
                        state.export();
                        model = Model::Exported;
                    }
                    _ => {}
                }
                prop_assert_eq!(state.is_writing(), model == Model::Writing);
                prop_assert_eq!(state.is_exported(), model == Model::Exported);
                prop_assert_eq!(state.is_readable(), matches!(model, Model::Readers(_)));
            }
        }
    }

    #[test]
    fn more_readers_than_the_state_can_count_are_refused() {
        for try_read in [RwState::try_read, RwState::try_read_under_lock] {
            let state = RwState(AtomicU32::new(MAX_READERS - 1));
            assert!(state.is_readable() && try_read(&state));
            assert!(!state.is_readable() && !try_read(&state));
            assert!(!state.is_exported() && !state.is_writing());
        }
    }
}
