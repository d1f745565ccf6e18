//! Fast conversion of arguments of common types: no loop, no allocation, no Python code.
//!
//! Holds unsafe code (invariants G1 to G3 of [`ops`](super)): reads objects as `from_python` does.
//! An argument of any other kind is left untouched, so that the general call converts or rejects it
//! from the start.

use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use lexpool_ops::plugin::{ArrayC, ValueC};
use lexpool_ops::{Gil, Type, Value};
use pyo3::ffi;

use super::c_ints::ssize;
use super::callback::{self, Callback};
use super::prepared_op::PreparedOp;
use super::{arrays, instance, scalars};

/// A type of arguments for which trampolines are monomorphized.
pub(super) trait FastArg {
    /// Memory that a value of the type points to, beside the argument itself.
    type Scratch;

    /// Converts an argument into `place`. Returns false, before any effect, if it is not of the
    /// common form.
    ///
    /// # Safety
    ///
    /// `argument` is an object that lives for as long as the value is used, `scratch` does not move
    /// until `release`; the GIL is held. An implementation must neither panic nor run Python code.
    unsafe fn write_value(
        known: &PreparedOp,
        at: usize,
        argument: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<Self::Scratch>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool;

    /// Returns whether the general call rejects the argument for its type alone.
    ///
    /// # Safety
    ///
    /// `argument` lives, and the GIL is held.
    unsafe fn is_wrong_type(_given: *mut ffi::PyObject) -> bool {
        false
    }

    /// Releases what `write_value` has borrowed.
    ///
    /// # Safety
    ///
    /// Called once after a `write_value` that returned true, with the GIL.
    #[inline]
    unsafe fn release(_scratch: &mut MaybeUninit<Self::Scratch>) {}
}

/// The common types, to select a trampoline.
#[derive(Clone, Copy)]
pub(super) enum FastKind {
    Int,
    Float,
    Str,
    Array,
    IntList,
    Callable,
    Object,
}

impl FastKind {
    /// Returns the kind of a parameter type; `None` if it needs the general call.
    pub(super) fn of(ty: &Type, gil: Gil) -> Option<FastKind> {
        // These read memory that only the GIL protects from other threads.
        let alone = cfg!(not(Py_GIL_DISABLED));
        Some(match ty {
            Type::Int => FastKind::Int,
            Type::Float => FastKind::Float,
            Type::Str => FastKind::Str,
            Type::Object(_) => FastKind::Object,
            Type::Array(..) if alone && gil == Gil::Hold => FastKind::Array,
            Type::List(inner) if alone && matches!(**inner, Type::Int) => FastKind::IntList,
            Type::Callable if alone => FastKind::Callable,
            _ => return None,
        })
    }
}

pub(super) struct Int;

impl FastArg for Int {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        let int = unsafe { scalars::small_int(argument).or_else(|| whole_int(argument)) };
        let Some(int) = int else { return false };
        place.write(Value::int(int).to_c());
        true
    }

    unsafe fn is_wrong_type(argument: *mut ffi::PyObject) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        unsafe { ffi::PyLong_Check(argument) == 0 && ffi::PyIndex_Check(argument) == 0 }
    }
}

/// Reads an exact int of more than one digit, if it fits 64 bits.
///
/// # Safety
///
/// As for [`FastArg::write_value`].
#[cold]
unsafe fn whole_int(argument: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: G1, G2; conversion of an exact int runs no Python code and does not fail.
    unsafe {
        if ffi::Py_TYPE(argument) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow = 0;
        let int = ffi::PyLong_AsLongLongAndOverflow(argument, &raw mut overflow);
        (overflow == 0).then_some(int)
    }
}

pub(super) struct Float;

impl FastArg for Float {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1, G2; reading an exact float runs no Python code.
        let float = unsafe {
            if ffi::Py_TYPE(argument) != &raw mut ffi::PyFloat_Type {
                return false;
            }
            ffi::PyFloat_AS_DOUBLE(argument)
        };
        place.write(Value::float(float).to_c());
        true
    }
}

pub(super) struct Str;

impl FastArg for Str {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        let Some(text) = (unsafe { scalars::text(argument) }) else { return false };
        place.write(text.to_c());
        true
    }

    unsafe fn is_wrong_type(argument: *mut ffi::PyObject) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        unsafe { ffi::PyUnicode_Check(argument) == 0 }
    }
}

pub(super) struct Array;

impl FastArg for Array {
    /// The array and a copy of its length: NumPy may free its own while an op calls back.
    type Scratch = (ArrayC, [isize; 1]);

    #[inline]
    unsafe fn write_value(
        known: &PreparedOp,
        at: usize,
        argument: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<(ArrayC, [isize; 1])>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        let Some(Type::Array(dtype, ndim)) = known.types.get(at) else { return false };
        // SAFETY: G1, G2, by the contract of this function.
        let Some(array) = (unsafe { arrays::numpy_of(argument, *dtype, *ndim) }) else {
            return false;
        };
        let &[len] = array.shape() else { return false };
        let (array, shape) = scratch.write((array, [len]));
        // SAFETY: G3: the same contiguous numbers; `scratch` stays until the call has returned.
        *array = unsafe {
            ArrayC::new(*dtype, array.data(), 1, shape.as_ptr(), ptr::null(), array.is_writable())
        };
        place.write(Value::array(array).to_c());
        true
    }
}

/// A list of small ints.
pub(super) struct IntList;

/// Maximum number of items that are copied to the stack.
const MAX_ITEMS: usize = 32;

impl FastArg for IntList {
    type Scratch = [ValueC; MAX_ITEMS];

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<[ValueC; MAX_ITEMS]>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1 to G3; no Python code runs that could change the list, and only values that
        // were written are read.
        unsafe {
            if ffi::Py_TYPE(argument) != &raw mut ffi::PyList_Type {
                return false;
            }
            let len = ffi::Py_SIZE(argument).unsigned_abs();
            if len > MAX_ITEMS {
                return false;
            }
            let first = scratch.as_mut_ptr().cast::<ValueC>();
            for i in 0..len {
                let item = ffi::PyList_GET_ITEM(argument, ssize(i));
                let Some(int) = scalars::small_int(item) else { return false };
                first.add(i).write(Value::int(int).to_c());
            }
            let values = std::slice::from_raw_parts(first.cast::<Value<'_>>(), len);
            let Some(list) = Value::list(values) else { return false };
            place.write(list.to_c());
            true
        }
    }
}

pub(super) struct Callable;

impl FastArg for Callable {
    type Scratch = NonNull<Callback>;

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<NonNull<Callback>>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        let Some(callback) = (unsafe { callback::borrow(argument) }) else { return false };
        scratch.write(callback);
        // SAFETY: G3: the callback is kept until `release`.
        place.write(Value::function(unsafe { callback.cast().as_ref() }).to_c());
        true
    }

    #[inline]
    unsafe fn release(scratch: &mut MaybeUninit<NonNull<Callback>>) {
        // SAFETY: `write_value` has written it.
        unsafe { callback::give_back(scratch.assume_init()) }
    }
}

pub(super) struct Object;

impl FastArg for Object {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G1, G2, by the contract of this function.
        let Some(object) = (unsafe { instance::find(argument) }) else { return false };
        place.write(object.to_c());
        true
    }
}

/// The receiver of a method or field (G4).
pub(super) struct Receiver;

impl FastArg for Receiver {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: G4.
        let Some(object) = (unsafe { instance::object(argument) }) else { return false };
        place.write(object.to_c());
        true
    }
}

/// A missing argument: fills the positions behind an op's last one.
pub(super) struct NoArg;

impl FastArg for NoArg {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        argument: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        _place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        debug_assert_eq!(argument, ptr::null_mut());
        true
    }
}
