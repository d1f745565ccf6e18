//! Texts through the tokenizer: read on one thread, worked on by all, given out in order on this.
//!
//! The reader hands batches to the thread pool and puts a receipt for each in a short queue; the
//! queue's length bounds what is in memory. Each batch is one task, which also brings the documents
//! into their form, so that a long document keeps one thread busy and not the others waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::Check;
use lexpool::corpus::{SourceLocation, Texts};
use lexpool::threads;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result};

/// What documents become, which were read from these places.
pub(super) type Make<P> = Arc<dyn Fn(&mut [Doc], &[SourceLocation]) -> Result<P> + Send + Sync>;

/// What a batch has become.
pub(super) struct Done<P> {
    pub(super) piece: P,
    pub(super) tally: Tally,
}

/// How much there was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) documents: u64,
    pub(super) tokens: u64,
    pub(super) characters: u64,
    /// As they were read, line ends included.
    pub(super) bytes: u64,
}

/// What is done with a batch of texts.
pub(super) struct Work<P> {
    pub(super) tokenizer: Arc<Tokenizer>,
    pub(super) make: Make<P>,
    /// 0 for one a core.
    pub(super) threads: usize,
}

/// How texts are to be worked on.
pub(super) struct Pump<P> {
    pub(super) work: Work<P>,
    /// Whether what is there is to be given out before more of the standard input is waited for.
    pub(super) prompt: bool,
}

/// A batch is closed when it holds so many bytes, or texts.
const BATCH_BYTES: u64 = 256 << 10;
const BATCH_TEXTS: usize = 1 << 12;
/// How long an interruption may go unnoticed.
pub(super) const GLANCE: Duration = Duration::from_millis(50);

impl<P: Send + 'static> Pump<P> {
    /// Runs to the end of the texts, or to the first error. `sink` gets the batches in order.
    ///
    /// On an error the reader may be left waiting for the standard input; it keeps nothing but
    /// its buffer.
    pub(super) fn run(
        self,
        texts: Texts,
        check: Check<'_>,
        sink: &mut dyn FnMut(Done<P>) -> Result<()>,
    ) -> Result<()> {
        let (send, receipts) = mpsc::sync_channel(self.work.threads());
        let stop = Stop::default();
        let stopped = Arc::clone(&stop.0);
        spawn(move || self.read(texts, &stopped, &send))?;
        while let Some(receipt) = wait(&receipts, check)? {
            sink(wait(&receipt?, check)?.unwrap_or_else(|| Err(lost()))?)?;
        }
        Ok(())
    }

    /// Reads batches and hands them to the pool until nobody wants them any more.
    fn read(
        self,
        mut texts: Texts,
        stop: &Arc<AtomicBool>,
        receipts: &SyncSender<Result<Receipt<P>>>,
    ) {
        loop {
            let submitted = match Batch::read(&mut texts, self.prompt) {
                Ok(None) => return,
                Ok(Some(batch)) => self.work.submit(batch, stop),
                Err(error) => Err(error),
            };
            let failed = submitted.is_err();
            if receipts.send(submitted).is_err() || failed {
                return;
            }
        }
    }
}

/// What a batch will have become.
pub(super) type Receipt<P> = Receiver<Result<Done<P>>>;

impl<P: Send + 'static> Work<P> {
    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        if self.threads == 0 { threads::all_cores() } else { self.threads }
    }

    /// Hands a batch to the threads.
    pub(super) fn submit(&self, batch: Batch, stop: &Arc<AtomicBool>) -> Result<Receipt<P>> {
        let (send, receipt) = mpsc::sync_channel(1);
        let (tokenizer, make, stop) =
            (Arc::clone(&self.tokenizer), Arc::clone(&self.make), Arc::clone(stop));
        let threads = self.threads();
        threads::spawn(threads, move || {
            // Nobody waits any more after an error.
            let _ = send.send(batch.work(&tokenizer, &make, threads, &stop));
        })?;
        Ok(receipt)
    }
}

/// Starts the thread that reads.
#[expect(clippy::disallowed_methods, reason = "the command does not fork")]
pub(super) fn spawn(read: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = thread::Builder::new().name("lexpool-reader".to_owned()).spawn(read);
    started.map(drop).map_err(|error| {
        let text = format!("cannot start a thread: {error}");
        Error::new(ErrorKind::Memory, "threads", text).caused_by(error)
    })
}

/// Texts that are worked on at once.
pub(super) struct Batch {
    texts: Vec<Text>,
    places: Vec<SourceLocation>,
    bytes: u64,
}

impl Batch {
    /// The texts that come next; none at the end.
    pub(super) fn read(texts: &mut Texts, prompt: bool) -> Result<Option<Batch>> {
        let mut batch = Batch { texts: Vec::new(), places: Vec::new(), bytes: 0 };
        while batch.bytes < BATCH_BYTES && batch.texts.len() < BATCH_TEXTS {
            if prompt && !batch.texts.is_empty() && texts.may_wait() {
                break;
            }
            let Some(read) = texts.next().transpose()? else { break };
            batch.texts.push(Text::Owned(read.text));
            batch.places.push(read.location);
            batch.bytes += read.bytes;
        }
        Ok((!batch.texts.is_empty()).then_some(batch))
    }

    fn work<P>(
        self,
        tokenizer: &Tokenizer,
        make: &Make<P>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<Done<P>> {
        let docs = tokenizer.tokenize_all(self.texts, threads, stop)?;
        let docs = docs.into_iter().zip(&self.places);
        let docs = docs.map(|(doc, place)| doc.map_err(|error| error.context(place)));
        let mut docs = docs.collect::<Result<Vec<_>>>()?;
        let tally = Tally {
            documents: docs.len() as u64,
            tokens: docs.iter().map(|doc| doc.len() as u64).sum(),
            characters: docs.iter().map(characters).sum(),
            bytes: self.bytes,
        };
        Ok(Done { piece: make(&mut docs, &self.places)?, tally })
    }
}

/// Tokens tile the text, so its length is where the last one ends.
fn characters(doc: &Doc) -> u64 {
    let last = doc.iter().next_back();
    last.map_or(0, |last| (last.end_char() + last.whitespace().len()) as u64)
}

/// What the other side sends next, with an eye on interruptions; none when it has gone.
pub(super) fn wait<T>(receiver: &Receiver<T>, check: Check<'_>) -> Result<Option<T>> {
    loop {
        check()?;
        match receiver.recv_timeout(GLANCE) {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

pub(super) fn lost() -> Error {
    let text = "a worker ended before its batch was done; this is a bug in lexpool";
    Error::new(ErrorKind::State, "worker-lost", text)
}

/// Stops the workers when this is dropped, and so when the work ends, however it ends.
#[derive(Default)]
pub(super) struct Stop(pub(super) Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.documents += other.documents;
        self.tokens += other.tokens;
        self.characters += other.characters;
        self.bytes += other.bytes;
    }
}
