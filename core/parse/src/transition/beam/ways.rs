//! The ways that a beam may go on, of which it takes the best.

use std::cmp::Ordering;

/// A way to go on from a parse: its score then, and parse and class as one number.
pub(super) type Entry = (f32, usize);

/// Ways to go on; beyond a number of them only the best are kept.
pub(super) struct Ways {
    /// In order, the best first, if only so many are kept as are soon passed.
    kept: Vec<Entry>,
    most: usize,
}

impl Ways {
    /// So many are kept in order; of more the order is made at the end.
    const SORTED: usize = 32;

    pub(super) fn new(most: usize) -> Ways {
        Ways { kept: Vec::new(), most: if most <= Ways::SORTED { most } else { usize::MAX } }
    }

    /// A sum that is no number, of infinite scores, is no way.
    #[inline]
    pub(super) fn add(&mut self, way: Entry) {
        if way.0.is_nan() {
            return;
        }
        if self.most == usize::MAX {
            self.kept.push(way);
            return;
        }
        if self.kept.len() == self.most {
            if self.kept.last().is_some_and(|last| order(last, &way).is_lt()) {
                return;
            }
            self.kept.pop();
        }
        let at = self.kept.partition_point(|kept| order(kept, &way).is_lt());
        self.kept.insert(at, way);
    }

    /// The best of them, the best first, without those that are too improbable.
    pub(super) fn best(mut self, width: usize, density: f32) -> Vec<Entry> {
        self.keep_dense(density);
        if self.kept.len() > width {
            self.kept.select_nth_unstable_by(width, order);
            self.kept.truncate(width);
        }
        self.kept.sort_unstable_by(order);
        self.kept
    }

    /// Drops ways that are too improbable.
    fn keep_dense(&mut self, density: f32) {
        if density == 0.0 {
            return;
        }
        let max =
            self.kept.iter().fold(f64::NEG_INFINITY, |max, (score, _)| max.max(f64::from(*score)));
        let sum: f64 = self.kept.iter().map(|(score, _)| weight(*score, max)).sum();
        let cutoff = (1.0 / sum) * f64::from(density);
        self.kept.retain(|(score, _)| weight(*score, max) / sum >= cutoff);
    }
}

/// How probable a score is beside the highest one, for which it is 1, though it be infinite.
#[expect(clippy::float_cmp, reason = "the highest is one of the scores")]
pub(super) fn weight(score: f32, max: f64) -> f64 {
    let score = f64::from(score);
    if score == max { 1.0 } else { (score - max).exp() }
}

/// The higher score first; among equals the later state and class, as a heap of pairs gives them.
fn order((a, i): &Entry, (b, j): &Entry) -> Ordering {
    b.partial_cmp(a).unwrap_or(Ordering::Equal).then(j.cmp(i))
}
