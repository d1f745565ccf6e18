//! Buffers that a thread uses again.
//!
//! A group of documents needs some megabytes for a moment. An allocator that returns them to the
//! system each time makes the processor clear them again, page by page: a tenth of the time.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// The most buffers that a thread keeps.
const MAX_BUFFERS: usize = 4;
/// The most numbers of a buffer that a thread keeps: 4 MB.
const MAX_NUMBERS: usize = 1 << 20;

thread_local! {
    /// The buffers that are free.
    static FREE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers in a buffer that returns to its thread.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Scratch(Vec<f32>);

impl Scratch {
    /// Returns `len` zeros.
    pub(crate) fn zeros(len: usize) -> Scratch {
        let mut numbers = Scratch::free();
        numbers.clear();
        numbers.resize(len, 0.0);
        Scratch(numbers)
    }

    /// Returns `len` numbers of any values.
    pub(crate) fn any(len: usize) -> Scratch {
        let mut numbers = Scratch::free();
        numbers.resize(len, 0.0);
        Scratch(numbers)
    }

    fn free() -> Vec<f32> {
        FREE.with_borrow_mut(Vec::pop).unwrap_or_default()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let numbers = std::mem::take(&mut self.0);
        // Fails while the thread ends.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MAX_BUFFERS && (1..=MAX_NUMBERS).contains(&numbers.capacity()) {
                free.push(numbers);
            }
        });
    }
}

impl Deref for Scratch {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut [f32] {
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
            numbers.fill(1.0);
            drop(numbers);
            assert_eq!(&*Scratch::zeros(len), vec![0.0; len]);
        }
    }

    #[test]
    fn a_thread_keeps_few_buffers_and_no_large_one() {
        let many: Vec<Scratch> = (0..2 * MAX_BUFFERS).map(|_| Scratch::any(100)).collect();
        drop(many);
        drop(Scratch::any(MAX_NUMBERS + 1));
        FREE.with_borrow(|free| {
            assert!(free.len() <= MAX_BUFFERS);
            assert!(free.iter().all(|numbers| numbers.capacity() <= MAX_NUMBERS));
        });
    }
}
