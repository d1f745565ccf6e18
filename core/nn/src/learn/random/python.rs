//! Python's `random`, with which spaCy shuffles examples and draws cuts.

use super::mersenne::Mersenne;

/// Python's global generator after `random.seed(n)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonRandom {
    generator: Mersenne,
}

impl PythonRandom {
    /// Makes the generator of a seed that is a whole number; Python takes its absolute value.
    ///
    /// ```
    /// use lexpool_nn::learn::PythonRandom;
    ///
    /// assert_eq!(PythonRandom::new(0).random(), 0.844_421_851_525_048_1);
    /// ```
    pub fn new(seed: u64) -> PythonRandom {
        #[expect(clippy::cast_possible_truncation, reason = "the halves of the seed")]
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let key = if high == 0 { &[low][..] } else { &[low, high] };
        PythonRandom { generator: Mersenne::from_key(key) }
    }

    /// Returns the state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.generator.to_bytes()
    }

    /// Makes a generator of the bytes that [`to_bytes`](PythonRandom::to_bytes) returned; `None`
    /// for others.
    pub fn from_bytes(bytes: &[u8]) -> Option<PythonRandom> {
        Mersenne::from_bytes(bytes).map(|generator| PythonRandom { generator })
    }

    /// Returns the next number of `random()`.
    pub fn random(&mut self) -> f64 {
        self.generator.next_double()
    }

    /// Returns the next number of `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }

    /// Returns the next number of `getrandbits(bits)`, for 1 to 64 bits; 0 for none.
    ///
    /// # Panics
    ///
    /// If there are more than 64.
    pub fn bits(&mut self, bits: u32) -> u64 {
        assert!(bits <= 64, "{bits} bits do not fit in 64");
        match bits {
            0 => 0,
            1..=32 => u64::from(self.generator.next() >> (32 - bits)),
            _ => {
                let low = u64::from(self.generator.next());
                low | u64::from(self.generator.next() >> (64 - bits)) << 32
            }
        }
    }

    /// Returns the next number of `randrange(n)`: numbers of as many bits as `n` has are drawn
    /// until one is below `n`.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a number below 0");
        let bits = u64::BITS - n.leading_zeros();
        loop {
            let number = self.bits(bits);
            if number < n {
                return number;
            }
        }
    }

    /// Shuffles items in place as `shuffle` does: Fisher and Yates from the end.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at as u64 + 1);
            items.swap(at, usize::try_from(other).expect("at most `at`"));
        }
    }
}
