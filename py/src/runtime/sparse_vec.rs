//! Cells by position, made in small blocks where one is asked for: a column over the words of a file
//! costs what is used of it, and not what is in the file.

use std::sync::OnceLock;

/// Cells from position 0 to a length that is known; empty ones until a block is made.
pub(crate) struct SparseVec<T> {
    len: u32,
    roots: OnceLock<Box<[Root<T>]>>,
}

type Root<T> = OnceLock<Box<[Block<T>; BLOCKS]>>;
type Block<T> = OnceLock<Box<[T; CELLS]>>;

/// Cells of a block, and blocks of a root.
const CELLS: usize = 16;
const BLOCKS: usize = 64;

impl<T: Default> SparseVec<T> {
    /// Room for as many cells. Allocates nothing.
    pub(crate) const fn new(len: u32) -> SparseVec<T> {
        SparseVec { len, roots: OnceLock::new() }
    }

    /// The cell at a position, if its block was made. A few loads; never panics.
    #[inline]
    pub(crate) fn get(&self, position: u32) -> Option<&T> {
        let (root, block, cell) = indices(position);
        let block = self.roots.get()?.get(root)?.get()?[block].get()?;
        Some(&block[cell])
    }

    /// The cell at a position, whose block is made if it is not there; none from the length on.
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

    /// All cells of the blocks that were made.
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
