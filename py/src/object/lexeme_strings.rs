//! The Python strings of words: text, lower-cased form, shape and so on, each made once.
//!
//! Holds unsafe code: references to Python strings are kept in atomic cells.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use lexpool::pool::SegmentedVec;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::LexIx;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::runtime::sparse_vec::SparseVec;

/// The strings that were asked for so far, by the position of their lexeme: a look-up is two loads.
///
/// Words of a memory zone are left out, since their positions do not last. Those of a file may be
/// millions, of which few are asked for; they have columns of another kind.
pub(crate) struct LexemeStrings {
    /// The position of the first word that is not a file's.
    first: u32,
    of_file: [SparseVec<StringCell>; COLUMNS],
    columns: [SegmentedVec<StringCell>; COLUMNS],
}

/// A kept string.
#[derive(Default)]
struct StringCell {
    /// The string's id; 0 while there is none. Set once, by whoever then sets the string: a word
    /// whose form is set to another one later is not served from here.
    id: AtomicU64,
    /// Null, or a reference that is kept until the end.
    string: AtomicPtr<ffi::PyObject>,
}

const COLUMNS: usize = 7;

/// Where the strings of an attribute are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StringColumn(u8);

impl StringColumn {
    pub(crate) const ORTH: StringColumn = StringColumn(0);

    /// The column of an attribute that words have strings for.
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
    /// No strings, for a vocab whose own words begin at a position.
    pub(crate) fn new(first: u32) -> LexemeStrings {
        LexemeStrings {
            first,
            of_file: std::array::from_fn(|_| SparseVec::new(first)),
            columns: Default::default(),
        }
    }

    /// The kept string of a word's form, if it has this id. Never panics.
    #[inline]
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        ix: LexIx,
        column: StringColumn,
        id: StrId,
    ) -> Option<Bound<'py, PyString>> {
        let (column, position) = (usize::from(column.0), ix.lasting()?);
        let form = match position.checked_sub(self.first) {
            Some(at) => self.columns.get(column)?.get(at)?,
            None => self.of_file.get(column)?.get(position)?,
        };
        // Pairs with the store in `keep`: who sees the string sees its id.
        let string = form.string.load(Ordering::Acquire);
        if string.is_null() || form.id.load(Ordering::Relaxed) != id.get() {
            return None;
        }
        // SAFETY: a cell that is not null holds a reference to a `str` for as long as this lives.
        Some(unsafe { Bound::from_borrowed_ptr(py, string).cast_into_unchecked() })
    }

    /// Keeps the string of a word's form, if none is kept.
    pub(crate) fn keep(&self, ix: LexIx, attr: AttrId, id: StrId, string: &Bound<'_, PyString>) {
        let (Some(column), Some(position)) = (StringColumn::of(attr), ix.lasting()) else { return };
        let Some(form) = self.cell_of(usize::from(column.0), position) else { return };
        let claim = form.id.compare_exchange(0, id.get(), Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_ok() {
            form.string.store(string.clone().into_ptr(), Ordering::Release);
        }
    }

    /// The cell of a word, made if it is not there.
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
                    // SAFETY: the cell owns the reference, and nobody looks at it any more.
                    drop(unsafe { Bound::from_owned_ptr(py, string) });
                }
            }
        });
    }
}
