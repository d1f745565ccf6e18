//! Threads that share the work of a phase, such that its result has the same bits on any number of
//! them.
//!
//! A phase is cut into tiles by sizes alone, and each number of its result is summed in one tile in
//! one order.

use lexpool_error::Result;
use lexpool_threads::phase;

/// Returns the size of the largest of as few tiles of about one size as hold `n` items, at most
/// `most` each.
pub(crate) fn even_size(n: usize, most: usize) -> usize {
    n.div_ceil(n.div_ceil(most).max(1))
}

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
        phase(items, self.threads, work).map(|_| ())
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
        phase(items, self.threads, work)
    }

    /// As [`map`](Workers::map), for items of different sizes: the large ones come first, so that
    /// small ones fill up the time of threads that are done before others.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub fn map_by_size<T: Send, R: Send>(
        self,
        items: Vec<T>,
        size: impl Fn(&T) -> usize,
        work: impl Fn(T) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        let mut sorted: Vec<(usize, T)> = items.into_iter().enumerate().collect();
        sorted.sort_by_key(|(_, item)| std::cmp::Reverse(size(item)));
        // Threads take items from both ends.
        let (mut ordered, mut last) = (Vec::with_capacity(sorted.len()), Vec::new());
        for (rank, item) in sorted.into_iter().enumerate() {
            if rank % 2 == 0 { ordered.push(item) } else { last.push(item) }
        }
        ordered.extend(last.into_iter().rev());
        let mut done = self.map(ordered, |(at, item)| (at, work(item)))?;
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    /// Returns the results of two functions.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(crate) fn both<A: Send, B: Send>(
        self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> Result<(A, B)> {
        let (mut a, mut b) = (None, None);
        self.all(vec![Box::new(|| a = Some(first())), Box::new(|| b = Some(second()))])?;
        Ok(a.zip(b).expect("both were called"))
    }

    /// Calls functions.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(crate) fn all(self, jobs: Vec<Box<dyn FnOnce() + Send + '_>>) -> Result<()> {
        self.each(jobs, |job| job())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_items_of_any_sizes_are_in_their_order() {
        let sizes = [3, 90, 4, 90, 0, 7, 55];
        for threads in [1, 2, 3, 8] {
            for n in 0..=sizes.len() {
                let items: Vec<usize> = (0..n).collect();
                let workers = Workers::new(threads);
                let done = workers.map_by_size(items.clone(), |at| sizes[*at], |at| at).unwrap();
                assert_eq!(done, items);
            }
        }
    }

    #[test]
    fn functions_are_called_once_each() {
        for threads in [1, 2] {
            let workers = Workers::new(threads);
            assert_eq!(workers.both(|| 1, || "two").unwrap(), (1, "two"));
            let mut calls = [0; 20];
            let jobs = calls.iter_mut().map(|calls| Box::new(|| *calls += 1) as _).collect();
            workers.all(jobs).unwrap();
            assert_eq!(calls, [1; 20]);
        }
    }
}
