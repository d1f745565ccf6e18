//! A concurrent, insert-only hash index from keys to positions.
//!
//! Contains unsafe code: tables are read through pointers that another thread may replace. They
//! stay allocated until the index is dropped.

mod table;
#[cfg(all(test, not(loom)))]
mod tests;

use std::hash::{BuildHasher, RandomState};
use std::ptr;

use self::table::{Segments, Table};
use crate::sync::{AtomicPtr, AtomicUsize, Mutex, Ordering, lock};
use crate::{Error, SegmentedVec, Stats};

/// Finds the position of an item, usually in a [`SegmentedVec`], by a 64-bit hash of its key.
///
/// Open addressing with linear probing over 4-byte slots, at most 7/8 full. A slot holds a position
/// and, in the bits that positions do not need yet, a tag of the key, so few items that differ are
/// ever compared. Slots are chosen by a mix with a random seed: keys crafted to meet do not.
///
/// [`Index::find`] takes no lock and never waits. An insert locks one shard of sixteen. Growth
/// builds a new table and publishes it; the segments of the old one go to the next shard that
/// grows, while readers may still be in them: a reader trusts what it read only if its table was
/// still the published one afterwards, and otherwise starts over in the new one. So what lies idle
/// after a round of growth is one shard's old table, a thirty-second of the whole. In all an entry
/// costs 5 to 9.6 bytes once there are some tens of thousands (a table is 7/16 to 7/8 full). Nothing
/// is returned to the allocator before the index is dropped.
///
/// ```
/// use lexpool_pool::{Error, Index, SegmentedVec};
///
/// let words = SegmentedVec::new();
/// let index = Index::new();
/// let hash = |word: &str| word.bytes().fold(7, |h, b| h * 31 + u64::from(b));
/// let add = |word: &'static str| {
///     index.find_or_insert(
///         hash(word),
///         |ix| words.get(ix) == Some(&word),
///         |ix| words.get(ix).map_or(0, |word| hash(word)),
///         || words.push(word),
///     )
/// };
/// assert_eq!(add("apple"), Ok((0, true)));
/// assert_eq!(add("pear"), Ok((1, true)));
/// assert_eq!(add("apple"), Ok((0, false)));
/// assert_eq!(index.find(hash("pear"), |ix| words.get(ix) == Some(&"pear")), Some(1));
/// # Ok::<(), Error>(())
/// ```
pub struct Index<const SEGMENT: usize = 256> {
    // Per shard the published table, null before its first insert. Points into `retained`; written
    // only under the shard's lock, and never back to an earlier table.
    published: Box<[AtomicPtr<Table<SEGMENT>>]>,
    shards: Box<[Shard]>,
    // Every table there ever was; few and small, for the slots are in `segments`.
    retained: SegmentedVec<Table<SEGMENT>, 8>,
    segments: Segments<SEGMENT>,
    len: AtomicUsize,
    mix: Mix,
}

/// What only the holder of a shard's lock looks at. On a cache line of its own, so that inserts in
/// two shards do not slow each other down.
#[repr(align(64))]
#[derive(Default)]
struct Shard(Mutex<Filled>);

#[derive(Clone, Copy, Default)]
struct Filled {
    entries: usize,
    // The largest position stored.
    widest: u32,
}

/// Slots of a shard's first table, if a segment has as many.
const FIRST_SLOTS: usize = 8;

impl Index {
    /// An empty index with sixteen shards.
    pub fn new() -> Self {
        Self::with_shards(16)
    }
}

impl<const SEGMENT: usize> Index<SEGMENT> {
    /// An empty index with `shards` shards, brought to a power of two from 1 to 256. With one, what
    /// lies idle after growth is half of the table and not a thirty-second.
    pub fn with_shards(shards: usize) -> Self {
        let shards = shards.clamp(1, 256).next_power_of_two();
        Self {
            published: (0..shards).map(|_| AtomicPtr::new(ptr::null_mut())).collect(),
            shards: (0..shards).map(|_| Shard::default()).collect(),
            retained: SegmentedVec::default(),
            segments: Segments::default(),
            len: AtomicUsize::new(0),
            mix: Mix::new(),
        }
    }

    /// The position stored under `key` of which `same` says that it is the one.
    ///
    /// Takes no lock. `same` is asked about stored positions only, in a thread that sees the item
    /// there whole. It is asked about those of other keys once in some thousand slots passed at half
    /// a million entries, and more often in larger indices.
    #[inline]
    pub fn find(&self, key: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let hash = self.mix.hash(key);
        let published = &self.published[self.shard_of(hash)];
        let mut current = published.load(Ordering::Acquire);
        loop {
            // SAFETY: null, or a table in `retained`, which is dropped with the index.
            let table = unsafe { current.as_ref() }?;
            let is_current = || published.load(Ordering::Acquire) == current;
            // A slot may have been given to another table meanwhile. It was written then after
            // `published` had changed, and read with `Acquire`, so asking after the read tells.
            let found = table.probe(hash, |ix| !is_current() || same(ix));
            if is_current() {
                return found;
            }
            current = published.load(Ordering::Acquire);
        }
    }

    /// The position stored under `key` of which `same` says that it is the one, or else the one
    /// that `make` gives, stored now. The flag says whether it was made.
    ///
    /// Looks without a lock first. `make` runs at most once, with the shard locked, so of several
    /// threads that bring one key, one makes it and all get its position. `key_of` gives the key of
    /// a position stored earlier; it is asked when a table grows. None of the three may insert into
    /// this index.
    ///
    /// # Errors
    ///
    /// What `make` returns; `pool-full` if that is position `u32::MAX`; `pool-out-of-memory`. The
    /// index is unchanged then. Room is made before `make` runs; what it made is orphaned only if its
    /// position has more bits than the slots of the shard's table keep for it, which is no less than
    /// 16, and there is no memory for a wider table.
    pub fn find_or_insert<E: From<Error>>(
        &self,
        key: u64,
        mut same: impl FnMut(u32) -> bool,
        key_of: impl Fn(u32) -> u64,
        make: impl FnOnce() -> Result<u32, E>,
    ) -> Result<(u32, bool), E> {
        if let Some(ix) = self.find(key, &mut same) {
            return Ok((ix, false));
        }
        let hash = self.mix.hash(key);
        let shard = self.shard_of(hash);
        let mut filled = lock(&self.shards[shard].0);
        let present = self.table(shard);
        if let Some(ix) = present.and_then(|table| table.probe(hash, same)) {
            return Ok((ix, false));
        }
        let roomy = match present {
            Some(table) if table.has_room_for(filled.entries + 1) => table,
            Some(table) => self.rebuild(shard, table.slots() * 2, filled.widest, &key_of)?,
            None => self.rebuild(shard, FIRST_SLOTS.min(SEGMENT), filled.widest, &key_of)?,
        };
        let ix = make()?;
        let table = if roomy.can_hold(ix) {
            roomy
        } else {
            self.rebuild(shard, roomy.slots(), ix, &key_of)?
        };
        table.insert(hash, ix);
        filled.entries += 1;
        filled.widest = filled.widest.max(ix);
        self.len.fetch_add(1, Ordering::Relaxed);
        Ok((ix, true))
    }

    /// How many positions are stored.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the index holds, idle segments and tables included.
    pub fn stats(&self) -> Stats {
        let tables = self.retained.iter().map(Table::stats).sum::<Stats>();
        let used_bytes = self.len() * size_of::<u32>();
        let held = tables + self.retained.stats() + self.segments.stats();
        Stats { used_bytes, high_water_bytes: used_bytes, ..held }
    }

    /// The longest run of filled slots: no search looks at more. Reads every slot.
    pub fn longest_run(&self) -> usize {
        let tables = (0..self.shards.len()).filter_map(|shard| self.table(shard));
        tables.map(Table::longest_run).max().unwrap_or(0)
    }

    /// Publishes a table of `slots` slots for positions up to `widest` and beyond, with what the
    /// present one holds. The shard is locked by the caller.
    fn rebuild(
        &self,
        shard: usize,
        slots: usize,
        widest: u32,
        key_of: impl Fn(u32) -> u64,
    ) -> Result<&Table<SEGMENT>, Error> {
        if widest == u32::MAX {
            return Err(Error::full(widest));
        }
        let fresh = self.segments.table(slots, widest)?;
        let present = self.table(shard);
        for ix in present.into_iter().flat_map(Table::positions) {
            fresh.insert(self.mix.hash(key_of(ix)), ix);
        }
        let at = self.retained.push(fresh)?;
        // SAFETY: `push` has just returned `at`.
        let fresh = unsafe { self.retained.get_unchecked(at) };
        self.published[shard].store(ptr::from_ref(fresh).cast_mut(), Ordering::Release);
        if let Some(retired) = present {
            self.segments.retire(retired);
        }
        Ok(fresh)
    }

    fn table(&self, shard: usize) -> Option<&Table<SEGMENT>> {
        // SAFETY: null, or a table in `retained`, which is dropped with the index.
        unsafe { self.published[shard].load(Ordering::Acquire).as_ref() }
    }

    /// Taken from bits that choose neither slot nor, while positions are below 2^24, tag.
    #[inline]
    fn shard_of(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.published.len() - 1)
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

/// Turns a key into where it goes, by two folded multiplications with random factors.
///
/// One would do against a blind adversary; but keys in arithmetic progression then fall in bands
/// when the factor is an unlucky one.
struct Mix {
    pad: u64,
    factors: [u64; 2],
}

impl Mix {
    fn new() -> Self {
        let state = RandomState::new();
        // A model checker replays one schedule many times and needs the same slots each time.
        let seed = |n: u64| if cfg!(loom) { n } else { state.hash_one(n) };
        let factors = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03].map(|n| seed(n) | 1);
        Self { pad: seed(1), factors }
    }

    #[inline]
    fn hash(&self, key: u64) -> u64 {
        self.factors.iter().fold(key ^ self.pad, |hash, &factor| folded(hash, factor))
    }
}

/// The two halves of a product, folded into one.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is folded in")]
fn folded(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    wide as u64 ^ (wide >> 64) as u64
}
