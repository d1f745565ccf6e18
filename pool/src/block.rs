//! A raw heap allocation, and reference-counted chains of allocations.
//!
//! Contains unsafe code: the calls to the global allocator. Invariants:
//!
//! - `B1`: a `Block` of a size above 0 comes from the global allocator with the layout in `layout`,
//!   and is freed once, when the block is dropped.
//! - `B2`: a `Block` reads and writes none of its contents; the structure that lays out data in it
//!   decides who may access which bytes.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use crate::Error;

/// A heap allocation that is freed when it is dropped. It does not know the type of its contents.
pub(crate) struct Block {
    // Dangling but aligned if the size is 0; otherwise see B1.
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: B2: a block is an address and a layout, not tied to a thread.
unsafe impl Send for Block {}
// SAFETY: B2: a shared block returns only its address.
unsafe impl Sync for Block {}

impl Block {
    /// Allocates uninitialized memory of exactly `layout`.
    pub(crate) fn new(layout: Layout) -> Result<Self, Error> {
        if layout.size() == 0 {
            return Ok(Self { at: dangling(layout), layout });
        }
        // SAFETY: the size is not 0.
        let at = unsafe { alloc(layout) };
        let at = NonNull::new(at).ok_or(Error::out_of_memory(layout.size()))?;
        Ok(Self { at, layout })
    }

    /// Allocates zeroed memory of exactly `layout`. The system backs large memory at first use.
    pub(crate) fn zeroed(layout: Layout) -> Result<Self, Error> {
        if layout.size() == 0 {
            return Ok(Self { at: dangling(layout), layout });
        }
        // SAFETY: the size is not 0.
        let at = unsafe { alloc_zeroed(layout) };
        let at = NonNull::new(at).ok_or(Error::out_of_memory(layout.size()))?;
        Ok(Self { at, layout })
    }

    /// Takes over the buffer of `items`, shrunk to its length.
    pub(crate) fn from_vec<T: Pod>(items: Vec<T>) -> Self {
        let items = Box::leak(items.into_boxed_slice());
        let layout = Layout::for_value(items);
        Self { at: NonNull::from(items).cast(), layout }
    }

    pub(crate) fn at(&self) -> NonNull<u8> {
        self.at
    }

    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: B1: allocated with this layout, and freed only here.
            unsafe { dealloc(self.at.as_ptr(), self.layout) }
        }
    }
}

/// Returns the layout of `n` records of `T`.
pub(crate) fn layout_of<T>(n: usize) -> Result<Layout, Error> {
    Layout::array::<T>(n).map_err(|_| Error::too_many::<T>(n))
}

fn dangling(layout: Layout) -> NonNull<u8> {
    NonNull::new(std::ptr::without_provenance_mut(layout.align())).unwrap_or(NonNull::dangling())
}

/// The owner of foreign memory, such as a mapped file. Dropping it may free the memory.
pub trait MemoryOwner: Send + Sync + UnwindSafe + RefUnwindSafe {}

impl<T: Send + Sync + UnwindSafe + RefUnwindSafe> MemoryOwner for T {}

/// A reference-counted block that keeps earlier allocations alive.
pub(crate) struct Allocation {
    block: Block,
    before: Option<Arc<Allocation>>,
    // The owner of foreign memory that many read; buffers of this allocation are read-only.
    foreign: Option<Box<dyn MemoryOwner>>,
}

impl Allocation {
    pub(crate) fn new(block: Block, before: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { block, before, foreign: None })
    }

    /// Creates an allocation that has no memory of its own and keeps a foreign owner alive.
    pub(crate) fn borrowed(foreign: Box<dyn MemoryOwner>) -> Result<Arc<Self>, Error> {
        let block = Block::new(layout_of::<u8>(0)?)?;
        Ok(Arc::new(Self { block, before: None, foreign: Some(foreign) }))
    }

    pub(crate) fn is_borrowed(&self) -> bool {
        self.foreign.is_some()
    }

    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    pub(crate) fn before(&self) -> Option<&Self> {
        self.before.as_deref()
    }
}

impl Drop for Allocation {
    /// Frees the chain in a loop; recursion over a long chain would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(allocation) = next {
            next = Arc::into_inner(allocation).and_then(|mut last| last.before.take());
        }
    }
}
