//! Predictions of bits, mixed from those of several contexts.
//!
//! Logistic mixing, as in PAQ8: Knoll and de Freitas (2012), "A machine learning perspective on
//! predictive coding with PAQ8". Each context predicts a bit, the logarithms of the odds are added
//! with weights, and the weights follow the error of the sum. All numbers are whole, so that each
//! machine decodes alike.

/// The number of contexts of a bit.
pub(super) const CONTEXTS: usize = 4;

/// The number of predictions of a line.
pub(super) const SLOTS: usize = 32;

/// The number of lines, a power of two: 4 MiB in all, while a list is coded.
const LINES: usize = 1 << 16;

/// The bound of the logarithm of odds, where 256 is 1.
const MAX_LOG_ODDS: i32 = 2047;

/// The range of probabilities.
const ONE: usize = 1 << 12;

/// Bits in one direction: written or read, by arithmetic coding.
pub(super) trait BitCoder {
    /// Codes a bit, given the probability of a 1, of 65,536. A reader ignores the given bit.
    fn code(&mut self, bit: bool, probability: u32) -> bool;
}

/// Divides an interval by a probability: returns the last number of the part of a 1.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a part of an interval of 32 bits")]
pub(super) fn split(low: u32, high: u32, probability: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(probability)) >> 16) as u32
}

/// A prediction: the probability of a 1 in 12 bits, less a half, then the number of bits seen, up
/// to 15. So a new one is 0.
type Prediction = u16;

/// The probability of a new prediction.
const HALF: Prediction = 1 << 15;

/// Predictions that are used together, as many as fit into a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([Prediction; SLOTS]);

/// The numbers of lines, one a context.
pub(super) type Lines = [u32; CONTEXTS];

/// Predictions of bits, which follow the bits that are coded.
pub(super) struct Predictor {
    lines: Box<[Line; LINES]>,
    /// By slot and the last context that has seen bits, the weights of contexts, of 65,536.
    weights: [[[i32; CONTEXTS]; CONTEXTS + 1]; SLOTS],
    /// The logarithm of odds by probability, and the inverse.
    log_odds: [i16; ONE],
    probabilities: [u16; ONE],
    /// By the number of bits seen, the part of an error by which a probability is corrected, of
    /// 65,536.
    rates: [i32; 16],
    /// By the number of bits seen, the factor of the logarithm of odds, of 256.
    trust: [i32; 16],
}

impl Predictor {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "numbers of 12 bits"
    )]
    pub(super) fn new() -> Predictor {
        let probabilities = std::array::from_fn(|at| logistic(at as i32 - MAX_LOG_ODDS - 1));
        let mut log_odds = [0; ONE];
        let mut next = 0;
        for (at, probability) in probabilities.iter().enumerate().skip(1) {
            let end = log_odds.len().min(usize::from(*probability) + 1);
            let range = log_odds.get_mut(next..end).unwrap_or_default();
            range.fill((at as i32 - MAX_LOG_ODDS - 1) as i16);
            next = next.max(end);
        }
        log_odds[next..].fill(MAX_LOG_ODDS as i16);
        let seen: [i32; 16] = std::array::from_fn(|seen| seen as i32);
        let lines = vec![Line([0; SLOTS]); LINES].into_boxed_slice();
        let Ok(lines) = lines.try_into() else { unreachable!("a box of as many lines") };
        Predictor {
            lines,
            weights: [[[20_000; CONTEXTS]; CONTEXTS + 1]; SLOTS],
            log_odds,
            probabilities,
            rates: seen.map(|seen| 655_360 / (10 * seen + 16)),
            trust: seen.map(|seen| if seen == 0 { 0 } else { 90 + 166 * seen / (seen + 1) }),
        }
    }

    /// Codes a bit by the predictions at a slot of lines, and corrects them.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "numbers of 12 bits"
    )]
    pub(super) fn code(
        &mut self,
        coder: &mut impl BitCoder,
        bit: bool,
        lines: &Lines,
        slot: usize,
    ) -> bool {
        let slot = slot & (SLOTS - 1);
        let mut predictions = [0; CONTEXTS];
        let mut inputs = [0; CONTEXTS];
        let mut last = 0;
        for i in 0..CONTEXTS {
            let prediction = self.lines[lines[i] as usize & (LINES - 1)].0[slot] ^ HALF;
            let seen = usize::from(prediction & 0xF);
            let log_odds = i32::from(self.log_odds[usize::from(prediction >> 4)]);
            predictions[i] = prediction;
            inputs[i] = (log_odds * self.trust[seen]) >> 8;
            last = if seen > 0 { i + 1 } else { last };
        }
        let weights = &mut self.weights[slot][last];
        let mut sum = 0_i32;
        for i in 0..CONTEXTS {
            sum = sum.wrapping_add(inputs[i].wrapping_mul(weights[i]) >> 8);
        }
        let sum = (sum >> 8).clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS) + MAX_LOG_ODDS + 1;
        let probability = self.probabilities[sum as usize & (ONE - 1)];
        let bit = coder.code(bit, u32::from(probability) << 4);

        let target = if bit { ONE as i32 - 1 } else { 0 };
        let error = 10 * (target - i32::from(probability));
        for i in 0..CONTEXTS {
            weights[i] = weights[i].wrapping_add((inputs[i] * error + (1 << 13)) >> 14);
        }
        for i in 0..CONTEXTS {
            let (old, seen) = (i32::from(predictions[i] >> 4), predictions[i] & 0xF);
            let change = (target - old) * self.rates[usize::from(seen)];
            let new = (old + ((change + (1 << 15)) >> 16)) as u16;
            self.lines[lines[i] as usize & (LINES - 1)].0[slot] =
                ((new << 4) | (seen + 1).min(15)) ^ HALF;
        }
        bit
    }
}

/// Returns the probability of odds, given by their logarithm: between numbers of a table.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of 12 bits, that are not negative"
)]
fn logistic(log_odds: i32) -> u16 {
    const VALUES: [i32; 33] = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994,
        3348, 3607, 3785, 3901, 3975, 4024, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ];
    let (at, part) = (((log_odds >> 7) + 16) as usize & 31, log_odds & 0x7F);
    ((VALUES[at] * (128 - part) + VALUES[at + 1] * part + 64) >> 7) as u16
}
