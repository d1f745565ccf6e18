//! Arrays that come one after another and live as long as the first.
//!
//! Contains unsafe code: a fresh block becomes a leaf.

use std::iter;
use std::sync::Arc;

use bytemuck::Pod;

use crate::block::{Block, Hold, layout_of};
use crate::leaf::Lengths;
use crate::{Error, Leaf, Stats};

/// The arrays that a document adds to itself: made at a first write, replaced by longer ones.
///
/// Each is an allocation of exactly its size. All of them, the replaced ones too, stay where they
/// are until the folio is gone, so an address inside a replaced array is stale but never dangling
/// while its document lives. An unused folio is one word.
///
/// ```
/// use lexpool_pool::Folio;
///
/// let mut folio = Folio::new();
/// let mut tags = folio.zeroed::<u32>(2)?;
/// tags.records_mut()[1] = 7;
/// let mut longer = folio.zeroed::<u32>(3)?;
/// longer.records_mut()[..2].copy_from_slice(tags.records());
/// assert_eq!(longer.records(), [0, 7, 0]);
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Default)]
pub struct Folio {
    // Each hold keeps those made before it.
    latest: Option<Arc<Hold>>,
}

impl Folio {
    /// An empty folio. Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// An array of `n` zeroed records. One allocation and a count.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if `n` exceeds `u32::MAX` or the records exceed the address space;
    /// `pool-out-of-memory`.
    pub fn zeroed<T: Pod>(&mut self, n: usize) -> Result<Leaf<T>, Error> {
        let lengths = Lengths::of(n, 0)?;
        let block = Block::zeroed(layout_of::<T>(n)?)?;
        let at = block.at();
        let owner = Hold::new(block, self.latest.take());
        self.latest = Some(Arc::clone(&owner));
        // SAFETY: the block is fresh, aligned for `n` records of `T`, and zeros are a valid `T`
        // (`Pod`); the leaf's owner holds it, and nothing else points into it.
        Ok(unsafe { Leaf::over(Some(owner), at.cast(), at, lengths) })
    }

    /// Memory of all arrays made so far, the replaced ones included. Walks them.
    pub fn stats(&self) -> Stats {
        let holds = iter::successors(self.latest.as_deref(), |hold| hold.before());
        holds
            .map(|hold| Stats {
                used_bytes: hold.block().size(),
                reserved_bytes: hold.block().size(),
                chunks: 1,
                high_water_bytes: hold.block().size(),
            })
            .sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn arrays_outlive_their_folio_and_it_outlives_them() {
        let mut folio = Folio::new();
        let mut first = folio.zeroed::<u16>(3).unwrap();
        first.records_mut().copy_from_slice(&[1, 2, 3]);
        drop(folio.zeroed::<u64>(4).unwrap());
        let stats = folio.stats();
        assert_eq!((stats.used_bytes, stats.reserved_bytes, stats.chunks), (38, 38, 2));
        drop(folio);
        assert_eq!(first.records(), [1, 2, 3]);
    }

    #[test]
    fn a_hundred_thousand_arrays_are_freed_without_recursion() {
        let mut folio = Folio::new();
        for _ in 0..100_000 {
            folio.zeroed::<u8>(1).unwrap();
        }
        assert_eq!(folio.stats().chunks, 100_000);
    }

    #[test]
    fn a_refused_array_leaves_the_folio_as_it_was() {
        let mut folio = Folio::new();
        assert_eq!(folio.zeroed::<u8>(1 << 33).unwrap_err().code(), "pool-size-overflow");
        assert_eq!(folio.stats(), Stats::default());
    }
}
