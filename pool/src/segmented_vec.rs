//! A segmented vector: an append-only array with stable addresses, as in the crates `boxcar` and
//! `salsa` ("bucket array"), with segments of doubling size.
//!
//! Contains unsafe code: items are written into raw segments and published by the length. The first
//! items may lie in foreign memory (the base). Invariants:
//!
//! - `S1`: segment `k` is null or has space for `FIRST << k` items. It is set once, under `writer`,
//!   before the length that makes it visible, and stays allocated until the vector is dropped.
//! - `S2`: every index below `len` that is not in the gap after the base has an initialized item,
//!   which is never written again. `len` only grows, under `writer`, and is stored with `Release`
//!   after the item.
//! - `S3`: the segments of the base are in foreign memory that `base` keeps alive; they are neither
//!   dropped nor freed here.
//! - `S4`: `locate` returns a segment below `SEGMENTS` and an offset below the size of the segment.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::{array, slice};

use crate::block::layout_of;
use crate::sync::{AtomicPtr, AtomicU32, Mutex, MutexGuard, Ordering, lock};
use crate::{Error, Stats};

/// The number of segments for indices up to `u32::MAX` if the first segment has one item.
const SEGMENTS: usize = 33;

/// A segmented vector with stable addresses: any thread appends, and any thread reads without a
/// lock.
///
/// Items lie in segments of `FIRST`, `2 * FIRST`, `4 * FIRST`, ... items (`FIRST` is a power of
/// two). Segments do not move, so references are valid while the vector lives, and the unused end
/// of a large segment costs address space but no memory. `T` must not be zero-sized.
///
/// ```
/// use lexpool_pool::SegmentedVec;
///
/// let words = SegmentedVec::new();
/// let first = words.push("apple")?;
/// let apple = words.get(first);
/// words.push("pear")?;
/// assert_eq!(apple, Some(&"apple"));
/// assert_eq!(words.iter().copied().collect::<Vec<_>>(), ["apple", "pear"]);
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct SegmentedVec<T, const FIRST: usize = 64> {
    // See S1.
    segments: [AtomicPtr<T>; SEGMENTS],
    // See S2.
    len: AtomicU32,
    limit: u32,
    base: Base,
    writer: Mutex<()>,
    owns: PhantomData<T>,
}

/// The items of foreign memory that the vector begins with (S3).
#[derive(Default)]
struct Base {
    // `len` items fill the first `segments` segments except for the end of the last one. Indices
    // from `len` to `end`, where the next segment begins, are a gap without items.
    len: u32,
    end: u32,
    segments: usize,
    // Keeps the memory of the items alive until the vector is dropped.
    _owner: Option<Box<dyn Any + Send + Sync>>,
}

impl<T: Send + Sync> SegmentedVec<T> {
    /// Creates an empty vector. Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty vector that accepts at most `limit` items.
    pub fn with_limit(limit: u32) -> Self {
        let mut vec = Self::default();
        vec.limit = limit;
        vec
    }
}

impl<T: Send + Sync, const FIRST: usize> SegmentedVec<T, FIRST> {
    /// Creates a vector that begins with `items`, without a copy. Pushed items begin at the next
    /// segment, so after `items` there is a gap of indices without items, at most as many as there
    /// are items plus `FIRST`. Constant time.
    ///
    /// `items` are not dropped with the vector.
    ///
    /// # Errors
    ///
    /// `pool-full` if there is no index after `items`.
    ///
    /// # Safety
    ///
    /// `items` must be aligned for `T` and initialized. Their memory must not move, and must be
    /// written only as `T` allows, while `owner` lives.
    pub unsafe fn with_base(
        items: NonNull<[T]>,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Self, Error> {
        let full = || Error::full(u32::MAX);
        let len = u32::try_from(items.len()).map_err(|_| full())?;
        let segments = len.checked_sub(1).map_or(0, |last| Self::locate(last).0 + 1);
        let end = u32::try_from((FIRST << segments) - FIRST).map_err(|_| full())?;
        let mut vec = Self::default();
        vec.base = Base { len, end, segments, _owner: Some(owner) };
        for segment in 0..segments {
            let first = (FIRST << segment) - FIRST;
            // SAFETY: S4: the segment begins at an index below `len`, hence within `items`.
            let at = unsafe { items.cast::<T>().add(first) };
            vec.segments[segment].store(at.as_ptr(), Ordering::Relaxed);
        }
        vec.len.store(end, Ordering::Release);
        Ok(vec)
    }

    /// Appends an item and returns its index. Waits only for other calls of `push`, which are short
    /// unless they allocate a segment.
    ///
    /// # Errors
    ///
    /// `pool-full` at the limit (`u32::MAX` items unless set), `pool-size-overflow`,
    /// `pool-out-of-memory`. The item is then dropped.
    pub fn push(&self, item: T) -> Result<u32, Error> {
        self.writer().push(item)
    }

    /// Returns the only writer, for several items or for work that must not run twice at a time.
    /// Waits for other writers.
    pub fn writer(&self) -> VecWriter<'_, T, FIRST> {
        VecWriter { vec: self, _turn: lock(&self.writer) }
    }

    /// Returns the item at `ix`, if any. Cost: two atomic loads.
    #[inline]
    pub fn get(&self, ix: u32) -> Option<&T> {
        if ix < self.len() && !self.base.is_gap(ix) {
            // SAFETY: S2: `ix` is below a length read with `Acquire` and not in the gap.
            Some(unsafe { self.get_unchecked(ix) })
        } else {
            None
        }
    }

    /// Returns the item at `ix` without a check. Cost: one atomic load.
    ///
    /// # Safety
    ///
    /// - `ix` must be an index that `push` returned, or the index of an item of the base, or, in a
    ///   vector without a base, below a `len` that was returned.
    /// - That return must happen before this call, as it does if `ix` came through a lock, a
    ///   channel or a `Release`/`Acquire` pair.
    #[inline]
    pub unsafe fn get_unchecked(&self, ix: u32) -> &T {
        let (segment, at) = Self::locate(ix);
        // SAFETY: S4: the segment is below `SEGMENTS`.
        let items = unsafe { self.segments.get_unchecked(segment) }.load(Ordering::Relaxed);
        // SAFETY: S1, S2: the push of `ix` happened before (the caller's obligation), and with it
        // the store of the segment and the write of the item.
        unsafe { &*items.add(at) }
    }

    /// Returns the next index: the number of items plus the length of the gap.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len.load(Ordering::Acquire)
    }

    /// Returns whether the vector has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the indices of the items of the base.
    pub fn base_indices(&self) -> Range<u32> {
        0..self.base.len
    }

    /// Returns the indices of the items pushed so far.
    pub fn pushed_indices(&self) -> Range<u32> {
        self.base.end..self.len()
    }

    /// Returns the items of this moment, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        // SAFETY: S2: each index is below a length read with `Acquire` and not in the gap.
        let item = |ix| unsafe { self.get_unchecked(ix) };
        self.base_indices().chain(self.pushed_indices()).map(item)
    }

    /// Returns the items of this moment as contiguous slices, in order.
    pub fn segments(&self) -> impl Iterator<Item = &[T]> {
        let len = self.len() as usize;
        let runs = (0..SEGMENTS).map(move |segment| (segment, self.items_in(segment, len)));
        runs.take_while(|&(_, filled)| filled > 0).map(|(segment, filled)| {
            let items = self.segments[segment].load(Ordering::Relaxed);
            // SAFETY: S1, S2: the first `filled` items of the segment are below a length read with
            // `Acquire`.
            unsafe { slice::from_raw_parts(items, filled) }
        })
    }

    /// Returns the address of the array of segment addresses, for code that cannot call this type.
    /// Item `ix` has offset `at` in segment `k` if `ix + FIRST` is `(FIRST << k) + at` and its
    /// highest bit is that of `FIRST << k`.
    ///
    /// The address is valid while the vector does not move. Only indices below a returned
    /// [`len`](SegmentedVec::len) may be read.
    pub fn segment_table(&self) -> *const *const T {
        self.segments.as_ptr().cast()
    }

    /// Returns the memory of the vector itself, without the base.
    pub fn stats(&self) -> Stats {
        let len = self.len() as usize;
        let sizes = (self.base.segments..SEGMENTS)
            .take_while(|&segment| Self::filled(segment, len) > 0)
            .map(|segment| FIRST << segment);
        let (chunks, reserved) = sizes.fold((0, 0), |(n, sum), size| (n + 1, sum + size));
        let used_bytes = self.pushed_indices().len() * size_of::<T>();
        let reserved_bytes = reserved * size_of::<T>();
        Stats { used_bytes, reserved_bytes, chunks, high_water_bytes: used_bytes }
    }

    /// Returns a segment, allocated now if it is null. Called under the writer lock.
    fn segment_for_writing(&self, segment: usize) -> Result<NonNull<T>, Error> {
        let present = self.segments[segment].load(Ordering::Relaxed);
        if let Some(items) = NonNull::new(present) {
            return Ok(items);
        }
        let layout = Self::layout(segment)?;
        // SAFETY: S1: the size is not 0, since neither `T` nor a segment is empty (`CHECKED`).
        let items = NonNull::new(unsafe { alloc(layout) }.cast::<T>())
            .ok_or(Error::out_of_memory(layout.size()))?;
        // Relaxed: the later store of the length with `Release` publishes the segment.
        self.segments[segment].store(items.as_ptr(), Ordering::Relaxed);
        Ok(items)
    }
}

/// The only writer of a [`SegmentedVec`] as long as it lives; other threads may read.
pub struct VecWriter<'a, T, const FIRST: usize = 64> {
    vec: &'a SegmentedVec<T, FIRST>,
    _turn: MutexGuard<'a, ()>,
}

impl<T: Send + Sync, const FIRST: usize> VecWriter<'_, T, FIRST> {
    /// Appends an item and returns its index.
    ///
    /// # Errors
    ///
    /// Those of [`SegmentedVec::push`].
    #[inline]
    pub fn push(&mut self, item: T) -> Result<u32, Error> {
        let vec = self.vec;
        let ix = vec.len.load(Ordering::Relaxed);
        if ix >= vec.limit {
            return Err(Error::full(vec.limit));
        }
        let (segment, at) = SegmentedVec::<T, FIRST>::locate(ix);
        let items = vec.segment_for_writing(segment)?;
        // SAFETY: S2, S4: the offset lies in the segment, no reader accesses it before `len` covers
        // it, and the lock excludes other writers.
        unsafe { items.add(at).write(item) }
        vec.len.store(ix + 1, Ordering::Release);
        Ok(ix)
    }
}

impl<T, const FIRST: usize> SegmentedVec<T, FIRST> {
    const CHECKED: () = {
        assert!(FIRST.is_power_of_two(), "the first segment holds a power of two of items");
        assert!(size_of::<T>() > 0, "zero-sized items are not supported");
    };

    /// Returns the segment and the offset of an index.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "an offset is below its segment's size")]
    fn locate(ix: u32) -> (usize, usize) {
        // With `FIRST` added, the highest bit determines the segment.
        let shifted = u64::from(ix) + FIRST as u64;
        let segment = shifted.ilog2() - FIRST.ilog2();
        (segment as usize, (shifted - (1 << shifted.ilog2())) as usize)
    }

    /// Returns how many of the first `len` indices lie in a segment.
    fn filled(segment: usize, len: usize) -> usize {
        let size = FIRST << segment;
        len.saturating_sub(size - FIRST).min(size)
    }

    /// Returns how many items lie in a segment, of the first `len` indices.
    fn items_in(&self, segment: usize, len: usize) -> usize {
        let is_base = segment < self.base.segments;
        Self::filled(segment, if is_base { self.base.len as usize } else { len })
    }

    fn layout(segment: usize) -> Result<Layout, Error> {
        layout_of::<T>(FIRST << segment)
    }
}

impl Base {
    /// Returns whether an index lies in the gap between the base and the pushed items.
    #[inline]
    fn is_gap(&self, ix: u32) -> bool {
        // For an index below `len`, the difference wraps around and exceeds every gap.
        ix.wrapping_sub(self.len) < self.end - self.len
    }
}

impl<T, const FIRST: usize> Default for SegmentedVec<T, FIRST> {
    fn default() -> Self {
        () = Self::CHECKED;
        Self {
            segments: array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            len: AtomicU32::new(0),
            limit: u32::MAX,
            base: Base::default(),
            writer: Mutex::new(()),
            owns: PhantomData,
        }
    }
}

impl<T, const FIRST: usize> Drop for SegmentedVec<T, FIRST> {
    fn drop(&mut self) {
        let len = self.len.load(Ordering::Relaxed) as usize;
        for (segment, items) in self.segments.iter().enumerate().skip(self.base.segments) {
            let items = items.load(Ordering::Relaxed);
            let (false, Ok(layout)) = (items.is_null(), Self::layout(segment)) else { break };
            let filled = ptr::slice_from_raw_parts_mut(items, Self::filled(segment, len));
            // SAFETY: S2: the first `filled` items are initialized, and `&mut self` excludes
            // readers.
            unsafe { filled.drop_in_place() }
            // SAFETY: S1: the segment was allocated with this layout, and its items were dropped.
            unsafe { dealloc(items.cast(), layout) }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_keep_their_addresses() {
        let vec = SegmentedVec::<String, 2>::default();
        vec.push("first".to_owned()).unwrap();
        let first = vec.get(0).unwrap();
        for i in 0..1000 {
            vec.push(i.to_string()).unwrap();
        }
        assert!(ptr::eq(first, vec.get(0).unwrap()));
        assert_eq!(first, "first");
    }

    #[test]
    fn items_are_dropped_with_the_vector() {
        let item = Arc::new(());
        let vec = SegmentedVec::<Arc<()>, 4>::default();
        for _ in 0..29 {
            vec.push(Arc::clone(&item)).unwrap();
        }
        assert_eq!(Arc::strong_count(&item), 30);
        drop(vec);
        assert_eq!(Arc::strong_count(&item), 1);
    }

    #[test]
    fn a_limit_is_an_error_and_not_a_loss() {
        let vec = SegmentedVec::with_limit(3);
        assert_eq!([7, 8, 9].map(|item| vec.push(item)), [Ok(0), Ok(1), Ok(2)]);
        assert_eq!(vec.push(10).unwrap_err().code(), "pool-full");
        assert_eq!(vec.iter().copied().collect::<Vec<i32>>(), [7, 8, 9]);
    }

    #[test]
    fn native_code_finds_items_by_the_table_of_segments() {
        let vec = SegmentedVec::<u32, 4>::default();
        for n in 0..100 {
            vec.push(n * 7).unwrap();
        }
        for ix in 0..vec.len() as usize {
            let highest = (ix + 4).ilog2();
            let (segment, at) = (highest - 2, ix + 4 - (1 << highest));
            // SAFETY: the item of an index below the length, where the documentation says it is.
            let item = unsafe { *(*vec.segment_table().add(segment as usize)).add(at) };
            assert_eq!(item as usize, ix * 7);
        }
    }

    #[test]
    fn segments_are_reserved_as_a_whole_and_counted_once() {
        let vec = SegmentedVec::<u16, 2>::default();
        assert_eq!(vec.stats(), Stats::default());
        for (len, chunks, slots) in [(1, 1, 2), (2, 1, 2), (3, 2, 6), (6, 2, 6), (7, 3, 14)] {
            while vec.len() < len {
                vec.push(0).unwrap();
            }
            let used_bytes = 2 * len as usize;
            let reserved_bytes = 2 * slots;
            let high_water_bytes = used_bytes;
            let expected = Stats { used_bytes, reserved_bytes, chunks, high_water_bytes };
            assert_eq!(vec.stats(), expected, "{len}");
        }
        assert!(!vec.is_empty());
    }

    #[test]
    fn a_segment_that_cannot_be_allocated_is_an_error() {
        let vec = SegmentedVec::<[u64; 4], { 1 << 57 }>::default();
        assert_eq!(vec.push([0; 4]).unwrap_err().code(), "pool-out-of-memory");
        let vec = SegmentedVec::<[u64; 8], { 1 << 62 }>::default();
        assert_eq!(vec.push([0; 8]).unwrap_err().code(), "pool-size-overflow");
        assert!(vec.is_empty());
    }

    #[test]
    fn the_last_index_of_all_has_a_segment() {
        type One = SegmentedVec<u8, 1>;
        assert_eq!(One::locate(0), (0, 0));
        assert_eq!(One::locate(u32::MAX).0, SEGMENTS - 1);
        assert_eq!(SegmentedVec::<u8>::locate(63), (0, 63));
        assert_eq!(SegmentedVec::<u8>::locate(64), (1, 0));
    }

    #[test]
    fn readers_see_whole_items_while_writers_append() {
        let vec = SegmentedVec::<[u32; 4], 2>::default();
        thread::scope(|scope| {
            for writer in 0..4 {
                let vec = &vec;
                scope.spawn(move || {
                    for i in 0..2000 {
                        let value = writer * 10_000 + i;
                        let ix = vec.push([value; 4]).unwrap();
                        assert_eq!(vec.get(ix), Some(&[value; 4]));
                    }
                });
            }
            while vec.len() < 8000 {
                assert!(vec.iter().all(|item| item.iter().all(|&part| part == item[0])));
            }
        });
        for writer in 0..4 {
            let own = vec.iter().map(|item| item[0]).filter(|value| value / 10_000 == writer);
            assert!(own.eq(writer * 10_000..writer * 10_000 + 2000), "appended out of order");
        }
    }

    /// A `SegmentedVec` over a copy of some items.
    fn over<const FIRST: usize>(items: &[u16]) -> SegmentedVec<u16, FIRST> {
        let kept: Box<[u16]> = items.into();
        let kept = Arc::new(kept);
        // SAFETY: the owner holds the items, and nobody writes them.
        unsafe { SegmentedVec::with_base(NonNull::from(&**kept), Box::new(Arc::clone(&kept))) }
            .unwrap()
    }

    #[test]
    fn the_memory_of_a_base_is_let_go_of_with_the_vec() {
        let kept = Arc::new([1_u16, 2, 3]);
        let items = NonNull::from(kept.as_slice());
        // SAFETY: the owner holds the items, and nobody writes them.
        let vec = unsafe { SegmentedVec::<u16, 2>::with_base(items, Box::new(Arc::clone(&kept))) }
            .unwrap();
        assert_eq!(vec.push(4), Ok(6));
        assert_eq!((0..8).map(|ix| vec.get(ix).copied()).collect::<Vec<_>>(), {
            [Some(1), Some(2), Some(3), None, None, None, Some(4), None]
        });
        assert_eq!(Arc::strong_count(&kept), 2);
        drop(vec);
        assert_eq!(Arc::strong_count(&kept), 1);
    }

    proptest! {
        #[test]
        fn vec_over_a_base_behave_like_it_and_a_vec(
            base in proptest::collection::vec(any::<u16>(), 0..70),
            items in proptest::collection::vec(any::<u16>(), 0..70),
        ) {
            let vec = over::<2>(&base);
            prop_assert_eq!(vec.stats().used_bytes, 0);
            let first = vec.len();
            prop_assert!(first as usize >= base.len() && first as usize <= 2 * base.len() + 2);
            for (ix, &item) in (first..).zip(&items) {
                prop_assert_eq!(vec.push(item), Ok(ix));
            }
            let all: Vec<u16> = base.iter().chain(&items).copied().collect();
            prop_assert!(vec.iter().eq(&all));
            prop_assert!(vec.iter().rev().eq(all.iter().rev()));
            prop_assert_eq!(vec.segments().collect::<Vec<_>>().concat(), all);
            for ix in 0..vec.len() + 2 {
                let base_indices = base.get(ix as usize);
                let pushed = ix.checked_sub(first).and_then(|at| items.get(at as usize));
                prop_assert_eq!(vec.get(ix), base_indices.or(pushed));
            }
            prop_assert_eq!(vec.stats().used_bytes, 2 * items.len());
        }

        #[test]
        fn vec_behave_like_a_vec(items in proptest::collection::vec(any::<u16>(), 0..200)) {
            let vec = SegmentedVec::<u16, 2>::default();
            for (ix, &item) in (0..).zip(&items) {
                prop_assert_eq!(vec.push(item), Ok(ix));
            }
            prop_assert!(vec.iter().eq(&items));
            prop_assert!(vec.iter().rev().eq(items.iter().rev()));
            prop_assert_eq!(vec.segments().collect::<Vec<_>>().concat(), items.clone());
            prop_assert_eq!(vec.get(vec.len()), None);
            let stats = vec.stats();
            prop_assert_eq!(stats.used_bytes, 2 * items.len());
            prop_assert_eq!(stats.chunks, vec.segments().count());
            prop_assert!(stats.reserved_bytes <= 2 * stats.used_bytes.max(2) + 4);
        }
    }
}
