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
        let size = size.max(1);
        if alone(self.threads) || numbers.len() <= size {
            numbers.chunks_mut(size).enumerate().for_each(|(tile, numbers)| work(tile, numbers));
            return Ok(());
        }
        let tiles: Vec<_> = numbers.chunks_mut(size).enumerate().collect();
        each(tiles, self.threads, 1, |(tile, numbers)| work(tile, numbers)).map(|_| ())
    }
}
