//! Arrays of numbers, borrowed for a call without a copy.
//!
//! Holds unsafe code: address, shape and type become slices, after a check.

use std::marker::PhantomData;

use crate::failure::{Failure, FailureKind};
use crate::raw::{ArrayC, Element, signed};
use crate::value::{Owned, Value};

/// An array of any shape: an argument of an op.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a, T> {
    array: &'a ArrayC,
    items: PhantomData<&'a [T]>,
}

impl<'a, T: Element> Array<'a, T> {
    pub(crate) fn of(array: &'a ArrayC) -> Option<Array<'a, T>> {
        array.as_slice::<T>().map(|_| Array { array, items: PhantomData })
    }

    /// The lengths of the dimensions.
    #[inline]
    pub fn shape(&self) -> &'a [isize] {
        self.array.shape()
    }

    /// The items, the last dimension running fastest.
    pub fn items(&self) -> &'a [T] {
        self.array.as_slice().unwrap_or_default()
    }
}

/// Makes an array that owns its numbers.
pub(crate) fn own<T: Element>(items: Vec<T>, shape: &[usize]) -> Owned<'static> {
    struct OwnedArray<T> {
        view: ArrayC,
        // The view borrows from these boxes, whose addresses are stable.
        _items: Vec<T>,
        _shape: Box<[isize]>,
    }
    let mut items = items;
    let shape: Box<[isize]> = shape.iter().map(|len| signed(*len)).collect();
    let (data, ndim) = (items.as_mut_ptr().cast(), u32::try_from(shape.len()).unwrap_or(0));
    // SAFETY: the numbers and the lengths are kept beside the view; the caller has checked the
    // shape.
    let view = unsafe { ArrayC::new(T::DTYPE, data, ndim, shape.as_ptr(), std::ptr::null(), true) };
    let owner = OwnedArray { view, _items: items, _shape: shape };
    Owned::keeping(owner, |owner| Some(Value::array(&owner.view))).unwrap_or(Owned::NONE)
}

/// Copies a contiguous array of any dtype.
///
/// # Errors
///
/// `op-result` if the array is not contiguous.
pub fn copy(array: &ArrayC) -> Result<Owned<'static>, Failure> {
    struct OwnedArray {
        view: ArrayC,
        // The view borrows from these boxes, whose addresses are stable.
        _items: Box<[u64]>,
        _shape: Box<[isize]>,
    }
    let counted = array.shape().iter().try_fold(1_usize, |all, len| {
        usize::try_from(*len).ok().and_then(|len| all.checked_mul(len))
    });
    let bytes = counted.zip(array.dtype()).and_then(|(n, dtype)| n.checked_mul(dtype.size()));
    let (Some(bytes), Some(dtype)) = (bytes, array.dtype()) else {
        let text = format!("an array of an impossible shape: {:?}", array.shape());
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    };
    if !array.is_contiguous() || (array.data.is_null() && bytes != 0) {
        let text = "an array whose numbers do not lie side by side";
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    }
    let mut items = vec![0_u64; bytes.div_ceil(8)].into_boxed_slice();
    let data: *mut u8 = items.as_mut_ptr().cast();
    if bytes != 0 {
        // SAFETY: the contract of `ArrayC::new`, and the copy has room for as many numbers.
        unsafe { data.copy_from_nonoverlapping(array.data, bytes) };
    }
    let shape: Box<[isize]> = array.shape().into();
    // SAFETY: the numbers and the lengths are kept beside the view.
    let view =
        unsafe { ArrayC::new(dtype, data, array.ndim, shape.as_ptr(), std::ptr::null(), true) };
    let owner = OwnedArray { view, _items: items, _shape: shape };
    Ok(Owned::keeping(owner, |owner| Some(Value::array(&owner.view))).unwrap_or(Owned::NONE))
}
