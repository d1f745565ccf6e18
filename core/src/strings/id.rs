//! String ids: MurmurHash64A of the UTF-8 bytes, as spaCy computes them.

use std::fmt;

use super::symbols;

/// The id of a string: equal in every process, on every machine, and in spaCy.
///
/// The empty string is 0, a symbol (`"nsubj"`, `"ORTH"`, ...) its small number, any other string
/// its [`hash64`] with seed 1. An id says nothing of whether some store holds the string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct StrId(u64);

impl StrId {
    /// The id of the empty string.
    pub const EMPTY: StrId = StrId(0);

    /// Takes a number as an id; every number is one.
    pub const fn new(id: u64) -> StrId {
        StrId(id)
    }

    /// The id of a string. Cost: one pass over its bytes.
    ///
    /// ```
    /// use lexpool::strings::StrId;
    /// assert_eq!(StrId::of("apple").get(), 8566208034543834098);
    /// assert_eq!(StrId::of("nsubj").get(), 429);
    /// assert_eq!(StrId::of(""), StrId::EMPTY);
    /// ```
    pub fn of(string: &str) -> StrId {
        if string.is_empty() {
            return StrId::EMPTY;
        }
        let hash = hash_string(string);
        symbols::by_hash(hash, string).unwrap_or(StrId(hash))
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for StrId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<StrId> for u64 {
    fn from(id: StrId) -> u64 {
        id.0
    }
}

/// The plain hash of a string, without the exceptions for symbols and the empty string.
pub const fn hash_string(string: &str) -> u64 {
    hash64(string.as_bytes(), 1)
}

/// MurmurHash64A of some bytes (Austin Appleby's MurmurHash2, 64-bit variant A), read as
/// little-endian on every machine.
pub const fn hash64(bytes: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const R: u32 = 47;
    let mut h = seed ^ (bytes.len() as u64).wrapping_mul(M);
    let mut rest = bytes;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let mut k = u64::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> R;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
        rest = tail;
    }
    if !rest.is_empty() {
        let mut k = 0;
        let mut i = rest.len();
        while i > 0 {
            i -= 1;
            k = (k << 8) | rest[i] as u64;
        }
        h = (h ^ k).wrapping_mul(M);
    }
    h ^= h >> R;
    h = h.wrapping_mul(M);
    h ^ (h >> R)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_spacy() {
        // Printed by spacy.strings.hash_string of spaCy 3.8.
        let table = [
            ("", 14_313_749_767_032_693_980),
            ("a", 11_901_859_001_352_538_922),
            ("apple", 8_566_208_034_543_834_098),
            ("coffee", 3_197_928_453_018_144_401),
            ("in 8 byt", 5_935_238_679_140_581_879),
            ("in eight bytes!!", 11_732_919_916_860_640_830),
            ("I\u{2665}NLP", 4_133_718_693_626_923_951),
            ("\u{1f600}", 13_900_606_239_988_879_105),
            ("a\0b", 14_668_456_501_541_330_817),
        ];
        for (string, expected) in table {
            assert_eq!(hash_string(string), expected, "{string:?}");
        }
    }

    #[test]
    fn the_empty_string_and_symbols_have_small_ids() {
        assert_eq!(StrId::of("").get(), 0);
        assert_eq!(StrId::of("ORTH").get(), 65);
        assert_eq!(StrId::of("_").get(), 456);
        assert_eq!(StrId::of("nsub"), StrId::new(hash_string("nsub")));
    }

    #[test]
    fn crafted_words_of_equal_id_are_known_to_collide() {
        assert_eq!(hash_string("nwhmcsvgydilzqao"), hash_string("jpimytqaE87myorS"));
    }
}
