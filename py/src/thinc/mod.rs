//! Kernels of `lexpool.thinc`, a backend of thinc.
//!
//! `arrays` contains unsafe code: slices of NumPy's memory. So does `blas`: C functions that thinc
//! calls by their addresses. Each lists its invariants.

mod arrays;
mod blas;
mod kernels;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("THINC_HAS_FAST_GEMM", lexpool::nn::has_fast_gemm())?;
    module.add_function(wrap_pyfunction!(kernels::thinc_gemm, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::thinc_maxout, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::thinc_gather_add, module)?)?;
    module.add_function(wrap_pyfunction!(blas::thinc_set_blas, module)?)
}
