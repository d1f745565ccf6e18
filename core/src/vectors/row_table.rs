//! A table of numbers whose memory is shared with foreign code, such as NumPy arrays.
//!
//! Contains unsafe code. Invariants:
//!
//! - `N1`: a `RowMemory` has `len` initialized numbers at a stable address while it lives; borrowed
//!   numbers are kept alive by their owner.
//! - `N2`: code that got the memory by [`RowTable::share`] may read and write the numbers at any
//!   time, as with NumPy's own functions: a concurrent reader gets old and new numbers. Numbers are
//!   read by plain loads, and no index, length or bounds check depends on them.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::codes;
use crate::{Error, ErrorKind, Result, limits};

/// Rows of 32-bit floats in row-major order.
///
/// A change of the size allocates new memory; the old memory stays valid for those who share it. A
/// clone has its own memory.
pub struct RowTable {
    memory: Arc<RowMemory>,
    len: usize,
    width: usize,
}

/// The memory of a table, at a stable address.
pub struct RowMemory(Source);

enum Source {
    Owned(Box<[UnsafeCell<f32>]>),
    /// Numbers in foreign memory that the owner keeps alive.
    Borrowed {
        numbers: NonNull<[f32]>,
        _owner: Box<dyn Any + Send + Sync>,
    },
}

// SAFETY: N1, N2: shared access is by plain loads; the owner of borrowed numbers is `Send` and
// `Sync`.
unsafe impl Sync for RowMemory {}
// SAFETY: N1: the memory is not tied to a thread.
unsafe impl Send for RowMemory {}

impl RowMemory {
    /// Borrows numbers in foreign memory.
    ///
    /// # Safety
    ///
    /// The numbers must not move while `owner` lives, must be writable, and must be accessed as in
    /// N2 only.
    pub(crate) unsafe fn borrowed(
        numbers: NonNull<[f32]>,
        owner: Box<dyn Any + Send + Sync>,
    ) -> RowMemory {
        RowMemory(Source::Borrowed { numbers, _owner: owner })
    }

    /// Returns the address of the first number, for reads and writes as in N2.
    pub fn as_ptr(&self) -> *mut f32 {
        match &self.0 {
            Source::Owned(cells) => UnsafeCell::raw_get(cells.as_ptr()),
            Source::Borrowed { numbers, .. } => numbers.as_ptr().cast(),
        }
    }

    /// Returns the number of numbers.
    pub fn len(&self) -> usize {
        match &self.0 {
            Source::Owned(cells) => cells.len(),
            Source::Borrowed { numbers, .. } => numbers.len(),
        }
    }

    /// Returns whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl RowTable {
    /// Creates a table of zeros.
    ///
    /// # Errors
    ///
    /// `vectors-memory` if there is not enough memory, and those of [`new`](RowTable::new).
    pub fn zeros(len: usize, width: usize) -> Result<RowTable> {
        check_width(width)?;
        let size = len.checked_mul(width).ok_or_else(|| no_memory(len, width))?;
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(size).map_err(|_| no_memory(len, width))?;
        numbers.resize(size, 0.0);
        RowTable::new(numbers, len, width)
    }

    /// Creates a table of the given numbers.
    ///
    /// # Errors
    ///
    /// `vectors-shape` unless there are `len * width` numbers, or if a row is wider than 2^24
    /// numbers.
    pub fn new(numbers: Vec<f32>, len: usize, width: usize) -> Result<RowTable> {
        check_shape(numbers.len(), len, width)?;
        let numbers = Box::into_raw(numbers.into_boxed_slice());
        // SAFETY: N1: the pointer is from `into_raw`, and `UnsafeCell<f32>` has the layout of
        // `f32`.
        let cells = unsafe { Box::from_raw(numbers as *mut [UnsafeCell<f32>]) };
        Ok(RowTable { memory: Arc::new(RowMemory(Source::Owned(cells))), len, width })
    }

    /// Creates a table over existing memory.
    ///
    /// # Errors
    ///
    /// Those of [`new`](RowTable::new).
    pub(crate) fn with_memory(memory: RowMemory, len: usize, width: usize) -> Result<RowTable> {
        check_shape(memory.len(), len, width)?;
        Ok(RowTable { memory: Arc::new(memory), len, width })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the width of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns all numbers in row-major order.
    pub fn numbers(&self) -> &[f32] {
        // SAFETY: N1, N2: the numbers are initialized and live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.memory.len()) }
    }

    /// Returns a row, or `None` beyond the end.
    pub fn get(&self, row: usize) -> Option<&[f32]> {
        if row >= self.len {
            return None;
        }
        self.numbers().get(row * self.width..(row + 1) * self.width)
    }

    /// Writes a row in place, visible to all who share the memory.
    ///
    /// # Errors
    ///
    /// `vectors-row` if there is no such row, `vectors-shape` for a vector of another width.
    pub fn set(&mut self, row: usize, vector: &[f32]) -> Result<()> {
        if row >= self.len {
            let text = format!("row {row} is outside of a table of {} rows", self.len);
            return Err(Error::new(ErrorKind::Index, codes::VECTORS_ROW, text));
        }
        self.check_width(vector)?;
        // SAFETY: N1: the row lies within the memory and is as long as `vector`, which may overlap
        // it.
        unsafe {
            let at = self.memory.as_ptr().add(row * self.width);
            at.copy_from(vector.as_ptr(), self.width);
        }
        Ok(())
    }

    /// Checks that a vector has the width of a row.
    ///
    /// # Errors
    ///
    /// `vectors-shape` for another width.
    pub fn check_width(&self, vector: &[f32]) -> Result<()> {
        if vector.len() == self.width {
            return Ok(());
        }
        let text = format!("a vector of {} numbers for rows of {}", vector.len(), self.width);
        Err(Error::value(codes::VECTORS_SHAPE, text))
    }

    /// The table in another size: what fits is copied, the rest is zero.
    ///
    /// # Errors
    ///
    /// As for [`zeros`](RowTable::zeros).
    pub fn resized(&self, len: usize, width: usize) -> Result<RowTable> {
        let mut resized = RowTable::zeros(len, width)?;
        let common = width.min(self.width);
        let mut padded = vec![0.0; width];
        for row in 0..len.min(self.len) {
            padded[..common].copy_from_slice(&self.numbers()[row * self.width..][..common]);
            resized.set(row, &padded)?;
        }
        Ok(resized)
    }

    /// Returns the memory itself, for readers that outlive this table.
    pub fn share(&self) -> Arc<RowMemory> {
        Arc::clone(&self.memory)
    }
}

impl Clone for RowTable {
    fn clone(&self) -> RowTable {
        let numbers = self.numbers().to_vec();
        RowTable::new(numbers, self.len, self.width).expect("as many numbers as before")
    }
}

impl fmt::Debug for RowTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({} x {})", self.len, self.width)
    }
}

fn check_shape(numbers: usize, len: usize, width: usize) -> Result<()> {
    check_width(width)?;
    if len.checked_mul(width) != Some(numbers) {
        let text = format!("{numbers} numbers do not make {len} rows of {width}");
        return Err(Error::value(codes::VECTORS_SHAPE, text));
    }
    Ok(())
}

/// Checks the width of a table, also of one without rows, which has a zero vector.
fn check_width(width: usize) -> Result<()> {
    limits::VECTORS_WIDTH.check(width, "the width of a table of vectors").map(drop)
}

fn no_memory(len: usize, width: usize) -> Error {
    let text = format!("no memory for {len} rows of {width} numbers");
    Error::new(ErrorKind::Memory, codes::VECTORS_MEMORY, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_shared_outlives_the_table_and_shows_what_is_written() {
        let mut rows = RowTable::new(vec![1.0, 2.0, 3.0, 4.0], 2, 2).unwrap();
        let memory = rows.share();
        rows.set(1, &[5.0, 6.0]).unwrap();
        // SAFETY: the memory holds four numbers, and no one else has it.
        unsafe {
            assert_eq!((*memory.as_ptr().add(3)).to_bits(), 6_f32.to_bits());
            *memory.as_ptr() = 9.0;
        }
        assert_eq!(rows.get(0), Some(&[9.0, 2.0][..]));
        rows = rows.resized(1, 3).unwrap();
        rows.set(0, &[0.0; 3]).unwrap();
        drop(rows);
        // SAFETY: as above.
        assert_eq!(unsafe { *memory.as_ptr() }.to_bits(), 9_f32.to_bits());
    }

    #[test]
    fn another_size_keeps_what_fits() {
        let rows = RowTable::new(vec![1.0, 2.0, 3.0, 4.0], 2, 2).unwrap();
        assert_eq!(rows.resized(1, 1).unwrap().numbers(), [1.0]);
        assert_eq!(rows.resized(3, 1).unwrap().numbers(), [1.0, 3.0, 0.0]);
        assert_eq!(rows.resized(2, 3).unwrap().numbers(), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        assert_eq!(rows.resized(0, 2).unwrap().get(0), None);
        assert_eq!(rows.resized(2, 0).unwrap().get(1), Some(&[][..]));
    }

    #[test]
    fn sizes_that_memory_cannot_hold_are_refused() {
        assert_eq!(RowTable::zeros(usize::MAX, 2).unwrap_err().code(), "vectors-memory");
        assert_eq!(RowTable::zeros(1 << 50, 300).unwrap_err().code(), "vectors-memory");
        assert_eq!(RowTable::new(vec![0.0; 3], 2, 2).unwrap_err().code(), "vectors-shape");
    }
}
