//! The generator MT19937: Matsumoto and Nishimura (1998), "Mersenne Twister".

/// The number of words of the state.
const N: usize = 624;
/// The distance of the words that are combined.
const M: usize = 397;

/// The state of the generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mersenne {
    words: [u32; N],
    /// The next word that is tempered; at most `N`.
    at: usize,
}

impl Mersenne {
    /// Makes a generator by `init_genrand`.
    pub(super) fn from_seed(seed: u32) -> Mersenne {
        let mut words = [0; N];
        words[0] = seed;
        for at in 1..N {
            let before: u32 = words[at - 1];
            let number = u32::try_from(at).expect("fewer than 625");
            words[at] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(number);
        }
        Mersenne { words, at: N }
    }

    /// Makes a generator by `init_by_array`. An empty key is that of one zero.
    pub(super) fn from_key(key: &[u32]) -> Mersenne {
        let key = if key.is_empty() { &[0] } else { key };
        let mut words = Mersenne::from_seed(19_650_218).words;
        let (mut at, mut in_key) = (1, 0);
        let mix = |words: &[u32; N], at: usize, factor: u32| {
            let before = words[at - 1];
            words[at] ^ (before ^ (before >> 30)).wrapping_mul(factor)
        };
        for _ in 0..N.max(key.len()) {
            let number = u32::try_from(in_key).unwrap_or(u32::MAX);
            words[at] = mix(&words, at, 1_664_525).wrapping_add(key[in_key]).wrapping_add(number);
            at += 1;
            in_key = (in_key + 1) % key.len();
            if at == N {
                words[0] = words[N - 1];
                at = 1;
            }
        }
        for _ in 1..N {
            let number = u32::try_from(at).expect("fewer than 625");
            words[at] = mix(&words, at, 1_566_083_941).wrapping_sub(number);
            at += 1;
            if at == N {
                words[0] = words[N - 1];
                at = 1;
            }
        }
        words[0] = 0x8000_0000;
        Mersenne { words, at: N }
    }

    /// Returns the next 32 bits.
    pub(super) fn next(&mut self) -> u32 {
        if self.at >= N {
            self.renew();
        }
        let mut word = self.words[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// Returns a number of 53 random bits from 0 to below 1.
    pub(super) fn next_double(&mut self) -> f64 {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    fn renew(&mut self) {
        for at in 0..N {
            let bits = (self.words[at] & 0x8000_0000) | (self.words[(at + 1) % N] & 0x7fff_ffff);
            let odd = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + M) % N] ^ (bits >> 1) ^ odd;
        }
        self.at = 0;
    }

    /// Returns the state as bytes: its words, and the place in them.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let place = u32::try_from(self.at).unwrap_or(u32::MAX);
        self.words.iter().chain([&place]).flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Makes a generator of bytes; `None` unless they are a state.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Mersenne> {
        let all = bytes.chunks_exact(4);
        let is_whole = all.remainder().is_empty();
        let all: Vec<u32> =
            all.filter_map(|word| word.try_into().ok()).map(u32::from_le_bytes).collect();
        let (words, [at]) = all.split_first_chunk::<N>()? else { return None };
        let at = usize::try_from(*at).ok().filter(|at| *at <= N && is_whole)?;
        Some(Mersenne { words: *words, at })
    }
}
