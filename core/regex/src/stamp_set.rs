//! A set of small integers that is cleared in constant time.
//!
//! Each number has the stamp of the generation in which it was last inserted; a new generation
//! empties the set. It serves where Pike's VM uses the sparse set of Briggs and Torczon.

/// A set of numbers below a bound that [`clear`](Self::clear) sets.
#[derive(Debug, Default)]
pub(crate) struct StampSet {
    stamps: Vec<u32>,
    generation: u32,
}

impl StampSet {
    /// Empties the set and makes it accept numbers below `len`.
    pub(crate) fn clear(&mut self, len: usize) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 || self.stamps.len() < len {
            self.stamps.clear();
            self.stamps.resize(len, 0);
            self.generation = 1;
        }
    }

    pub(crate) fn contains(&self, ix: u32) -> bool {
        self.stamps[ix as usize] == self.generation
    }

    /// Inserts a number and returns `true` if the set did not contain it.
    pub(crate) fn insert(&mut self, ix: u32) -> bool {
        let stamp = &mut self.stamps[ix as usize];
        std::mem::replace(stamp, self.generation) != self.generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleared_set_accepts_the_same_numbers_again() {
        let mut set = StampSet::default();
        for len in [3, 3, 5] {
            set.clear(len);
            assert!(!set.contains(2));
            assert!(set.insert(2) && !set.insert(2));
            assert!(set.contains(2));
        }
    }

    #[test]
    fn a_generation_that_overflows_starts_over() {
        let mut set = StampSet { stamps: vec![u32::MAX; 2], generation: u32::MAX };
        assert!(set.contains(1));
        set.clear(2);
        assert!(!set.contains(0) && !set.contains(1));
    }
}
