//! Memory statistics of a structure.

#![forbid(unsafe_code)]

use std::fmt;
use std::ops::Add;

/// Memory use of one structure, or of several added up.
///
/// ```
/// use lexpool_pool::Pool;
///
/// let pool = Pool::new();
/// pool.alloc_str("a string")?;
/// let stats = pool.stats() + Pool::new().stats();
/// assert_eq!(stats.used_bytes, 8);
/// assert!(stats.reserved_bytes >= stats.used_bytes);
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of stored data.
    pub used_bytes: usize,
    /// Bytes taken from the allocator, including the used ones.
    pub reserved_bytes: usize,
    /// Allocations behind `reserved_bytes`.
    pub chunks: usize,
    /// The maximum of `used_bytes` so far. In a sum, the sum of the maxima, which the parts need
    /// not have reached at the same time.
    pub high_water_bytes: usize,
}

impl Add for Stats {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            used_bytes: self.used_bytes + other.used_bytes,
            reserved_bytes: self.reserved_bytes + other.reserved_bytes,
            chunks: self.chunks + other.chunks,
            high_water_bytes: self.high_water_bytes + other.high_water_bytes,
        }
    }
}

impl std::iter::Sum for Stats {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} bytes used in {} chunks, {} at most",
            self.used_bytes, self.reserved_bytes, self.chunks, self.high_water_bytes
        )
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_that_of_each_number() {
        let stats = |used_bytes, reserved_bytes, chunks, high_water_bytes| Stats {
            used_bytes,
            reserved_bytes,
            chunks,
            high_water_bytes,
        };
        let (one, other) = (stats(3, 50, 7, 11), stats(5, 60, 2, 13));
        assert_eq!(one + other, stats(8, 110, 9, 24));
        assert_eq!([one, other, one].into_iter().sum::<Stats>(), stats(11, 160, 16, 35));
        assert_eq!(one.to_string(), "3 of 50 bytes used in 7 chunks, 11 at most");
    }
}
