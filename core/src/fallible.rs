//! Growth of collections that reports refused memory as an error.
//!
//! `Vec`, `String` and maps end the process when the system refuses memory. What grows with the
//! documents of a caller is allocated by these functions instead. Small collections, and those
//! whose size the library chooses, are ordinary ones.

#![forbid(unsafe_code)]

use bytemuck::Zeroable;

use crate::{Error, ErrorKind, Result, codes};

/// Returns an empty list with room for `len` items.
pub(crate) fn list<T>(len: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(len)?;
    Ok(list)
}

/// Returns an empty text with room for `len` bytes.
pub(crate) fn text(len: usize) -> Result<String> {
    let mut text = String::new();
    text.try_reserve_exact(len)?;
    Ok(text)
}

/// Returns a list of zeros. Its pages come zeroed from the system, so that they are not written
/// twice.
pub(crate) fn zeros<T: Zeroable>(len: usize) -> Result<Vec<T>> {
    bytemuck::try_zeroed_vec(len).map_err(|()| {
        let text = format!("no memory for {len} items of {} bytes", size_of::<T>());
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text)
    })
}

/// Returns a copy of items.
pub(crate) fn copy<T: Copy>(items: &[T]) -> Result<Vec<T>> {
    let mut copied = list(items.len())?;
    copied.extend_from_slice(items);
    Ok(copied)
}

/// Returns a list of copies of one item.
pub(crate) fn repeat<T: Clone>(item: T, len: usize) -> Result<Vec<T>> {
    let mut repeated = list(len)?;
    repeated.resize(len, item);
    Ok(repeated)
}

/// Collects items, whose number is known.
pub(crate) fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut collected = list(items.len())?;
    collected.extend(items);
    Ok(collected)
}

/// Appends an item. Cost: constant, amortized.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) -> Result<()> {
    if list.len() == list.capacity() {
        grow(list)?;
    }
    list.push(item);
    Ok(())
}

/// Makes room for at least one item.
#[cold]
fn grow<T>(list: &mut Vec<T>) -> Result<()> {
    Ok(list.try_reserve(1)?)
}
