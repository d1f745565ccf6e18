//! What a Rust type takes of a value, and what value it becomes.
//!
//! Holds unsafe code: implementations of [`Arg`], each of which says whether it writes what it is lent.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use lexpool_structs::Record;

use crate::array::{Array, Element};
use crate::failure::{Failure, FailureKind};
use crate::function_value::{Callable, Function, wrong_result};
use crate::object::{Class, Object};
use crate::records::DocView;
use crate::types::Type;
use crate::value::{Owned, Value};

/// A type of argument. `Out<'a>` is what the function gets, so that `fn(&str)` is one whatever the
/// lifetime.
///
/// # Safety
///
/// `WRITES` is true if anything may be written through what `from_value` gives, and `ty` has a
/// [`Type::RecordsMut`] just then. Arguments of one call are looked through for memory that two of them
/// share only where one says that it writes.
pub unsafe trait Arg: 'static {
    /// What the function gets.
    type Out<'a>;

    /// True if the function may write what it gets, so that no other argument may overlap with it. A type
    /// that wraps another repeats `T::WRITES`; every implementation has to say.
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
        let given = value.get();
        T::from_value(given).ok_or_else(|| wrong_result(&T::ty().to_string(), given))
    }
}

fn too_large() -> Failure {
    Failure::new(FailureKind::Overflow, "op-size", "a value has at most 4 GiB or 2^32 items")
}

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

// SAFETY: it writes what its items write.
unsafe impl<T: Arg> Arg for Option<T> {
    type Out<'a> = Option<T::Out<'a>>;

    const WRITES: bool = T::WRITES;

    fn ty() -> Type {
        Type::Optional(Box::new(T::ty()))
    }

    fn from_value(value: Value<'_>) -> Option<Option<T::Out<'_>>> {
        if value.is_none() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl<'a, T: IntoOwned<'a>> IntoOwned<'a> for Option<T> {
    fn ty() -> Type {
        Type::Optional(Box::new(T::ty()))
    }

    fn into_owned(self) -> Result<Owned<'a>, Failure> {
        self.map_or(Ok(Owned::NONE), T::into_owned)
    }
}

// SAFETY: it writes what its items write.
unsafe impl<T: Arg> Arg for Vec<T> {
    type Out<'a> = Vec<T::Out<'a>>;

    const WRITES: bool = T::WRITES;

    fn ty() -> Type {
        Type::List(Box::new(T::ty()))
    }

    fn from_value(value: Value<'_>) -> Option<Vec<T::Out<'_>>> {
        value.as_list()?.iter().map(|item| T::from_value(*item)).collect()
    }
}

/// What a list or map borrows from: its items, and their values in a row.
struct Nested<V> {
    values: Vec<V>,
    _items: Vec<Owned<'static>>,
}

impl<T: IntoOwned<'static>> IntoOwned<'static> for Vec<T> {
    fn ty() -> Type {
        Type::List(Box::new(T::ty()))
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        list_of(self.into_iter().map(T::into_owned).collect::<Result<_, _>>()?)
    }
}

/// A list of values.
pub(crate) fn list_of(items: Vec<Owned<'static>>) -> Result<Owned<'static>, Failure> {
    let values: Vec<_> = items.iter().map(|item| item.get().to_c()).collect();
    Owned::keeping(Nested { values, _items: items }, |nested| {
        // The items are kept beside their values, which have the layout of those of C.
        Value::list(crate::value::values_of_c(&nested.values))
    })
    .ok_or_else(too_large)
}

/// The items of a list where they lie, each read when it is asked for: nothing is allocated.
#[derive(Clone, Copy, Debug)]
pub struct List<'a, T> {
    values: &'a [Value<'a>],
    items: std::marker::PhantomData<fn() -> T>,
}

impl<'a, T: Arg> List<'a, T> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The items in order. All are of the type: that was judged when the list was taken.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T::Out<'a>> + use<'a, T> {
        self.values.iter().map(|item| T::from_value(*item).expect("judged by from_value"))
    }
}

// SAFETY: it writes what its items write.
unsafe impl<T: Arg> Arg for List<'static, T> {
    type Out<'a> = List<'a, T>;

    // Items are read more than once, so they cannot be lent to be written.
    const WRITES: bool = {
        assert!(!T::WRITES, "a List is of what is read; take a Vec");
        false
    };

    fn ty() -> Type {
        Type::List(Box::new(T::ty()))
    }

    #[inline]
    fn from_value(value: Value<'_>) -> Option<List<'_, T>> {
        let values = value.as_list()?;
        let good = values.iter().all(|item| T::from_value(*item).is_some());
        good.then_some(List { values, items: std::marker::PhantomData })
    }
}

macro_rules! maps {
    ($($map:ident { $($bound:path),* } $(, $hasher:ident)?;)*) => {$(
        // SAFETY: it writes what its items write.
        unsafe impl<K, T: Arg $(, $hasher)?> Arg for $map<K, T $(, $hasher)?>
        where
            for<'a> K: Arg<Out<'a> = K> $(+ $bound)*,
            $($hasher: BuildHasher + Default + 'static)?
        {
            type Out<'a> = $map<K, T::Out<'a> $(, $hasher)?>;

            const WRITES: bool = T::WRITES;

            fn ty() -> Type {
                Type::Map(Box::new(K::ty()), Box::new(T::ty()))
            }

            fn from_value(value: Value<'_>) -> Option<Self::Out<'_>> {
                let pairs = value.as_map()?.iter();
                pairs.map(|[key, item]| Some((K::from_value(*key)?, T::from_value(*item)?))).collect()
            }
        }

        impl<K: IntoOwned<'static>, T: IntoOwned<'static> $(, $hasher)?> IntoOwned<'static>
            for $map<K, T $(, $hasher)?>
        {
            fn ty() -> Type {
                Type::Map(Box::new(K::ty()), Box::new(T::ty()))
            }

            fn into_owned(self) -> Result<Owned<'static>, Failure> {
                map_into_owned(self.into_iter())
            }
        }
    )*};
}

maps! {
    HashMap { Eq, Hash }, S;
    BTreeMap { Ord };
}

fn map_into_owned<K: IntoOwned<'static>, T: IntoOwned<'static>>(
    pairs: impl Iterator<Item = (K, T)>,
) -> Result<Owned<'static>, Failure> {
    let mut items = Vec::with_capacity(2 * pairs.size_hint().0);
    for (key, item) in pairs {
        items.push(key.into_owned()?);
        items.push(item.into_owned()?);
    }
    map_of(items)
}

/// A map of keys and values by turns.
pub(crate) fn map_of(items: Vec<Owned<'static>>) -> Result<Owned<'static>, Failure> {
    let values: Vec<_> =
        items.chunks_exact(2).map(|pair| [pair[0].get().to_c(), pair[1].get().to_c()]).collect();
    Owned::keeping(Nested { values, _items: items }, |nested| {
        Value::map(crate::value::pairs_of_c(&nested.values))
    })
    .ok_or_else(too_large)
}

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
    use std::collections::HashMap;

    use lexpool_structs::{TagC, TokenC};

    use super::*;

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
