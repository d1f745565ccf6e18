//! Vocabs and what stands on them, made anew from time to time.

use std::cell::RefCell;
use std::thread::LocalKey;

/// A value that is used many times and then made anew. Vocabs only grow, so a run of a million
/// inputs needs more than one; and caches that earlier inputs have filled are part of what is
/// tested.
pub(crate) struct Renewed<T>(RefCell<Option<(u32, T)>>);

impl<T> Renewed<T> {
    pub(crate) const fn new() -> Renewed<T> {
        Renewed(RefCell::new(None))
    }

    /// Calls a function with the value, which is made before the first of `uses` calls.
    pub(crate) fn with<R>(
        this: &'static LocalKey<Renewed<T>>,
        uses: u32,
        make: impl FnOnce() -> T,
        call: impl FnOnce(&T) -> R,
    ) -> R {
        this.with(|this| {
            let mut slot = this.0.borrow_mut();
            let (left, value) = match slot.take().filter(|(left, _)| *left > 0) {
                Some(used) => used,
                None => (uses, make()),
            };
            let (_, value) = slot.insert((left - 1, value));
            call(value)
        })
    }
}
