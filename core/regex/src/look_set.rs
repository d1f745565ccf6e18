//! Sets of look-arounds that are wider than one character.
//!
//! A look-around of one character is an assertion on an adjacent symbol and does not occur in these
//! sets.

/// A set of a pattern's wide look-arounds, as a bit set: those that a transition depends on, or
/// those that hold at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LookSet(u32);

/// The number of wide look-arounds that a pattern may have.
pub(crate) const MAX_LOOKS: usize = u32::BITS as usize;

impl LookSet {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn contains(self, look: u32) -> bool {
        self.0 >> look & 1 == 1
    }

    pub(crate) fn insert(&mut self, look: u32) {
        self.0 |= 1 << look;
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(lowest)
        })
    }
}
