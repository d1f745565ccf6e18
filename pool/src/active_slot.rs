//! A value that is replaced while others read it.
//!
//! Contains unsafe code: readers follow a pointer to an item that is never freed before the slot.

use crate::Error;
use crate::SegmentedVec;
use crate::sync::{AtomicPtr, Ordering};

/// One of several values, chosen by any thread, read by all without a lock.
///
/// Values are only ever added: one that is no longer chosen stays where it is, so that who still reads
/// it may. Meant for what changes seldom, such as the function behind a name.
///
/// ```
/// use lexpool_pool::ActiveSlot;
///
/// let slot = ActiveSlot::new("slow")?;
/// let fast = slot.push("fast")?;
/// assert_eq!(slot.get(), &"slow");
/// slot.select(fast);
/// assert_eq!(slot.get(), &"fast");
/// slot.select(0);
/// assert_eq!(slot.get(), &"slow");
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct ActiveSlot<T> {
    // Never empty.
    values: SegmentedVec<T, 1>,
    // An item of `values`.
    chosen: AtomicPtr<T>,
}

impl<T: Send + Sync> ActiveSlot<T> {
    /// A slot with one value, which is chosen.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn new(value: T) -> Result<ActiveSlot<T>, Error> {
        let slot = ActiveSlot {
            values: SegmentedVec::default(),
            chosen: AtomicPtr::new(std::ptr::null_mut()),
        };
        let first = slot.values.push(value)?;
        slot.select(first);
        Ok(slot)
    }

    /// The value that is chosen. Takes no lock.
    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: `new` chose an item, `select` only chooses items, and items neither move nor go
        // before the slot does. `Acquire` meets the `Release` with which it was chosen.
        unsafe { &*self.chosen.load(Ordering::Acquire) }
    }

    /// Adds a value and gives its number; it is not chosen by that.
    ///
    /// # Errors
    ///
    /// `pool-full` after 2^32 - 1 values, `pool-out-of-memory`.
    pub fn push(&self, value: T) -> Result<u32, Error> {
        self.values.push(value)
    }

    /// The value of a number.
    pub fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number)
    }

    /// Chooses the value of a number, if there is one, and says whether there is.
    pub fn select(&self, number: u32) -> bool {
        let Some(value) = self.values.get(number) else { return false };
        self.chosen.store(std::ptr::from_ref(value).cast_mut(), Ordering::Release);
        true
    }
}

impl<T: Send + Sync + std::fmt::Debug> std::fmt::Debug for ActiveSlot<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ActiveSlot").field(self.get()).finish()
    }
}
