//! Sparse vector with stable addresses: its blocks are allocated on first use, so that a column
//! over all words of a file costs only what is used of it.

use std::sync::OnceLock;

/// A vector of fixed length whose elements are default values until their block is allocated.
pub(crate) struct SparseVec<T> {
    len: u32,
    roots: OnceLock<Box<[Root<T>]>>,
}

type Root<T> = OnceLock<Box<[Block<T>; BLOCKS]>>;
type Block<T> = OnceLock<Box<[T; CELLS]>>;

/// Elements of a block, and blocks of a root.
const CELLS: usize = 16;
const BLOCKS: usize = 64;

impl<T: Default> SparseVec<T> {
    /// An empty vector of `len` elements. Allocates nothing.
    pub(crate) const fn new(len: u32) -> SparseVec<T> {
        SparseVec { len, roots: OnceLock::new() }
    }

    /// The element at a position, if its block was allocated. Cost: a few loads. Never panics.
    #[inline]
    pub(crate) fn get(&self, position: u32) -> Option<&T> {
        let (root, block, cell) = indices(position);
        let block = self.roots.get()?.get(root)?.get()?[block].get()?;
        Some(&block[cell])
    }

    /// The element at a position; allocates its block if necessary. Returns `None` beyond the
    /// length.
    pub(crate) fn make(&self, position: u32) -> Option<&T> {
        if position >= self.len {
            return None;
        }
        let (root, block, cell) = indices(position);
        let roots = self.roots.get_or_init(|| {
            (0..=indices(self.len).0).map(|_| OnceLock::new()).collect::<Vec<_>>().into()
        });
        let blocks =
            roots.get(root)?.get_or_init(|| Box::new(std::array::from_fn(|_| OnceLock::new())));
        let cells = blocks[block].get_or_init(|| Box::new(std::array::from_fn(|_| T::default())));
        Some(&cells[cell])
    }

    /// All elements of the allocated blocks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let roots = self.roots.get().into_iter().flatten().filter_map(OnceLock::get);
        let blocks = roots.flat_map(|blocks| blocks.iter()).filter_map(OnceLock::get);
        blocks.flat_map(|cells| cells.iter())
    }
}

fn indices(position: u32) -> (usize, usize, usize) {
    let position = position as usize;
    (position / (CELLS * BLOCKS), position / CELLS % BLOCKS, position % CELLS)
}
