//! Truth values and numbers.
//!
//! Holds unsafe code: implementations of [`Arg`], which promise what they write.

use super::{Arg, IntoOwned};
use crate::failure::{Failure, FailureKind};
use crate::types::Type;
use crate::value::{Owned, Value};

macro_rules! plain {
    ($($type:ty => $kind:ident, |$value:ident| $from:expr, |$own:ident| $into:expr;)*) => {$(
        // SAFETY: what it gives is only read.
        unsafe impl Arg for $type {
            type Out<'a> = $type;

            const WRITES: bool = false;

            fn ty() -> Type {
                Type::$kind
            }

            #[inline]
            fn from_value($value: Value<'_>) -> Option<$type> {
                $from
            }
        }

        impl IntoOwned<'static> for $type {
            fn ty() -> Type {
                Type::$kind
            }

            #[inline]
            fn into_owned(self) -> Result<Owned<'static>, Failure> {
                let $own = self;
                Ok(Owned::plain($into))
            }
        }
    )*};
}

plain! {
    bool => Bool, |value| value.as_bool(), |own| Value::bool(own);
    i64 => Int, |value| value.as_int(), |own| Value::int(own);
    f64 => Float, |value| value.as_float(), |own| Value::float(own);
    () => None, |value| value.is_none().then_some(()), |_own| Value::NONE;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        // SAFETY: what it gives is only read.
        unsafe impl Arg for $type {
            type Out<'a> = $type;

            const WRITES: bool = false;

            fn ty() -> Type {
                Type::Int
            }

            #[inline]
            fn from_value(value: Value<'_>) -> Option<$type> {
                <$type>::try_from(value.as_int()?).ok()
            }
        }

        impl IntoOwned<'static> for $type {
            fn ty() -> Type {
                Type::Int
            }

            #[inline]
            fn into_owned(self) -> Result<Owned<'static>, Failure> {
                let int = i64::try_from(self).map_err(|_| {
                    let text = format!("{self} does not fit in 64 bits with a sign");
                    Failure::new(FailureKind::Overflow, "op-overflow", text)
                })?;
                Ok(Owned::plain(Value::int(int)))
            }
        }
    )*};
}

integers!(i8, i16, i32, u8, u16, u32, u64, usize, isize);

#[expect(clippy::cast_possible_truncation, reason = "as every array of such floats does")]
mod single {
    use super::{Arg, Failure, IntoOwned, Owned, Type, Value};

    // SAFETY: what it gives is only read.
    unsafe impl Arg for f32 {
        type Out<'a> = f32;

        const WRITES: bool = false;

        fn ty() -> Type {
            Type::Float
        }

        #[inline]
        fn from_value(value: Value<'_>) -> Option<f32> {
            value.as_float().map(|float| float as f32)
        }
    }

    impl IntoOwned<'static> for f32 {
        fn ty() -> Type {
            Type::Float
        }

        fn into_owned(self) -> Result<Owned<'static>, Failure> {
            f64::from(self).into_owned()
        }
    }
}
