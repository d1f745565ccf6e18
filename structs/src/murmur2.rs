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
    fn crafted_words_of_equal_id_are_known_to_collide() {
        assert_eq!(hash_string("nwhmcsvgydilzqao"), hash_string("jpimytqaE87myorS"));
    }
}
