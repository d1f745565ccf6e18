//! `numpy.random`, NumPy's legacy generator, as thinc uses it: for initialization and dropout.

use super::mersenne::Mersenne;

/// NumPy's global generator after `numpy.random.seed`.
#[derive(Clone, Debug, PartialEq)]
pub struct NumpyRandom {
    generator: Mersenne,
    /// The second number of the last pair of the polar method.
    next_normal: Option<f64>,
}

impl NumpyRandom {
    /// Makes the generator of a seed.
    ///
    /// ```
    /// use lexpool_nn::learn::NumpyRandom;
    ///
    /// assert_eq!(NumpyRandom::new(0).uniform(0.0, 1.0), 0.548_813_503_927_324_8);
    /// ```
    pub fn new(seed: u32) -> NumpyRandom {
        NumpyRandom { generator: Mersenne::from_seed(seed), next_normal: None }
    }

    /// Returns the next number of `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.generator.next_double()
    }

    /// Returns the next number of `normal(mean, deviation)`, by the polar method of Marsaglia.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        mean + deviation * self.standard_normal()
    }

    /// Returns the state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.next_normal.map_or(Vec::new(), |number| number.to_le_bytes().to_vec());
        bytes.extend(self.generator.to_bytes());
        bytes
    }

    /// Makes a generator of the bytes that [`to_bytes`](NumpyRandom::to_bytes) returned; `None` for
    /// others.
    pub fn from_bytes(bytes: &[u8]) -> Option<NumpyRandom> {
        if let Some(generator) = Mersenne::from_bytes(bytes) {
            return Some(NumpyRandom { generator, next_normal: None });
        }
        let (number, rest) = bytes.split_first_chunk()?;
        let generator = Mersenne::from_bytes(rest)?;
        Some(NumpyRandom { generator, next_normal: Some(f64::from_le_bytes(*number)) })
    }

    fn standard_normal(&mut self) -> f64 {
        if let Some(number) = self.next_normal.take() {
            return number;
        }
        loop {
            let x = 2.0 * self.generator.next_double() - 1.0;
            let y = 2.0 * self.generator.next_double() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.next_normal = Some(factor * x);
                return factor * y;
            }
        }
    }
}
