//! Input bytes as a sequence of choices.

use arbitrary::Unstructured;

/// Reads choices from bytes. When they are used up, every choice is the first one, so any input is
/// a whole case, and a shorter input is a simpler one.
pub(crate) struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices(Unstructured::new(bytes))
    }

    /// Returns a number below `end`, which is above zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.int_in_range(0..=end - 1).unwrap_or(0)
    }

    /// Returns `true` in one of `n` cases.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        !self.0.is_empty() && self.below(n) == n - 1
    }

    /// Returns any byte.
    pub(crate) fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    /// Returns an item of a list of at least one.
    pub(crate) fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Returns the results of at most `most` calls.
    pub(crate) fn list<T>(
        &mut self,
        most: usize,
        mut item: impl FnMut(&mut Choices<'a>) -> T,
    ) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| item(self)).collect()
    }

    /// Returns at most `most` parts of a table, put together.
    pub(crate) fn text(&mut self, most: usize, parts: &[&str]) -> String {
        self.list(most, |choices| choices.of(parts)).concat()
    }

    /// Returns `true` if all bytes were read.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }
}
