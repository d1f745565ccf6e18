//! Copies of tables whose rows begin at cache lines.

use std::ops::Deref;

/// The length of a cache line, in numbers.
const LINE: usize = 64 / size_of::<f32>();

/// A copy of numbers that begins at a cache line.
///
/// Rows of a multiple of 16 numbers then begin there too, and no load of a whole register touches
/// two lines, which would take twice the time.
#[derive(Default)]
pub(crate) struct Aligned {
    numbers: Vec<f32>,
    first: usize,
}

impl Aligned {
    pub(crate) fn copy_of(numbers: &[f32]) -> Aligned {
        let mut room: Vec<f32> = Vec::with_capacity(numbers.len() + LINE);
        let first = room.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        // Within the capacity, so that the numbers stay where they are.
        room.resize(first, 0.0);
        room.extend_from_slice(numbers);
        Aligned { numbers: room, first }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_numbers_and_begins_at_a_cache_line() {
        for n in [0, 1, 15, 16, 1000] {
            let numbers: Vec<f32> = (0..n).map(|at: u16| f32::from(at)).collect();
            let copy = Aligned::copy_of(&numbers);
            assert_eq!(*copy, numbers);
            assert_eq!(copy.as_ptr().align_offset(64), 0, "{n}");
        }
    }
}
