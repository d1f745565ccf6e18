//! MurmurHash64A (MurmurHash2, 64-bit variant A, by Austin Appleby), the hash of string ids.

/// Computes the plain hash of a string, without the exceptions for symbols and the empty string.
pub const fn hash_string(string: &str) -> u64 {
    hash64(string.as_bytes(), 1)
}

/// Computes MurmurHash64A of bytes, which are read as little-endian on every machine.
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
        h = (h ^ last_word(bytes, rest.len())).wrapping_mul(M);
    }
    h ^= h >> R;
    h = h.wrapping_mul(M);
    h ^ (h >> R)
}

/// Returns the last `len` bytes, 1 to 7, as a number, with a fixed number of loads: they overlap
/// each other, or the bytes before, which are shifted out.
const fn last_word(bytes: &[u8], len: usize) -> u64 {
    if let Some(word) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*word) >> (64 - 8 * len);
    }
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (low, high) = (u32::from_le_bytes(*low), u32::from_le_bytes(*high));
        return low as u64 | (high as u64) << (8 * (len - 4));
    }
    let (middle, last) = (len / 2, len - 1);
    bytes[0] as u64 | (bytes[middle] as u64) << (8 * middle) | (bytes[last] as u64) << (8 * last)
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
    fn the_last_word_has_the_last_bytes_at_every_length() {
        let bytes: [u8; 40] = core::array::from_fn(|i| u8::try_from(i + 1).unwrap());
        for end in 1..=bytes.len() {
            let len = end % 8;
            if len > 0 {
                let mut expected = [0; 8];
                expected[..len].copy_from_slice(&bytes[end - len..end]);
                assert_eq!(last_word(&bytes[..end], len), u64::from_le_bytes(expected), "{end}");
            }
        }
    }

    #[test]
    fn crafted_words_of_equal_id_are_known_to_collide() {
        assert_eq!(hash_string("nwhmcsvgydilzqao"), hash_string("jpimytqaE87myorS"));
    }
}
