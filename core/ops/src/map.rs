//! Maps an op over many documents on lexpool's threads, with the results in order.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lexpool::threads::{self, HomeProcess, InheritedGuard};
use lexpool::tokens::Doc;
use lexpool_plugin::{Failure, FailureKind, MAX_ARGS, Owned, RecordsC, Type, Value};
use lexpool_structs::{Record, TokenC};

use super::lend::lend_doc;
use super::op::Op;

/// Calls an op for each document on `threads` threads (0: one for each core; 1: this one), and
/// returns the results in the order of the documents.
///
/// The document is the first argument, or its token records if the op takes `records[TokenC]`
/// there, and `rest` are those that follow. `progress` is told how
/// many documents are done, on this thread and at the end, and every 50 ms before; where all the
/// work is on this thread, between two documents. What it fails with ends the work as soon as the
/// calls under way have come back. Called on a thread of a pool, as by an op that maps in its turn,
/// it works on that thread alone. Cost over the calls themselves: some tens of nanoseconds a
/// document, and a message for every few.
///
/// # Errors
///
/// The failure of the first document, in their order, whose call fails, with its position in the
/// text; that of `progress`; `threads` when none can be started; `forked` in a child that
/// `progress` came to be in.
///
/// ```
/// use lexpool_ops::{Value, global, map};
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = ["One two", "Three"].map(|text| tokenizer.tokenize(text).unwrap());
/// let docs: Vec<_> = docs.iter().collect();
/// let words = global().find("doc.words")?;
/// let results = map(words, &docs, &[], 0, &mut |_done| Ok(()))?;
/// assert_eq!(results[1].get().as_list().unwrap()[0].as_str(), Some("Three"));
///
/// let count_by = global().find("doc.count_by")?;
/// let failure = map(count_by, &docs, &[Value::int(-1)], 0, &mut |_done| Ok(())).unwrap_err();
/// assert!(failure.message().starts_with("document 0: doc.count_by(): argument 'attr'"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map(
    op: &Op,
    docs: &[&Doc],
    rest: &[Value<'_>],
    threads: usize,
    progress: &mut dyn FnMut(usize) -> Result<(), Failure>,
) -> Result<Vec<Owned<'static>>, Failure> {
    Mapping { op, rest, threads, first: 0 }.run(docs, progress)
}

/// A mapped op whose documents arrive in chunks: one [`run`](Mapping::run) for each chunk.
///
/// ```
/// use lexpool_ops::{Mapping, global};
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let op = global().find("doc.words")?;
/// let mut mapping = Mapping { op, rest: &[], threads: 2, first: 0 };
/// for chunk in [["One two", "Three"], ["Four", ""]] {
///     let docs = chunk.map(|text| tokenizer.tokenize(text).unwrap());
///     let docs: Vec<_> = docs.iter().collect();
///     assert_eq!(mapping.run(&docs, &mut |_done| Ok(()))?.len(), 2);
///     mapping.first += docs.len();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mapping<'a> {
    /// The op.
    pub op: &'a Op,
    /// The arguments after the document.
    pub rest: &'a [Value<'a>],
    /// Number of threads; 0 for one for each core, 1 for the caller's.
    pub threads: usize,
    /// Position of the first document, for error messages.
    pub first: usize,
}

impl Mapping<'_> {
    /// Calls the op for each document of a chunk; see [`map`]. `progress` counts within the chunk.
    ///
    /// # Errors
    ///
    /// Those of [`map`].
    pub fn run(
        &self,
        docs: &[&Doc],
        progress: &mut dyn FnMut(usize) -> Result<(), Failure>,
    ) -> Result<Vec<Owned<'static>>, Failure> {
        if self.rest.len() >= MAX_ARGS {
            let text = format!(
                "{}() is given a document and {} arguments; at most {MAX_ARGS} are taken",
                self.op.name(),
                self.rest.len()
            );
            return Err(Failure::new(FailureKind::Type, "op-arity", text));
        }
        if self.op.params().iter().any(|param| matches!(param.ty, Type::RecordsMut(_))) {
            let text = "records that are written belong to one call, not to one for each document";
            return Err(Failure::new(FailureKind::Type, "op-map", text));
        }
        let within = InheritedGuard::this_thread();
        if threads::alone(self.threads) || docs.len() <= 1 {
            return self.run_here(within, docs, progress);
        }
        let pool = threads::pool(self.threads)?;
        let workers = pool.current_num_threads();
        let work = Work {
            mapping: self,
            within,
            docs,
            // Shares are large enough to keep messages rare, and small enough that all threads end
            // at the same time.
            share: (docs.len() / (workers * 8)).clamp(1, 64),
            next: AtomicUsize::new(0),
            end: AtomicUsize::new(docs.len()),
            stop: AtomicBool::new(false),
        };
        // The last worker that ends closes the channel.
        let (send, done) = mpsc::channel();
        let work = &work;
        let jobs = vec![send; workers].into_iter().map(|send| move || work.run(&send));
        threads::in_scope(&pool, jobs, |home| {
            let collected = collect(home, docs.len(), &done, progress);
            // Workers start no further document once the caller has stopped waiting.
            work.stop.store(true, Ordering::Relaxed);
            collected
        })?
    }

    fn run_here(
        &self,
        within: InheritedGuard,
        docs: &[&Doc],
        progress: &mut dyn FnMut(usize) -> Result<(), Failure>,
    ) -> Result<Vec<Owned<'static>>, Failure> {
        let mut results = Vec::with_capacity(docs.len());
        // WebAssembly has no clock: progress is reported at the end only.
        let now = || (!cfg!(target_family = "wasm")).then(Instant::now);
        let mut last_report = now();
        for (at, doc) in docs.iter().enumerate() {
            results.push(self.call(within, at, doc)?);
            if last_report.is_some_and(|last_report| last_report.elapsed() >= GLANCE) {
                progress(results.len())?;
                last_report = now();
            }
        }
        progress(results.len())?;
        Ok(results)
    }

    /// Returns whether the op takes the document's token records instead of the document.
    fn takes_tokens(&self) -> bool {
        let first = self.op.params().first();
        first.is_some_and(
            |param| matches!(&param.ty, Type::Records(name) if name == TokenC::INFO.name),
        )
    }

    fn call(
        &self,
        within: InheritedGuard,
        at: usize,
        doc: &Doc,
    ) -> Result<Owned<'static>, Failure> {
        let _busy = within.enter();
        let (lent, tokens) = (lend_doc(doc), RecordsC::of(doc.tokens()));
        let mut args = [Value::NONE; MAX_ARGS];
        let args = &mut args[..=self.rest.len()];
        args[0] = if self.takes_tokens() { tokens.value() } else { lent.value() };
        args[1..].copy_from_slice(self.rest);
        let called = self.op.call(args);
        called.map_err(|failure| failure.context(format_args!("document {}", self.first + at)))
    }
}

/// Maximum time between two calls of `progress`.
const GLANCE: Duration = Duration::from_millis(50);

/// State that the workers share.
struct Work<'a> {
    mapping: &'a Mapping<'a>,
    within: InheritedGuard,
    docs: &'a [&'a Doc],
    share: usize,
    /// The first document that no worker has taken.
    next: AtomicUsize,
    /// Documents from here on are skipped: one before them has failed.
    end: AtomicUsize,
    stop: AtomicBool,
}

/// Results of neighbouring documents, the first one's position before them; a failure is the last.
type Piece = (usize, Vec<Result<Owned<'static>, Failure>>);

impl Work<'_> {
    /// Takes documents until none is left. They are taken in order, so that all documents before a
    /// failing one are called, and the first failure is the same on any number of threads.
    fn run(&self, send: &Sender<Piece>) {
        loop {
            let start = self.next.fetch_add(self.share, Ordering::Relaxed);
            let end = self.docs.len().min(start.saturating_add(self.share));
            if start >= self.end.load(Ordering::Relaxed) {
                return;
            }
            let mut results = Vec::with_capacity(end - start);
            for at in start..end {
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
                results.push(self.mapping.call(self.within, at, self.docs[at]));
                if results.last().is_some_and(Result::is_err) {
                    self.end.fetch_min(at, Ordering::Relaxed);
                    break;
                }
            }
            if send.send((start, results)).is_err() {
                return;
            }
        }
    }
}

/// Collects results in order, and reports progress.
fn collect(
    home: HomeProcess,
    len: usize,
    pieces: &mpsc::Receiver<Piece>,
    progress: &mut dyn FnMut(usize) -> Result<(), Failure>,
) -> Result<Vec<Owned<'static>>, Failure> {
    let mut results: Vec<Option<Owned<'static>>> = Vec::new();
    results.resize_with(len, || None);
    let mut failed: Option<(usize, Failure)> = None;
    let (mut done, mut told) = (0, Instant::now());
    loop {
        match pieces.recv_timeout(GLANCE) {
            Ok((start, piece)) => {
                for (at, result) in (start..).zip(piece) {
                    match result {
                        Ok(value) => {
                            results[at] = Some(value);
                            done += 1;
                        }
                        Err(failure) if failed.as_ref().is_none_or(|(first, _)| at < *first) => {
                            failed = Some((at, failure));
                        }
                        Err(_) => {}
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if told.elapsed() >= GLANCE {
            progress(done)?;
            told = Instant::now();
            if home.is_left() {
                break;
            }
        }
    }
    if let Some((_, failure)) = failed {
        return Err(failure);
    }
    progress(done)?;
    let all: Option<Vec<_>> = results.into_iter().collect();
    all.ok_or_else(|| {
        let text = "a thread that was at work has ended before its time";
        Failure::new(FailureKind::State, "op-lost", text)
    })
}
