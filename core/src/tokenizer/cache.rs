//! The chunk cache of a worker: a hash table with open addressing (linear probing) from the bytes
//! of a chunk to its tokens.
//!
//! A chunk is the text between two runs of whitespace, or such a run itself. Its tokens depend only
//! on its bytes and the rules, so an entry is valid for every text. Every hit compares the bytes.
//! The hash is seeded per cache, so that a text cannot be crafted to make its chunks collide.

#![expect(
    clippy::cast_possible_truncation,
    reason = "words are halved and hashes are truncated to slots and tags; lengths are checked"
)]

use std::collections::TryReserveError;

use ahash::RandomState;
use lexpool_structs::TokenC;

/// The bytes of a chunk, loaded once for hashing and comparing.
#[derive(Clone, Copy)]
pub(super) struct ChunkKey<'a> {
    head: u64,
    tail: u64,
    bytes: &'a [u8],
}

impl<'a> ChunkKey<'a> {
    /// The length of the longest chunk that is cached; longer ones are rare.
    pub(super) const MAX_BYTES: usize = 128;

    /// Returns the chunk at `start..end` of a text; `None` if it is too long to be cached.
    #[inline]
    pub(super) fn new(text: &'a [u8], start: usize, end: usize) -> Option<ChunkKey<'a>> {
        let len = end - start;
        if len > ChunkKey::MAX_BYTES {
            return None;
        }
        let bytes = &text[start..end];
        let (head, tail) = match text.get(start..start + 16) {
            Some(words) => {
                let (head, tail) = words.split_at(8);
                let head = u64::from_le_bytes(head.try_into().expect("eight bytes"));
                let tail = u64::from_le_bytes(tail.try_into().expect("eight bytes"));
                (head & low_bytes(len), tail & low_bytes(len.saturating_sub(8)))
            }
            None => ChunkKey::load_at_text_end(bytes),
        };
        Some(ChunkKey { head, tail, bytes })
    }

    /// Loads a chunk near the end of its text.
    #[cold]
    fn load_at_text_end(bytes: &[u8]) -> (u64, u64) {
        let mut words = [0; 16];
        let len = bytes.len().min(16);
        words[..len].copy_from_slice(&bytes[..len]);
        let word = u128::from_le_bytes(words);
        (word as u64, (word >> 64) as u64)
    }
}

/// Returns a mask of the first `len` bytes of a word.
#[inline]
fn low_bytes(len: usize) -> u64 {
    if len >= 8 { u64::MAX } else { (1 << (8 * len)) - 1 }
}

/// An entry of 32 bytes, two to a cache line; `token_count == 0` marks a free slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    head: u64,
    /// Bytes 8 to 16 of the chunk; of a longer chunk, the offset of its bytes in `keys`.
    tail: u64,
    tag: u32,
    len: u8,
    token_count: u8,
    /// The number of characters of the chunk.
    chars: u8,
    flags: u8,
    /// The lexeme of the only token; of several tokens, their offset in `tokens`.
    lex_or_offset: u32,
    /// The facts of the only token.
    facts: u32,
}

/// A cached chunk.
#[derive(Clone, Copy)]
pub(super) struct CachedChunk<'c> {
    /// The number of characters.
    pub(super) chars: u32,
    /// A token of the chunk may begin a special case that spans several tokens.
    pub(super) starts: bool,
    /// The tokens.
    pub(super) tokens: CachedTokens<'c>,
}

/// Tokens with offsets from the start of their chunk.
#[derive(Clone, Copy)]
pub(super) enum CachedTokens<'c> {
    /// One token, the whole chunk.
    One { lex: u32, facts: u32 },
    /// Several tokens.
    Many(&'c [TokenC]),
}

/// The chunks that one worker has tokenized, in bounded memory.
///
/// `tokens` and `keys` take at most `max_bytes`, without the spare capacity of their vectors;
/// `slots` take at most 102 bytes for each of the `max_entries`.
pub(super) struct ChunkCache {
    slots: Vec<Slot>,
    shift: u32,
    len: usize,
    max_entries: usize,
    max_bytes: usize,
    seeds: [u64; 2],
    tokens: Vec<TokenC>,
    keys: Vec<u8>,
}

/// The flag of [`CachedChunk::starts`].
const STARTS: u8 = 1;

impl ChunkCache {
    /// The default number of entries: about 20 MiB of ordinary words, at most 48 MiB.
    pub(super) const DEFAULT_ENTRIES: usize = 1 << 18;

    /// The mean size of the tokens and the long key of an entry. A word with a comma has 32 bytes.
    const BYTES_PER_ENTRY: usize = 64;

    /// The least value of `max_bytes`, so that a small cache accepts any chunk.
    const MIN_BYTES: usize = 1 << 16;

    /// Creates a cache that is cleared when it would exceed `max_entries`, or the bytes for them.
    pub(super) fn new(max_entries: usize) -> ChunkCache {
        let random = RandomState::new();
        let seeds = [random.hash_one(1_u8), random.hash_one(2_u8)];
        ChunkCache {
            slots: Vec::new(),
            shift: 0,
            len: 0,
            max_entries,
            max_bytes: max_entries.saturating_mul(Self::BYTES_PER_ENTRY).max(Self::MIN_BYTES),
            seeds,
            tokens: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Removes all entries and frees their memory.
    pub(super) fn clear(&mut self) {
        *self = ChunkCache { seeds: self.seeds, ..ChunkCache::new(self.max_entries) };
    }

    /// Returns the entry of a chunk.
    #[inline]
    pub(super) fn find(&self, key: ChunkKey<'_>) -> Option<CachedChunk<'_>> {
        if self.slots.is_empty() {
            return None;
        }
        let hash = self.hash(key);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = &self.slots[at & mask];
            if slot.token_count == 0 {
                return None;
            }
            if slot.tag == hash as u32 && self.is_key(slot, key) {
                return Some(self.entry(slot));
            }
            at += 1;
        }
    }

    #[inline]
    fn entry(&self, slot: &Slot) -> CachedChunk<'_> {
        let tokens = if slot.token_count == 1 {
            CachedTokens::One { lex: slot.lex_or_offset, facts: slot.facts }
        } else {
            let offset = slot.lex_or_offset as usize;
            CachedTokens::Many(&self.tokens[offset..offset + usize::from(slot.token_count)])
        };
        CachedChunk { chars: u32::from(slot.chars), starts: slot.flags & STARTS != 0, tokens }
    }

    /// Adds a chunk that [`find`](ChunkCache::find) did not find. A chunk of more than 255 tokens
    /// is not cached, nor one for which the system has no memory.
    pub(super) fn insert(
        &mut self,
        key: ChunkKey<'_>,
        chars: u32,
        starts: bool,
        tokens: &[TokenC],
    ) {
        let (Ok(token_count), Ok(chars), Ok(len)) =
            (u8::try_from(tokens.len()), u8::try_from(chars), u8::try_from(key.bytes.len()))
        else {
            return;
        };
        if token_count == 0 || self.max_entries == 0 {
            return;
        }
        if self.len >= self.max_entries || self.bytes() > self.max_bytes {
            self.clear();
        }
        let is_full = (self.len + 1) * 8 > self.slots.len() * 5;
        if (is_full && self.grow().is_err()) || self.reserve(key, tokens).is_err() {
            return;
        }
        let hash = self.hash(key);
        let mut slot = Slot {
            head: key.head,
            tail: key.tail,
            tag: hash as u32,
            len,
            token_count,
            chars,
            flags: if starts { STARTS } else { 0 },
            lex_or_offset: tokens[0].lex,
            facts: tokens[0].facts,
        };
        if key.bytes.len() > 16 {
            slot.tail = self.keys.len() as u64;
            self.keys.extend_from_slice(key.bytes);
        }
        if token_count > 1 {
            slot.lex_or_offset =
                u32::try_from(self.tokens.len()).expect("max_bytes bounds the tokens");
            self.tokens.extend_from_slice(tokens);
        }
        self.fill_slot(hash, slot);
        self.len += 1;
    }

    /// Returns the size of tokens and long keys.
    fn bytes(&self) -> usize {
        size_of_val(&*self.tokens) + self.keys.len()
    }

    #[inline]
    fn is_key(&self, slot: &Slot, key: ChunkKey<'_>) -> bool {
        if usize::from(slot.len) != key.bytes.len() || slot.head != key.head {
            return false;
        }
        if key.bytes.len() <= 16 {
            return slot.tail == key.tail;
        }
        let offset = usize::try_from(slot.tail).expect("an offset in memory");
        self.keys[offset..offset + key.bytes.len()] == *key.bytes
    }

    /// Returns the hash of a chunk: the high bits choose the slot, the low 32 are the tag.
    #[inline]
    fn hash(&self, key: ChunkKey<'_>) -> u64 {
        let len = key.bytes.len() as u64;
        let mut hash = fold(key.head ^ self.seeds[0], key.tail ^ self.seeds[1] ^ len);
        if key.bytes.len() > 16 {
            for block in key.bytes[16..].chunks(8) {
                let mut word = [0; 8];
                word[..block.len()].copy_from_slice(block);
                hash = fold(hash ^ u64::from_le_bytes(word), self.seeds[1] | 1);
            }
        }
        hash
    }

    /// Returns the hash of an entry.
    fn hash_of_slot(&self, slot: &Slot) -> u64 {
        let len = usize::from(slot.len);
        if len <= 16 {
            return fold(slot.head ^ self.seeds[0], slot.tail ^ self.seeds[1] ^ len as u64);
        }
        let offset = usize::try_from(slot.tail).expect("an offset in memory");
        let bytes = &self.keys[offset..offset + len];
        self.hash(ChunkKey::new(bytes, 0, len).expect("only short chunks are cached"))
    }

    /// Makes room for the key and the tokens of a chunk.
    fn reserve(&mut self, key: ChunkKey<'_>, tokens: &[TokenC]) -> Result<(), TryReserveError> {
        self.keys.try_reserve(key.bytes.len())?;
        self.tokens.try_reserve(tokens.len())
    }

    #[cold]
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let size = (self.slots.len() * 2).max(256);
        let mut slots = Vec::new();
        slots.try_reserve_exact(size)?;
        slots.resize(size, Slot::default());
        let old = std::mem::replace(&mut self.slots, slots);
        self.shift = u64::BITS - size.trailing_zeros();
        for slot in old.into_iter().filter(|slot| slot.token_count != 0) {
            self.fill_slot(self.hash_of_slot(&slot), slot);
        }
        Ok(())
    }

    /// Stores an entry in the first free slot of its probe sequence.
    fn fill_slot(&mut self, hash: u64, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at & mask].token_count != 0 {
            at += 1;
        }
        self.slots[at & mask] = slot;
    }
}

/// Mixes two words: both halves of their product, folded by XOR, as in wyhash and `ahash`.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(lex: u32, byte: u32) -> TokenC {
        TokenC { lex, idx: byte, byte, facts: 0 }
    }

    fn lexemes(chunk: CachedChunk<'_>) -> Vec<u32> {
        match chunk.tokens {
            CachedTokens::One { lex, .. } => vec![lex],
            CachedTokens::Many(tokens) => tokens.iter().map(|token| token.lex).collect(),
        }
    }

    #[test]
    fn chunks_of_every_length_are_distinct() {
        let mut cache = ChunkCache::new(ChunkCache::DEFAULT_ENTRIES);
        let text = "ab".repeat(ChunkKey::MAX_BYTES);
        for len in 1..=ChunkKey::MAX_BYTES {
            let key = ChunkKey::new(text.as_bytes(), 0, len).unwrap();
            assert!(cache.find(key).is_none(), "{len}");
            cache.insert(key, 1, false, &[token(len as u32, 0), token(7, 1)][..=len % 2]);
        }
        for len in 1..=ChunkKey::MAX_BYTES {
            let key = ChunkKey::new(&text.as_bytes()[2..], 0, len).unwrap();
            assert_eq!(lexemes(cache.find(key).unwrap())[0], len as u32);
        }
        assert!(ChunkKey::new(text.as_bytes(), 0, ChunkKey::MAX_BYTES + 1).is_none());
    }

    #[test]
    fn zeros_in_a_chunk_are_not_its_end() {
        let mut cache = ChunkCache::new(ChunkCache::DEFAULT_ENTRIES);
        cache.insert(ChunkKey::new(b"a\0", 0, 2).unwrap(), 2, false, &[token(1, 0)]);
        assert!(cache.find(ChunkKey::new(b"a", 0, 1).unwrap()).is_none());
        assert!(cache.find(ChunkKey::new(b"a\0\0", 0, 3).unwrap()).is_none());
    }

    #[test]
    fn a_full_cache_is_cleared() {
        let mut cache = ChunkCache::new(100);
        for i in 0..1000_u32 {
            let chunk = format!("word{i}");
            let key = ChunkKey::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
            cache.insert(key, 5, false, &[token(i, 0)]);
            assert_eq!(lexemes(cache.find(key).unwrap()), [i]);
            assert!(cache.len <= 100 && cache.slots.len() <= 256);
        }
    }

    #[test]
    fn chunks_of_many_tokens_take_no_more_bytes_than_ordinary_ones() {
        let many = [token(1, 0); 255];
        for max_entries in [1, 100, 10_000] {
            let mut cache = ChunkCache::new(max_entries);
            let bound = (max_entries * ChunkCache::BYTES_PER_ENTRY).max(ChunkCache::MIN_BYTES);
            for i in 0..20_000_u32 {
                let chunk = format!("{i:0127b}");
                let key = ChunkKey::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
                cache.insert(key, 127, false, &many);
                assert!(cache.find(key).is_some(), "a chunk that was just added is found");
                // One entry may exceed the bound, and the capacity of a vector is up to twice its
                // length.
                let bytes = size_of::<TokenC>() * cache.tokens.capacity() + cache.keys.capacity();
                assert!(
                    bytes <= 2 * (bound + 255 * 16 + 127),
                    "{bytes} bytes for {max_entries} entries"
                );
            }
        }
    }

    #[test]
    fn ordinary_chunks_are_bounded_by_their_number() {
        let mut cache = ChunkCache::new(5_000);
        for i in 0..5_000_u32 {
            let chunk = format!("word{i},");
            let key = ChunkKey::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
            cache.insert(key, 6, false, &[token(i, 0), token(7, 5)]);
        }
        assert_eq!(cache.len, 5_000);
    }
}
