//! Arrays of other libraries through DLPack, without a copy.
//!
//! Holds unsafe code (invariants G1, G2, G6 of [`ops`](super)): the structs of DLPack, and a tensor
//! that is released by hand. Source: <https://dmlc.github.io/dlpack/latest/c_api.html>.

use std::ffi::c_void;

use lexpool_ops::plugin::{ArrayC, Dtype};
use pyo3::ffi;
use pyo3::prelude::*;

use super::c_ints::ssize;
use super::conversion_error::ConversionError;

/// DLPack's device type of main memory.
const CPU: i32 = 1;

/// `DLTensor` of DLPack.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: [i32; 2],
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    offset: u64,
}

#[repr(C)]
struct DlManaged {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DlManaged)>,
}

/// A DLPack tensor, which is released after the call.
pub(super) struct Tensor {
    managed: *mut DlManaged,
    strides: Option<Box<[isize]>>,
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: G6: the consumer of a capsule calls its deleter once.
        unsafe {
            if let Some(deleter) = (*self.managed).deleter {
                deleter(self.managed);
            }
        }
    }
}

/// Borrows the numbers of an object through DLPack, if they lie in main memory.
///
/// # Safety
///
/// As for [`take`].
#[cold]
pub(super) unsafe fn import(
    argument: *mut ffi::PyObject,
) -> Result<(ArrayC, Tensor), ConversionError> {
    Python::attach(|py| {
        // SAFETY: G1, G2, by the contract of this function.
        let argument = unsafe { Bound::from_borrowed_ptr(py, argument) };
        let Some(export) = argument.getattr_opt("__dlpack__")? else {
            return Err(ConversionError::TYPE);
        };
        let capsule = export.call0()?;
        // SAFETY: the capsule is asked by its name, which says what it holds and that nobody has
        // taken it; it is renamed, as DLPack asks of who takes it.
        let managed = unsafe {
            let at = ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"dltensor".as_ptr());
            if at.is_null() {
                return Err(ConversionError::Set);
            }
            ffi::PyCapsule_SetName(capsule.as_ptr(), c"used_dltensor".as_ptr());
            at.cast::<DlManaged>()
        };
        // SAFETY: it is ours now.
        let held = unsafe { &(*managed).tensor };
        let mut tensor = Tensor { managed, strides: None };
        let dtype = match (held.code, held.bits, held.lanes) {
            (0, 8, 1) => Some(Dtype::I8),
            (0, 16, 1) => Some(Dtype::I16),
            (0, 32, 1) => Some(Dtype::I32),
            (0, 64, 1) => Some(Dtype::I64),
            (1, 8, 1) => Some(Dtype::U8),
            (1, 16, 1) => Some(Dtype::U16),
            (1, 32, 1) => Some(Dtype::U32),
            (1, 64, 1) => Some(Dtype::U64),
            (2, 32, 1) => Some(Dtype::F32),
            (2, 64, 1) => Some(Dtype::F64),
            (6, 8, 1) => Some(Dtype::Bool),
            _ => None,
        };
        let Some(dtype) = dtype.filter(|_| held.device[0] == CPU) else {
            let text = format!(
                "a tensor on device {} of type {} with {} bits",
                held.device[0], held.code, held.bits
            );
            return Err(ConversionError::Type { expected: None, actual: Some(text) });
        };
        let ndim = held.ndim.unsigned_abs();
        if !held.strides.is_null() {
            // SAFETY: DLPack promises as many strides as dimensions, counted in items.
            let strides = unsafe { std::slice::from_raw_parts(held.strides, ndim as usize) };
            let bytes = |items: &i64| isize::try_from(*items).unwrap_or(0) * ssize(dtype.size());
            tensor.strides = Some(strides.iter().map(bytes).collect());
        }
        let strides = tensor.strides.as_ref().map_or(std::ptr::null(), |strides| strides.as_ptr());
        // SAFETY: the tensor is kept until the call has returned; lengths are of 64 bits, as
        // addresses.
        let array = unsafe {
            let data = held.data.cast::<u8>().add(usize::try_from(held.offset).unwrap_or(0));
            ArrayC::new(dtype, data, ndim, held.shape.cast(), strides, false)
        };
        Ok((array, tensor))
    })
}
