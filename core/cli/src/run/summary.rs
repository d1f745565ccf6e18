//! Summary of a run.

use std::path::Path;
use std::time::Duration;

use super::shards::{Shard, ShardState};
use crate::batch_pipeline::Counts;
use crate::figures::{Speed, grouped, megabytes};
use crate::json::Json;
use lexpool::escape::shown;

/// Results of a run.
#[derive(Default)]
pub(super) struct RunResult {
    /// Counts of the shards made.
    pub(super) counts: Counts,
    pub(super) output_bytes: u64,
    /// Number of shards made and failed.
    pub(super) made: u64,
    pub(super) failed: u64,
}

pub(super) struct Summary<'a> {
    pub(super) shards: &'a [Shard],
    pub(super) result: RunResult,
    pub(super) time: Duration,
}

impl Summary<'_> {
    /// Returns the number of shards that were complete before, and of their documents and tokens.
    fn already_complete(&self) -> (u64, u64, u64) {
        self.shards.iter().fold((0, 0, 0), |(shards, documents, tokens), shard| {
            match &shard.state {
                ShardState::Complete(was) => {
                    (shards + 1, documents + was.documents, tokens + was.tokens)
                }
                _ => (shards, documents, tokens),
            }
        })
    }

    pub(super) fn to_line(&self, output: &Path) -> String {
        let Counts { documents, tokens, bytes, .. } = self.result.counts;
        let (kept, ..) = self.already_complete();
        let kept = if kept > 0 { format!(" ({} kept)", grouped(kept)) } else { String::new() };
        format!(
            "{}: {} of {} files made{kept}, {} documents, {} tokens from {} in {:.2} s ({})",
            shown(output),
            grouped(self.result.made),
            grouped(self.shards.len() as u64),
            grouped(documents),
            grouped(tokens),
            megabytes(bytes),
            self.time.as_secs_f64(),
            Speed::new(bytes, self.time)
        )
    }

    pub(super) fn to_json(&self, output: &Path) -> Json {
        let (kept, documents, tokens) = self.already_complete();
        Json::Map(vec![
            ("output", (&*output.to_string_lossy()).into()),
            ("files", self.shards.len().into()),
            ("made", self.result.made.into()),
            ("kept", kept.into()),
            ("failed", self.result.failed.into()),
            ("documents", (self.result.counts.documents + documents).into()),
            ("tokens", (self.result.counts.tokens + tokens).into()),
            ("bytes", self.result.counts.bytes.into()),
            ("output_bytes", self.result.output_bytes.into()),
            ("seconds", Json::Float(self.time.as_secs_f64(), 6)),
        ])
    }
}
