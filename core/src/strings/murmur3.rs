//! `MurmurHash3` with 128 bits (Austin Appleby) in its two variants, for 64-bit and for 32-bit
//! machines, whose hashes differ. Blocks are read as little-endian on every machine.

/// Returns the hash of the variant for 64-bit machines (`x64_128`), as two words.
pub fn murmur3_x64(bytes: &[u8], seed: u32) -> [u64; 2] {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let k1 = |word: u64| word.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let k2 = |word: u64| word.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= k1(word(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= k2(word(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let rest = blocks.remainder();
    h2 ^= k2(word(rest.get(8..).unwrap_or_default()));
    h1 ^= k1(word(&rest[..rest.len().min(8)]));
    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = mix64(h1);
    h2 = mix64(h2);
    h1 = h1.wrapping_add(h2);
    [h1, h2.wrapping_add(h1)]
}

/// Returns the hash of the variant for 32-bit machines (`x86_128`), as two words, low halves first.
pub fn murmur3_x86(bytes: &[u8], seed: u32) -> [u64; 2] {
    /// For each of the four lanes: its factor, the rotations of its block and of its state, and the
    /// number added to the state.
    const LANES: [(u32, u32, u32, u32); 4] = [
        (0x239b_961b, 15, 19, 0x561c_cd1b),
        (0xab0e_9789, 16, 17, 0x0bca_a747),
        (0x38b3_4ae5, 17, 15, 0x96cd_1c35),
        (0xa1e3_8b93, 18, 13, 0x32ac_3b17),
    ];
    let mixed = |lane: usize, block: u32| {
        let (factor, rotation, ..) = LANES[lane];
        block.wrapping_mul(factor).rotate_left(rotation).wrapping_mul(LANES[(lane + 1) % 4].0)
    };
    let mut state = [seed; 4];
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        for (lane, part) in block.chunks_exact(4).enumerate() {
            let (.., rotation, add) = LANES[lane];
            state[lane] ^= mixed(lane, half(part));
            state[lane] = state[lane].rotate_left(rotation).wrapping_add(state[(lane + 1) % 4]);
            state[lane] = state[lane].wrapping_mul(5).wrapping_add(add);
        }
    }
    for (lane, part) in blocks.remainder().chunks(4).enumerate() {
        state[lane] ^= mixed(lane, half(part));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the length counts modulo 2^32 here")]
    let len = bytes.len() as u32;
    let spread = |mut state: [u32; 4]| {
        state[0] = state.iter().fold(0, |sum, &part| sum.wrapping_add(part));
        for lane in 1..4 {
            state[lane] = state[lane].wrapping_add(state[0]);
        }
        state
    };
    let state = spread(spread(state.map(|part| part ^ len)).map(mix32));
    let join = |low: usize| u64::from(state[low]) | u64::from(state[low + 1]) << 32;
    [join(0), join(2)]
}

/// Returns up to eight bytes as a number, padded with zeros.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Returns up to four bytes as a number, padded with zeros.
fn half(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn mix64(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

fn mix32(mut k: u32) -> u32 {
    k = (k ^ k >> 16).wrapping_mul(0x85eb_ca6b);
    k = (k ^ k >> 13).wrapping_mul(0xc2b2_ae35);
    k ^ k >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verification value of Appleby's test suite: the hash of the hashes of 256 keys.
    fn verification(hash: fn(&[u8], u32) -> [u64; 2]) -> u32 {
        let key: Vec<u8> = (0..=255).collect();
        let to_bytes = |[a, b]: [u64; 2]| [a.to_le_bytes(), b.to_le_bytes()].concat();
        let hashes = (0..256).flat_map(|len| {
            let seed = u32::try_from(256 - len).unwrap();
            to_bytes(hash(&key[..len], seed))
        });
        let [word, _] = hash(&hashes.collect::<Vec<_>>(), 0);
        u32::try_from(word & 0xffff_ffff).unwrap()
    }

    #[test]
    fn both_variants_pass_the_verification_of_their_author() {
        assert_eq!(verification(murmur3_x64), 0x6384_ba69);
        assert_eq!(verification(murmur3_x86), 0xb3ec_e62a);
    }

    #[test]
    fn words_hash_as_in_spacy() {
        let hash = |word: &str| murmur3_x64(word.as_bytes(), 2_166_136_261);
        assert_eq!(hash(""), [0x1085_4f64_c275_4a40, 0x4ea9_29b1_1629_cd37]);
        assert_eq!(hash("<der>"), [0x5e82_26b8_3f74_9453, 0x6599_a117_0afc_1fc1]);
    }
}
