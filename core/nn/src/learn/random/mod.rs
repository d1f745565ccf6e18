//! Random numbers: those of NumPy's legacy generator and of Python's `random`, and a generator
//! whose numbers are functions of their place.

mod mersenne;
mod numpy;
mod philox;
mod python;

pub use numpy::NumpyRandom;
pub(crate) use philox::Philox;
pub use python::PythonRandom;
