//! How much memory a structure holds.

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
    /// Bytes that hold something a caller stored.
    pub used_bytes: usize,
    /// Bytes taken from the allocator, the used ones among them.
    pub reserved_bytes: usize,
    /// Allocations behind `reserved_bytes`.
    pub chunks: usize,
    /// The most that `used_bytes` has been. Of a sum: the sum of the parts' own marks, which the
    /// parts need not have reached at the same moment.
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
            "{} of {} bytes used in {} chunks, {} at the most",
            self.used_bytes, self.reserved_bytes, self.chunks, self.high_water_bytes
        )
    }
}
