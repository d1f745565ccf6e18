//! Reader of shards, on a thread of its own.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::SystemTime;

use super::checksums::InputDigest;
use super::engine::is_full;
use crate::batch_pipeline::{Batch, BatchProcessor, Ticket};
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::{Error, ErrorKind, Result};
use lexpool_io::corpus::{ReadOptions, Source, Texts};

/// An event of the reader. Events of shards are sent in the order of the shards, which are given by
/// their positions.
pub(super) enum ReadEvent<P> {
    /// A batch was submitted.
    Batch(usize, Ticket<P>),
    /// A shard was read to its end, or to an error.
    End(usize, Result<InputDigest>),
    /// The reader failed; no events follow.
    Failed(Error),
}

/// Position of the shard that failed last, whose further batches are ignored.
#[derive(Clone)]
pub(super) struct FailedShard(Arc<AtomicUsize>);

impl Default for FailedShard {
    fn default() -> FailedShard {
        FailedShard(Arc::new(AtomicUsize::new(usize::MAX)))
    }
}

impl FailedShard {
    pub(super) fn is(&self, at: usize) -> bool {
        self.0.load(Ordering::Relaxed) == at
    }

    pub(super) fn set(&self, at: usize) {
        self.0.store(at, Ordering::Relaxed);
    }
}

/// Reader of shards: submits their batches, and sends events.
pub(super) struct ShardReader {
    pub(super) sources: Vec<(usize, Source)>,
    pub(super) reading: ReadOptions,
    /// The number of bytes after which a batch is complete.
    pub(super) batch_bytes: u64,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) failed_shard: FailedShard,
}

impl ShardReader {
    /// Reads all shards. `fresh` creates a processor with an empty vocab.
    pub(super) fn read<P: Send + 'static>(
        self,
        mut processor: BatchProcessor<P>,
        fresh: &dyn Fn() -> Result<BatchProcessor<P>>,
        events: &SyncSender<ReadEvent<P>>,
    ) {
        for (at, source) in &self.sources {
            let event = match self.read_one(*at, source, &mut processor, fresh, events) {
                Ok(digest) => ReadEvent::End(*at, Ok(digest)),
                Err(ReadFailure::Shard(error)) => ReadEvent::End(*at, Err(error)),
                Err(ReadFailure::Engine(error)) => ReadEvent::Failed(error),
                Err(ReadFailure::Disconnected) => return,
            };
            let is_last = matches!(event, ReadEvent::Failed(_));
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    }

    fn read_one<P: Send + 'static>(
        &self,
        at: usize,
        source: &Source,
        processor: &mut BatchProcessor<P>,
        fresh: &dyn Fn() -> Result<BatchProcessor<P>>,
        events: &SyncSender<ReadEvent<P>>,
    ) -> Result<InputDigest, ReadFailure> {
        let path = source.path().unwrap_or(Path::new(""));
        let before = size_and_time(path)?;
        let digest = InputDigest::of_file(path, &|| self.check())?;
        let mut texts = Texts::new(vec![source.clone()], self.reading);
        while let Some(batch) = Batch::read(&mut texts, self.batch_bytes, false)? {
            if self.failed_shard.is(at) {
                // The error was reported already.
                return Ok(digest);
            }
            if is_full(processor) {
                *processor = fresh().map_err(ReadFailure::Engine)?;
            }
            let ticket = processor.submit(batch).map_err(ReadFailure::Engine)?;
            events.send(ReadEvent::Batch(at, ticket)).map_err(|_| ReadFailure::Disconnected)?;
        }
        if size_and_time(path)? != before {
            let text = format!("{} was changed while it was read", shown(path));
            return Err(Error::new(ErrorKind::Io, codes::INPUT_CHANGED, text).into());
        }
        Ok(digest)
    }

    fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, "stopped"));
        }
        Ok(())
    }
}

/// Reason for which a shard was not read to its end.
enum ReadFailure {
    /// The shard is invalid.
    Shard(Error),
    /// No shard can be processed.
    Engine(Error),
    /// The receiver of the events is gone.
    Disconnected,
}

impl From<Error> for ReadFailure {
    fn from(error: Error) -> ReadFailure {
        ReadFailure::Shard(error)
    }
}

/// Returns size and modification time of a file, at least one of which changes when it is written.
fn size_and_time(path: &Path) -> Result<(u64, Option<SystemTime>)> {
    let found = fs::metadata(path).map_err(|error| Error::io("read", path, error))?;
    Ok((found.len(), found.modified().ok()))
}
