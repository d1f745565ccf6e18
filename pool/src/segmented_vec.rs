//! An append-only array whose items never move.
//!
//! Contains unsafe code: items are written into raw segments and published by the length. The first
//! items may lie in memory of somebody else, which is kept.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::{array, slice};

use crate::block::layout_of;
use crate::sync::{AtomicPtr, AtomicU32, Mutex, Ordering, lock};
use crate::{Error, Stats};

/// Segments that indices up to `u32::MAX` can need, with a first one of a single item.
const SEGMENTS: usize = 33;

/// A growing array with stable addresses: any thread appends, any thread reads without a lock.
///
/// Items lie in segments of `FIRST`, `2 * FIRST`, `4 * FIRST`... items (`FIRST` a power of two).
/// Segments are neither moved nor cleared, so a reference is good while the array lives, and the
/// tail of a large segment costs address space, not memory, until it is used. `T` may not be
/// zero-sized.
///
/// ```
/// use lexpool_pool::SegmentedVec;
///
/// let pages = SegmentedVec::new();
/// let first = pages.push("apple")?;
/// let apple = pages.get(first);
/// pages.push("pear")?;
/// assert_eq!(apple, Some(&"apple"));
/// assert_eq!(pages.iter().copied().collect::<Vec<_>>(), ["apple", "pear"]);
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct SegmentedVec<T, const FIRST: usize = 64> {
    // Segment `k` is null or has room for `FIRST << k` items. Set once, under `writer`.
    segments: [AtomicPtr<T>; SEGMENTS],
    // The first `len` items are initialized and are never written again. Only grows, under
    // `writer`, and with `Release` after the item it counts.
    len: AtomicU32,
    limit: u32,
    base: Base,
    writer: Mutex<()>,
    owns: PhantomData<T>,
}

/// Items that were there before the array was, in memory that is not its own.
#[derive(Default)]
struct Base {
    // The first `len` items. They fill the first `segments` segments, but for the end of the last
    // one: no item lies between `len` and `end`, where the next segment begins.
    len: u32,
    end: u32,
    segments: usize,
    // Holds the memory of the items until the array is dropped.
    _keeper: Option<Box<dyn Any + Send + Sync>>,
}

impl<T: Send + Sync> SegmentedVec<T> {
    /// An empty array. Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty array that takes at most `limit` items.
    pub fn with_limit(limit: u32) -> Self {
        let mut pages = Self::default();
        pages.limit = limit;
        pages
    }
}

impl<T: Send + Sync, const FIRST: usize> SegmentedVec<T, FIRST> {
    /// An array whose first items are `items`, where they lie. Those that are pushed begin at the
    /// next segment, so between the last of `items` and the first of them are indices without an
    /// item: as many as there are items, and `FIRST`, at the most. Cost: none.
    ///
    /// `items` are not dropped with the array.
    ///
    /// # Errors
    ///
    /// `pool-full` if there is no index behind `items`.
    ///
    /// # Safety
    ///
    /// `items` are aligned for `T` and hold `items.len()` values of it, all initialised. Their memory
    /// stays where it is, and is written only as `T` allows, for as long as `keeper` lives.
    pub unsafe fn over(
        items: NonNull<[T]>,
        keeper: Box<dyn Any + Send + Sync>,
    ) -> Result<Self, Error> {
        let full = || Error::full(u32::MAX);
        let len = u32::try_from(items.len()).map_err(|_| full())?;
        let segments = len.checked_sub(1).map_or(0, |last| Self::locate(last).0 + 1);
        let end = u32::try_from((FIRST << segments) - FIRST).map_err(|_| full())?;
        let mut pages = Self::default();
        pages.base = Base { len, end, segments, _keeper: Some(keeper) };
        for segment in 0..segments {
            let first = (FIRST << segment) - FIRST;
            // SAFETY: a segment begins at an index below `len`, so at one of the items.
            let at = unsafe { items.cast::<T>().add(first) };
            pages.segments[segment].store(at.as_ptr(), Ordering::Relaxed);
        }
        pages.len.store(end, Ordering::Release);
        Ok(pages)
    }

    /// Appends an item and returns its index. Waits only for another `push`, which is short unless
    /// it begins a segment.
    ///
    /// # Errors
    ///
    /// `pool-full` at the limit (`u32::MAX` items unless set), `pool-size-overflow`,
    /// `pool-out-of-memory`. The item is dropped then.
    pub fn push(&self, item: T) -> Result<u32, Error> {
        let _turn = lock(&self.writer);
        let ix = self.len.load(Ordering::Relaxed);
        if ix >= self.limit {
            return Err(Error::full(self.limit));
        }
        let (segment, at) = Self::locate(ix);
        let items = self.segment_for_writing(segment)?;
        // SAFETY: `locate` keeps `at` below the segment's size; the slot is past `len`, so no
        // reader looks at it, and the writer lock keeps other writers out.
        unsafe { items.add(at).write(item) }
        self.len.store(ix + 1, Ordering::Release);
        Ok(ix)
    }

    /// The item at `ix`, if there is one. Two atomic loads.
    #[inline]
    pub fn get(&self, ix: u32) -> Option<&T> {
        if ix < self.len() && !self.base.lacks(ix) {
            // SAFETY: `ix` is below a length read with `Acquire`, and an item is there.
            Some(unsafe { self.get_unchecked(ix) })
        } else {
            None
        }
    }

    /// The item at `ix`, unchecked. One atomic load.
    ///
    /// # Safety
    ///
    /// - `ix` is an index that `push` of this array returned, or that of an item of `over`, or in an
    ///   array that was not made by `over` below a `len` it returned.
    /// - That return happens before this call, as it does when `ix` came through a lock, a channel
    ///   or a `Release`/`Acquire` pair.
    #[inline]
    pub unsafe fn get_unchecked(&self, ix: u32) -> &T {
        let (segment, at) = Self::locate(ix);
        // SAFETY: `locate` gives a segment below `SEGMENTS` for every `u32`.
        let items = unsafe { self.segments.get_unchecked(segment) }.load(Ordering::Relaxed);
        // SAFETY: the caller vouches that the push of `ix` happened before, hence so did the store
        // of its segment and the write of the item, which is never written again.
        unsafe { &*items.add(at) }
    }

    /// The index that comes next: how many items there are, and how many indices without one.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len.load(Ordering::Acquire)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices of the items that were there before the array was.
    pub fn of_base(&self) -> Range<u32> {
        0..self.base.len
    }

    /// The indices of the items that were pushed so far.
    pub fn of_pushed(&self) -> Range<u32> {
        self.base.end..self.len()
    }

    /// The items there are now, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        // SAFETY: each index is below a length read with `Acquire`, and an item is there.
        let item = |ix| unsafe { self.get_unchecked(ix) };
        self.of_base().chain(self.of_pushed()).map(item)
    }

    /// The items there are now, as contiguous runs in order.
    pub fn segments(&self) -> impl Iterator<Item = &[T]> {
        let len = self.len() as usize;
        let runs = (0..SEGMENTS).map(move |segment| (segment, self.items_in(segment, len)));
        runs.take_while(|&(_, filled)| filled > 0).map(|(segment, filled)| {
            let items = self.segments[segment].load(Ordering::Relaxed);
            // SAFETY: the segment's first `filled` items are below a length read with `Acquire`,
            // so they are initialized and never written again.
            unsafe { slice::from_raw_parts(items, filled) }
        })
    }

    /// Where the addresses of the segments lie, one behind another, for code that cannot call this
    /// type. Item `ix` is the `at`th of segment `k` where `ix + FIRST` is `(FIRST << k) + at`, its
    /// highest bit being that of `FIRST << k`.
    ///
    /// The place is good for as long as the array stays where it is. Behind an address that is not
    /// null lie only as many items as [`len`](SegmentedVec::len) has said.
    pub fn segment_table(&self) -> *const *const T {
        self.segments.as_ptr().cast()
    }

    /// What the array holds in memory of its own.
    pub fn stats(&self) -> Stats {
        let len = self.len() as usize;
        let own = (self.base.segments..SEGMENTS)
            .take_while(|&segment| Self::filled(segment, len) > 0)
            .map(|segment| FIRST << segment);
        let (chunks, reserved) = own.fold((0, 0), |(n, sum), size| (n + 1, sum + size));
        let used_bytes = self.of_pushed().len() * size_of::<T>();
        let reserved_bytes = reserved * size_of::<T>();
        Stats { used_bytes, reserved_bytes, chunks, high_water_bytes: used_bytes }
    }

    /// Segment `segment`, made now if it is not there. Called under the writer lock.
    fn segment_for_writing(&self, segment: usize) -> Result<NonNull<T>, Error> {
        let present = self.segments[segment].load(Ordering::Relaxed);
        if let Some(items) = NonNull::new(present) {
            return Ok(items);
        }
        let layout = Self::layout(segment)?;
        // SAFETY: the size is not 0, for neither `T` nor a segment is empty (`CHECKED`).
        let items = NonNull::new(unsafe { alloc(layout) }.cast::<T>())
            .ok_or(Error::out_of_memory(layout.size()))?;
        // The length, stored later with `Release`, is what tells readers of the segment.
        self.segments[segment].store(items.as_ptr(), Ordering::Relaxed);
        Ok(items)
    }
}

impl<T, const FIRST: usize> SegmentedVec<T, FIRST> {
    const CHECKED: () = {
        assert!(FIRST.is_power_of_two(), "the first segment holds a power of two of items");
        assert!(size_of::<T>() > 0, "zero-sized items are not supported");
    };

    /// Segment and offset of the item `ix`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "an offset is below its segment's size")]
    fn locate(ix: u32) -> (usize, usize) {
        // Counting from `FIRST` makes the highest bit name the segment.
        let place = u64::from(ix) + FIRST as u64;
        let segment = place.ilog2() - FIRST.ilog2();
        (segment as usize, (place - (1 << place.ilog2())) as usize)
    }

    /// How many of the first `len` indices lie in `segment`.
    fn filled(segment: usize, len: usize) -> usize {
        let room = FIRST << segment;
        len.saturating_sub(room - FIRST).min(room)
    }

    /// How many items lie in `segment`, of those with the first `len` indices.
    fn items_in(&self, segment: usize, len: usize) -> usize {
        let is_of_base = segment < self.base.segments;
        Self::filled(segment, if is_of_base { self.base.len as usize } else { len })
    }

    fn layout(segment: usize) -> Result<Layout, Error> {
        layout_of::<T>(FIRST << segment)
    }
}

impl Base {
    /// Whether an index lies between the items that were there and those that were pushed.
    #[inline]
    fn lacks(&self, ix: u32) -> bool {
        // Below `len` the difference wraps around, and is more than any gap.
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
            // SAFETY: the first `filled` items of the segment are initialized and `&mut self`
            // means that nobody looks at them.
            unsafe { filled.drop_in_place() }
            // SAFETY: the segment was allocated with this layout and its items are gone.
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
        let pages = SegmentedVec::<String, 2>::default();
        pages.push("first".to_owned()).unwrap();
        let first = pages.get(0).unwrap();
        for i in 0..1000 {
            pages.push(i.to_string()).unwrap();
        }
        assert!(ptr::eq(first, pages.get(0).unwrap()));
        assert_eq!(first, "first");
    }

    #[test]
    fn items_are_dropped_with_the_pages() {
        let item = Arc::new(());
        let pages = SegmentedVec::<Arc<()>, 4>::default();
        for _ in 0..29 {
            pages.push(Arc::clone(&item)).unwrap();
        }
        assert_eq!(Arc::strong_count(&item), 30);
        drop(pages);
        assert_eq!(Arc::strong_count(&item), 1);
    }

    #[test]
    fn a_limit_is_an_error_and_not_a_loss() {
        let pages = SegmentedVec::with_limit(3);
        assert_eq!([7, 8, 9].map(|item| pages.push(item)), [Ok(0), Ok(1), Ok(2)]);
        assert_eq!(pages.push(10).unwrap_err().code(), "pool-full");
        assert_eq!(pages.iter().copied().collect::<Vec<i32>>(), [7, 8, 9]);
    }

    #[test]
    fn a_segment_that_cannot_be_had_is_an_error() {
        let pages = SegmentedVec::<[u64; 4], { 1 << 57 }>::default();
        assert_eq!(pages.push([0; 4]).unwrap_err().code(), "pool-out-of-memory");
        let pages = SegmentedVec::<[u64; 8], { 1 << 62 }>::default();
        assert_eq!(pages.push([0; 8]).unwrap_err().code(), "pool-size-overflow");
        assert!(pages.is_empty());
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
        let pages = SegmentedVec::<[u32; 4], 2>::default();
        thread::scope(|scope| {
            for writer in 0..4 {
                let pages = &pages;
                scope.spawn(move || {
                    for i in 0..2000 {
                        let value = writer * 10_000 + i;
                        let ix = pages.push([value; 4]).unwrap();
                        assert_eq!(pages.get(ix), Some(&[value; 4]));
                    }
                });
            }
            while pages.len() < 8000 {
                assert!(pages.iter().all(|item| item.iter().all(|&part| part == item[0])));
            }
        });
        for writer in 0..4 {
            let own = pages.iter().map(|item| item[0]).filter(|value| value / 10_000 == writer);
            assert!(own.eq(writer * 10_000..writer * 10_000 + 2000), "appended out of order");
        }
    }

    /// SegmentedVec over a copy of some items.
    fn over<const FIRST: usize>(items: &[u16]) -> SegmentedVec<u16, FIRST> {
        let kept: Box<[u16]> = items.into();
        let kept = Arc::new(kept);
        // SAFETY: the keeper holds the items, and nobody writes them.
        unsafe { SegmentedVec::over(NonNull::from(&**kept), Box::new(Arc::clone(&kept))) }.unwrap()
    }

    #[test]
    fn the_memory_of_a_base_is_let_go_of_with_the_pages() {
        let kept = Arc::new([1_u16, 2, 3]);
        let items = NonNull::from(kept.as_slice());
        // SAFETY: the keeper holds the items, and nobody writes them.
        let pages =
            unsafe { SegmentedVec::<u16, 2>::over(items, Box::new(Arc::clone(&kept))) }.unwrap();
        assert_eq!(pages.push(4), Ok(6));
        assert_eq!((0..8).map(|ix| pages.get(ix).copied()).collect::<Vec<_>>(), {
            [Some(1), Some(2), Some(3), None, None, None, Some(4), None]
        });
        assert_eq!(Arc::strong_count(&kept), 2);
        drop(pages);
        assert_eq!(Arc::strong_count(&kept), 1);
    }

    proptest! {
        #[test]
        fn pages_over_a_base_behave_like_it_and_a_vec(
            base in proptest::collection::vec(any::<u16>(), 0..70),
            items in proptest::collection::vec(any::<u16>(), 0..70),
        ) {
            let pages = over::<2>(&base);
            prop_assert_eq!(pages.stats().used_bytes, 0);
            let first = pages.len();
            prop_assert!(first as usize >= base.len() && first as usize <= 2 * base.len() + 2);
            for (ix, &item) in (first..).zip(&items) {
                prop_assert_eq!(pages.push(item), Ok(ix));
            }
            let all: Vec<u16> = base.iter().chain(&items).copied().collect();
            prop_assert!(pages.iter().eq(&all));
            prop_assert!(pages.iter().rev().eq(all.iter().rev()));
            prop_assert_eq!(pages.segments().collect::<Vec<_>>().concat(), all);
            for ix in 0..pages.len() + 2 {
                let of_base = base.get(ix as usize);
                let pushed = ix.checked_sub(first).and_then(|at| items.get(at as usize));
                prop_assert_eq!(pages.get(ix), of_base.or(pushed));
            }
            prop_assert_eq!(pages.stats().used_bytes, 2 * items.len());
        }

        #[test]
        fn pages_behave_like_a_vec(items in proptest::collection::vec(any::<u16>(), 0..200)) {
            let pages = SegmentedVec::<u16, 2>::default();
            for (ix, &item) in (0..).zip(&items) {
                prop_assert_eq!(pages.push(item), Ok(ix));
            }
            prop_assert!(pages.iter().eq(&items));
            prop_assert!(pages.iter().rev().eq(items.iter().rev()));
            prop_assert_eq!(pages.segments().collect::<Vec<_>>().concat(), items.clone());
            prop_assert_eq!(pages.get(pages.len()), None);
            let stats = pages.stats();
            prop_assert_eq!(stats.used_bytes, 2 * items.len());
            prop_assert_eq!(stats.chunks, pages.segments().count());
            prop_assert!(stats.reserved_bytes <= 2 * stats.used_bytes.max(2) + 4);
        }
    }
}
