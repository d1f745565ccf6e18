//! Numbers as `srsly`'s ujson writes them, in which spaCy packs a knowledge base: ten decimals, so
//! small numbers lose digits.

use std::fmt::Write;

/// The number of decimals.
const DECIMALS: usize = 10;
const SCALE: f64 = 1e10;
/// Numbers above have an exponent.
const LARGEST_PLAIN: f64 = 1e16 - 1.0;

/// Appends a finite number, rounded to ten decimals, or to sixteen digits from 10¹⁶ on.
///
/// Half a unit of the last decimal is rounded to even, but away from zero where the decimals before
/// are all 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "the integer parts are taken below 10¹⁶, and ties are exact"
)]
pub(super) fn push_number(out: &mut String, number: f64) {
    let size = number.abs();
    if size > LARGEST_PLAIN {
        let text = format!("{number:.15e}");
        let (digits, exponent) = text.split_once('e').expect("a number with an exponent");
        write!(out, "{digits}e+{exponent}").expect("a string grows");
        return;
    }
    let mut whole = size as u64;
    let scaled = (size - whole as f64) * SCALE;
    let mut decimals = scaled as u64;
    let rest = scaled - decimals as f64;
    if rest > 0.5 {
        decimals += 1;
        if decimals as f64 >= SCALE {
            (decimals, whole) = (0, whole + 1);
        }
    } else if rest == 0.5 && (decimals == 0 || decimals % 2 == 1) {
        decimals += 1;
    }
    if number < 0.0 {
        out.push('-');
    }
    write!(out, "{whole}.").expect("a string grows");
    let from = out.len();
    write!(out, "{decimals:0DECIMALS$}").expect("a string grows");
    let digits = out.trim_end_matches('0').len();
    out.truncate(digits.max(from + 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(number: f64) -> String {
        let mut out = String::new();
        push_number(&mut out, number);
        out
    }

    #[test]
    fn numbers_are_written_as_ujson_writes_them() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (-1e-30, "-0.0"),
            (5.0, "5.0"),
            (-1.5, "-1.5"),
            (f64::from(0.1_f32), "0.1000000015"),
            (f64::from(33.3_f32), "33.2999992371"),
            (123_456.789, "123456.789"),
            (1e-7, "0.0000001"),
            (2.429_437_540_030_221_5e-9, "0.0000000024"),
            (0.999_999_999_99, "1.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "10000000000000000.0"),
            (1e17, "1.000000000000000e+17"),
            (f64::from(f32::MAX), "3.402823466385289e+38"),
            (-3.450_221_748_277_372_5e21, "-3.450221748277373e+21"),
        ];
        for (number, text) in cases {
            assert_eq!(written(number), text);
        }
    }
}
