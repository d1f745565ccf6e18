//! Result types that cross as arrays, and are typed in Rust.
//!
//! Holds unsafe code: implementations of [`Arg`], whose arguments are only read.

use std::ops::Range;

use lexpool_plugin::{Arg, Dtype, Element, Failure, IntoOwned, Numbers, Owned, Type, Value};

/// Values with their frequencies in order of first occurrence: an array of unsigned 64-bit integers
/// with rows of value and count.
///
/// ```
/// use lexpool_ops::{Counts, plugin::{FromOwned, IntoOwned}};
///
/// let owned = Counts(vec![(7, 2), (u64::MAX, 1)]).into_owned()?;
/// assert_eq!(owned.get().as_array().unwrap().shape(), [2, 2]);
/// assert_eq!(Counts::from_owned(&owned)?.0[1], (u64::MAX, 1));
/// # Ok::<(), lexpool_ops::Failure>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(u64, u64)>);

/// Ranges of tokens: an array of signed 64-bit integers with rows of start and end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(pub Vec<Range<usize>>);

/// Iterates over the rows of an array with two columns.
fn rows<T: Element>(value: Value<'_>) -> Option<impl Iterator<Item = [T; 2]> + '_> {
    let array = value.as_array().filter(|array| matches!(array.shape(), [_, 2]))?;
    Some(array.as_slice::<T>()?.chunks_exact(2).map(|row| [row[0], row[1]]))
}

impl IntoOwned<'static> for Counts {
    fn ty() -> Type {
        Type::Array(Dtype::U64, None)
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        let shape = vec![self.0.len(), 2];
        let items = self.0.into_iter().flat_map(|(value, count)| [value, count]).collect();
        Numbers { items, shape }.into_owned()
    }
}

// SAFETY: the argument is only read.
unsafe impl Arg for Counts {
    type Out<'a> = Counts;

    const WRITES: bool = false;

    fn ty() -> Type {
        <Counts as IntoOwned>::ty()
    }

    fn from_value(value: Value<'_>) -> Option<Counts> {
        Some(Counts(rows(value)?.map(|[value, count]| (value, count)).collect()))
    }
}

impl IntoOwned<'static> for Ranges {
    fn ty() -> Type {
        Type::Array(Dtype::I64, None)
    }

    fn into_owned(self) -> Result<Owned<'static>, Failure> {
        let shape = vec![self.0.len(), 2];
        // Positions of tokens fit.
        let number = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
        let ends = |range: Range<usize>| [range.start, range.end].map(number);
        Numbers { items: self.0.into_iter().flat_map(ends).collect(), shape }.into_owned()
    }
}

// SAFETY: the argument is only read.
unsafe impl Arg for Ranges {
    type Out<'a> = Ranges;

    const WRITES: bool = false;

    fn ty() -> Type {
        <Ranges as IntoOwned>::ty()
    }

    /// Rejects ranges that begin below 0 or after their end.
    fn from_value(value: Value<'_>) -> Option<Ranges> {
        let range = |[start, end]: [i64; 2]| {
            let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
            (range.start <= range.end).then_some(range)
        };
        rows(value)?.map(range).collect::<Option<_>>().map(Ranges)
    }
}
