//! A concurrent, insert-only hash index: sharded open addressing with linear probing (Knuth, The
//! Art of Computer Programming, volume 3, 6.4) over positions in another structure.
//!
//! Contains unsafe code: tables are read through pointers that another thread may replace.
//! Invariant:
//!
//! - `I1`: a pointer in `published` is null or points to a table in `retained`. `retained` never
//!   drops or moves a table before the index is dropped.

mod table;
#[cfg(all(test, not(loom)))]
mod tests;

use std::hash::{BuildHasher, RandomState};
use std::ptr;

use self::table::{SegmentPool, Table};
use crate::sync::{AtomicPtr, AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use crate::{Error, SegmentedVec, Stats};

/// Finds the position of an item, usually in a [`SegmentedVec`], by a 64-bit hash of its key.
///
/// Slots are 4 bytes, and a table is at most 7/8 full. A slot holds a position and, in the bits
/// that positions do not need yet, a tag of the hash, so few unequal items are compared. Keys are
/// mixed with a random seed, so crafted keys do not collide.
///
/// [`Index::find`] takes no lock and never waits. An insert locks one of sixteen shards. Growth
/// builds a new table and publishes it; the segments of the old table are reused by the next shard
/// that grows, while readers may still be in them: a reader accepts a result only if its table is
/// still the published one afterwards, and otherwise starts again in the new table. So the unused
/// memory after a round of growth is one shard's old table, 1/32 of the whole. From some ten
/// thousand entries on, an entry costs 5 to 9.6 bytes (a table is 7/16 to 7/8 full). No memory is
/// freed before the index is dropped.
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
    // The published table of each shard, null before its first insert (I1). Written only under the
    // lock of the shard, and never set back to an earlier table.
    published: Box<[AtomicPtr<Table<SEGMENT>>]>,
    shards: Box<[Shard]>,
    // All tables, also replaced ones. They are few and small, since their slots are in `segments`.
    retained: SegmentedVec<Table<SEGMENT>, 8>,
    segments: SegmentPool<SEGMENT>,
    mix: Mix,
}

/// The lock of a shard, on a cache line of its own so that inserts in two shards do not contend.
#[repr(align(64))]
#[derive(Default)]
struct Shard {
    // Written only under the lock.
    entries: AtomicUsize,
    state: Mutex<ShardState>,
}

#[derive(Default)]
struct ShardState {
    // The largest stored position.
    max_position: u32,
}

/// The number of slots of a shard's first table, unless a segment has fewer.
const FIRST_SLOTS: usize = 8;

impl Index {
    /// Creates an empty index with sixteen shards.
    pub fn new() -> Self {
        Self::with_shards(16)
    }
}

impl<const SEGMENT: usize> Index<SEGMENT> {
    /// Creates an empty index with `shards` shards, rounded to a power of two from 1 to 256. With
    /// one shard, the unused memory after growth is half of the table instead of 1/32.
    pub fn with_shards(shards: usize) -> Self {
        let shards = shards.clamp(1, 256).next_power_of_two();
        Self {
            published: (0..shards).map(|_| AtomicPtr::new(ptr::null_mut())).collect(),
            shards: (0..shards).map(|_| Shard::default()).collect(),
            retained: SegmentedVec::default(),
            segments: SegmentPool::default(),
            mix: Mix::new(),
        }
    }

    /// Returns the position stored under `key` for which `same` returns true.
    ///
    /// Takes no lock. `same` is called only with stored positions, whose items are visible to the
    /// calling thread. At half a million entries it is called with the position of another key
    /// about once in a thousand probed slots, and more often in larger indices.
    #[inline]
    pub fn find(&self, key: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let hash = self.mix.hash(key);
        let published = &self.published[self.shard_of(hash)];
        let mut current = published.load(Ordering::Acquire);
        loop {
            // SAFETY: I1: null or a live table.
            let table = unsafe { current.as_ref() }?;
            let is_current = || published.load(Ordering::Acquire) == current;
            // A slot may have been reused by another table since. Then it was written after
            // `published` changed, and this thread read it with `Acquire`, so a check after the
            // read detects it.
            let position = table.probe(hash, |ix| !is_current() || same(ix));
            if is_current() {
                return position;
            }
            current = published.load(Ordering::Acquire);
        }
    }

    /// Returns the position stored under `key` for which `same` returns true, or else stores and
    /// returns the position that `make` returns. The flag is true if it was stored by this call.
    ///
    /// Searches without a lock first. `make` runs at most once, under the lock of the shard, so of
    /// several threads that insert one key, one stores it and all get its position. `key_of`
    /// returns the key of a stored position; it is called when a table grows. None of the three may
    /// insert into this index.
    ///
    /// # Errors
    ///
    /// Those of `make`; `pool-full` if it returns position `u32::MAX`; `pool-out-of-memory`. The
    /// index is then unchanged. Space is reserved before `make` runs. An item of `make` is lost
    /// only if its position needs more bits than the slots of the table have for positions (16 or
    /// more) and there is no memory for a wider table.
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
        let mut state = lock(&self.shards[shard].state);
        self.find_or_insert_in(shard, &mut state, hash, same, key_of, make)
    }

    /// Locks the index for many inserts: `find_or_insert` of the writer takes no lock. Waits for
    /// the inserts of other threads, which wait for the writer; searches do not.
    pub fn writer(&self) -> IndexWriter<'_, SEGMENT> {
        let states = self.shards.iter().map(|shard| lock(&shard.state)).collect();
        IndexWriter { index: self, states }
    }

    /// Does what `find_or_insert` does under the lock of the shard.
    fn find_or_insert_in<E: From<Error>>(
        &self,
        shard: usize,
        state: &mut ShardState,
        hash: u64,
        same: impl FnMut(u32) -> bool,
        key_of: impl Fn(u32) -> u64,
        make: impl FnOnce() -> Result<u32, E>,
    ) -> Result<(u32, bool), E> {
        let present = self.table(shard);
        if let Some(ix) = present.and_then(|table| table.probe(hash, same)) {
            return Ok((ix, false));
        }
        let entries = self.shards[shard].entries.load(Ordering::Relaxed) + 1;
        let target = match present {
            Some(table) if table.has_room_for(entries) => table,
            Some(table) => self.rebuild(shard, table.slots() * 2, state.max_position, &key_of)?,
            None => self.rebuild(shard, FIRST_SLOTS.min(SEGMENT), state.max_position, &key_of)?,
        };
        let ix = make()?;
        let table = if target.can_hold(ix) {
            target
        } else {
            self.rebuild(shard, target.slots(), ix, &key_of)?
        };
        table.insert(hash, ix);
        state.max_position = state.max_position.max(ix);
        self.shards[shard].entries.store(entries, Ordering::Relaxed);
        Ok((ix, true))
    }

    /// Returns the number of stored positions.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.entries.load(Ordering::Relaxed)).sum()
    }

    /// Returns whether no position is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the memory of the index, including unused segments and tables.
    pub fn stats(&self) -> Stats {
        let tables = self.retained.iter().map(Table::stats).sum::<Stats>();
        let used_bytes = self.len() * size_of::<u32>();
        let total = tables + self.retained.stats() + self.segments.stats();
        Stats { used_bytes, high_water_bytes: used_bytes, ..total }
    }

    /// Returns the length of the longest run of filled slots, an upper bound of the probes of a
    /// search. Reads every slot.
    pub fn longest_run(&self) -> usize {
        let tables = (0..self.shards.len()).filter_map(|shard| self.table(shard));
        tables.map(Table::longest_run).max().unwrap_or(0)
    }

    /// Publishes a table of `slots` slots, for positions up to `max_position` and above, with the
    /// entries of the current table. The caller holds the lock of the shard.
    fn rebuild(
        &self,
        shard: usize,
        slots: usize,
        max_position: u32,
        key_of: impl Fn(u32) -> u64,
    ) -> Result<&Table<SEGMENT>, Error> {
        if max_position == u32::MAX {
            return Err(Error::full(max_position));
        }
        let fresh = self.segments.table(slots, max_position)?;
        let present = self.table(shard);
        for ix in present.into_iter().flat_map(Table::positions) {
            fresh.insert(self.mix.hash(key_of(ix)), ix);
        }
        let at = self.retained.push(fresh)?;
        // SAFETY: I1: `push` has just returned `at`.
        let fresh = unsafe { self.retained.get_unchecked(at) };
        self.published[shard].store(ptr::from_ref(fresh).cast_mut(), Ordering::Release);
        if let Some(retired) = present {
            self.segments.retire(retired);
        }
        Ok(fresh)
    }

    fn table(&self, shard: usize) -> Option<&Table<SEGMENT>> {
        // SAFETY: I1: null or a live table.
        unsafe { self.published[shard].load(Ordering::Acquire).as_ref() }
    }

    /// Returns the shard of a hash, from bits that determine neither the slot nor, while positions
    /// are below 2^24, the tag.
    #[inline]
    fn shard_of(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.published.len() - 1)
    }
}

/// The only writer of an [`Index`] as long as it lives.
pub struct IndexWriter<'a, const SEGMENT: usize = 256> {
    index: &'a Index<SEGMENT>,
    states: Vec<MutexGuard<'a, ShardState>>,
}

impl<const SEGMENT: usize> IndexWriter<'_, SEGMENT> {
    /// Makes space for `additional` positions, so that tables do not grow while they are inserted.
    /// The tables get the size that they would grow to if the keys are new.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`; the index is unchanged, or has space in some shards.
    pub fn reserve(&mut self, additional: usize, key_of: impl Fn(u32) -> u64) -> Result<(), Error> {
        let index = self.index;
        // Keys are distributed evenly, so few shards get more than their part, and these grow.
        let part = additional / self.states.len();
        for (shard, state) in self.states.iter().enumerate() {
            let entries = index.shards[shard].entries.load(Ordering::Relaxed) + part;
            let slots = index.table(shard).map_or(FIRST_SLOTS.min(SEGMENT), Table::slots);
            let new_slots = Table::<SEGMENT>::slots_for(entries).max(slots);
            if new_slots > slots {
                // Wide enough for the positions to come, if positions count the entries.
                let max = state
                    .max_position
                    .saturating_add(u32::try_from(additional).unwrap_or(u32::MAX));
                index.rebuild(shard, new_slots, max.min(u32::MAX - 1), &key_of)?;
            }
        }
        Ok(())
    }

    /// As [`Index::find_or_insert`], without locks.
    ///
    /// # Errors
    ///
    /// Those of [`Index::find_or_insert`].
    #[inline]
    pub fn find_or_insert<E: From<Error>>(
        &mut self,
        key: u64,
        same: impl FnMut(u32) -> bool,
        key_of: impl Fn(u32) -> u64,
        make: impl FnOnce() -> Result<u32, E>,
    ) -> Result<(u32, bool), E> {
        let hash = self.index.mix.hash(key);
        let shard = self.index.shard_of(hash);
        self.index.find_or_insert_in(shard, &mut self.states[shard], hash, same, key_of, make)
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

/// Mixes keys by two folded multiplications with random factors.
///
/// One multiplication would suffice against an adversary who does not know the factor, but with
/// some factors it maps keys in arithmetic progression to neighbouring slots.
struct Mix {
    pad: u64,
    factors: [u64; 2],
}

impl Mix {
    fn new() -> Self {
        let state = RandomState::new();
        // The model checker replays schedules and needs the same slots each time.
        let seed = |n: u64| if cfg!(loom) { n } else { state.hash_one(n) };
        let factors = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03].map(|n| seed(n) | 1);
        Self { pad: seed(1), factors }
    }

    #[inline]
    fn hash(&self, key: u64) -> u64 {
        self.factors.iter().fold(key ^ self.pad, |hash, &factor| folded(hash, factor))
    }
}

/// Returns the exclusive or of the two halves of a product.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is folded in")]
fn folded(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    wide as u64 ^ (wide >> 64) as u64
}
