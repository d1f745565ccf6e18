//! A slot for at most one open zone.

#![forbid(unsafe_code)]

use std::sync::PoisonError;

use crate::Error;
use crate::sync::{Arc, AtomicU64, Ordering, RwLock};

/// A slot for at most one open zone: memory that is filled for a time and freed as a whole.
///
/// While a zone is open, its owner stores new data in it. After it is closed, the data live until
/// the last [`Arc`] of the zone is dropped. Without an open zone, [`current`](ZoneSlot::current)
/// costs one atomic load.
///
/// ```
/// use lexpool_pool::{SegmentedVec, ZoneSlot};
///
/// let slot = ZoneSlot::new();
/// slot.open(SegmentedVec::<u32>::new())?;
/// let held = slot.current().expect("a zone was opened");
/// held.push(7)?;
/// slot.close()?;
/// assert!(slot.current().is_none());
/// assert_eq!(held.get(0), Some(&7));
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct ZoneSlot<T> {
    // Incremented by each open and each close, so it is odd while a zone is open. Written only
    // under the write lock of `zone`.
    generation: AtomicU64,
    zone: RwLock<Option<Arc<T>>>,
}

impl<T> ZoneSlot<T> {
    /// Creates a slot without an open zone.
    pub fn new() -> Self {
        Self { generation: AtomicU64::new(0), zone: RwLock::new(None) }
    }

    /// Makes `zone` the open zone.
    ///
    /// # Errors
    ///
    /// `zone-open` if another zone is open; `zone` is then dropped.
    pub fn open(&self, zone: T) -> Result<Arc<T>, Error> {
        let mut current = self.zone.write().unwrap_or_else(PoisonError::into_inner);
        let generation = self.generation.load(Ordering::Relaxed);
        if current.is_some() {
            return Err(Error::zone_open(generation));
        }
        let zone = Arc::new(zone);
        *current = Some(Arc::clone(&zone));
        self.generation.store(generation + 1, Ordering::Release);
        Ok(zone)
    }

    /// Closes the open zone and returns it. Its memory is freed with the last [`Arc`].
    ///
    /// # Errors
    ///
    /// `zone-closed` if no zone is open.
    pub fn close(&self) -> Result<Arc<T>, Error> {
        let mut current = self.zone.write().unwrap_or_else(PoisonError::into_inner);
        let generation = self.generation.load(Ordering::Relaxed);
        let zone = current.take().ok_or(Error::zone_closed(generation))?;
        self.generation.store(generation + 1, Ordering::Release);
        Ok(zone)
    }

    /// Returns the open zone, if any. Cost: one atomic load, and if a zone is open a read lock and
    /// a reference count; only `open` and `close` block the lock.
    #[inline]
    pub fn current(&self) -> Option<Arc<T>> {
        if self.generation.load(Ordering::Acquire) % 2 == 0 {
            return None;
        }
        self.zone.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a number that is incremented by each open and each close; odd while a zone is open.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Checks that the zone of `generation` is still open.
    ///
    /// # Errors
    ///
    /// `zone-closed` if it was closed, or if `generation` was never that of an open zone.
    #[inline]
    pub fn check(&self, generation: u64) -> Result<(), Error> {
        if generation % 2 == 1 && generation == self.generation() {
            Ok(())
        } else {
            Err(Error::zone_closed(generation))
        }
    }
}

impl<T> Default for ZoneSlot<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_closed_zone_keeps_its_memory_for_its_holders() {
        let slot = ZoneSlot::new();
        let zone = slot.open(vec![1, 2, 3]).unwrap();
        let held = slot.current().unwrap();
        assert!(Arc::ptr_eq(&zone, &slot.close().unwrap()));
        drop(zone);
        assert_eq!(*held, [1, 2, 3]);
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn one_zone_is_open_at_a_time() {
        let slot = ZoneSlot::new();
        assert_eq!(slot.close().unwrap_err().code(), "zone-closed");
        slot.open("first").unwrap();
        let refused = slot.open("second").unwrap_err();
        assert_eq!(refused.code(), "zone-open");
        assert_eq!(refused.to_string(), "zone open: close the zone of generation 1 first");
        assert_eq!(slot.current().as_deref(), Some(&"first"));
    }

    #[test]
    fn a_generation_is_good_until_its_close() {
        let slot = ZoneSlot::default();
        assert!(slot.check(slot.generation()).is_err());
        slot.open(()).unwrap();
        let generation = slot.generation();
        assert_eq!(slot.check(generation), Ok(()));
        slot.close().unwrap();
        assert_eq!(slot.check(generation).unwrap_err().code(), "zone-closed");
        slot.open(()).unwrap();
        assert!(slot.check(generation).is_err());
    }

    #[test]
    fn readers_hold_a_whole_zone_or_none() {
        let slot = ZoneSlot::new();
        thread::scope(|scope| {
            let turns = scope.spawn(|| {
                for i in 0..2000 {
                    slot.open([i; 8]).unwrap();
                    slot.close().unwrap();
                }
            });
            while !turns.is_finished() {
                let zone = slot.current();
                assert!(zone.is_none_or(|zone| zone.iter().all(|&part| part == zone[0])));
            }
        });
        assert_eq!(slot.generation(), 4000);
    }
}
