//! Philox4x32-10, a generator without a state: its numbers are a function of a key and a counter.
//!
//! Source: Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3".

/// The key of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Philox {
    key: [u32; 2],
}

impl Philox {
    /// Makes a generator of a key.
    pub(crate) fn new(key: [u32; 2]) -> Philox {
        Philox { key }
    }

    /// Returns the 128 bits of a counter.
    #[inline]
    pub(crate) fn block(self, counter: [u32; 4]) -> [u32; 4] {
        self.blocks(counter.map(|word| [word])).map(|[word]| word)
    }

    /// Returns the bits of `N` counters, which are given and returned word by word, so that a
    /// register has the same word of several counters.
    // Compiled for the instructions of its caller.
    #[inline(always)]
    pub(crate) fn blocks<const N: usize>(self, counters: [[u32; N]; 4]) -> [[u32; N]; 4] {
        const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
        const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
        let (mut words, mut key) = (counters, self.key);
        for _ in 0..10 {
            let before = words;
            for lane in 0..N {
                let first = u64::from(before[0][lane]) * u64::from(FACTORS[0]);
                let second = u64::from(before[2][lane]) * u64::from(FACTORS[1]);
                #[expect(clippy::cast_possible_truncation, reason = "the halves of a product")]
                let halves = |product: u64| ((product >> 32) as u32, product as u32);
                let ((high_0, low_0), (high_1, low_1)) = (halves(first), halves(second));
                words[0][lane] = high_1 ^ before[1][lane] ^ key[0];
                words[1][lane] = low_1;
                words[2][lane] = high_0 ^ before[3][lane] ^ key[1];
                words[3][lane] = low_0;
            }
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_authors_test_vectors() {
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, expected) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (pi, [0xa409_3822, 0x299f_31d0], [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
        ] {
            assert_eq!(Philox::new(key).block(counter), expected);
        }
    }
}
