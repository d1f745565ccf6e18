//! The chunk cache of a worker: from the bytes of a chunk to its finished tokens.
//!
//! A chunk is what stands between two runs of whitespace, or such a run itself. Its tokens depend
//! on nothing but its bytes and the rules, so an entry is right for every text. Bytes are compared
//! on every hit. The hash is seeded per cache, so that no text can be crafted to fill one slot.

#![expect(
    clippy::cast_possible_truncation,
    reason = "words are halved and hashes cut to slots and tags; lengths are checked where they enter"
)]

use ahash::RandomState;
use lexpool_structs::TokenC;

/// The bytes of a chunk, loaded once for hashing and comparing.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    head: u64,
    tail: u64,
    bytes: &'a [u8],
}

impl<'a> Key<'a> {
    /// A chunk longer than this is tokenized each time; it is too rare to keep.
    pub(super) const MOST_BYTES: usize = 128;

    /// The chunk at `start..end` of a text, if it is short enough to be kept.
    #[inline]
    pub(super) fn new(text: &'a [u8], start: usize, end: usize) -> Option<Key<'a>> {
        let len = end - start;
        if len > Key::MOST_BYTES {
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
            None => Key::load_slowly(bytes),
        };
        Some(Key { head, tail, bytes })
    }

    /// Loads a chunk near the end of its text.
    #[cold]
    fn load_slowly(bytes: &[u8]) -> (u64, u64) {
        let mut words = [0; 16];
        let len = bytes.len().min(16);
        words[..len].copy_from_slice(&bytes[..len]);
        let word = u128::from_le_bytes(words);
        (word as u64, (word >> 64) as u64)
    }
}

/// A mask of the first `len` bytes of a word.
#[inline]
fn low_bytes(len: usize) -> u64 {
    if len >= 8 { u64::MAX } else { (1 << (8 * len)) - 1 }
}

/// One entry in 32 bytes, two to a cache line; `n == 0` marks a free one.
#[derive(Clone, Copy, Default)]
struct Slot {
    head: u64,
    /// Bytes 8 to 16 of the chunk; of a longer chunk, where its bytes are kept.
    tail: u64,
    tag: u32,
    len: u8,
    /// How many tokens the chunk has.
    n: u8,
    /// How many characters the chunk has.
    chars: u8,
    flags: u8,
    /// The lexeme of the only token; of several, where they are kept.
    place: u32,
    /// The facts of the only token.
    facts: u32,
}

/// What the cache knows of a chunk.
#[derive(Clone, Copy)]
pub(super) struct Hit<'c> {
    /// How many characters the chunk has.
    pub(super) chars: u32,
    /// Whether a token of it may begin a special case that spans several tokens.
    pub(super) starts: bool,
    /// The tokens.
    pub(super) tokens: Tokens<'c>,
}

/// Finished tokens, with offsets from the start of their chunk.
#[derive(Clone, Copy)]
pub(super) enum Tokens<'c> {
    /// One, which has the chunk's extent.
    One { lex: u32, facts: u32 },
    /// Several.
    Many(&'c [TokenC]),
}

/// Chunks seen by one worker, in bounded memory.
///
/// `pieces` and `keys` take at most `most_bytes`, counted before the growth of their vectors doubles it;
/// `slots` take at most 102 bytes for each of the `most` entries.
pub(super) struct ChunkCache {
    slots: Vec<Slot>,
    shift: u32,
    len: usize,
    most: usize,
    most_bytes: usize,
    seeds: [u64; 2],
    pieces: Vec<TokenC>,
    keys: Vec<u8>,
}

const STARTS: u8 = 1;

impl ChunkCache {
    /// The default bound on entries: some 20 MiB when full of ordinary words, 48 MiB of any.
    pub(super) const MOST: usize = 1 << 18;

    /// The bytes of tokens and long keys that an entry may have on the average. A word with a comma has 32.
    const BYTES_AN_ENTRY: usize = 64;

    /// As many in any case, so that a small cache takes a chunk of any size.
    const LEAST_BYTES: usize = 1 << 16;

    /// A cache that forgets everything when it would exceed `most` entries, or the bytes for so many.
    pub(super) fn new(most: usize) -> ChunkCache {
        let random = RandomState::new();
        let seeds = [random.hash_one(1_u8), random.hash_one(2_u8)];
        ChunkCache {
            slots: Vec::new(),
            shift: 0,
            len: 0,
            most,
            most_bytes: most.saturating_mul(Self::BYTES_AN_ENTRY).max(Self::LEAST_BYTES),
            seeds,
            pieces: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Forgets everything and keeps the memory of a small cache only.
    pub(super) fn clear(&mut self) {
        *self = ChunkCache { seeds: self.seeds, ..ChunkCache::new(self.most) };
    }

    /// The tokens of a chunk, if it is known.
    #[inline]
    pub(super) fn find(&self, key: Key<'_>) -> Option<Hit<'_>> {
        if self.slots.is_empty() {
            return None;
        }
        let hash = self.hash(key);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = &self.slots[at & mask];
            if slot.n == 0 {
                return None;
            }
            if slot.tag == hash as u32 && self.is_key(slot, key) {
                return Some(self.hit(slot));
            }
            at += 1;
        }
    }

    #[inline]
    fn hit(&self, slot: &Slot) -> Hit<'_> {
        let tokens = if slot.n == 1 {
            Tokens::One { lex: slot.place, facts: slot.facts }
        } else {
            let place = slot.place as usize;
            Tokens::Many(&self.pieces[place..place + usize::from(slot.n)])
        };
        Hit { chars: u32::from(slot.chars), starts: slot.flags & STARTS != 0, tokens }
    }

    /// Keeps the tokens of a chunk that [`find`](ChunkCache::find) did not know.
    pub(super) fn insert(&mut self, key: Key<'_>, chars: u32, starts: bool, tokens: &[TokenC]) {
        let (Ok(n), Ok(chars), Ok(len)) =
            (u8::try_from(tokens.len()), u8::try_from(chars), u8::try_from(key.bytes.len()))
        else {
            return;
        };
        if n == 0 || self.most == 0 {
            return;
        }
        if self.len >= self.most || self.bytes() > self.most_bytes {
            self.clear();
        }
        if (self.len + 1) * 8 > self.slots.len() * 5 {
            self.grow();
        }
        let hash = self.hash(key);
        let mut slot = Slot {
            head: key.head,
            tail: key.tail,
            tag: hash as u32,
            len,
            n,
            chars,
            flags: if starts { STARTS } else { 0 },
            place: tokens[0].lex,
            facts: tokens[0].facts,
        };
        if key.bytes.len() > 16 {
            slot.tail = self.keys.len() as u64;
            self.keys.extend_from_slice(key.bytes);
        }
        if n > 1 {
            slot.place = u32::try_from(self.pieces.len()).expect("a bounded cache of few pieces");
            self.pieces.extend_from_slice(tokens);
        }
        self.place(hash, slot);
        self.len += 1;
    }

    /// The bytes of what does not lie in slots.
    fn bytes(&self) -> usize {
        size_of_val(&*self.pieces) + self.keys.len()
    }

    #[inline]
    fn is_key(&self, slot: &Slot, key: Key<'_>) -> bool {
        if usize::from(slot.len) != key.bytes.len() || slot.head != key.head {
            return false;
        }
        if key.bytes.len() <= 16 {
            return slot.tail == key.tail;
        }
        let place = usize::try_from(slot.tail).expect("a position in memory");
        self.keys[place..place + key.bytes.len()] == *key.bytes
    }

    /// The high bits choose the slot, the low 32 are the tag.
    #[inline]
    fn hash(&self, key: Key<'_>) -> u64 {
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

    /// The hash of an entry, from what it keeps.
    fn hash_of(&self, slot: &Slot) -> u64 {
        let len = usize::from(slot.len);
        if len <= 16 {
            return fold(slot.head ^ self.seeds[0], slot.tail ^ self.seeds[1] ^ len as u64);
        }
        let place = usize::try_from(slot.tail).expect("a position in memory");
        let bytes = &self.keys[place..place + len];
        self.hash(Key::new(bytes, 0, len).expect("only short chunks are kept"))
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(256);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        self.shift = u64::BITS - size.trailing_zeros();
        for slot in old.into_iter().filter(|slot| slot.n != 0) {
            self.place(self.hash_of(&slot), slot);
        }
    }

    fn place(&mut self, hash: u64, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at & mask].n != 0 {
            at += 1;
        }
        self.slots[at & mask] = slot;
    }
}

/// Both halves of a product, folded: two multiplications' worth of mixing for one.
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

    fn lexemes(hit: Hit<'_>) -> Vec<u32> {
        match hit.tokens {
            Tokens::One { lex, .. } => vec![lex],
            Tokens::Many(tokens) => tokens.iter().map(|token| token.lex).collect(),
        }
    }

    #[test]
    fn chunks_of_every_length_are_told_apart() {
        let mut cache = ChunkCache::new(ChunkCache::MOST);
        let text = "ab".repeat(Key::MOST_BYTES);
        for len in 1..=Key::MOST_BYTES {
            let key = Key::new(text.as_bytes(), 0, len).unwrap();
            assert!(cache.find(key).is_none(), "{len}");
            cache.insert(key, 1, false, &[token(len as u32, 0), token(7, 1)][..=len % 2]);
        }
        for len in 1..=Key::MOST_BYTES {
            let key = Key::new(&text.as_bytes()[2..], 0, len).unwrap();
            assert_eq!(lexemes(cache.find(key).unwrap())[0], len as u32);
        }
        assert!(Key::new(text.as_bytes(), 0, Key::MOST_BYTES + 1).is_none());
    }

    #[test]
    fn zeros_in_a_chunk_are_not_its_end() {
        let mut cache = ChunkCache::new(ChunkCache::MOST);
        cache.insert(Key::new(b"a\0", 0, 2).unwrap(), 2, false, &[token(1, 0)]);
        assert!(cache.find(Key::new(b"a", 0, 1).unwrap()).is_none());
        assert!(cache.find(Key::new(b"a\0\0", 0, 3).unwrap()).is_none());
    }

    #[test]
    fn a_full_cache_begins_anew() {
        let mut cache = ChunkCache::new(100);
        for i in 0..1000_u32 {
            let chunk = format!("word{i}");
            let key = Key::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
            cache.insert(key, 5, false, &[token(i, 0)]);
            assert_eq!(lexemes(cache.find(key).unwrap()), [i]);
            assert!(cache.len <= 100 && cache.slots.len() <= 256);
        }
    }
    #[test]
    fn chunks_of_many_tokens_are_kept_within_the_bytes_of_ordinary_ones() {
        let many = [token(1, 0); 255];
        for most in [1, 100, 10_000] {
            let mut cache = ChunkCache::new(most);
            let bound = (most * ChunkCache::BYTES_AN_ENTRY).max(ChunkCache::LEAST_BYTES);
            for i in 0..20_000_u32 {
                let chunk = format!("{i:0127b}");
                let key = Key::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
                cache.insert(key, 127, false, &many);
                assert!(cache.find(key).is_some(), "a chunk that was just kept is known");
                // One entry may lie beyond the bound, and a vector grows to twice what is in it.
                let kept = size_of::<TokenC>() * cache.pieces.capacity() + cache.keys.capacity();
                assert!(kept <= 2 * (bound + 255 * 16 + 127), "{kept} bytes for {most} entries");
            }
        }
    }

    #[test]
    fn ordinary_chunks_are_bounded_by_their_number() {
        let mut cache = ChunkCache::new(5_000);
        for i in 0..5_000_u32 {
            let chunk = format!("word{i},");
            let key = Key::new(chunk.as_bytes(), 0, chunk.len()).unwrap();
            cache.insert(key, 6, false, &[token(i, 0), token(7, 5)]);
        }
        assert_eq!(cache.len, 5_000);
    }
}
