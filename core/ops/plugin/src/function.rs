//! Functions that can be registered: their types are inferred from the function's own.
//!
//! Holds unsafe code: arguments that come from C, and pointers whose type is known by their marker.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::args::{Arg, IntoOwned};
use crate::failure::{Failure, FailureKind};
use crate::raw::{Tag, ValueC};
use crate::types::Type;
use crate::value::{Owned, Value};

/// Maximum number of arguments of an op.
pub const MAX_ARGS: usize = 12;

/// A function, functor or closure with the marker `fn(A, B) -> R` of its arguments and result.
///
/// Implemented for all that take and give what [`Arg`] and [`IntoOwned`] know.
///
/// # Safety
///
/// `typed` gives a pointer as it says, for the marker's types.
pub unsafe trait OpFn<M>: Send + Sync + 'static {
    /// Number of arguments.
    const ARITY: usize;

    /// The types of the arguments.
    fn params() -> Vec<Type>;

    /// The type of the result.
    fn result() -> Type;

    /// Calls it with values.
    ///
    /// # Errors
    ///
    /// `op-arity` and `op-argument` for arguments of another number or type, and its own failures.
    fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure>;

    /// A pointer to call it by without values: an `unsafe fn(*const (), A::Out, B::Out) -> R` whose
    /// first argument is the address of the function itself.
    fn typed() -> *const ();
}

macro_rules! op_fn {
    ($n:literal; $($A:ident $i:tt),*) => {
        // SAFETY: `typed` is a function of the arguments' and the result's own types.
        unsafe impl<Fun, R, $($A: Arg),*> OpFn<fn($($A),*) -> R> for Fun
        where
            Fun: Send + Sync + 'static,
            R: IntoOwned<'static>,
            // The first bound infers the arguments, the second admits them with any lifetime.
            for<'a> Fun: Fn($($A),*) -> R + Fn($($A::Out<'a>),*) -> R,
        {
            const ARITY: usize = $n;

            fn params() -> Vec<Type> {
                vec![$($A::ty()),*]
            }

            fn result() -> Type {
                R::ty()
            }

            #[inline]
            #[allow(non_snake_case, reason = "a type and its value")]
            fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
                // Each value is read where it lies: copied as a whole just after it was written in
                // halves it would stall.
                let [$($A),*] = args else { return Err(wrong_arity($n, args.len())) };
                if false $(|| $A::WRITES)* {
                    refuse_overlap(args)?;
                }
                $(
                    let Some($A) = <$A as Arg>::from_value(*$A) else {
                        return Err(wrong_argument($i, &$A::ty(), $A));
                    };
                )*
                apply(self, $($A),*).into_owned()
            }

            fn typed() -> *const () {
                /// Calls a Rust function of known type by its address.
                ///
                /// # Safety
                ///
                /// The first argument is the address of such a function.
                #[allow(non_snake_case, reason = "a type and its value")]
                #[allow(clippy::too_many_arguments, reason = "as many as ops have")]
                #[allow(clippy::extra_unused_lifetimes, reason = "used where there are arguments")]
                unsafe fn typed<'a, Fun, R, $($A: Arg),*>(f: *const (), $($A: $A::Out<'a>),*) -> R
                where
                    for<'b> Fun: Fn($($A::Out<'b>),*) -> R,
                {
                    // SAFETY: as the caller promises.
                    (unsafe { &*f.cast::<Fun>() })($($A),*)
                }
                let pointer: for<'a> unsafe fn(*const (), $($A::Out<'a>),*) -> R =
                    typed::<Fun, R, $($A),*>;
                pointer as *const ()
            }
        }
    };
}

macro_rules! op_fns {
    ($($n:literal: $($A:ident $i:tt),*;)*) => {$(
        const _: () = {
            /// Calls the function by the bound that has the types of these arguments.
            #[allow(non_snake_case, reason = "a type and its value")]
            #[allow(clippy::too_many_arguments, reason = "as many as ops have")]
            #[inline]
            fn apply<R, $($A),*>(f: impl Fn($($A),*) -> R, $($A: $A),*) -> R {
                f($($A),*)
            }
            op_fn!($n; $($A $i),*);
        };
    )*};
}

op_fns! {
    0: ;
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
}

/// Validates arguments for a call that does not do it itself: their number, their types, and that
/// no two are of the same memory where one is written.
///
/// # Errors
///
/// `op-arity`, `op-argument` and `op-overlap`.
pub fn check_args(params: &[Type], args: &[Value<'_>]) -> Result<(), Failure> {
    if params.len() != args.len() {
        return Err(wrong_arity(params.len(), args.len()));
    }
    for (i, (ty, value)) in params.iter().zip(args).enumerate() {
        if !ty.admits(*value) {
            return Err(wrong_argument(i, ty, value));
        }
    }
    if params.iter().any(Type::is_written) { refuse_overlap(args) } else { Ok(()) }
}

#[cold]
fn wrong_arity(expected: usize, count: usize) -> Failure {
    let text = format!("takes {expected} arguments, got {count}");
    Failure::new(FailureKind::Type, "op-arity", text)
}

#[cold]
fn wrong_argument(position: usize, expected: &Type, value: &Value<'_>) -> Failure {
    let actual = match value.tag() {
        Some(Tag::Int) if *expected == Type::Int => {
            format!("{}, which does not fit", value.as_int().unwrap_or_default())
        }
        Some(Tag::Object) => {
            value.as_object().map_or_else(String::new, |object| object.key().to_owned())
        }
        _ => value.type_name().to_owned(),
    };
    Failure::argument(position, &expected.to_string(), &actual)
}

/// Refuses arguments of which one may be written and another is of the same memory.
fn refuse_overlap(args: &[Value<'_>]) -> Result<(), Failure> {
    let mut extents = Vec::new();
    for (position, value) in args.iter().enumerate() {
        collect_extents(*value, position, 0, &mut extents);
    }
    for (n, (start, end, position, writes)) in extents.iter().enumerate() {
        for (other_start, other_end, other, other_writes) in &extents[n + 1..] {
            if start < other_end && other_start < end && (*writes || *other_writes) {
                let text = format!(
                    "arguments {} and {} are of the same memory, and one of them is written",
                    position + 1,
                    other + 1
                );
                return Err(Failure::new(FailureKind::Value, "op-overlap", text).at(*other));
            }
        }
    }
    Ok(())
}

/// The memory of an argument, as start, end, position and whether it may be written.
fn collect_extents(
    value: Value<'_>,
    position: usize,
    depth: usize,
    extents: &mut Vec<(usize, usize, usize, bool)>,
) {
    if let Some(records) = value.as_records() {
        let (start, end) = records.extent();
        extents.push((start, end, position, records.is_writable()));
    } else if let Some(array) = value.as_array() {
        let (start, end) = array.extent();
        extents.push((start, end, position, false));
    } else if let Some(doc) = value.as_doc() {
        let (start, size) = (doc.doc.tokens as usize, size_of::<lexpool_structs::TokenC>());
        extents.push((start, start + doc.len() * size, position, false));
    } else if depth < 32 {
        for item in value.as_list().unwrap_or_default() {
            collect_extents(*item, position, depth + 1, extents);
        }
        for item in value.as_map().unwrap_or_default().iter().flatten() {
            collect_extents(*item, position, depth + 1, extents);
        }
    }
}

/// The call through C of a function: arguments in the caller's array, a place for the result.
///
/// # Safety
///
/// `args` has `n` values that are what their tags say, `result` is a place for one; either may be
/// null, which is refused.
#[inline]
pub(crate) unsafe fn call_boxed<F: OpFn<M>, M>(
    f: &F,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    if result.is_null() || !result.is_aligned() {
        return 2;
    }
    let args: &[Value<'_>] = if n == 0 {
        &[]
    } else if args.is_null() || !args.is_aligned() || n > MAX_ARGS {
        // SAFETY: the place was just looked at.
        return unsafe { fail(wrong_arguments(args, n), result) };
    } else {
        // SAFETY: as the caller promises; a value has the layout of one of C's.
        unsafe { std::slice::from_raw_parts(args.cast(), n) }
    };
    // The result is written in here: by way of a return value it would lie in memory twice.
    let called = catch_unwind(AssertUnwindSafe(|| match f.call(args) {
        Ok(value) => {
            // SAFETY: the place was just looked at.
            unsafe { result.write(value.into_c()) };
            0
        }
        // SAFETY: as above.
        Err(failure) => unsafe { fail(failure, result) },
    }));
    // SAFETY: as above.
    called.unwrap_or_else(|panic| unsafe { fail(panicked(&*panic), result) })
}

/// Writes a failure as the result, and returns the status that says so.
///
/// # Safety
///
/// `result` is a place for a value.
#[cold]
unsafe fn fail(failure: Failure, result: *mut ValueC) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { result.write(failure.into_value().into_c()) };
    1
}

#[cold]
fn wrong_arguments(args: *const ValueC, n: usize) -> Failure {
    let text = format!("given were {n} arguments at {args:p}; at most {MAX_ARGS} are taken");
    Failure::new(FailureKind::Value, "op-arguments", text)
}

#[cold]
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = format!("a bug in this op: it panicked: {}", text.unwrap_or("no reason given"));
    Failure::new(FailureKind::Panic, "op-panic", text)
}

/// The entry of an op through C: its context is the address of the function.
///
/// # Safety
///
/// As for [`call_boxed`]; the context is the address of a live `F`.
pub(crate) unsafe extern "C" fn entry<F: OpFn<M>, M>(
    context: *const c_void,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { call_boxed::<F, M>(&*context.cast::<F>(), args, n, result) }
}
