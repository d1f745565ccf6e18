//! Functions of BLAS for C code that calls them through thinc's `CBlas`.
//!
//! Contains unsafe code. Invariants:
//!
//! - **B1** A capsule of thinc's module `cblas` has the name of the signature of the C function
//!   whose address it holds, as Cython writes it; only exactly these names are accepted.
//! - **B2** Callers of `sgemm` and `saxpy` pass what BLAS asks for: matrices of the sizes and
//!   strides that they name, of which the written one overlaps no other.

use std::ffi::{CStr, c_int, c_void};
use std::slice;

use lexpool::nn::{Matrix, axpy, gemm};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Gemm = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);
type Axpy = unsafe extern "C" fn(c_int, f32, *const f32, c_int, *mut f32, c_int);
type SetGemm = unsafe extern "C" fn(*mut ffi::PyObject, Gemm);
type SetAxpy = unsafe extern "C" fn(*mut ffi::PyObject, Axpy);

const SET_GEMM: &CStr = c"void (struct __pyx_obj_5thinc_8backends_5cblas_CBlas *, __pyx_t_5thinc_8backends_5cblas_sgemm_ptr)";
const SET_AXPY: &CStr = c"void (struct __pyx_obj_5thinc_8backends_5cblas_CBlas *, __pyx_t_5thinc_8backends_5cblas_saxpy_ptr)";

/// Sets lexpool's functions in a `thinc.backends.cblas.CBlas`. Returns False, and changes nothing,
/// if it is of another class or thinc's functions have other signatures.
#[pyfunction]
// stub: (cblas: Any)
pub(super) fn thinc_set_blas(cblas: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = cblas.py();
    let module = py.import("thinc.backends.cblas")?;
    let functions = module.getattr("__pyx_capi__")?;
    if !cblas.is_instance(&module.getattr("CBlas")?)? {
        return Ok(false);
    }
    let Ok(functions) = functions.cast::<PyDict>() else { return Ok(false) };
    let set_gemm = function(functions, "set_sgemm", SET_GEMM)?;
    let set_axpy = function(functions, "set_saxpy", SET_AXPY)?;
    let (Some(set_gemm), Some(set_axpy)) = (set_gemm, set_axpy) else { return Ok(false) };
    // SAFETY: B1: the functions have these signatures; `cblas` is an object of their class. They
    // are called with the GIL held, though they do not need it.
    unsafe {
        let set_gemm = std::mem::transmute::<*mut c_void, SetGemm>(set_gemm);
        let set_axpy = std::mem::transmute::<*mut c_void, SetAxpy>(set_axpy);
        set_gemm(cblas.as_ptr(), sgemm);
        set_axpy(cblas.as_ptr(), saxpy);
    }
    Ok(true)
}

/// Returns the address of a C function that a Cython module exports with a signature.
fn function(
    functions: &Bound<'_, PyDict>,
    name: &str,
    signature: &CStr,
) -> PyResult<Option<*mut c_void>> {
    let Some(capsule) = functions.get_item(name)? else { return Ok(None) };
    // SAFETY: the GIL is held; both functions accept any object and name. The address is asked for
    // only if the capsule is valid under that name.
    let address = unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), signature.as_ptr()) == 0 {
            return Ok(None);
        }
        ffi::PyCapsule_GetPointer(capsule.as_ptr(), signature.as_ptr())
    };
    Ok((!address.is_null()).then_some(address))
}

/// Writes `alpha` times the product of two matrices plus `beta` times `c` to `c`. Does nothing for
/// sizes or strides that BLAS does not accept.
///
/// # Safety
///
/// B2.
#[expect(clippy::many_single_char_names, reason = "names of BLAS")]
unsafe extern "C" fn sgemm(
    transposed_a: c_int,
    transposed_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: f32,
    a: *const f32,
    lda: c_int,
    b: *const f32,
    ldb: c_int,
    beta: f32,
    c: *mut f32,
    ldc: c_int,
) {
    let size = |number: c_int| usize::try_from(number).ok();
    let (Some(m), Some(n), Some(k)) = (size(m), size(n), size(k)) else { return };
    let (Some(lda), Some(ldb), Some(ldc)) = (size(lda), size(ldb), size(ldc)) else { return };
    let stored =
        |rows, columns, transposed| if transposed { (columns, rows) } else { (rows, columns) };
    let (transposed_a, transposed_b) = (transposed_a != 0, transposed_b != 0);
    let (rows_a, columns_a) = stored(m, k, transposed_a);
    let (rows_b, columns_b) = stored(k, n, transposed_b);
    if m == 0 || n == 0 || lda < columns_a || ldb < columns_b || ldc < n {
        return;
    }
    // SAFETY: B2.
    let (a, b, c) = unsafe {
        (
            numbers(a, rows_a, columns_a, lda),
            numbers(b, rows_b, columns_b, ldb),
            slice::from_raw_parts_mut(c, (m - 1) * ldc + n),
        )
    };
    let (Some(a), Some(b)) =
        (Matrix::new(a, rows_a, columns_a, lda), Matrix::new(b, rows_b, columns_b, ldb))
    else {
        return;
    };
    let a = if transposed_a { a.transpose() } else { a };
    let b = if transposed_b { b.transpose() } else { b };
    #[expect(clippy::float_cmp, reason = "factors that change no bit")]
    if alpha == 1.0 && beta == 0.0 {
        gemm(a, b, c, ldc);
        return;
    }
    let mut product = vec![0.0; m * n];
    gemm(a, b, &mut product, n);
    for (row, out) in product.chunks_exact(n).zip(c.chunks_mut(ldc)) {
        for (number, out) in row.iter().zip(out) {
            // BLAS does not read `c` if `beta` is 0.
            *out = alpha * number + if beta == 0.0 { 0.0 } else { beta * *out };
        }
    }
}

/// Returns the numbers that a matrix covers.
///
/// # Safety
///
/// The matrix has this many rows and columns, and rows that lie `stride` numbers apart.
unsafe fn numbers<'a>(first: *const f32, rows: usize, columns: usize, stride: usize) -> &'a [f32] {
    if rows == 0 || columns == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(first, (rows - 1) * stride + columns) }
}

/// Adds `alpha` times each of `n` numbers to another.
///
/// # Safety
///
/// B2.
unsafe extern "C" fn saxpy(
    n: c_int,
    alpha: f32,
    x: *const f32,
    step_x: c_int,
    y: *mut f32,
    step_y: c_int,
) {
    let Ok(len) = usize::try_from(n) else { return };
    if len == 0 {
        return;
    }
    if step_x == 1 && step_y == 1 {
        // SAFETY: B2.
        let (x, y) = unsafe { (slice::from_raw_parts(x, len), slice::from_raw_parts_mut(y, len)) };
        axpy(alpha, x, y);
        return;
    }
    // Numbers with a negative step are counted from their end.
    let first = |step: c_int| if step < 0 { (1 - n) as isize * step as isize } else { 0 };
    for at in 0..n as isize {
        // SAFETY: B2.
        unsafe {
            let x = x.offset(first(step_x) + at * step_x as isize);
            let y = y.offset(first(step_y) + at * step_y as isize);
            *y = alpha.mul_add(*x, *y);
        }
    }
}
