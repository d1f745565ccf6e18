//! A table of numbers whose memory may be looked at from outside.
//!
//! Holds unsafe code: the memory is shared with whoever was given it by [`Rows::share`], such as an
//! array of NumPy's, which may read and write it.
//!
//! The rule is that of NumPy's own functions: who writes to an array while another thread computes
//! with it gets numbers from before and from after. Numbers are read as they lie, by plain loads,
//! and nothing but results depends on them: no index, no length, no branch that guards memory.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::{Error, ErrorKind, Result};

/// Rows of 32-bit floats, one after the other.
///
/// Changing the size makes new memory: whoever looks at the old one keeps it as it was. A clone has
/// memory of its own.
pub struct Rows {
    memory: Arc<Memory>,
    len: usize,
    width: usize,
}

/// The memory of a table, which stays where it is for as long as this lives.
pub struct Memory(Source);

enum Source {
    Own(Box<[UnsafeCell<f32>]>),
    /// Numbers in memory that the keeper has.
    Lent {
        numbers: NonNull<[f32]>,
        _keeper: Box<dyn Any + Send + Sync>,
    },
}

// SAFETY: the cells are written through `&mut Rows`, and through pointers by those who were given
// them and follow the rule of this module. Lent ones stay where they are with their keeper, which
// may go to another thread.
unsafe impl Sync for Memory {}
// SAFETY: as above.
unsafe impl Send for Memory {}

impl Memory {
    /// Numbers that lie in memory of somebody else.
    ///
    /// # Safety
    ///
    /// The numbers stay where they are for as long as `keeper` lives, may be written, and are read
    /// and written by nobody but as the head of this module says.
    pub(crate) unsafe fn lent(
        numbers: NonNull<[f32]>,
        keeper: Box<dyn Any + Send + Sync>,
    ) -> Memory {
        Memory(Source::Lent { numbers, _keeper: keeper })
    }

    /// Where the first number lies. Writing through the pointer follows the rule at the head of
    /// this module.
    pub fn as_ptr(&self) -> *mut f32 {
        match &self.0 {
            Source::Own(cells) => UnsafeCell::raw_get(cells.as_ptr()),
            Source::Lent { numbers, .. } => numbers.as_ptr().cast(),
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Source::Own(cells) => cells.len(),
            Source::Lent { numbers, .. } => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The most numbers in a row. A table without rows may be of any width, but its zero vector may not.
pub(super) const MAX_WIDTH: usize = 1 << 24;

impl Rows {
    /// A table of zeros.
    ///
    /// # Errors
    ///
    /// `vectors-memory` if the system does not give so much, `vectors-shape` as for [`new`](Rows::new).
    pub fn zeros(len: usize, width: usize) -> Result<Rows> {
        let size = len.checked_mul(width).ok_or_else(|| no_memory(len, width))?;
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(size).map_err(|_| no_memory(len, width))?;
        numbers.resize(size, 0.0);
        Rows::new(numbers, len, width)
    }

    /// A table of these numbers.
    ///
    /// # Errors
    ///
    /// `vectors-shape` if there are not `len * width` of them, or a row is wider than 2^24 numbers.
    pub fn new(numbers: Vec<f32>, len: usize, width: usize) -> Result<Rows> {
        check_shape(numbers.len(), len, width)?;
        let numbers = Box::into_raw(numbers.into_boxed_slice());
        // SAFETY: the pointer is from `into_raw`, and an `UnsafeCell<f32>` is laid out as an `f32`.
        let cells = unsafe { Box::from_raw(numbers as *mut [UnsafeCell<f32>]) };
        Ok(Rows { memory: Arc::new(Memory(Source::Own(cells))), len, width })
    }

    /// A table of the numbers that lie there.
    ///
    /// # Errors
    ///
    /// As for [`new`](Rows::new).
    pub(crate) fn over(memory: Memory, len: usize, width: usize) -> Result<Rows> {
        check_shape(memory.len(), len, width)?;
        Ok(Rows { memory: Arc::new(memory), len, width })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All numbers, row after row.
    pub fn numbers(&self) -> &[f32] {
        // SAFETY: the memory holds that many initialized numbers and lives as long as `self`; who
        // writes to it meanwhile follows the rule of this module.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.memory.len()) }
    }

    /// One row, if there is such a one.
    pub fn get(&self, row: usize) -> Option<&[f32]> {
        if row >= self.len {
            return None;
        }
        self.numbers().get(row * self.width..(row + 1) * self.width)
    }

    /// Writes a row, in place: all who look at the memory see it.
    ///
    /// # Errors
    ///
    /// `vectors-row` without such a row, `vectors-shape` for a vector of another width.
    pub fn set(&mut self, row: usize, vector: &[f32]) -> Result<()> {
        if row >= self.len {
            let text = format!("there is no row {row} in a table of {}", self.len);
            return Err(Error::new(ErrorKind::Index, "vectors-row", text));
        }
        self.check_width(vector)?;
        // SAFETY: the row lies within the memory and is as long as `vector`, of which it may be part.
        unsafe {
            let place = self.memory.as_ptr().add(row * self.width);
            place.copy_from(vector.as_ptr(), self.width);
        }
        Ok(())
    }

    /// Makes sure that a vector would fit into a row.
    ///
    /// # Errors
    ///
    /// `vectors-shape` for one of another width.
    pub fn check_width(&self, vector: &[f32]) -> Result<()> {
        if vector.len() == self.width {
            return Ok(());
        }
        let text = format!("a vector of {} numbers, for rows of {}", vector.len(), self.width);
        Err(Error::value("vectors-shape", text))
    }

    /// The table in another size: what fits is copied, the rest is zero.
    ///
    /// # Errors
    ///
    /// As for [`zeros`](Rows::zeros).
    pub fn resized(&self, len: usize, width: usize) -> Result<Rows> {
        let mut resized = Rows::zeros(len, width)?;
        let common = width.min(self.width);
        let mut padded = vec![0.0; width];
        for row in 0..len.min(self.len) {
            padded[..common].copy_from_slice(&self.numbers()[row * self.width..][..common]);
            resized.set(row, &padded)?;
        }
        Ok(resized)
    }

    /// The memory itself, for whoever wants to look at it beyond the life of this table.
    pub fn share(&self) -> Arc<Memory> {
        Arc::clone(&self.memory)
    }
}

impl Clone for Rows {
    fn clone(&self) -> Rows {
        let numbers = self.numbers().to_vec();
        Rows::new(numbers, self.len, self.width).expect("as many numbers as before")
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({} x {})", self.len, self.width)
    }
}

fn check_shape(numbers: usize, len: usize, width: usize) -> Result<()> {
    if width > MAX_WIDTH {
        let text = format!("rows of {width} numbers; at most {MAX_WIDTH} are possible");
        return Err(Error::value("vectors-shape", text));
    }
    if len.checked_mul(width) != Some(numbers) {
        let text = format!("{numbers} numbers do not make {len} rows of {width}");
        return Err(Error::value("vectors-shape", text));
    }
    Ok(())
}

fn no_memory(len: usize, width: usize) -> Error {
    let text = format!("no memory for {len} rows of {width} numbers");
    Error::new(ErrorKind::Memory, "vectors-memory", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_shared_outlives_the_table_and_shows_what_is_written() {
        let mut rows = Rows::new(vec![1.0, 2.0, 3.0, 4.0], 2, 2).unwrap();
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
        let rows = Rows::new(vec![1.0, 2.0, 3.0, 4.0], 2, 2).unwrap();
        assert_eq!(rows.resized(1, 1).unwrap().numbers(), [1.0]);
        assert_eq!(rows.resized(3, 1).unwrap().numbers(), [1.0, 3.0, 0.0]);
        assert_eq!(rows.resized(2, 3).unwrap().numbers(), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        assert_eq!(rows.resized(0, 2).unwrap().get(0), None);
        assert_eq!(rows.resized(2, 0).unwrap().get(1), Some(&[][..]));
    }

    #[test]
    fn sizes_that_memory_cannot_hold_are_refused() {
        assert_eq!(Rows::zeros(usize::MAX, 2).unwrap_err().code(), "vectors-memory");
        assert_eq!(Rows::zeros(1 << 50, 300).unwrap_err().code(), "vectors-memory");
        assert_eq!(Rows::new(vec![0.0; 3], 2, 2).unwrap_err().code(), "vectors-shape");
    }
}
