//! A slot whose active value is replaced while other threads read it, by an atomic pointer.
//!
//! Contains unsafe code. Invariant:
//!
//! - `V1`: `active` points to an item of `values`, and items are neither moved nor dropped before
//!   the slot.

use crate::Error;
use crate::SegmentedVec;
use crate::sync::{AtomicPtr, Ordering};

/// Several values, one of which is active. Any thread may choose the active value, and all threads
/// read it without a lock.
///
/// Values are never removed, so readers of a value that is no longer active may go on. For values
/// that change seldom, such as the function behind a name.
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
    // See V1.
    active: AtomicPtr<T>,
}

impl<T: Send + Sync> ActiveSlot<T> {
    /// Creates a slot with one value, which is active.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn new(value: T) -> Result<ActiveSlot<T>, Error> {
        let slot = ActiveSlot {
            values: SegmentedVec::default(),
            active: AtomicPtr::new(std::ptr::null_mut()),
        };
        let first = slot.values.push(value)?;
        slot.select(first);
        Ok(slot)
    }

    /// Returns the active value. Takes no lock.
    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: V1: `Acquire` pairs with the `Release` in `select`, so the item is visible.
        unsafe { &*self.active.load(Ordering::Acquire) }
    }

    /// Adds a value without activating it, and returns its number.
    ///
    /// # Errors
    ///
    /// `pool-full` after 2^32 - 1 values, `pool-out-of-memory`.
    pub fn push(&self, value: T) -> Result<u32, Error> {
        self.values.push(value)
    }

    /// Returns the value of a number.
    pub fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number)
    }

    /// Makes the value of a number the active one. Returns `false` if there is no such value.
    pub fn select(&self, number: u32) -> bool {
        let Some(value) = self.values.get(number) else { return false };
        self.active.store(std::ptr::from_ref(value).cast_mut(), Ordering::Release);
        true
    }
}

impl<T: Send + Sync + std::fmt::Debug> std::fmt::Debug for ActiveSlot<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ActiveSlot").field(self.get()).finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn values_stay_after_others_were_selected() {
        let slot = ActiveSlot::new(10).unwrap();
        assert_eq!((slot.push(11), slot.push(12)), (Ok(1), Ok(2)));
        assert_eq!(slot.get(), &10);
        assert!(slot.select(2));
        assert_eq!(
            [0, 1, 2, 3].map(|number| slot.value(number)),
            [Some(&10), Some(&11), Some(&12), None]
        );
        assert_eq!(format!("{slot:?}"), "ActiveSlot(12)");
    }

    #[test]
    fn a_number_without_a_value_selects_nothing() {
        let slot = ActiveSlot::new("only").unwrap();
        assert!(!slot.select(1));
        assert_eq!(slot.get(), &"only");
    }
}
