//! Shards through the pipeline: one thread reads them one after the other, all threads work, and
//! this one writes them in order.
//!
//! While the last batches of a shard are worked on and written, the next one is being read.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Instant, SystemTime};

use super::super::args::Run;
use super::super::figures::grouped;
use super::super::output::Output;
use super::super::progress::Progress;
use super::super::pump::{Batch, Receipt, Stop, Tally, Work, lost, spawn, wait};
use super::super::{Check, say};
use super::Done;
use super::book::{Book, Entry};
use super::engine::Engine;
use super::folder::Folder;
use super::shards::{Shard, State};
use super::sums::{Digest, Summed};
use lexpool::corpus::{CorpusWriter, ReadOptions, Source, Texts};
use lexpool::escape::shown;
use lexpool::{Error, ErrorKind, Result};

/// All that a run needs.
pub(super) struct Flow<'a> {
    pub(super) shards: &'a [Shard],
    pub(super) args: &'a Run,
    pub(super) reading: ReadOptions,
    pub(super) folder: &'a Folder,
    pub(super) book: &'a mut Book,
    pub(super) plan: &'a str,
    pub(super) check: Check<'a>,
}

/// What the reader tells, in order.
enum Event<P> {
    Batch(usize, Receipt<P>),
    /// A shard was read to its end, or to an error.
    End(usize, Result<Digest>),
    /// There cannot be more.
    Failed(Error),
}

/// The output of the shard that is being written.
struct Open<W> {
    writer: W,
    tally: Tally,
}

type Sink<'a> = Summed<Output<'a>>;

impl<'a> Flow<'a> {
    /// Runs to the end of the shards. What is wrong with a shard is said and counted, and the others
    /// go on; what is wrong with the outputs ends it all.
    pub(super) fn run<W>(
        &mut self,
        engine: Engine,
        open: impl Fn(Sink<'a>) -> io::Result<W>,
    ) -> Result<Done>
    where
        W: CorpusWriter<Sink = Sink<'a>>,
    {
        let wanted = |shard: &&(usize, &Shard)| !matches!(shard.1.state, State::Whole(_));
        let todo: Vec<_> = self.shards.iter().enumerate().filter(|s| wanted(&s)).collect();
        let total = todo.iter().map(|(_, shard)| shard.size).sum();
        let progress = Progress::over(Some(total), "", self.args.quiet);
        let stop = Stop::default();
        let spoilt = Arc::new(AtomicUsize::new(usize::MAX));
        let reader = Reader {
            sources: todo.iter().map(|(at, shard)| (*at, shard.source.clone())).collect(),
            reading: self.reading,
            stop: Arc::clone(&stop.0),
            spoilt: Arc::clone(&spoilt),
        };
        let work = engine.work::<W>(self.args.threads)?;
        let (send, events) = mpsc::sync_channel(work.threads());
        let threads = self.args.threads;
        spawn(move || reader.read(work, &|| engine.work::<W>(threads), &send))?;
        let mut done = Done::default();
        let mut now: Option<Open<W>> = None;
        // Of this shard, and of all, those that come to nothing too: for the progress.
        let (start, mut moved, mut seen) = (Instant::now(), 0, 0);
        while let Some(event) = wait(&events, self.check)? {
            match event {
                Event::Failed(error) => return Err(error),
                Event::Batch(at, receipt) => {
                    let batch = wait(&receipt, self.check)?.unwrap_or_else(|| Err(lost()));
                    if spoilt.load(Ordering::Relaxed) == at {
                        continue;
                    }
                    let batch = match batch {
                        Ok(batch) => batch,
                        Err(error) => {
                            now = None;
                            spoilt.store(at, Ordering::Relaxed);
                            Self::spoil(error, &progress, &mut done)?;
                            continue;
                        }
                    };
                    let open = match &mut now {
                        Some(open) => open,
                        None => now.insert(self.open(at, &open)?),
                    };
                    let written = open.writer.write(batch.piece);
                    written.map_err(|error| self.named(at, error))?;
                    open.tally += batch.tally;
                    progress.add(batch.tally.bytes);
                    moved += batch.tally.bytes;
                    seen += batch.tally.documents;
                    let seconds = start.elapsed().as_secs().max(1);
                    progress.message(&format!(
                        "{} of {} files, {} documents a second",
                        done.made + done.failed,
                        todo.len(),
                        grouped(seen / seconds)
                    ));
                }
                Event::End(at, read) => {
                    let size = self.shards[at].size;
                    progress.add(size.saturating_sub(moved));
                    moved = 0;
                    if spoilt.load(Ordering::Relaxed) == at {
                        continue;
                    }
                    match read {
                        Ok(digest) => {
                            let open = match now.take() {
                                Some(open) => open,
                                // There was no text in it.
                                None => self.open(at, &open)?,
                            };
                            let tally = open.tally;
                            done.output_bytes += self.finish(at, open, digest)?;
                            done.tally += tally;
                            done.made += 1;
                        }
                        Err(error) => {
                            now = None;
                            Self::spoil(error, &progress, &mut done)?;
                        }
                    }
                }
            }
        }
        Ok(done)
    }

    fn open<W>(&self, at: usize, open: &impl Fn(Sink<'a>) -> io::Result<W>) -> Result<Open<W>> {
        let path = self.folder.output(&self.shards[at].output)?;
        let output = Output::create_in(self.folder.drafts(), &path, self.check)?;
        let writer = open(Summed::new(output)).map_err(|error| self.named(at, error))?;
        Ok(Open { writer, tally: Tally::default() })
    }

    /// Gives the output its name and writes it down; gives its size.
    fn finish<W>(&mut self, at: usize, open: Open<W>, digest: Digest) -> Result<u64>
    where
        W: CorpusWriter<Sink = Sink<'a>>,
    {
        let sink = open.writer.finish().map_err(|error| self.named(at, error))?;
        let (output, written) = sink.into_parts();
        output.commit()?;
        let shard = &self.shards[at];
        let entry = Entry {
            input: shard.input.to_string_lossy().into_owned(),
            kind: shard.kind.to_owned(),
            digest,
            plan: self.plan.to_owned(),
            written,
            documents: open.tally.documents,
            tokens: open.tally.tokens,
        };
        self.book.add(self.folder, &shard.output, entry)?;
        Ok(written.bytes)
    }

    /// Says what is wrong with a shard. The error names its file.
    fn spoil(error: Error, progress: &Progress, done: &mut Done) -> Result<()> {
        if error.kind() == ErrorKind::Interrupted {
            return Err(error);
        }
        progress.aside(|| say(format_args!("lexpool: {error}")));
        done.failed += 1;
        Ok(())
    }

    fn named(&self, at: usize, error: io::Error) -> Error {
        Output::error(&self.args.output.join(&self.shards[at].output), error)
    }
}

/// Reads the shards, on a thread of its own.
struct Reader {
    sources: Vec<(usize, Source)>,
    reading: ReadOptions,
    stop: Arc<AtomicBool>,
    /// The shard whose rest is of no use.
    spoilt: Arc<AtomicUsize>,
}

impl Reader {
    fn read<P: Send + 'static>(
        self,
        mut work: Work<P>,
        anew: &dyn Fn() -> Result<Work<P>>,
        events: &SyncSender<Event<P>>,
    ) {
        for (at, source) in &self.sources {
            let read = self.read_one(*at, source, &mut work, anew, events);
            let event = match read {
                Err(Over::Engine(error)) => Event::Failed(error),
                Err(Over::Gone) => return,
                Err(Over::Shard(error)) => Event::End(*at, Err(error)),
                Ok(digest) => Event::End(*at, Ok(digest)),
            };
            let is_last = matches!(event, Event::Failed(_));
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    }

    fn read_one<P: Send + 'static>(
        &self,
        at: usize,
        source: &Source,
        work: &mut Work<P>,
        anew: &dyn Fn() -> Result<Work<P>>,
        events: &SyncSender<Event<P>>,
    ) -> Result<Digest, Over> {
        let path = source.path().unwrap_or(Path::new(""));
        let before = stamp(path)?;
        let digest = Digest::of_file(path, &|| self.go_on())?;
        let mut texts = Texts::new(vec![source.clone()], self.reading);
        while let Some(batch) = Batch::read(&mut texts, false)? {
            if self.spoilt.load(Ordering::Relaxed) == at {
                // It was said already what is wrong.
                return Ok(digest);
            }
            if Engine::is_full(work) {
                *work = anew().map_err(Over::Engine)?;
            }
            let receipt = work.submit(batch, &self.stop).map_err(Over::Engine)?;
            events.send(Event::Batch(at, receipt)).map_err(|_| Over::Gone)?;
        }
        if stamp(path)? != before {
            let text = format!("{} was changed while it was read", shown(path));
            return Err(Error::new(ErrorKind::Io, "input-changed", text).into());
        }
        Ok(digest)
    }

    fn go_on(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted", "stopped"));
        }
        Ok(())
    }
}

/// Why a shard was not read to its end.
enum Over {
    /// It is at fault itself.
    Shard(Error),
    /// No shard can be worked on.
    Engine(Error),
    /// Nobody wants to know.
    Gone,
}

impl From<Error> for Over {
    fn from(error: Error) -> Over {
        Over::Shard(error)
    }
}

/// What changes when a file is written to.
fn stamp(path: &Path) -> Result<(u64, Option<SystemTime>)> {
    let found = fs::metadata(path).map_err(|error| Error::io("read", path, error))?;
    Ok((found.len(), found.modified().ok()))
}
