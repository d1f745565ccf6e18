//! A gate that delays `fork` until no thread holds shared locks (mutual exclusion after Dekker, by
//! store buffering).
//!
//! A lock that a thread holds while another thread forks stays locked in the child for ever. So
//! threads that take shared locks enter a [`ForkGate`] first; a thread that wants to fork closes
//! the gate and forks once the gate is empty. A worker stores its count and then loads `closings`;
//! the forking thread stores `closings` and then loads the counts. Sequential consistency
//! guarantees that at least one of them sees the store of the other.
//!
//! **Invariants.** (1) A slot holds the number of [`try_enter`](ForkGate::try_enter) and
//! [`enter_within`](ForkGate::enter_within) calls on it that have not left yet. (2) The gate is
//! closed while `closings` is above zero, so two threads that fork at once each keep it closed for
//! themselves.

#![forbid(unsafe_code)]

use crate::sync::{AtomicUsize, Ordering, total_order};

/// The number of slots. Threads are counted in different slots so that they do not share a cache
/// line.
#[cfg(not(loom))]
const SLOTS: usize = 16;
#[cfg(loom)]
const SLOTS: usize = 2;

/// Counts threads that are inside, and keeps others out while it is closed.
///
/// It takes no lock, since a lock of its own could stay locked in the child.
///
/// ```
/// use lexpool_pool::ForkGate;
///
/// static GATE: ForkGate = ForkGate::new();
/// assert!(GATE.try_enter(0)); // a worker enters
/// GATE.close();
/// assert!(!GATE.is_empty(0)); // the forking thread must wait
/// assert!(!GATE.try_enter(1)); // and no other worker enters
/// GATE.leave(0);
/// assert!(GATE.is_empty(0));
/// GATE.open();
/// ```
pub struct ForkGate {
    slots: [Slot; SLOTS],
    closings: AtomicUsize,
}

#[repr(align(128))]
struct Slot(AtomicUsize);

impl ForkGate {
    /// Creates an open, empty gate.
    #[cfg(not(loom))]
    pub const fn new() -> ForkGate {
        ForkGate {
            slots: [const { Slot(AtomicUsize::new(0)) }; SLOTS],
            closings: AtomicUsize::new(0),
        }
    }

    /// Creates an open, empty gate.
    #[cfg(loom)]
    pub fn new() -> ForkGate {
        ForkGate {
            slots: std::array::from_fn(|_| Slot(AtomicUsize::new(0))),
            closings: AtomicUsize::new(0),
        }
    }

    fn slot(&self, slot: usize) -> &AtomicUsize {
        &self.slots[slot % SLOTS].0
    }

    /// Enters, unless the gate is closed. Any number may be used as a slot; the thread must leave
    /// by the same slot. Cost: two atomic operations.
    pub fn try_enter(&self, slot: usize) -> bool {
        let count = self.slot(slot);
        count.fetch_add(1, Ordering::SeqCst);
        total_order();
        if self.closings.load(Ordering::SeqCst) == 0 {
            return true;
        }
        count.fetch_sub(1, Ordering::SeqCst);
        false
    }

    /// Enters even if the gate is closed.
    ///
    /// Only for work that a thread inside waits for: if that work were kept out, the thread would
    /// never leave.
    pub fn enter_within(&self, slot: usize) {
        self.slot(slot).fetch_add(1, Ordering::SeqCst);
    }

    /// Leaves by the slot of the call that entered.
    pub fn leave(&self, slot: usize) {
        self.slot(slot).fetch_sub(1, Ordering::SeqCst);
    }

    /// Closes the gate until [`open`](ForkGate::open) was called as often as this.
    pub fn close(&self) {
        self.closings.fetch_add(1, Ordering::SeqCst);
        total_order();
    }

    /// Undoes one [`close`](ForkGate::close).
    pub fn open(&self) {
        self.closings.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns whether only `own_count` counts, those of the calling thread, are inside.
    ///
    /// While the gate stays closed, `true` stays true: only
    /// [`enter_within`](ForkGate::enter_within) enters a closed gate, for a thread that is inside
    /// and would have been counted.
    pub fn is_empty(&self, own_count: usize) -> bool {
        let inside: usize = self.slots.iter().map(|slot| slot.0.load(Ordering::SeqCst)).sum();
        inside == own_count
    }

    /// Resets the gate in a forked child: open, with `own_count` counts of its thread in `slot`.
    pub fn reset(&self, slot: usize, own_count: usize) {
        for slot in &self.slots {
            slot.0.store(0, Ordering::SeqCst);
        }
        self.slot(slot).store(own_count, Ordering::SeqCst);
        self.closings.store(0, Ordering::SeqCst);
    }
}

impl Default for ForkGate {
    fn default() -> ForkGate {
        ForkGate::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_closed_until_it_was_opened_as_often_as_closed() {
        let gate = ForkGate::default();
        gate.close();
        gate.close();
        gate.open();
        assert!(!gate.try_enter(0));
        assert!(gate.is_empty(0), "a thread that was kept out is not counted");
        gate.open();
        assert!(gate.try_enter(0));
    }

    #[test]
    fn each_thread_inside_is_counted_in_whatever_slot() {
        let gate = ForkGate::new();
        for slot in 0..3 * SLOTS {
            assert!(gate.is_empty(slot));
            assert!(gate.try_enter(slot));
            assert!(!gate.is_empty(slot));
        }
        for slot in 0..3 * SLOTS {
            gate.leave(slot);
        }
        assert!(gate.is_empty(0));
    }

    #[test]
    fn slots_are_counted_apart() {
        let gate = ForkGate::new();
        (0..2 * SLOTS).for_each(|slot| _ = gate.try_enter(slot));
        assert!(gate.slots.iter().all(|slot| slot.0.load(Ordering::SeqCst) == 2));
    }

    #[test]
    fn work_within_enters_a_closed_gate() {
        let gate = ForkGate::new();
        assert!(gate.try_enter(3));
        gate.close();
        gate.enter_within(4);
        assert!(gate.is_empty(2));
        gate.leave(3);
        gate.leave(4);
        assert!(gate.is_empty(0));
    }

    #[test]
    fn a_gate_of_a_forked_child_counts_its_only_thread() {
        let gate = ForkGate::new();
        (0..SLOTS).for_each(|slot| _ = gate.try_enter(slot));
        gate.close();
        gate.reset(SLOTS + 1, 2);
        assert!(gate.is_empty(2));
        assert!(gate.try_enter(0), "it is open");
        for slot in [1, 1, 0] {
            gate.leave(slot);
        }
        assert!(gate.is_empty(0));
    }
}
