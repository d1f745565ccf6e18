//! Conversions between Rust types and values: arguments that are taken from one, results that
//! become one.
//!
//! Each kind of type has its file: numbers (`scalars.rs`), text and bytes (`bytes.rs`), optional
//! values, lists and maps (`lists.rs`), arrays and records that are lent (`memory.rs`), functions
//! and objects (`../object_args.rs`).
//!
//! Holds unsafe code: implementations of [`Arg`], each of which says whether it writes what it is
//! lent.

mod bytes;
mod lists;
mod memory;
mod scalars;

pub use self::bytes::Bytes;
pub use self::lists::List;
pub(crate) use self::lists::{list_of, map_of};
pub use self::memory::Numbers;

use crate::failure::{Failure, FailureKind};
use crate::types::Type;
use crate::value::{Owned, Value};

/// A type of argument. `Out<'a>` is what the function gets, so that `fn(&str)` is one whatever the
/// lifetime.
///
/// # Safety
///
/// `WRITES` is true if anything may be written through what `from_value` gives, and `ty` has a
/// [`Type::RecordsMut`] just then. Arguments of one call are looked through for memory that two of
/// them share only where one says that it writes.
pub unsafe trait Arg: 'static {
    /// The type that the function receives.
    type Out<'a>;

    /// True if the function may write what it gets, so that no other argument may overlap with it.
    /// A type that wraps another repeats `T::WRITES`; every implementation has to say.
    const WRITES: bool;

    /// Its type.
    fn ty() -> Type;

    /// The argument in a value; none if it is of another type.
    fn from_value(value: Value<'_>) -> Option<Self::Out<'_>>;
}

/// A type that becomes a value: a result, or an argument of a call that Rust makes.
pub trait IntoOwned<'a> {
    /// Its type, for people.
    fn ty() -> Type
    where
        Self: Sized;

    /// The value, with all it needs to live.
    ///
    /// # Errors
    ///
    /// A result that says itself that it failed, `op-size` for 4 GiB and more in one value.
    fn into_owned(self) -> Result<Owned<'a>, Failure>;
}

/// A type that is read back from a result.
pub trait FromOwned: Sized {
    /// The result.
    ///
    /// # Errors
    ///
    /// `op-result` for one of another type.
    fn from_owned(value: &Owned<'static>) -> Result<Self, Failure>;
}

impl<T: for<'a> Arg<Out<'a> = T>> FromOwned for T {
    #[inline]
    fn from_owned(value: &Owned<'static>) -> Result<T, Failure> {
        let result = value.get();
        T::from_value(result).ok_or_else(|| Failure::wrong_result(&T::ty().to_string(), result))
    }
}

fn too_large() -> Failure {
    Failure::new(FailureKind::Overflow, "op-size", "a value has at most 4 GiB or 2^32 items")
}

// SAFETY: what it gives is only read.
unsafe impl Arg for Value<'static> {
    type Out<'a> = Value<'a>;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Any
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<Value<'_>> {
        Some(value)
    }
}

impl<'a> IntoOwned<'a> for Owned<'a> {
    fn ty() -> Type {
        Type::Any
    }

    fn into_owned(self) -> Result<Owned<'a>, Failure> {
        Ok(self)
    }
}

impl<'a, T: IntoOwned<'a>, E: Into<Failure>> IntoOwned<'a> for Result<T, E> {
    fn ty() -> Type {
        T::ty()
    }

    #[inline]
    fn into_owned(self) -> Result<Owned<'a>, Failure> {
        self.map_err(Into::into)?.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use lexpool_structs::{TagC, TokenC};

    use super::*;
    use crate::records::DocView;

    fn agree<T: Arg>() {
        assert_eq!(T::WRITES, T::ty().is_written(), "{}", T::ty());
    }

    #[test]
    fn an_argument_says_that_it_writes_where_its_type_has_records_to_write() {
        agree::<&'static mut [TokenC]>();
        agree::<Option<&'static mut [TagC]>>();
        agree::<Vec<Option<&'static mut [TokenC]>>>();
        agree::<HashMap<String, &'static mut [TokenC]>>();
        agree::<BTreeMap<String, Vec<&'static mut [TokenC]>>>();
        agree::<List<'static, &'static [TokenC]>>();
        agree::<Vec<&'static [TokenC]>>();
        agree::<HashMap<i64, DocView<'static>>>();
        agree::<Value<'static>>();
    }
}
