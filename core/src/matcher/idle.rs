//! Scratch memory that searches take and put back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tokenizer::this_thread;

/// A list of values that no thread has, each with the thread that used it last: the processor of
/// that thread may still have it in its caches. Values are boxed, since moving hundreds of bytes in
/// and out takes longer than searching a short sentence.
pub(super) struct IdleList<T>(Mutex<Vec<(usize, Box<T>)>>);

impl<T> Default for IdleList<T> {
    fn default() -> IdleList<T> {
        IdleList(Mutex::default())
    }
}

impl<T: Default> IdleList<T> {
    /// Takes a value, if possible the one that this thread has used last; a new one if there is
    /// none.
    #[expect(clippy::unnecessary_box_returns, reason = "moving the value is what a box saves")]
    pub(super) fn take(&self) -> Box<T> {
        let (mut idle, thread) = (self.lock(), this_thread());
        let own = idle.iter().rposition(|(own, _)| *own == thread);
        let at = own.or(idle.len().checked_sub(1));
        at.map(|at| idle.swap_remove(at).1).unwrap_or_default()
    }

    /// Puts a value back.
    pub(super) fn put_back(&self, value: Box<T>) {
        self.lock().push((this_thread(), value));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, Box<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_what_it_used_last_and_else_what_another_has_put_back() {
        let idle = IdleList::default();
        let taken = || [idle.take(), idle.take(), idle.take()].map(|value| *value);
        idle.put_back(Box::new(1));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                idle.put_back(Box::new(2));
                assert_eq!(taken(), [2, 1, 0]);
                idle.put_back(Box::new(3));
            });
        });
        idle.put_back(Box::new(4));
        assert_eq!(taken(), [4, 3, 0]);
    }
}
