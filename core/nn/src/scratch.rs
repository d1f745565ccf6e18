//! Buffers that a thread uses again.
//!
//! A group of documents needs some megabytes for a moment. An allocator that returns them to the
//! system each time makes the processor clear them again, page by page: a tenth of the time.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// The most buffers that a thread keeps.
const MAX_BUFFERS: usize = 4;
/// The most numbers of a buffer that a thread keeps: 4 MB.
const MAX_NUMBERS: usize = 1 << 20;

/// Numbers of which a thread keeps buffers.
pub(crate) trait Number: Copy + Default + 'static {
    /// The buffers that are free.
    fn free() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;
}

thread_local! {
    static FREE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
    static FREE_WORDS: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
}

impl Number for f32 {
    fn free() -> &'static LocalKey<RefCell<Vec<Vec<f32>>>> {
        &FREE
    }
}

impl Number for u32 {
    fn free() -> &'static LocalKey<RefCell<Vec<Vec<u32>>>> {
        &FREE_WORDS
    }
}

/// Numbers in a buffer that returns to its thread.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Scratch<T: Number = f32>(Vec<T>);

impl<T: Number> Scratch<T> {
    /// Returns `len` zeros.
    pub(crate) fn zeros(len: usize) -> Scratch<T> {
        let mut numbers = Scratch::free();
        numbers.clear();
        numbers.resize(len, T::default());
        Scratch(numbers)
    }

    /// Returns `len` numbers of any values.
    pub(crate) fn any(len: usize) -> Scratch<T> {
        let mut numbers = Scratch::free();
        numbers.resize(len, T::default());
        Scratch(numbers)
    }

    fn free() -> Vec<T> {
        T::free().with_borrow_mut(Vec::pop).unwrap_or_default()
    }
}

impl<T: Number> Drop for Scratch<T> {
    fn drop(&mut self) {
        let numbers = std::mem::take(&mut self.0);
        // Fails while the thread ends.
        let _ = T::free().try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MAX_BUFFERS && (1..=MAX_NUMBERS).contains(&numbers.capacity()) {
                free.push(numbers);
            }
        });
    }
}

impl<T: Number> Deref for Scratch<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Number> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_zeros_if_they_are_wanted() {
        for len in [10, 5, 20] {
            let mut numbers = Scratch::any(len);
            numbers.fill(1.0_f32);
            drop(numbers);
            assert_eq!(&*Scratch::<f32>::zeros(len), vec![0.0; len]);
        }
    }

    #[test]
    fn a_thread_keeps_few_buffers_and_no_large_one() {
        let many: Vec<Scratch> = (0..2 * MAX_BUFFERS).map(|_| Scratch::any(100)).collect();
        drop(many);
        drop(Scratch::<f32>::any(MAX_NUMBERS + 1));
        FREE.with_borrow(|free| {
            assert!(free.len() <= MAX_BUFFERS);
            assert!(free.iter().all(|numbers| numbers.capacity() <= MAX_NUMBERS));
        });
    }
}
