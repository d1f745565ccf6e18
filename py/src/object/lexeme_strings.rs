//! Cache of the Python strings of words: text, lower-case form, shape and so on, each created once.
//!
//! Unsafe code: stores references to Python strings in atomic cells.
//!
//! Invariants:
//! - **S1** A cell's string is null or one owned reference to a `str`. It is set once, after the
//!   id, and released when the cache is dropped.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use lexpool::pool::SegmentedVec;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::LexIx;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::runtime::sparse_vec::SparseVec;

/// The strings requested so far, by lexeme index: a look-up is two loads.
///
/// Words of a memory zone are left out, since their indices are not permanent. A mapped file may
/// have millions of words, of which few are used, so their columns are sparse.
pub(crate) struct LexemeStrings {
    /// The index of the first word after those of a mapped file.
    first: u32,
    of_file: [SparseVec<StringCell>; COLUMNS],
    columns: [SegmentedVec<StringCell>; COLUMNS],
}

/// A cached string.
#[derive(Default)]
struct StringCell {
    /// The string's id; 0 if the cell is empty. Set once, by the thread that then sets the string:
    /// if the word's attribute changes later, this cell is not used for it.
    id: AtomicU64,
    /// As S1 describes.
    string: AtomicPtr<ffi::PyObject>,
}

const COLUMNS: usize = 7;

/// The number of a column of cached strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StringColumn(u8);

impl StringColumn {
    pub(crate) const ORTH: StringColumn = StringColumn(0);

    /// The column of an attribute whose strings are cached.
    pub(crate) const fn of(attr: AttrId) -> Option<StringColumn> {
        Some(StringColumn(match attr {
            AttrId::ORTH => 0,
            AttrId::LOWER => 1,
            AttrId::NORM => 2,
            AttrId::SHAPE => 3,
            AttrId::PREFIX => 4,
            AttrId::SUFFIX => 5,
            AttrId::LANG => 6,
            _ => return None,
        }))
    }
}

impl LexemeStrings {
    /// An empty cache for a vocab whose own words begin at an index.
    pub(crate) fn new(first: u32) -> LexemeStrings {
        LexemeStrings {
            first,
            of_file: std::array::from_fn(|_| SparseVec::new(first)),
            columns: Default::default(),
        }
    }

    /// The cached string of a word's attribute, if it has this id. Never panics.
    #[inline]
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        ix: LexIx,
        column: StringColumn,
        id: StrId,
    ) -> Option<Bound<'py, PyString>> {
        let (column, position) = (usize::from(column.0), ix.permanent_position()?);
        let form = match position.checked_sub(self.first) {
            Some(at) => self.columns.get(column)?.get(at)?,
            None => self.of_file.get(column)?.get(position)?,
        };
        // Pairs with the store in `keep`: a thread that sees the string also sees its id.
        let string = form.string.load(Ordering::Acquire);
        if string.is_null() || form.id.load(Ordering::Relaxed) != id.get() {
            return None;
        }
        // SAFETY: S1: a non-null cell holds a reference to a `str` for as long as `self`
        // lives.
        Some(unsafe { Bound::from_borrowed_ptr(py, string).cast_into_unchecked() })
    }

    /// Caches the string of a word's attribute, if the cell is empty.
    pub(crate) fn keep(&self, ix: LexIx, attr: AttrId, id: StrId, string: &Bound<'_, PyString>) {
        let (Some(column), Some(position)) = (StringColumn::of(attr), ix.permanent_position())
        else {
            return;
        };
        let Some(form) = self.cell_of(usize::from(column.0), position) else { return };
        let claim = form.id.compare_exchange(0, id.get(), Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_ok() {
            form.string.store(string.clone().into_ptr(), Ordering::Release);
        }
    }

    /// The cell of a word; allocates it if necessary.
    fn cell_of(&self, column: usize, position: u32) -> Option<&StringCell> {
        let Some(at) = position.checked_sub(self.first) else {
            return self.of_file[column].make(position);
        };
        let column = &self.columns[column];
        while column.len() <= at {
            column.push(StringCell::default()).ok()?;
        }
        column.get(at)
    }
}

impl Drop for LexemeStrings {
    fn drop(&mut self) {
        Python::attach(|py| {
            let of_file = self.of_file.iter().flat_map(SparseVec::iter);
            for form in self.columns.iter().flat_map(SegmentedVec::iter).chain(of_file) {
                let string = form.string.load(Ordering::Relaxed);
                if !string.is_null() {
                    // SAFETY: S1: the cell owns the reference, and `&mut self` excludes other
                    // users.
                    drop(unsafe { Bound::from_owned_ptr(py, string) });
                }
            }
        });
    }
}
