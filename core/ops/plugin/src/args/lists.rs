//! Optional values, lists and maps.
//!
//! Holds unsafe code: implementations of [`Arg`], which promise what they write.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use super::{Arg, IntoOwned, too_large};
use crate::failure::Failure;
use crate::types::Type;
use crate::value::{Owned, Value};

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

/// Memory that a list or map borrows from: its items, and their values in a row.
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
    /// Returns the number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if the list is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The items in order. All are of the type: that was checked when the list was taken.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T::Out<'a>> + use<'a, T> {
        self.values.iter().map(|item| T::from_value(*item).expect("checked by from_value"))
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
