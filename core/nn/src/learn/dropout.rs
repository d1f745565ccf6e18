//! Dropout: masks of zeros and of the factor that makes up for them.

use std::sync::{Mutex, PoisonError};

use lexpool_error::Result;

use crate::infer::vectorized;
use crate::learn::random::{NumpyRandom, Philox};
use crate::learn::workers::Workers;

/// The rate of dropout, and where its random numbers come from.
#[derive(Clone, Copy, Debug)]
pub struct Dropout<'a> {
    rate: f64,
    source: Source<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    None,
    Counter(CounterMasks),
    Sequence(&'a Mutex<NumpyRandom>),
}

/// The place of a step in a training, from which the masks of all its layers follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepKey {
    /// The seed of the training.
    pub seed: u64,
    /// The number of the step.
    pub step: u32,
    /// The place of the component in its pipeline.
    pub component: u32,
}

/// Masks that are functions of the step, the layer, the row and the column.
#[derive(Clone, Copy, Debug)]
struct CounterMasks {
    generator: Philox,
    step: u32,
    /// A number of 16 bits below it drops its place.
    threshold: u32,
}

impl<'a> Dropout<'a> {
    /// No dropout: results are those of inference.
    pub const NONE: Dropout<'static> = Dropout { rate: 0.0, source: Source::None };

    /// Makes a dropout whose masks are functions of the step, the layer, the row and the column, so
    /// that neither threads nor the order of layers nor a pause change them. The rate is rounded to
    /// 16 bits.
    pub fn by_counter(rate: f64, key: StepKey) -> Dropout<'static> {
        let (rate, threshold) = in_16_bits(rate);
        #[expect(clippy::cast_possible_truncation, reason = "the halves of the seed")]
        let (low, high) = (key.seed as u32, (key.seed >> 32) as u32);
        let generator = Philox::new([low, high ^ key.component.wrapping_mul(0x9e37_79b9)]);
        let masks = CounterMasks { generator, step: key.step, threshold };
        Dropout { rate, source: Source::Counter(masks) }
    }

    /// Makes a dropout whose masks are drawn from NumPy's generator in the order in which thinc
    /// draws them, for comparisons with thinc.
    pub fn by_sequence(rate: f64, random: &'a Mutex<NumpyRandom>) -> Dropout<'a> {
        Dropout { rate: rate.max(0.0), source: Source::Sequence(random) }
    }

    /// Returns the rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns a dropout of another rate from the same random numbers.
    #[must_use]
    pub fn with_rate(self, rate: f64) -> Dropout<'a> {
        match self.source {
            Source::None => self,
            Source::Counter(masks) => {
                let (rate, threshold) = in_16_bits(rate);
                Dropout { rate, source: Source::Counter(CounterMasks { threshold, ..masks }) }
            }
            Source::Sequence(random) => Dropout::by_sequence(rate, random),
        }
    }

    /// Returns a random number from 0 to below 1 for a decision of a component, of which `layer`
    /// tells the layers apart; 0 without a generator.
    pub fn number(&self, layer: u32) -> f64 {
        match self.source {
            Source::None => 0.0,
            Source::Counter(masks) => {
                let [word, ..] = masks.generator.block([0, 0, layer, masks.step]);
                f64::from(word) / 4_294_967_296.0
            }
            Source::Sequence(random) => {
                random.lock().unwrap_or_else(PoisonError::into_inner).uniform(0.0, 1.0)
            }
        }
    }

    /// Returns whether masks are functions of their place, so that rows may be computed in any
    /// order.
    pub fn is_by_counter(&self) -> bool {
        matches!(self.source, Source::Counter(_))
    }

    /// Returns the mask of a layer for some rows, to be used forward and backward; `None` without
    /// dropout. `layer` tells the layers of a component apart.
    pub fn mask(&self, layer: u32, n_rows: usize, width: usize) -> Option<Mask> {
        #[expect(clippy::cast_possible_truncation, reason = "thinc's masks have single precision")]
        let factor = (1.0 / (1.0 - self.rate)) as f32;
        if self.rate == 0.0 {
            return None;
        }
        match self.source {
            Source::None => None,
            Source::Counter(masks) => {
                Some(Mask { width, kind: Kind::Counter(masks, layer, factor) })
            }
            Source::Sequence(random) => {
                let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
                let mut number =
                    || if random.uniform(0.0, 1.0) >= self.rate { factor } else { 0.0 };
                let numbers = (0..n_rows * width).map(|_| number()).collect();
                Some(Mask { width, kind: Kind::Numbers(numbers) })
            }
        }
    }
}

/// Rounds a rate to 16 bits, and returns it with its 65,536-fold.
fn in_16_bits(rate: f64) -> (f64, u32) {
    let rate = rate.clamp(0.0, 1.0 - 1.0 / 65_536.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "16 bits")]
    let threshold = (rate * 65_536.0).round() as u32;
    (f64::from(threshold) / 65_536.0, threshold)
}

/// The mask of a layer in a step.
#[derive(Debug)]
pub struct Mask {
    width: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Counter(CounterMasks, u32, f32),
    Numbers(Vec<f32>),
}

impl Mask {
    /// Returns the bytes of the mask's numbers; 0 for one that is a function of its place.
    pub(crate) fn n_bytes(&self) -> usize {
        match &self.kind {
            Kind::Counter(..) => 0,
            Kind::Numbers(numbers) => size_of_val(&**numbers),
        }
    }

    /// Multiplies all rows with the mask.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(crate) fn apply_all(&self, rows: &mut [f32], workers: Workers) -> Result<()> {
        const ROWS: usize = 64;
        workers.tiles(rows, ROWS * self.width, |tile, rows| self.apply(tile * ROWS, rows))
    }

    /// Multiplies rows with the mask, of which the first has the number `first`.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows, or a row is outside of the mask.
    pub fn apply(&self, first: usize, rows: &mut [f32]) {
        assert_eq!(rows.len() % self.width.max(1), 0, "rows of {} numbers", self.width);
        match &self.kind {
            Kind::Numbers(numbers) => {
                let mask = &numbers[first * self.width..][..rows.len()];
                rows.iter_mut().zip(mask).for_each(|(x, mask)| *x *= mask);
            }
            Kind::Counter(masks, layer, factor) => vectorized(
                #[inline(always)]
                || {
                    for (at, row) in rows.chunks_exact_mut(self.width.max(1)).enumerate() {
                        masks.apply(*layer, first + at, *factor, row);
                    }
                },
            ),
        }
    }

    /// Multiplies each row with the first row of the mask.
    ///
    /// # Panics
    ///
    /// If the mask has no row.
    pub(crate) fn apply_first_row(&self, rows: &mut [f32]) {
        let mut factors = vec![1.0; self.width];
        self.apply(0, &mut factors);
        for row in rows.chunks_exact_mut(self.width.max(1)) {
            row.iter_mut().zip(&factors).for_each(|(x, factor)| *x *= factor);
        }
    }
}

/// The number of counters whose words are computed together.
const LANES: usize = 4;

impl CounterMasks {
    /// Multiplies a row with its mask: eight numbers of 16 bits from each block.
    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn apply(self, layer: u32, row: usize, factor: f32, numbers: &mut [f32]) {
        // More rows than 2^32 do not fit in memory.
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        for (group, numbers) in (0..).step_by(LANES).zip(numbers.chunks_mut(8 * LANES)) {
            let mut blocks = [0; LANES];
            (group..).zip(&mut blocks).for_each(|(block, place)| *place = block);
            let counters = [[row; LANES], blocks, [layer; LANES], [self.step; LANES]];
            let words = self.generator.blocks(counters);
            let mut factors = [[0.0; 8]; LANES];
            for (lane, factors) in factors.iter_mut().enumerate() {
                for (words, pair) in words.iter().zip(factors.chunks_exact_mut(2)) {
                    let word = words[lane];
                    for (place, half) in pair.iter_mut().zip([word & 0xffff, word >> 16]) {
                        *place = if half >= self.threshold { factor } else { 0.0 };
                    }
                }
            }
            numbers.iter_mut().zip(factors.as_flattened()).for_each(|(x, factor)| *x *= factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_drops_the_rate_and_keeps_the_mean() {
        let key = StepKey { seed: 1, step: 2, component: 3 };
        for rate in [0.1, 0.25, 0.5] {
            let mask = Dropout::by_counter(rate, key).mask(7, 1_000, 96).unwrap();
            let mut rows = vec![1.0; 96_000];
            mask.apply(0, &mut rows);
            #[expect(clippy::cast_precision_loss, reason = "a small count")]
            let dropped = rows.iter().filter(|x| **x == 0.0).count() as f64 / 96_000.0;
            assert!((dropped - rate).abs() < 0.006, "{dropped} of {rate}");
            let mean = rows.iter().map(|x| f64::from(*x)).sum::<f64>() / 96_000.0;
            assert!((mean - 1.0).abs() < 0.02, "{mean}");
        }
    }

    #[test]
    fn a_mask_does_not_depend_on_the_rows_that_are_computed_together() {
        let dropout = Dropout::by_counter(0.3, StepKey { seed: 5, step: 1, component: 0 });
        let mask = dropout.mask(2, 40, 19).unwrap();
        let mut all = vec![1.0; 40 * 19];
        mask.apply(0, &mut all);
        for (at, row) in all.chunks(19).enumerate() {
            let mut alone = vec![1.0; 19];
            dropout.mask(2, 40, 19).unwrap().apply(at, &mut alone);
            assert_eq!(alone, row);
        }
    }

    #[test]
    fn steps_layers_and_components_have_masks_of_their_own() {
        let of = |seed, step, component, layer| {
            let dropout = Dropout::by_counter(0.5, StepKey { seed, step, component });
            let mut row = vec![1.0; 64];
            dropout.mask(layer, 1, 64).unwrap().apply(0, &mut row);
            row
        };
        let all = [of(0, 0, 0, 0), of(1, 0, 0, 0), of(0, 1, 0, 0), of(0, 0, 1, 0), of(0, 0, 0, 1)];
        for (at, mask) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != mask), "{at}");
        }
    }
}
