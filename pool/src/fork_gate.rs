//! A gate that threads pass to work, and that is closed for the moment of a fork.
//!
//! A lock that some thread holds while another one forks stays locked in the child for ever. So work that
//! takes shared locks is counted in at a [`ForkGate`]; a thread that wants to fork closes the gate, and forks
//! once the count is zero. This is the store-buffering pattern (Dekker): the worker writes its count and
//! reads whether the gate is closed, the other thread writes that it is closed and reads the counts, and
//! sequential consistency lets at least one of them see the other.
//!
//! **Invariants.** (1) A slot holds the number of [`try_enter`](ForkGate::try_enter) and
//! [`enter_within`](ForkGate::enter_within) calls on it that have not left yet. (2) The gate is closed while
//! `closings` is above zero, so two threads that fork at once each keep it closed for themselves.

use crate::sync::{AtomicUsize, Ordering, total_order};

/// Slots that threads are counted in, so that they do not take a cache line from each other.
#[cfg(not(loom))]
const SLOTS: usize = 16;
#[cfg(loom)]
const SLOTS: usize = 2;

/// Counts threads at work, and keeps new ones out while it is closed.
///
/// It takes no lock: one that a waiting thread holds would stay locked in the child.
///
/// ```
/// use lexpool_pool::ForkGate;
///
/// static GATE: ForkGate = ForkGate::new();
/// assert!(GATE.try_enter(0)); // a worker comes in
/// GATE.close();
/// assert!(!GATE.is_empty(0)); // one that wants to fork has to wait
/// assert!(!GATE.try_enter(1)); // and so has whatever comes later
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
    /// An open gate that nobody has passed.
    #[cfg(not(loom))]
    pub const fn new() -> ForkGate {
        ForkGate {
            slots: [const { Slot(AtomicUsize::new(0)) }; SLOTS],
            closings: AtomicUsize::new(0),
        }
    }

    /// An open gate that nobody has passed.
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

    /// Counts a thread in, unless the gate is closed. Any number will do as a slot; the thread has to
    /// leave by the same. Cost: two atomics.
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

    /// Counts a thread in, closed gate or not.
    ///
    /// Only for work that another thread, which is inside already, waits for: keeping it out would keep
    /// that thread inside, and the gate would never be empty.
    pub fn enter_within(&self, slot: usize) {
        self.slot(slot).fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a thread out that came in by this slot.
    pub fn leave(&self, slot: usize) {
        self.slot(slot).fetch_sub(1, Ordering::SeqCst);
    }

    /// Lets no thread in until [`open`](ForkGate::open) was called as often as this.
    pub fn close(&self) {
        self.closings.fetch_add(1, Ordering::SeqCst);
        total_order();
    }

    /// Undoes one [`close`](ForkGate::close).
    pub fn open(&self) {
        self.closings.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns whether no more than `own` counts, those of the thread that asks, are inside.
    ///
    /// The answer lasts if the gate is closed and true is returned: a count that moves in the meantime is
    /// of work that a thread inside waits for, and that thread's slot is above zero throughout.
    pub fn is_empty(&self, own: usize) -> bool {
        let inside: usize = self.slots.iter().map(|slot| slot.0.load(Ordering::SeqCst)).sum();
        inside == own
    }

    /// Makes the gate of a forked child: open, with `own` counts of the only thread there is in `slot`.
    pub fn reset(&self, slot: usize, own: usize) {
        for slot in &self.slots {
            slot.0.store(0, Ordering::SeqCst);
        }
        self.slot(slot).store(own, Ordering::SeqCst);
        self.closings.store(0, Ordering::SeqCst);
    }
}

impl Default for ForkGate {
    fn default() -> ForkGate {
        ForkGate::new()
    }
}
