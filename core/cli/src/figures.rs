//! Formatting of numbers for people.

use std::fmt;
use std::time::Duration;

/// Formats a number with a comma between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats bytes as megabytes (10^6) with one decimal digit.
pub(super) fn megabytes(bytes: u64) -> String {
    let tenths = (u128::from(bytes) + 50_000) / 100_000;
    format!("{}.{} MB", grouped(u64::try_from(tenths / 10).unwrap_or(u64::MAX)), tenths % 10)
}

/// Returns the percentage that `part` is of `whole`.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "two digits of it are shown")]
    let (part, whole) = (part as f64, whole.max(1) as f64);
    100.0 * part / whole
}

/// An amount per second.
#[derive(Clone, Copy)]
pub(super) struct Speed(f64);

impl Speed {
    pub(super) fn new(amount: u64, time: Duration) -> Speed {
        #[expect(clippy::cast_precision_loss, reason = "a speed is a measurement")]
        Speed(amount as f64 / time.as_secs_f64().max(1e-9))
    }

    pub(super) fn per_second(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Speed {
    /// Formats a speed in bytes as megabytes per second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MB/s", self.0 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_threes() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn megabytes_are_rounded() {
        assert_eq!(megabytes(0), "0.0 MB");
        assert_eq!(megabytes(1_249_999), "1.2 MB");
        assert_eq!(megabytes(1_999_950_000), "2,000.0 MB");
        assert_eq!(megabytes(u64::MAX), "18,446,744,073,709.6 MB");
    }

    #[test]
    fn a_speed_is_finite_even_in_no_time() {
        assert_eq!(Speed::new(3_000_000, Duration::from_secs(2)).to_string(), "1.5 MB/s");
        assert!(Speed::new(1, Duration::ZERO).per_second().is_finite());
    }
}
