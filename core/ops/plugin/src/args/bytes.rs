//! Text and bytes, borrowed or owned.
//!
//! Holds unsafe code: implementations of [`Arg`], which promise what they write.

use super::{Arg, IntoOwned, too_large};
use crate::failure::Failure;
use crate::types::Type;
use crate::value::{Owned, Value};

// SAFETY: what it gives is only read.
unsafe impl Arg for &'static str {
    type Out<'a> = &'a str;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Str
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<&str> {
        value.as_str()
    }
}

impl<'a> IntoOwned<'a> for &'a str {
    fn ty() -> Type {
        Type::Str
    }

    fn into_owned(self) -> Result<Owned<'a>, Failure> {
        Value::str(self).map(Owned::plain).ok_or_else(too_large)
    }
}

// SAFETY: what it gives is only read.
unsafe impl Arg for String {
    type Out<'a> = String;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Str
    }

    fn from_value(value: Value<'_>) -> Option<String> {
        value.as_str().map(str::to_owned)
    }
}

impl IntoOwned<'static> for String {
    fn ty() -> Type {
        Type::Str
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        Owned::keeping(self, |text| Value::str(text)).ok_or_else(too_large)
    }
}

/// Bytes of one's own: a result, or an argument that is copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

// SAFETY: what it gives is only read.
unsafe impl Arg for Bytes {
    type Out<'a> = Bytes;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Bytes
    }

    fn from_value(value: Value<'_>) -> Option<Bytes> {
        value.as_bytes().map(|bytes| Bytes(bytes.to_vec()))
    }
}

impl IntoOwned<'static> for Bytes {
    fn ty() -> Type {
        Type::Bytes
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        Owned::keeping(self.0, |bytes| Value::bytes(bytes)).ok_or_else(too_large)
    }
}

// SAFETY: what it gives is only read.
unsafe impl Arg for &'static [u8] {
    type Out<'a> = &'a [u8];

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Bytes
    }

    fn from_value(value: Value<'_>) -> Option<&[u8]> {
        value.as_bytes()
    }
}
