//! One raw heap allocation, and the reference-counted chain that keeps several alive.
//!
//! Contains unsafe code: the calls to the global allocator.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use crate::Error;

/// An allocation that is freed with its owner and knows nothing of what lies in it.
///
/// Owning a `Block` gives no right to its contents: who may read or write which bytes is the
/// business of the structure that lays things out in it.
pub(crate) struct Block {
    // Allocated by the global allocator with `layout`; dangling but aligned when the size is 0.
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is an address and a size; nothing in it is tied to a thread, and its methods
// read and write none of the contents.
unsafe impl Send for Block {}
// SAFETY: as above; a shared block hands out only its address.
unsafe impl Sync for Block {}

impl Block {
    /// Uninitialized memory of exactly `layout`.
    pub(crate) fn new(layout: Layout) -> Result<Self, Error> {
        if layout.size() == 0 {
            return Ok(Self { at: dangling(layout), layout });
        }
        // SAFETY: the size is not 0.
        let at = unsafe { alloc(layout) };
        let at = NonNull::new(at).ok_or(Error::out_of_memory(layout.size()))?;
        Ok(Self { at, layout })
    }

    /// Zeroed memory of exactly `layout`; a large one stays untouched until it is used.
    pub(crate) fn zeroed(layout: Layout) -> Result<Self, Error> {
        if layout.size() == 0 {
            return Ok(Self { at: dangling(layout), layout });
        }
        // SAFETY: the size is not 0.
        let at = unsafe { alloc_zeroed(layout) };
        let at = NonNull::new(at).ok_or(Error::out_of_memory(layout.size()))?;
        Ok(Self { at, layout })
    }

    /// Takes over the buffer of `items`, cut down to its length.
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
            // SAFETY: `at` came from the global allocator with this layout (field invariant) and
            // the owner is going away, so nothing frees it twice.
            unsafe { dealloc(self.at.as_ptr(), self.layout) }
        }
    }
}

/// The layout of `n` records of `T`.
pub(crate) fn layout_of<T>(n: usize) -> Result<Layout, Error> {
    Layout::array::<T>(n).map_err(|_| Error::too_many::<T>(n))
}

fn dangling(layout: Layout) -> NonNull<u8> {
    NonNull::new(std::ptr::without_provenance_mut(layout.align())).unwrap_or(NonNull::dangling())
}

/// Whatever keeps memory that is lent, such as a mapped file.
pub trait MemoryOwner: Send + Sync + UnwindSafe + RefUnwindSafe {}

impl<T: Send + Sync + UnwindSafe + RefUnwindSafe> MemoryOwner for T {}

/// A block with those that must live as long as it does.
pub(crate) struct Allocation {
    block: Block,
    before: Option<Arc<Allocation>>,
    // Memory of somebody else's that many read: nobody writes through this hold.
    lender: Option<Box<dyn MemoryOwner>>,
}

impl Allocation {
    pub(crate) fn new(block: Block, before: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { block, before, lender: None })
    }

    /// A hold without memory of its own.
    pub(crate) fn lent(lender: Box<dyn MemoryOwner>) -> Result<Arc<Self>, Error> {
        let block = Block::new(layout_of::<u8>(0)?)?;
        Ok(Arc::new(Self { block, before: None, lender: Some(lender) }))
    }

    pub(crate) fn is_lent(&self) -> bool {
        self.lender.is_some()
    }

    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    pub(crate) fn before(&self) -> Option<&Self> {
        self.before.as_deref()
    }
}

impl Drop for Allocation {
    /// Unwinds the chain in a loop: a long one would overflow the stack by recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(hold) = next {
            next = Arc::into_inner(hold).and_then(|mut last| last.before.take());
        }
    }
}
