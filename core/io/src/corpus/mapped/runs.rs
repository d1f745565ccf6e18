//! Runs of consecutive rows of a corpus.

use std::ops::Range;

use super::corpus::{Corpus, RowSelection};

/// Consecutive rows of one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowRun {
    pub(super) batch: usize,
    pub(super) rows: Range<usize>,
}

impl Corpus {
    /// Returns all documents in order, in as few runs as possible. Cost: one search per run.
    pub(super) fn runs(&self) -> Vec<RowRun> {
        let mut runs = Vec::new();
        match &self.rows {
            RowSelection::Range(range) => self.push_runs(range.clone(), &mut runs),
            RowSelection::Positions(rows) => {
                for chunk in rows.chunk_by(|before, next| before.checked_add(1) == Some(*next)) {
                    self.push_runs(chunk[0]..chunk[0] + chunk.len(), &mut runs);
                }
            }
        }
        runs
    }

    fn push_runs(&self, mut range: Range<usize>, runs: &mut Vec<RowRun>) {
        while !range.is_empty() {
            let batch = self.file.batch_of(range.start);
            let (start, end) = (self.file.start(batch), self.file.start(batch + 1));
            let end = end.min(range.end);
            runs.push(RowRun { batch, rows: range.start - start..end - start });
            range.start = end;
        }
    }
}
