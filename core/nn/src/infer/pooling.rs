//! Layers that reduce the rows of a document or a span to one row.
//!
//! Sources: `reduce_sum`, `reduce_mean`, `reduce_max`, `reduce_first` and `reduce_last` of thinc 8.

use crate::infer::sums::add;

/// A way to reduce rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The sum of each column.
    Sum,
    /// The mean of each column.
    Mean,
    /// The maximum of each column.
    Max,
    /// The first row.
    First,
    /// The last row.
    Last,
}

impl Pooling {
    /// Returns the pooling of a node's name, such as "`reduce_mean`".
    pub fn from_name(name: &str) -> Option<Pooling> {
        match name {
            "reduce_sum" => Some(Pooling::Sum),
            "reduce_mean" => Some(Pooling::Mean),
            "reduce_max" => Some(Pooling::Max),
            "reduce_first" => Some(Pooling::First),
            "reduce_last" => Some(Pooling::Last),
            _ => None,
        }
    }

    /// Reduces rows of `width` numbers to one. Without rows the result is zeros.
    ///
    /// # Panics
    ///
    /// If `width` is 0 or does not divide the number of numbers.
    ///
    /// ```
    /// use lexpool_nn::Pooling;
    ///
    /// assert_eq!(Pooling::Mean.apply(&[1.0, 2.0, 3.0, 6.0], 2), [2.0, 4.0]);
    /// ```
    pub fn apply(self, rows: &[f32], width: usize) -> Vec<f32> {
        let mut out = vec![0.0; width];
        self.apply_to(rows, &mut out);
        out
    }

    /// Reduces rows as wide as `out` to it, which is zeros.
    ///
    /// # Panics
    ///
    /// As [`apply`](Pooling::apply) does.
    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    pub(crate) fn apply_to(self, rows: &[f32], out: &mut [f32]) {
        let width = out.len();
        assert!(width > 0 && rows.len() % width == 0, "rows of {width} numbers");
        let mut all = rows.chunks_exact(width);
        match self {
            Pooling::First => all.next().into_iter().for_each(|row| out.copy_from_slice(row)),
            Pooling::Last => all.next_back().into_iter().for_each(|row| out.copy_from_slice(row)),
            Pooling::Sum => all.for_each(|row| add(out, row)),
            Pooling::Mean => {
                #[expect(clippy::cast_precision_loss, reason = "as thinc divides")]
                let share = 1.0 / all.len() as f32;
                for row in all {
                    out.iter_mut().zip(row).for_each(|(sum, number)| *sum += number * share);
                }
            }
            Pooling::Max => {
                all.next().into_iter().for_each(|row| out.copy_from_slice(row));
                for row in all {
                    for (largest, number) in out.iter_mut().zip(row) {
                        if *number > *largest {
                            *largest = *number;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::weights::tests::{bits, numbers};

    #[test]
    fn rows_are_reduced_to_the_bits_of_thinc() {
        let rows = numbers(0..20);
        for (name, expected) in [
            ("reduce_sum", [0x4024_9249, 0x3e12_4920, 0xc012_4923, 0xc096_db6e]),
            ("reduce_mean", [0x3f03_a83a, 0x3cea_0ea0, 0xbeea_0e9f, 0xbf71_5f16]),
            ("reduce_max", [0x40c9_2492, 0x409b_6db7, 0x405b_6db7, 0x40d6_db6e]),
        ] {
            let pooling = Pooling::from_name(name).unwrap();
            assert_eq!(bits(&pooling.apply(&rows, 4)), expected, "{name}");
        }
        assert_eq!(Pooling::First.apply(&rows, 4), rows[..4]);
        assert_eq!(Pooling::Last.apply(&rows, 4), rows[16..]);
        assert_eq!(Pooling::from_name("reduce_min"), None);
    }

    #[test]
    fn no_rows_are_reduced_to_zeros() {
        for pooling in [Pooling::Sum, Pooling::Mean, Pooling::Max, Pooling::First, Pooling::Last] {
            assert_eq!(pooling.apply(&[], 3), [0.0; 3], "{pooling:?}");
        }
    }
}
