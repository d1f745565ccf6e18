//! Memory that is lent: arrays of numbers, records, documents.
//!
//! Holds unsafe code: implementations of [`Arg`], which promise what they write.

use lexpool_structs::Record;

use super::{Arg, IntoOwned};
use crate::array::Array;
use crate::failure::{Failure, FailureKind};
use crate::raw::Element;
use crate::records::DocView;
use crate::types::Type;
use crate::value::{Owned, Value};

// SAFETY: what it gives is only read.
unsafe impl<T: Element> Arg for &'static [T] {
    type Out<'a> = &'a [T];

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Array(T::DTYPE, Some(1))
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<&[T]> {
        let array = value.as_array().filter(|array| array.ndim == 1)?;
        array.as_slice()
    }
}

// SAFETY: what it gives is only read.
unsafe impl<T: Element> Arg for Array<'static, T> {
    type Out<'a> = Array<'a, T>;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Array(T::DTYPE, None)
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<Array<'_, T>> {
        Array::of(value.as_array()?)
    }
}

/// Numbers of one's own, in rows: a result that Python takes without a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers<T> {
    /// The items, the last dimension running fastest.
    pub items: Vec<T>,
    /// The lengths of the dimensions.
    pub shape: Vec<usize>,
}

impl<T> From<Vec<T>> for Numbers<T> {
    fn from(items: Vec<T>) -> Numbers<T> {
        Numbers { shape: vec![items.len()], items }
    }
}

impl<T: Element> IntoOwned<'static> for Numbers<T> {
    fn ty() -> Type {
        Type::Array(T::DTYPE, None)
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        if self.shape.iter().product::<usize>() != self.items.len() {
            let text = format!("{} numbers for a shape of {:?}", self.items.len(), self.shape);
            return Err(Failure::new(FailureKind::Value, "op-shape", text));
        }
        Ok(crate::array::own(self.items, &self.shape))
    }
}

/// Records that are lent to be read, as an argument.
macro_rules! records {
    ($($record:ident),* $(,)?) => {$(
        // SAFETY: what it gives is only read.
        unsafe impl Arg for &'static [lexpool_structs::$record] {
            type Out<'a> = &'a [lexpool_structs::$record];

            const WRITES: bool = false;

            fn ty() -> Type {
                Type::Records(lexpool_structs::$record::INFO.name.to_owned())
            }

            fn from_value(value: Value<'_>) -> Option<Self::Out<'_>> {
                value.as_records()?.as_slice()
            }
        }

        // SAFETY: the records are taken to be written, and it says so.
        unsafe impl Arg for &'static mut [lexpool_structs::$record] {
            type Out<'a> = &'a mut [lexpool_structs::$record];

            const WRITES: bool = true;

            fn ty() -> Type {
                Type::RecordsMut(lexpool_structs::$record::INFO.name.to_owned())
            }

            fn from_value(value: Value<'_>) -> Option<Self::Out<'_>> {
                crate::records::lent_to_write(value)
            }
        }
    )*};
}

records!(TokenC, TagC, SyntaxC, EntityC, LexemeC, SpanC);

// SAFETY: what it gives is only read.
unsafe impl Arg for DocView<'static> {
    type Out<'a> = DocView<'a>;

    const WRITES: bool = false;

    fn ty() -> Type {
        Type::Doc
    }

    fn from_value(value: Value<'_>) -> Option<DocView<'_>> {
        DocView::of(value.as_doc()?)
    }
}
