//! Candidates: the next steps of all parses of a beam, of which it takes the best.

use std::cmp::Ordering;

use lexpool_error::Result;

/// A step from a parse: its score after it, and parse and class as one number.
pub(super) type Candidate = (f32, usize);

/// The candidates of one step, of which the best are kept.
pub(super) struct Candidates {
    /// Sorted, the best first, if at most `SORTED` are kept.
    kept: Vec<Candidate>,
    max: usize,
}

impl Candidates {
    /// Maximum number that is kept sorted by insertion; more are sorted at the end.
    const SORTED: usize = 32;

    pub(super) fn new(max: usize) -> Candidates {
        Candidates {
            kept: Vec::new(),
            max: if max <= Candidates::SORTED { max } else { usize::MAX },
        }
    }

    /// Takes memory for some more candidates.
    ///
    /// # Errors
    ///
    /// `out-of-memory` if the system refuses it.
    pub(super) fn reserve(&mut self, more: usize) -> Result<()> {
        let room = self.max.saturating_sub(self.kept.len());
        Ok(self.kept.try_reserve(more.min(room))?)
    }

    /// A sum that is NaN, from infinite scores, is skipped.
    #[inline]
    pub(super) fn add(&mut self, candidate: Candidate) {
        if candidate.0.is_nan() {
            return;
        }
        if self.max == usize::MAX {
            self.kept.push(candidate);
            return;
        }
        if self.kept.len() == self.max {
            if self.kept.last().is_some_and(|last| order(last, &candidate).is_lt()) {
                return;
            }
            self.kept.pop();
        }
        let at = self.kept.partition_point(|kept| order(kept, &candidate).is_lt());
        self.kept.insert(at, candidate);
    }

    /// The best of them, the best first, without those that are too improbable.
    pub(super) fn best(mut self, width: usize, density: f32) -> Vec<Candidate> {
        self.keep_dense(density);
        if self.kept.len() > width {
            self.kept.select_nth_unstable_by(width, order);
            self.kept.truncate(width);
        }
        self.kept.sort_unstable_by(order);
        self.kept
    }

    /// Drops candidates that are too improbable.
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

/// Returns the probability of a score relative to the highest one, which has 1 even if infinite.
#[expect(clippy::float_cmp, reason = "the highest is one of the scores")]
pub(super) fn weight(score: f32, max: f64) -> f64 {
    let score = f64::from(score);
    if score == max { 1.0 } else { (score - max).exp() }
}

/// The higher score first; among equals the later state and class, as a heap of pairs gives them.
fn order((a, i): &Candidate, (b, j): &Candidate) -> Ordering {
    b.partial_cmp(a).unwrap_or(Ordering::Equal).then(j.cmp(i))
}
