//! Threads that share the work of a phase, such that its result has the same bits on any number of
//! them.
//!
//! A phase is cut into tiles by sizes alone, and each number of its result is summed in one tile in
//! one order.

use lexpool_error::Result;
use lexpool_threads::{alone, each};

/// The threads that compute.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    threads: usize,
}

impl Workers {
    /// The calling thread alone.
    pub const ONE: Workers = Workers { threads: 1 };

    /// Makes workers of so many threads; 0 means one a core.
    pub fn new(threads: usize) -> Workers {
        Workers { threads }
    }

    /// Calls a function with each item.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(crate) fn each<T: Send>(self, items: Vec<T>, work: impl Fn(T) + Send + Sync) -> Result<()> {
        if alone(self.threads) {
            items.into_iter().for_each(work);
            return Ok(());
        }
        each(items, self.threads, 1, work).map(|_| ())
    }

    /// Returns the result of a function for each item, in order.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub fn map<T: Send, R: Send>(
        self,
        items: Vec<T>,
        work: impl Fn(T) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        if alone(self.threads) {
            return Ok(items.into_iter().map(work).collect());
        }
        each(items, self.threads, 1, work)
    }

    /// Calls a function with the number and the numbers of each tile of `size` numbers.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(crate) fn tiles<T: Send>(
        self,
        numbers: &mut [T],
        size: usize,
        work: impl Fn(usize, &mut [T]) + Send + Sync,
    ) -> Result<()> {
        let tiles = numbers.chunks_mut(size.max(1)).enumerate().collect();
        self.each(tiles, |(tile, numbers)| work(tile, numbers))
    }
}
