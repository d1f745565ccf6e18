//! `lexpool.parser`: parse states and transition systems for Python.
//!
//! A state is behind a lock that is held while one question is answered. What takes longer works on
//! copies, without the GIL, and puts back what it has when it is done.

mod beam;
mod gold;
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
