//! The Python strings of words: text, lower-cased form, shape and so on, each made once.
//!
//! Holds unsafe code: references to Python strings are kept in atomic cells.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use lexpool::pool::Pages;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::LexIx;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The strings that were asked for so far, by the position of their lexeme: a look-up is two loads.
///
/// Words of a memory zone are left out, since their positions do not last.
#[derive(Default)]
pub(crate) struct Forms {
    columns: [Pages<Form>; COLUMNS],
}

/// A kept string.
#[derive(Default)]
struct Form {
    /// The string's id; 0 while there is none. Set once, by whoever then sets the string: a word
    /// whose form is set to another one later is not served from here.
    id: AtomicU64,
    /// Null, or a reference that is kept until the end.
    string: AtomicPtr<ffi::PyObject>,
}

const COLUMNS: usize = 7;

fn column(attr: AttrId) -> Option<usize> {
    match attr {
        AttrId::ORTH => Some(0),
        AttrId::LOWER => Some(1),
        AttrId::NORM => Some(2),
        AttrId::SHAPE => Some(3),
        AttrId::PREFIX => Some(4),
        AttrId::SUFFIX => Some(5),
        AttrId::LANG => Some(6),
        _ => None,
    }
}

impl Forms {
    /// The kept string of a word's form, if it has this id.
    #[inline]
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        ix: LexIx,
        attr: AttrId,
        id: StrId,
    ) -> Option<Bound<'py, PyString>> {
        let form = self.columns[column(attr)?].get(ix.lasting()?)?;
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
        let (Some(column), Some(at)) = (column(attr), ix.lasting()) else { return };
        let column = &self.columns[column];
        while column.len() <= at {
            if column.push(Form::default()).is_err() {
                return;
            }
        }
        let Some(form) = column.get(at) else { return };
        let claim = form.id.compare_exchange(0, id.get(), Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_ok() {
            form.string.store(string.clone().into_ptr(), Ordering::Release);
        }
    }
}

impl Drop for Forms {
    fn drop(&mut self) {
        Python::attach(|py| {
            for form in self.columns.iter().flat_map(Pages::iter) {
                let string = form.string.load(Ordering::Relaxed);
                if !string.is_null() {
                    // SAFETY: the cell owns the reference, and nobody looks at it any more.
                    drop(unsafe { Bound::from_owned_ptr(py, string) });
                }
            }
        });
    }
}
