//! `lexpool.parser`: parse states and transition systems for Python.
//!
//! A state has a lock, which is held for one operation at a time and never while the GIL is
//! released. Longer operations work on copies without the GIL, and write the results back at their
//! end.

#![forbid(unsafe_code)]

mod beam;
mod gold;
mod gold_constructors;
mod oracle;
mod parse;
mod scorer;
mod state;
mod system;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<state::PyState>(module)?;
    classes::add::<system::PyMoves>(module)?;
    classes::add::<gold::PyGold>(module)?;
    classes::add::<beam::PyBeam>(module)?;
    module.add_function(wrap_pyfunction!(system::arc_eager_labels, module)?)
}
