//! Direct-mapped cache of transitions by state and token class.

use super::state::{StateId, TransitionId};
use crate::matcher::token_classes::TokenClass;

/// The last transitions by state and class, one a slot.
///
/// A slot packs the state, the class and the transition into 64 bits, so that a look-up reads one
/// word of memory. The bounds of the DFA and of the classes keep their numbers within these widths.
/// Memory: 512 KB of zeroed pages, of which the system gives those that are written to.
pub(super) struct RecentTransitions {
    slots: Box<[u64]>,
}

const SLOT_BITS: u32 = 16;
const STATE_BITS: u32 = 22;
const CLASS_BITS: u32 = 20;
const TRANSITION_BITS: u32 = 64 - STATE_BITS - CLASS_BITS;

impl Default for RecentTransitions {
    /// Returns an empty cache. A free slot is zero: the transition of the dead state at the first
    /// class, which leads to the dead state.
    fn default() -> RecentTransitions {
        RecentTransitions { slots: vec![0; 1 << SLOT_BITS].into() }
    }
}

impl RecentTransitions {
    #[inline]
    pub(super) fn get(&self, state: StateId, class: TokenClass) -> Option<TransitionId> {
        let slot = self.slots[RecentTransitions::home(state, class)];
        let transition = slot & ((1 << TRANSITION_BITS) - 1);
        let is_same = slot >> TRANSITION_BITS == RecentTransitions::key(state, class);
        is_same.then_some(TransitionId(u32::try_from(transition).unwrap_or_default()))
    }

    #[inline]
    pub(super) fn set(&mut self, state: StateId, class: TokenClass, transition: TransitionId) {
        debug_assert!(state.0 < 1 << STATE_BITS, "state {}", state.0);
        debug_assert!(class.0 < 1 << CLASS_BITS, "class {}", class.0);
        debug_assert!(transition.0 < 1 << TRANSITION_BITS, "transition {}", transition.0);
        self.slots[RecentTransitions::home(state, class)] =
            RecentTransitions::key(state, class) << TRANSITION_BITS | u64::from(transition.0);
    }

    #[inline]
    fn key(state: StateId, class: TokenClass) -> u64 {
        u64::from(state.0) << CLASS_BITS | u64::from(class.0)
    }

    #[inline]
    fn home(state: StateId, class: TokenClass) -> usize {
        let hash = state.0.wrapping_mul(0x9E37_79B1) ^ class.0.wrapping_mul(0x85EB_CA77);
        (hash >> (32 - SLOT_BITS)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transition_is_found_under_its_own_state_and_class_only() {
        let mut recent = RecentTransitions::default();
        let mut last = ahash::AHashMap::new();
        let numbers = || (0..64).map(|n: u32| n.wrapping_mul(0x9E37_79B1));
        for (state, class) in numbers().flat_map(|n| numbers().map(move |m| (n >> 10, m >> 12))) {
            let (state, class) = (StateId(state.max(1)), TokenClass(class));
            let transition = TransitionId((state.0 ^ class.0) >> 1);
            recent.set(state, class, transition);
            last.insert(RecentTransitions::home(state, class), (state, class, transition));
            for (a, b, known) in last.values().take(8) {
                assert!(recent.get(*a, *b) == Some(*known));
            }
            assert!(recent.get(StateId(state.0 ^ 1 << 21), class).is_none());
        }
    }
}
