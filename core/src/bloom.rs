//! Bloom filters: sets of 64-bit keys in little memory, which may take a stranger for a member but
//! never a member for a stranger.
//!
//! spaCy saves one with each of its lookup tables. Positions and bytes are those of its library
//! preshed; the memory is an eighth of preshed's.
//!
//! ```
//! use lexpool::bloom::BloomFilter;
//!
//! let mut filter = BloomFilter::for_members(1000.0, 1e-4)?;
//! filter.add(42);
//! assert!(filter.contains(42) && !filter.contains(43));
//! assert_eq!(BloomFilter::from_bytes(&filter.to_bytes()?)?, filter);
//! # Ok::<(), lexpool::Error>(())
//! ```

#![forbid(unsafe_code)]

use std::f64::consts::LN_2;

use crate::codes;
use crate::fallible;
use crate::strings::murmur3_x86;
use crate::{Error, ErrorKind, Result, limits};

/// A set of keys that is asked in vain at most as often as its error rate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BloomFilter {
    /// One bit a position, the lowest bit first; never empty.
    bits: Vec<u8>,
    /// Number of positions of a key.
    hashes: u64,
    seed: u32,
}

impl BloomFilter {
    /// An empty filter of some number of positions, rounded down to a multiple of eight but at
    /// least eight, with so many of them for each key. The seed is kept and written, and changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// `bloom-size`: more positions than [`BLOOM_SIZE`](limits::BLOOM_SIZE), or more of a key than
    /// [`BLOOM_HASHES`](limits::BLOOM_HASHES). `out-of-memory`.
    pub fn new(size: u64, hashes: u64, seed: u32) -> Result<BloomFilter> {
        limits::BLOOM_SIZE.check(size, "the size of a Bloom filter")?;
        limits::BLOOM_HASHES.check(hashes, "the number of positions of a key")?;
        Ok(BloomFilter { bits: zeros(size / 8)?, hashes, seed })
    }

    /// An empty filter that takes a stranger for a member at this rate once it has so many members.
    ///
    /// # Errors
    ///
    /// `bloom-size`: less than one member, so many that the filter would be too large, or a rate
    /// that is not between 0 and 1. `out-of-memory`.
    pub fn for_members(members: f64, error_rate: f64) -> Result<BloomFilter> {
        let is_rate = error_rate > 0.0 && error_rate < 1.0;
        if !(is_rate && members.is_finite() && members >= 1.0) {
            let text = format!(
                "a Bloom filter is for one member or more and an error rate between 0 and 1, not \
                 for {members} and {error_rate}"
            );
            return Err(Error::value(codes::BLOOM_SIZE, text));
        }
        // In this order of operations, for the last digit may decide what is rounded.
        let base = (1.0 / 2_f64.powf(LN_2)).ln();
        let size = ((members * error_rate.ln()) / base).ceil();
        let hashes = ((size / members) * LN_2).floor();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "both are positive, and what is too large for 64 bits is so for a filter"
        )]
        BloomFilter::new(size as u64, hashes as u64, 0)
    }

    /// Takes a key in.
    pub fn add(&mut self, key: u64) {
        for position in self.positions(key) {
            let (byte, bit) = place(position);
            self.bits[byte] |= bit;
        }
    }

    /// Returns whether the key may have been added; false positives occur at the error rate.
    pub fn contains(&self, key: u64) -> bool {
        self.positions(key).all(|position| {
            let (byte, bit) = place(position);
            self.bits[byte] & bit != 0
        })
    }

    /// The filter in preshed's form: the positions of a key, of the filter, and the seed as 8-byte
    /// words, then 8 bytes for every eight positions, of which one is used.
    ///
    /// # Errors
    ///
    /// `out-of-memory`: the bytes take eight times the memory of the filter.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = fallible::list(8 * (3 + self.bits.len()))?;
        let head = [self.hashes, self.size(), u64::from(self.seed)];
        let cells = self.bits.iter().map(|&cell| u64::from(cell));
        for word in head.into_iter().chain(cells) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// `bloom-bytes`: the bytes are not a filter. `bloom-size` and `out-of-memory` as for
    /// [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<BloomFilter> {
        let mut words = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes")));
        let (Some(hashes), Some(size), Some(seed)) = (words.next(), words.next(), words.next())
        else {
            return Err(malformed(&format!("{} bytes are too few", bytes.len())));
        };
        let rest = (bytes.len() - 24) as u64;
        if size != rest || size % 8 != 0 || size == 0 {
            return Err(malformed(&format!("{rest} bytes are there for {size} positions")));
        }
        let seed = u32::try_from(seed).map_err(|_| malformed("its seed is beyond 32 bits"))?;
        let mut filter = BloomFilter::new(size, hashes, seed)?;
        for (cell, word) in filter.bits.iter_mut().zip(words) {
            *cell = u8::try_from(word).map_err(|_| malformed("a cell has more than eight bits"))?;
        }
        Ok(filter)
    }

    /// Number of positions.
    fn size(&self) -> u64 {
        8 * self.bits.len() as u64
    }

    /// The positions of a key, all below [`size`](Self::size).
    fn positions(&self, key: u64) -> impl Iterator<Item = u64> + use<> {
        let ([start, step], size) = (murmur3_x86(&key.to_le_bytes(), 0), self.size());
        (0..self.hashes).map(move |i| start.wrapping_add(i.wrapping_mul(step)) % size)
    }
}

/// The byte of a position and its bit there.
fn place(position: u64) -> (usize, u8) {
    let byte = usize::try_from(position / 8).expect("a position lies within the bits in memory");
    (byte, 1 << (position % 8))
}

/// So many bytes of zero, at least one.
fn zeros(len: u64) -> Result<Vec<u8>> {
    let len = usize::try_from(len.max(1)).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|cause| {
        let text = format!("no {len} bytes for a Bloom filter");
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text).caused_by(cause)
    })?;
    bytes.resize(len, 0);
    Ok(bytes)
}

fn malformed(why: &str) -> Error {
    Error::value(codes::BLOOM_BYTES, format!("these bytes are no Bloom filter: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(members: f64, keys: &[u64]) -> BloomFilter {
        let mut filter = BloomFilter::for_members(members, 1e-4).unwrap();
        for &key in keys {
            filter.add(key);
        }
        filter
    }

    fn written(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn bytes_are_those_of_preshed() {
        // Printed by preshed 3.0: the filters of these keys, as 8-byte words.
        let one = written(&[13, 16, 0, 34, 34]);
        assert_eq!(filled(1.0, &[0]).to_bytes().unwrap(), one);
        let three = written(&[13, 56, 0, 108, 124, 225, 30, 229, 23, 85]);
        let keys = [1, u64::MAX, 8_566_208_034_543_834_098];
        assert_eq!(filled(3.0, &keys).to_bytes().unwrap(), three);
    }

    #[test]
    fn size_and_positions_follow_from_members_and_error_rate() {
        let table = [
            (1e6, 1e-4, 19_170_112, 13),
            (1000.0, 1e-3, 14_376, 9),
            (7.0, 0.3, 16, 1),
            (1.0, 5e-324, 1544, 1074),
            (1.0, 0.5, 8, 1),
        ];
        for (members, rate, size, hashes) in table {
            let filter = BloomFilter::for_members(members, rate).unwrap();
            assert_eq!((filter.size(), filter.hashes), (size, hashes), "{members}, {rate}");
        }
    }

    #[test]
    fn members_are_found_and_strangers_seldom() {
        let members: Vec<u64> = (0..1000).map(|i| i * 7919).collect();
        let filter = filled(1000.0, &members);
        assert!(members.iter().all(|&key| filter.contains(key)));
        let strangers = (1..100_001_u64).map(|i| u64::MAX - i);
        let mistaken = strangers.filter(|&key| filter.contains(key)).count();
        assert!((1..40).contains(&mistaken), "{mistaken} of 100,000 where about 10 are due");
    }

    #[test]
    fn what_was_written_is_read() {
        let mut filter = BloomFilter::new(100, 23, 7).unwrap();
        filter.add(5);
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(bytes.len(), 24 + 96);
        assert_eq!(BloomFilter::from_bytes(&bytes).unwrap(), filter);
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let table: [(&[u64], &str); 7] = [
            (&[], "bloom-bytes"),
            (&[13, 16], "bloom-bytes"),
            (&[13, 0, 0], "bloom-bytes"),
            (&[13, 16, 0, 34], "bloom-bytes"),
            (&[13, 8, 1 << 32, 34], "bloom-bytes"),
            (&[13, 8, 0, 256], "bloom-bytes"),
            (&[u64::MAX, 8, 0, 1], "bloom-size"),
        ];
        for (words, code) in table {
            let error = BloomFilter::from_bytes(&written(words)).unwrap_err();
            assert_eq!(error.code(), code, "{words:?}");
        }
        let odd = [written(&[13, 4, 0]), vec![0; 4]].concat();
        assert_eq!(BloomFilter::from_bytes(&odd).unwrap_err().code(), "bloom-bytes");
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        assert_eq!(BloomFilter::new(u64::MAX, 1, 0).unwrap_err().code(), "bloom-size");
        for (members, rate) in
            [(0.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.1), (1e18, 0.1), (1.0, 0.0), (1.0, 1.0)]
        {
            let error = BloomFilter::for_members(members, rate).unwrap_err();
            assert_eq!(error.code(), "bloom-size", "{members}, {rate}");
        }
    }
}
