//! The rows of a hash embedding: `MurmurHash3_x64_128` of one 64-bit id, cut into four numbers.
//!
//! Source: Appleby's `MurmurHash3` and `HashEmbed` of thinc 8, which calls the hash
//! `MurmurHash3_x86_128_uint64`.

/// Number of rows of a table that are added for an id, so that ids rarely share all of them.
pub const ROWS_PER_ID: usize = 4;

/// Returns the rows of an id in a table of `n_rows` rows. Cost: constant.
///
/// # Panics
///
/// If `n_rows` is 0.
///
/// ```
/// use lexpool_nn::embedding_rows;
///
/// assert_eq!(embedding_rows(5, 8, 1000), embedding_rows(5, 8, 1000));
/// assert_ne!(embedding_rows(5, 8, 1000), embedding_rows(5, 9, 1000));
/// ```
#[inline]
pub fn embedding_rows(id: u64, seed: u32, n_rows: u32) -> [u32; ROWS_PER_ID] {
    let seed = u64::from(seed);
    let mixed = id.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31);
    let mut first = mixed.wrapping_mul(0x4cf5_ad43_2745_937f) ^ seed ^ 8;
    let mut second = seed ^ 8;
    first = first.wrapping_add(second);
    second = second.wrapping_add(first);
    (first, second) = (finalize(first), finalize(second));
    first = first.wrapping_add(second);
    second = second.wrapping_add(first);
    [low(first), high(first), low(second), high(second)].map(|hash| hash % n_rows)
}

fn finalize(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn low(hash: u64) -> u32 {
    hash as u32
}

fn high(hash: u64) -> u32 {
    low(hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_thinc() {
        const WORD: u64 = 12_646_065_887_601_541_794;
        for (id, seed, expected) in [
            (0, 0, [819, 695, 794, 84]),
            (0, 8, [0, 0, 0, 0]),
            (1, 8, [108, 286, 162, 281]),
            (5, 11, [923, 617, 386, 993]),
            (WORD, 0, [394, 485, 265, 678]),
            (WORD, 8, [638, 878, 161, 466]),
            (u64::MAX, 11, [446, 938, 244, 160]),
        ] {
            assert_eq!(embedding_rows(id, seed, 1000), expected, "{id} with seed {seed}");
        }
    }
}
