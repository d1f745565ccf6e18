//! Batch pipeline: reads texts on one thread, processes batches on a thread pool, and yields the
//! results in order on the calling thread.
//!
//! The reader submits batches to the work queue of the pool and sends a ticket for each through a
//! channel, whose capacity bounds the batches in memory. A batch is one task, which also encodes
//! its documents, so that a long document occupies one thread while the others go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::failure::Check;
use lexpool::codes;
use lexpool::corpus::{SourceLocation, Texts};
use lexpool::threads;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result};

/// Converts documents, read from these locations, to a piece of output. The flag is set once the
/// piece is not needed.
pub(super) type MakePiece<P> =
    Arc<dyn Fn(&mut [Doc], &[SourceLocation], &AtomicBool) -> Result<P> + Send + Sync>;

/// The result of a batch.
pub(super) struct BatchResult<P> {
    pub(super) piece: P,
    pub(super) counts: Counts,
}

/// Counts of processed texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) documents: u64,
    pub(super) tokens: u64,
    pub(super) characters: u64,
    /// Bytes read, line ends included.
    pub(super) bytes: u64,
}

/// Processing of a batch: tokenizes its texts, and converts the documents to a piece of output.
pub(super) struct BatchProcessor<P> {
    pub(super) tokenizer: Arc<Tokenizer>,
    pub(super) make: MakePiece<P>,
    /// Number of threads; 0 for one per core.
    pub(super) threads: usize,
}

/// A pipeline of batches.
pub(super) struct BatchPipeline<P> {
    pub(super) processor: BatchProcessor<P>,
    /// The number of bytes after which a batch is complete.
    pub(super) batch_bytes: u64,
    /// Set to finish a batch early if reading more of the standard input could block.
    pub(super) prompt: bool,
}

/// The usual number of bytes after which a batch is complete.
pub(super) const BATCH_BYTES: u64 = 256 << 10;
/// Texts after which a batch is complete.
const BATCH_TEXTS: usize = 1 << 12;
/// Interval between checks for an interruption.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl<P: Send + 'static> BatchPipeline<P> {
    /// Processes all texts, or stops at the first error. Calls `sink` with the results in order.
    ///
    /// After an error, the reader thread may remain blocked on the standard input, holding nothing
    /// but its buffer.
    pub(super) fn run(
        self,
        texts: Texts,
        check: Check<'_>,
        sink: &mut dyn FnMut(BatchResult<P>) -> Result<()>,
    ) -> Result<()> {
        let (send, tickets) = mpsc::sync_channel(self.processor.threads());
        let stop = StopGuard::default();
        let stopped = Arc::clone(&stop.0);
        spawn_reader(move || self.read(texts, &stopped, &send))?;
        while let Some(ticket) = wait(&tickets, check)? {
            sink(wait(&ticket?, check)?.unwrap_or_else(|| Err(worker_lost()))?)?;
        }
        Ok(())
    }

    /// Reads batches and submits them, until the receiver of the tickets is gone.
    fn read(
        self,
        mut texts: Texts,
        stop: &Arc<AtomicBool>,
        tickets: &SyncSender<Result<Ticket<P>>>,
    ) {
        loop {
            let submitted = match Batch::read(&mut texts, self.batch_bytes, self.prompt) {
                Ok(None) => return,
                Ok(Some(batch)) => self.processor.submit(batch, stop),
                Err(error) => Err(error),
            };
            let failed = submitted.is_err();
            if tickets.send(submitted).is_err() || failed {
                return;
            }
        }
    }
}

/// Ticket of a submitted batch: receives its result.
pub(super) type Ticket<P> = Receiver<Result<BatchResult<P>>>;

impl<P: Send + 'static> BatchProcessor<P> {
    /// Returns the number of threads.
    pub(super) fn threads(&self) -> usize {
        if self.threads == 0 { threads::all_cores() } else { self.threads }
    }

    /// Submits a batch to the thread pool.
    pub(super) fn submit(&self, batch: Batch, stop: &Arc<AtomicBool>) -> Result<Ticket<P>> {
        let (send, ticket) = mpsc::sync_channel(1);
        let (tokenizer, make, stop) =
            (Arc::clone(&self.tokenizer), Arc::clone(&self.make), Arc::clone(stop));
        let threads = self.threads();
        threads::spawn(threads, move || {
            // The receiver is gone after an error.
            let _ = send.send(batch.process(&tokenizer, &make, threads, &stop));
        })?;
        Ok(ticket)
    }
}

/// Starts the reader thread.
#[expect(clippy::disallowed_methods, reason = "the command does not fork")]
pub(super) fn spawn_reader(read: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = thread::Builder::new().name("lexpool-reader".to_owned()).spawn(read);
    started.map(drop).map_err(|error| {
        let text = format!("cannot start a thread: {error}");
        Error::new(ErrorKind::Memory, codes::THREADS, text).caused_by(error)
    })
}

/// Texts that are processed together.
pub(super) struct Batch {
    texts: Vec<Text>,
    locations: Vec<SourceLocation>,
    bytes: u64,
}

impl Batch {
    /// Reads the next texts; returns `None` at the end.
    pub(super) fn read(texts: &mut Texts, bytes: u64, prompt: bool) -> Result<Option<Batch>> {
        let mut batch = Batch { texts: Vec::new(), locations: Vec::new(), bytes: 0 };
        while batch.bytes < bytes && batch.texts.len() < BATCH_TEXTS {
            if prompt && !batch.texts.is_empty() && texts.may_wait() {
                break;
            }
            let Some(read) = texts.next().transpose()? else { break };
            batch.texts.push(Text::Owned(read.text));
            batch.locations.push(read.location);
            batch.bytes += read.bytes;
        }
        Ok((!batch.texts.is_empty()).then_some(batch))
    }

    fn process<P>(
        self,
        tokenizer: &Tokenizer,
        make: &MakePiece<P>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<BatchResult<P>> {
        let docs = tokenizer.tokenize_all(self.texts, threads, stop)?;
        let docs = docs.into_iter().zip(&self.locations);
        let docs = docs.map(|(doc, place)| doc.map_err(|error| error.context(place)));
        let mut docs = docs.collect::<Result<Vec<_>>>()?;
        let counts = Counts {
            documents: docs.len() as u64,
            tokens: docs.iter().map(|doc| doc.len() as u64).sum(),
            characters: docs.iter().map(characters).sum(),
            bytes: self.bytes,
        };
        Ok(BatchResult { piece: make(&mut docs, &self.locations, stop)?, counts })
    }
}

/// Returns the number of characters. Tokens tile the text, so it is the end of the last one.
fn characters(doc: &Doc) -> u64 {
    let last = doc.iter().next_back();
    last.map_or(0, |last| (last.end_char() + last.whitespace().len()) as u64)
}

/// Waits for a value, checking for interruptions; returns `None` if the sender is gone.
pub(super) fn wait<T>(receiver: &Receiver<T>, check: Check<'_>) -> Result<Option<T>> {
    loop {
        check()?;
        match receiver.recv_timeout(CHECK_INTERVAL) {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Returns the error for a batch whose worker ended without a result.
pub(super) fn worker_lost() -> Error {
    let text = "a worker ended before its batch was done; this is a bug in lexpool";
    Error::new(ErrorKind::State, codes::WORKER_LOST, text)
}

/// Stops the workers on drop, however the pipeline ends.
#[derive(Default)]
pub(super) struct StopGuard(pub(super) Arc<AtomicBool>);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.documents += other.documents;
        self.tokens += other.tokens;
        self.characters += other.characters;
        self.bytes += other.bytes;
    }
}
