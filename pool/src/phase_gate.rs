//! The state of a phase: work of one thread that others may share for a moment.
//!
//! The leader of a phase opens the gate and works; other threads poll the gate, and those that find
//! it open enter and work too. Then the leader closes the gate and waits until it is empty. A
//! thread that comes late finds the gate closed, so the leader waits for nobody who has not begun.
//!
//! **Invariants.** (1) The state has the number of threads that have entered and not left, whether
//! the gate is open, and the number of the phase, all in one word, which a thread that enters
//! changes at once: so nobody enters a gate after it was closed. (2) Only the leader opens and
//! closes.

#![forbid(unsafe_code)]

use crate::sync::{AtomicU64, Ordering};

/// The bit of an open gate; those below it count the threads inside.
const OPEN: u64 = 1 << 31;
/// The place of the number of the phase.
const NUMBER: u32 = 32;

/// Lets threads into phases of a leader, which knows when they have left.
///
/// ```
/// use lexpool_pool::PhaseGate;
///
/// let gate = PhaseGate::new();
/// assert_eq!(gate.try_enter(None), None);
/// gate.open(); // the leader begins
/// let phase = gate.try_enter(None); // a helper enters
/// assert!(phase.is_some());
/// assert_eq!(gate.try_enter(phase), None); // once
/// gate.close();
/// assert!(!gate.is_empty()); // the leader must wait
/// assert!(gate.leave()); // the last helper leaves
/// assert!(gate.is_empty());
/// ```
#[derive(Debug)]
pub struct PhaseGate(AtomicU64);

impl PhaseGate {
    /// Creates a closed, empty gate.
    pub fn new() -> PhaseGate {
        PhaseGate(AtomicU64::new(0))
    }

    /// Opens a closed and empty gate for the next phase. What this thread has written is seen by
    /// those that enter.
    pub fn open(&self) {
        let state = self.0.load(Ordering::Relaxed);
        debug_assert_eq!(state & (OPEN | (OPEN - 1)), 0, "a gate that is open or not empty");
        let number = (state >> NUMBER).wrapping_add(1);
        self.0.store(number << NUMBER | OPEN, Ordering::Release);
    }

    /// Enters an open gate, unless its phase has the number `last`, and returns the number. `None`
    /// also if another thread has entered or left at the same moment. Cost: a load, or an atomic
    /// exchange.
    pub fn try_enter(&self, last: Option<u32>) -> Option<u32> {
        let state = self.0.load(Ordering::Relaxed);
        let number = open_phase(state).filter(|number| last != Some(*number))?;
        let entered =
            self.0.compare_exchange(state, state + 1, Ordering::Acquire, Ordering::Relaxed);
        entered.ok().map(|_| number)
    }

    /// Returns whether the gate is open for another phase than that of the number `last`.
    pub fn is_open(&self, last: Option<u32>) -> bool {
        open_phase(self.0.load(Ordering::Relaxed)).is_some_and(|number| last != Some(number))
    }

    /// Leaves. Returns whether the gate is closed and now empty: the leader may wait for that.
    pub fn leave(&self) -> bool {
        let state = self.0.fetch_sub(1, Ordering::Release);
        state & (OPEN | (OPEN - 1)) == 1
    }

    /// Closes the gate.
    pub fn close(&self) {
        self.0.fetch_and(!OPEN, Ordering::Relaxed);
    }

    /// Returns whether nobody is inside. While the gate is closed, `true` stays true, and what
    /// those that have left wrote is seen.
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Acquire) & (OPEN - 1) == 0
    }
}

/// Returns the number of the phase if the gate is open.
fn open_phase(state: u64) -> Option<u32> {
    (state & OPEN != 0).then_some((state >> NUMBER) as u32)
}

impl Default for PhaseGate {
    fn default() -> PhaseGate {
        PhaseGate::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_enters_each_phase_once() {
        let gate = PhaseGate::default();
        let mut last = None;
        for number in 1..4 {
            assert!(!gate.is_open(last));
            gate.open();
            assert!(gate.is_open(last));
            last = gate.try_enter(last);
            assert_eq!(last, Some(number));
            assert!(!gate.is_open(last), "it has entered this phase");
            assert_eq!(gate.try_enter(last), None);
            gate.close();
            assert!(gate.leave());
        }
    }

    #[test]
    fn nobody_enters_a_gate_after_it_was_closed() {
        let gate = PhaseGate::new();
        gate.open();
        gate.close();
        assert!(!gate.is_open(None));
        assert_eq!(gate.try_enter(None), None);
        assert!(gate.is_empty());
    }

    #[test]
    fn only_the_last_to_leave_a_closed_gate_ends_the_wait() {
        let gate = PhaseGate::new();
        gate.open();
        assert!((0..4).all(|_| gate.try_enter(None).is_some()));
        assert!(!gate.leave(), "the gate is open");
        gate.close();
        for is_last in [false, false, true] {
            assert!(!gate.is_empty());
            assert_eq!(gate.leave(), is_last);
        }
        assert!(gate.is_empty());
    }

    #[test]
    fn the_last_to_leave_an_open_gate_ends_no_wait() {
        let gate = PhaseGate::new();
        gate.open();
        gate.try_enter(None);
        assert!(!gate.leave());
        assert!(gate.is_empty());
    }

    #[test]
    fn numbers_of_phases_begin_again_after_the_last() {
        let gate = PhaseGate(AtomicU64::new(u64::from(u32::MAX) << NUMBER));
        gate.open();
        assert_eq!(gate.try_enter(Some(u32::MAX)), Some(0));
    }
}
