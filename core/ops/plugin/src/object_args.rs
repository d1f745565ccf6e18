//! Functions and objects.
//!
//! Holds unsafe code: implementations of [`Arg`], which promise what they write.

use crate::args::{Arg, IntoOwned};
use crate::failure::Failure;
use crate::function_value::{Callable, Function};
use crate::object::{Class, Object};
use crate::types::Type;
use crate::value::{Owned, Value};

// SAFETY: what it gives is only read.
unsafe impl Arg for Callable<'static> {
    type Out<'a> = Callable<'a>;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Callable
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<Callable<'_>> {
        value.as_function().map(Callable::of)
    }
}

// SAFETY: what it gives is only read.
unsafe impl Arg for Function {
    type Out<'a> = Function;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Callable
    }

    fn from_value(value: Value<'_>) -> Option<Function> {
        Some(Callable::of(value.as_function()?).to_function())
    }
}

impl IntoOwned<'static> for Function {
    fn ty() -> Type {
        Type::Callable
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        Ok(Function::into_owned(self))
    }
}

// SAFETY: what it gives is only read.
unsafe impl<T: Class> Arg for &'static T {
    type Out<'a> = &'a T;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Object(T::KEY.to_owned())
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<&T> {
        value.as_object()?.downcast()
    }
}

// SAFETY: what it gives is only read.
unsafe impl<T: Class> Arg for Object<T> {
    type Out<'a> = Object<T>;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Object(T::KEY.to_owned())
    }

    fn from_value(value: Value<'_>) -> Option<Object<T>> {
        Object::from_value(value)
    }
}

impl<T: Class> IntoOwned<'static> for Object<T> {
    fn ty() -> Type {
        Type::Object(T::KEY.to_owned())
    }

    #[inline]
    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        Ok(Object::into_owned(self))
    }
}
