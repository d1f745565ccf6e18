//! An append-only store of byte strings with stable addresses.
//!
//! Contains unsafe code: strings are copied into raw chunks. Invariants:
//!
//! - `Y1`: the first `used` bytes of a chunk are whole strings with their length prefixes and are
//!   never written again. `used` only grows and is stored with `Release` after the bytes.
//! - `Y2`: one thread at a time appends to a chunk and changes `open`: it holds the `writer` lock,
//!   or one of the caller of `push_unlocked`, or the chunk is not shared yet.

use std::slice;

use crate::block::{Block, layout_of};
use crate::sync::{AtomicU32, AtomicUsize, Mutex, Ordering, lock};
use crate::{Error, SegmentedVec, Stats};

/// A store of byte strings: each is written once and found by an 8-byte handle.
///
/// A string costs its bytes and a length prefix of one byte (up to 253 bytes), three or five.
/// Strings lie side by side in chunks that grow from 1 KiB to 256 KiB; a string of more than a
/// quarter of the next chunk gets a chunk of its own. Any thread appends, and any thread reads
/// without a lock.
///
/// ```
/// use lexpool_pool::SegmentedBytes;
///
/// let bytes = SegmentedBytes::new();
/// let apple = bytes.push(b"apple")?;
/// assert_eq!(bytes.get(apple), Some(&b"apple"[..]));
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct SegmentedBytes {
    chunks: SegmentedVec<Chunk, 8>,
    // The chunk that the next string is appended to, or `NONE`. See Y2.
    open: AtomicU32,
    writer: Mutex<()>,
}

/// No chunk: the store is empty or its chunks have one string each.
const NONE: u32 = u32::MAX;

/// The handle of a string in its [`SegmentedBytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BytesAt {
    chunk: u32,
    offset: u32,
}

struct Chunk {
    block: Block,
    // See Y1.
    used: AtomicUsize,
}

/// The size of the first chunk; each of the next `DOUBLINGS` chunks is twice as large.
const MIN_CHUNK: usize = 1 << 10;
const DOUBLINGS: u32 = 8;

impl SegmentedBytes {
    /// Creates an empty store. Allocates nothing.
    pub fn new() -> Self {
        Self {
            chunks: SegmentedVec::default(),
            open: AtomicU32::new(NONE),
            writer: Mutex::default(),
        }
    }

    /// Stores a copy of `bytes`. Waits only for other calls of `push`.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if there are more than `u32::MAX` bytes; `pool-out-of-memory`.
    pub fn push(&self, bytes: &[u8]) -> Result<BytesAt, Error> {
        let _turn = lock(&self.writer);
        // SAFETY: the lock excludes other calls.
        unsafe { self.push_unlocked(bytes) }
    }

    /// As [`push`](SegmentedBytes::push), for a caller that has a lock already.
    ///
    /// # Errors
    ///
    /// Those of `push`.
    ///
    /// # Safety
    ///
    /// No other thread may append at the same time, and the end of its last append must happen
    /// before this call, as it does if all appends are made under one lock.
    pub unsafe fn push_unlocked(&self, bytes: &[u8]) -> Result<BytesAt, Error> {
        let (prefix, prefix_len) = prefix(bytes.len())?;
        let prefix = &prefix[..prefix_len];
        let need = prefix.len().saturating_add(bytes.len());
        let open = self.open.load(Ordering::Relaxed);
        if let Some(room) = self.chunks.get(open).filter(|chunk| chunk.room() >= need) {
            let offset = room.append(prefix, bytes);
            return Ok(BytesAt { chunk: open, offset });
        }
        let next = MIN_CHUNK << self.chunks.len().min(DOUBLINGS);
        let large = need > next / 4;
        let size = if large { need } else { next };
        let fresh = Chunk { block: Block::new(layout_of::<u8>(size)?)?, used: AtomicUsize::new(0) };
        let offset = fresh.append(prefix, bytes);
        let chunk = self.chunks.push(fresh)?;
        if !large {
            self.open.store(chunk, Ordering::Relaxed);
        }
        Ok(BytesAt { chunk, offset })
    }

    /// Returns the string at `at`. For a handle of another store it returns `None` or unrelated
    /// bytes.
    #[inline]
    pub fn get(&self, at: BytesAt) -> Option<&[u8]> {
        split(self.chunks.get(at.chunk)?.written().get(at.offset as usize..)?)
    }

    /// Returns the memory in use; `used_bytes` includes the prefixes.
    pub fn stats(&self) -> Stats {
        let blocks = self.chunks.iter().map(|chunk| {
            let used_bytes = chunk.used.load(Ordering::Relaxed);
            let reserved_bytes = chunk.block.size();
            Stats { used_bytes, reserved_bytes, chunks: 1, high_water_bytes: used_bytes }
        });
        let table = Stats { used_bytes: 0, high_water_bytes: 0, ..self.chunks.stats() };
        blocks.sum::<Stats>() + table
    }
}

impl Default for SegmentedBytes {
    fn default() -> Self {
        Self::new()
    }
}

impl Chunk {
    fn room(&self) -> usize {
        self.block.size() - self.used.load(Ordering::Relaxed)
    }

    /// Appends `prefix` and `bytes` and returns their offset. Requires space and exclusive access
    /// (Y2).
    fn append(&self, prefix: &[u8], bytes: &[u8]) -> u32 {
        let offset = self.used.load(Ordering::Relaxed);
        assert!(prefix.len() + bytes.len() <= self.room(), "the chunk is too small for the string");
        // SAFETY: Y1, Y2: both copies lie within the block (asserted) and after `used`, where no
        // thread reads and no other thread writes.
        unsafe {
            let end = self.block.at().as_ptr().add(offset);
            end.copy_from_nonoverlapping(prefix.as_ptr(), prefix.len());
            end.add(prefix.len()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        self.used.store(offset + prefix.len() + bytes.len(), Ordering::Release);
        // Only a chunk of a single string exceeds 256 KiB, and its offset is 0.
        u32::try_from(offset).unwrap_or(0)
    }

    /// Returns the bytes published so far.
    #[inline]
    fn written(&self) -> &[u8] {
        let used = self.used.load(Ordering::Acquire);
        // SAFETY: Y1: the first `used` bytes are initialized and never written again.
        unsafe { slice::from_raw_parts(self.block.at().as_ptr(), used) }
    }
}

// The first byte of a prefix: a length up to 253, or a mark for a length of 2 or 4 bytes after it.
const WIDE: u8 = 254;
const WIDER: u8 = 255;

/// Returns the prefix of a string of `len` bytes, and its width.
fn prefix(len: usize) -> Result<([u8; 5], usize), Error> {
    let wide =
        u32::try_from(len).map_err(|_| Error::size_overflow("bytes", len, u32::MAX as usize))?;
    let [a, b, c, d] = wide.to_le_bytes();
    Ok(match wide {
        0..=253 => ([a, 0, 0, 0, 0], 1),
        254..=0xffff => ([WIDE, a, b, 0, 0], 3),
        _ => ([WIDER, a, b, c, d], 5),
    })
}

/// Returns the string at the start of `bytes`, or `None` if it is cut off.
#[inline]
fn split(bytes: &[u8]) -> Option<&[u8]> {
    match *bytes {
        [WIDE, a, b, ref rest @ ..] => rest.get(..u16::from_le_bytes([a, b]) as usize),
        [WIDER, a, b, c, d, ref rest @ ..] => rest.get(..u32::from_le_bytes([a, b, c, d]) as usize),
        [len @ ..WIDE, ref rest @ ..] => rest.get(..len as usize),
        _ => None,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_prefix_width_leads_back_to_its_string() {
        let store = SegmentedBytes::new();
        for len in [0, 1, 253, 254, 255, 0xffff, 0x1_0000, 300_000] {
            let bytes = vec![b'x'; len];
            let at = store.push(&bytes).unwrap();
            assert_eq!(store.get(at), Some(&bytes[..]), "{len} bytes");
        }
    }

    #[test]
    fn strings_keep_their_addresses() {
        let store = SegmentedBytes::new();
        let at = store.push(b"first").unwrap();
        let first = store.get(at).unwrap();
        for i in 0..10_000_u32 {
            store.push(&i.to_le_bytes()).unwrap();
        }
        assert!(std::ptr::eq(first, store.get(at).unwrap()));
        assert_eq!(first, b"first");
    }

    #[test]
    fn a_short_string_costs_little_more_than_its_bytes() {
        let store = SegmentedBytes::new();
        for i in 0..100_000_u32 {
            store.push(format!("word{i:06}").as_bytes()).unwrap();
        }
        let stats = store.stats();
        assert_eq!(stats.used_bytes, 1_100_000);
        let (all, mine) = (stats.reserved_bytes, 1_000_000 + 2 * 100_000 + (256 << 10));
        assert!(all < mine, "{stats}");
    }

    #[test]
    fn a_large_string_leaves_the_open_chunk_open() {
        let store = SegmentedBytes::new();
        let before = store.push(b"before").unwrap();
        let large = store.push(&vec![7; 1 << 20]).unwrap();
        let after = store.push(b"after").unwrap();
        assert_eq!((before.chunk, after.chunk), (0, 0));
        assert_eq!(store.get(large).map(<[u8]>::len), Some(1 << 20));
    }

    #[test]
    fn a_chunk_is_filled_to_its_last_byte_before_the_next_is_opened() {
        let store = SegmentedBytes::new();
        let blocks = || store.chunks.iter().map(|chunk| chunk.block.size()).collect::<Vec<_>>();
        // With its prefix, each takes an eighth of the first chunk.
        (0..8).for_each(|_| _ = store.push(&[1; 127]).unwrap());
        assert_eq!(blocks(), [MIN_CHUNK]);
        // A quarter of the next chunk with its prefix, which opens it, and a byte more.
        store.push(&[1; 512 - 3]).unwrap();
        assert_eq!(blocks(), [MIN_CHUNK, 2 * MIN_CHUNK]);
        store.push(&[1; 2048 - 512 - 3 + 1]).unwrap();
        assert_eq!(blocks(), [MIN_CHUNK, 2 * MIN_CHUNK, 1537]);
        let used = MIN_CHUNK + 512 + 1537;
        let stats = store.stats();
        assert_eq!((stats.used_bytes, stats.high_water_bytes), (used, used));
        let table = 8 * size_of::<Chunk>();
        assert_eq!((stats.reserved_bytes, stats.chunks), (3 * MIN_CHUNK + 1537 + table, 4));
    }

    #[test]
    fn a_foreign_handle_reads_nothing_outside_the_store() {
        let store = SegmentedBytes::new();
        assert_eq!(store.get(BytesAt { chunk: 0, offset: 0 }), None);
        store.push(&[WIDER; 100]).unwrap();
        for offset in [1, 99, 100, 101, u32::MAX] {
            assert!(store.get(BytesAt { chunk: 0, offset }).is_none_or(|got| got.len() < 100));
        }
        assert_eq!(store.get(BytesAt { chunk: 1, offset: 0 }), None);
    }

    #[test]
    fn a_length_past_32_bits_is_refused() {
        assert_eq!(prefix(1 << 32).unwrap_err().code(), "pool-size-overflow");
    }

    #[test]
    fn threads_append_and_read_side_by_side() {
        let store = SegmentedBytes::new();
        thread::scope(|scope| {
            for writer in 0..4_u32 {
                let store = &store;
                scope.spawn(move || {
                    let word = |i: u32| format!("{writer}:{i}").repeat(i as usize % 40);
                    let handles = (0..2000).map(|i| store.push(word(i).as_bytes()).unwrap());
                    for (i, at) in (0..).zip(handles.collect::<Vec<_>>()) {
                        assert_eq!(store.get(at), Some(word(i).as_bytes()));
                    }
                });
            }
        });
    }

    proptest! {
        #[test]
        fn strings_come_back_as_they_were(strings in vec(vec(any::<u8>(), 0..700), 0..60)) {
            let store = SegmentedBytes::new();
            let handles: Vec<_> = strings.iter().map(|s| store.push(s).unwrap()).collect();
            for (&at, string) in handles.iter().zip(&strings) {
                prop_assert_eq!(store.get(at), Some(string.as_slice()));
            }
        }
    }
}
