//! The documents of a corpus as rows of its batches.

use std::ops::Range;

use super::{Corpus, Rows};

/// Documents that follow each other in one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) batch: usize,
    pub(super) rows: Range<usize>,
}

impl Corpus {
    /// All documents in order, as few runs as there can be. Cost: one search a run.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        match &self.rows {
            Rows::Range(range) => self.push_runs(range.clone(), &mut runs),
            Rows::Some(rows) => {
                for chunk in rows.chunk_by(|before, next| before.checked_add(1) == Some(*next)) {
                    self.push_runs(chunk[0]..chunk[0] + chunk.len(), &mut runs);
                }
            }
        }
        runs
    }

    fn push_runs(&self, mut range: Range<usize>, runs: &mut Vec<Run>) {
        while !range.is_empty() {
            let batch = self.file.batch_of(range.start);
            let (start, end) = (self.file.start(batch), self.file.start(batch + 1));
            let end = end.min(range.end);
            runs.push(Run { batch, rows: range.start - start..end - start });
            range.start = end;
        }
    }
}
