//! Batch pipeline: reads texts on one thread, processes batches on others, and yields the results
//! in order on the calling thread.
//!
//! The reader makes a [`Job`] of each batch and sends it through a channel, whose capacity bounds
//! the batches in memory. A batch is one item, which also encodes its documents, so that a long
//! document occupies one thread while the others go on. The calling thread writes the pieces, and
//! while the next one is missing it processes a batch itself: `--threads 2` means two threads
//! beside the reader, which only cuts the input into texts.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::failure::Check;
use lexpool::codes;
use lexpool::threads::{self, Job, Progress};
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result};
use lexpool_io::corpus::{SourceLocation, Texts};

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
    /// Set to let the thread that waits process batches; it does not see Ctrl-C meanwhile.
    pub(super) caller_helps: bool,
}

/// A pipeline of batches.
pub(super) struct BatchPipeline<P> {
    pub(super) processor: BatchProcessor<P>,
    /// The number of bytes after which a batch is complete.
    pub(super) batch_bytes: u64,
    /// Set to finish a batch early if reading more of the standard input could block.
    pub(super) prompt: bool,
}

/// The usual number of bytes after which a batch is complete. Its documents and its piece of output
/// fit into the cache of a processor.
pub(super) const BATCH_BYTES: u64 = 128 << 10;
/// The same for pieces that are compressed, which takes longer and gains by more content.
pub(super) const COMPRESSED_BATCH_BYTES: u64 = 256 << 10;
/// The number of bytes up to which the thread that waits for results processes a batch itself.
const MAX_HELP_BYTES: u64 = 2 * COMPRESSED_BATCH_BYTES;
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
        let most_ahead = self.processor.threads();
        let (send, tickets) = mpsc::sync_channel(most_ahead);
        spawn_reader(move || self.read(texts, &send))?;
        let mut queue = TicketQueue { tickets, ahead: VecDeque::new(), most_ahead };
        while let Some(result) = queue.next_result(check)? {
            sink(result)?;
        }
        Ok(())
    }

    /// Reads batches and submits them, until the receiver of the tickets is gone.
    fn read(self, mut texts: Texts, tickets: &SyncSender<Result<Ticket<P>>>) {
        loop {
            let submitted = match Batch::read(&mut texts, self.batch_bytes, self.prompt) {
                Ok(None) => return,
                Ok(Some(batch)) => self.processor.submit(batch),
                Err(error) => Err(error),
            };
            let failed = submitted.is_err();
            if tickets.send(submitted).is_err() || failed {
                return;
            }
        }
    }
}

/// A submitted batch. Dropping it stops its processing.
pub(super) type Ticket<P> = Job<Result<BatchResult<P>>>;

/// The submitted batches, in order.
struct TicketQueue<P> {
    tickets: Receiver<Result<Ticket<P>>>,
    /// Batches that were received before their turn, so that this thread could help with them.
    ahead: VecDeque<Result<Ticket<P>>>,
    most_ahead: usize,
}

impl<P: Send + 'static> TicketQueue<P> {
    /// Returns the next result; `None` after the last.
    fn next_result(&mut self, check: Check<'_>) -> Result<Option<BatchResult<P>>> {
        let front = match self.ahead.pop_front() {
            Some(front) => front,
            None => match wait(&self.tickets, check)? {
                Some(front) => front,
                None => return Ok(None),
            },
        };
        wait_for_result(&mut front?, check, &mut || self.help())?.map(Some)
    }

    /// Processes the next waiting batch. Returns whether there was one.
    fn help(&mut self) -> Result<bool> {
        let mut at = 0;
        loop {
            match self.ahead.get(at) {
                Some(Ok(ticket)) if ticket.help()? => return Ok(true),
                Some(_) => at += 1,
                None if at == self.most_ahead => return Ok(false),
                None => match self.tickets.try_recv() {
                    Ok(ticket) => self.ahead.push_back(ticket),
                    Err(_) => return Ok(false),
                },
            }
        }
    }
}

/// Waits for the result of a batch, which this thread processes itself if no other has begun; else
/// calls `help`, which does other work or returns `false`.
///
/// # Errors
///
/// An error of `check`. The inner result is that of the batch.
pub(super) fn wait_for_result<P: Send + 'static>(
    ticket: &mut Ticket<P>,
    check: Check<'_>,
    help: &mut dyn FnMut() -> Result<bool>,
) -> Result<Result<BatchResult<P>>> {
    let mut time = Duration::ZERO;
    loop {
        check()?;
        match ticket.next(time) {
            Ok(Progress::Done(result)) => return Ok(result),
            Ok(Progress::Working) => {
                let helped = ticket.help()? || help()?;
                time = if helped { Duration::ZERO } else { CHECK_INTERVAL };
            }
            Ok(Progress::Ended) => unreachable!("a ticket has one result, taken once"),
            Err(error) => return Ok(Err(error)),
        }
    }
}

impl<P: Send + 'static> BatchProcessor<P> {
    /// Returns the number of threads.
    pub(super) fn threads(&self) -> usize {
        threads::size(self.threads)
    }

    /// Submits a batch to the thread pool.
    pub(super) fn submit(&self, batch: Batch) -> Result<Ticket<P>> {
        let (tokenizer, make) = (Arc::clone(&self.tokenizer), Arc::clone(&self.make));
        // With one thread, the one that writes has no part in the work: reading, processing and
        // writing overlap.
        let helps = self.caller_helps && self.threads() > 1;
        let is_short = |batch: &Batch| helps && batch.bytes <= MAX_HELP_BYTES;
        Job::each(vec![batch], self.threads, is_short, move |batch, stop| {
            batch.process(&tokenizer, &make, stop)
        })
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
    /// All texts in one string: if each had its own, threads that free strings of the reader would
    /// keep it waiting for the lock of its memory.
    content: String,
    /// The end of each text in `content`.
    ends: Vec<usize>,
    locations: Vec<SourceLocation>,
    bytes: u64,
}

impl Batch {
    /// Reads the next texts; returns `None` at the end.
    pub(super) fn read(texts: &mut Texts, bytes: u64, prompt: bool) -> Result<Option<Batch>> {
        texts.separate_locations();
        let mut batch =
            Batch { content: String::new(), ends: Vec::new(), locations: Vec::new(), bytes: 0 };
        while batch.bytes < bytes && batch.ends.len() < BATCH_TEXTS {
            if prompt && !batch.ends.is_empty() && texts.may_wait() {
                break;
            }
            let Some(read) = texts.next().transpose()? else { break };
            if batch.content.is_empty() && read.bytes >= bytes {
                batch.content = read.text;
            } else {
                batch.content.push_str(&read.text);
            }
            batch.ends.push(batch.content.len());
            batch.locations.push(read.location);
            batch.bytes += read.bytes;
        }
        Ok((!batch.ends.is_empty()).then_some(batch))
    }

    fn process<P>(
        self,
        tokenizer: &Tokenizer,
        make: &MakePiece<P>,
        stop: &AtomicBool,
    ) -> Result<BatchResult<P>> {
        let docs = if self.ends.len() == 1 {
            // The document may take over a long text.
            tokenizer.tokenize_all(vec![Text::Owned(self.content)], 1, stop)?
        } else {
            let starts = [0].into_iter().chain(self.ends.iter().copied());
            let texts = starts.zip(&self.ends).map(|(start, end)| &self.content[start..*end]);
            tokenizer.tokenize_borrowed(texts, stop)
        };
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

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.documents += other.documents;
        self.tokens += other.tokens;
        self.characters += other.characters;
        self.bytes += other.bytes;
    }
}
