//! Arguments of the usual types, taken without a loop, an allocation or code of Python's.
//!
//! Holds unsafe code: reads objects as `take` does. What is not usual is left alone, so that the long way
//! takes or refuses it as if this had not been tried.

use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use lexpool::registry::plugin::{ArrayC, ValueC};
use lexpool::registry::{Gil, Type, Value};
use pyo3::ffi;

use super::callback::{self, Callback};
use super::from_python;
use super::op::PreparedOp;
use super::{arrays, instance};

/// A type of arguments that trampolines are made for.
pub(super) trait FastArg {
    /// What a value of the type points to, beside the argument itself.
    type Scratch;

    /// Puts the value of an argument in its place; false, and nothing done, if it is not the usual one.
    ///
    /// # Safety
    ///
    /// `given` is an object that lives for as long as the value is used, `scratch` does not move until
    /// `end`; the GIL is held. NoArg in here may panic or run code of Python's.
    unsafe fn write_value(
        known: &PreparedOp,
        at: usize,
        given: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<Self::Scratch>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool;

    /// Whether the long way refuses the argument for its type alone.
    ///
    /// # Safety
    ///
    /// `given` lives, and the GIL is held.
    unsafe fn is_wrong_type(_given: *mut ffi::PyObject) -> bool {
        false
    }

    /// Gives back what `put` has taken.
    ///
    /// # Safety
    ///
    /// Called once after a `put` that was true, with the GIL.
    #[inline]
    unsafe fn release(_scratch: &mut MaybeUninit<Self::Scratch>) {}
}

/// The usual types by number, to choose among trampolines.
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
    /// The kind of an argument; none for those that take the long way.
    pub(super) fn of(ty: &Type, gil: Gil) -> Option<FastKind> {
        // These read what another thread could change meanwhile, but for the GIL.
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
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises.
        let int = unsafe { from_python::small_int(given).or_else(|| whole_int(given)) };
        let Some(int) = int else { return false };
        place.write(Value::int(int).to_c());
        true
    }

    unsafe fn is_wrong_type(given: *mut ffi::PyObject) -> bool {
        // SAFETY: as the caller promises.
        unsafe { ffi::PyLong_Check(given) == 0 && ffi::PyIndex_Check(given) == 0 }
    }
}

/// An int of more than one digit that fits.
///
/// # Safety
///
/// As for [`FastArg::put`].
#[cold]
unsafe fn whole_int(given: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: as the caller promises; of an exact int no code of Python's runs, and it does not fail.
    unsafe {
        if ffi::Py_TYPE(given) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let mut overflow = 0;
        let int = ffi::PyLong_AsLongLongAndOverflow(given, &raw mut overflow);
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
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises; an exact float is read without running anything.
        let float = unsafe {
            if ffi::Py_TYPE(given) != &raw mut ffi::PyFloat_Type {
                return false;
            }
            ffi::PyFloat_AS_DOUBLE(given)
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
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises.
        let Some(text) = (unsafe { from_python::text(given) }) else { return false };
        place.write(text.to_c());
        true
    }

    unsafe fn is_wrong_type(given: *mut ffi::PyObject) -> bool {
        // SAFETY: as the caller promises.
        unsafe { ffi::PyUnicode_Check(given) == 0 }
    }
}

pub(super) struct Array;

impl FastArg for Array {
    /// The array, and its length: NumPy may free its own while an op calls back.
    type Scratch = (ArrayC, [isize; 1]);

    #[inline]
    unsafe fn write_value(
        known: &PreparedOp,
        at: usize,
        given: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<(ArrayC, [isize; 1])>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        let Some(Type::Array(dtype, ndim)) = known.types.get(at) else { return false };
        // SAFETY: as the caller promises.
        let Some(array) = (unsafe { arrays::numpy_of(given, *dtype, *ndim) }) else { return false };
        let &[len] = array.shape() else { return false };
        let (array, shape) = scratch.write((array, [len]));
        // SAFETY: the same numbers side by side; the scratch stays until the call has returned.
        *array = unsafe {
            ArrayC::new(*dtype, array.data(), 1, shape.as_ptr(), ptr::null(), array.is_writable())
        };
        place.write(Value::array(array).to_c());
        true
    }
}

/// A list of ints.
pub(super) struct IntList;

/// How many of them are copied to the stack.
const MAX_ITEMS: usize = 32;

impl FastArg for IntList {
    type Scratch = [ValueC; MAX_ITEMS];

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        given: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<[ValueC; MAX_ITEMS]>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises; nothing runs that could change the list, and as many values
        // are read as were written.
        unsafe {
            if ffi::Py_TYPE(given) != &raw mut ffi::PyList_Type {
                return false;
            }
            let len = ffi::Py_SIZE(given).unsigned_abs();
            if len > MAX_ITEMS {
                return false;
            }
            let first = scratch.as_mut_ptr().cast::<ValueC>();
            for i in 0..len {
                let item = ffi::PyList_GET_ITEM(given, super::ssize(i));
                let Some(int) = from_python::small_int(item) else { return false };
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
        given: *mut ffi::PyObject,
        scratch: &mut MaybeUninit<NonNull<Callback>>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises.
        let Some(callback) = (unsafe { callback::borrow(given) }) else { return false };
        scratch.write(callback);
        // SAFETY: it is kept until `end`.
        place.write(Value::function(unsafe { callback.cast().as_ref() }).to_c());
        true
    }

    #[inline]
    unsafe fn release(scratch: &mut MaybeUninit<NonNull<Callback>>) {
        // SAFETY: `put` has written it.
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
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises.
        let Some(object) = (unsafe { instance::find(given) }) else { return false };
        place.write(object.to_c());
        true
    }
}

/// The object that a method or a field is of: CPython has checked its class.
pub(super) struct Receiver;

impl FastArg for Receiver {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        // SAFETY: as the caller promises, who has an object of such a class.
        let Some(object) = (unsafe { instance::object(given) }) else { return false };
        place.write(object.to_c());
        true
    }
}

/// No argument: what fills the places behind an op's last one.
pub(super) struct NoArg;

impl FastArg for NoArg {
    type Scratch = ();

    #[inline]
    unsafe fn write_value(
        _known: &PreparedOp,
        _at: usize,
        given: *mut ffi::PyObject,
        _scratch: &mut MaybeUninit<()>,
        _place: &mut MaybeUninit<ValueC>,
    ) -> bool {
        debug_assert_eq!(given, ptr::null_mut());
        true
    }
}
