//! Runner of shards: one thread reads them in order, a thread pool processes their batches, and the
//! calling thread writes the outputs in order.
//!
//! The next shard is read while the last batches of the current one are processed and written.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use super::checksums::{ChecksumWriter, InputDigest};
use super::engine::Engine;
use super::entry::ManifestEntry;
use super::folder::Folder;
use super::manifest::Manifest;
use super::model_engine::ModelEngine;
use super::reader::{FailedShard, ReadEvent, ShardReader};
use super::shards::{Shard, ShardState};
use super::summary::RunResult;
use crate::args::Run;
use crate::batch_pipeline::{
    BatchProcessor, BatchResult, Counts, Ticket, spawn_reader, wait, wait_for_result,
};
use crate::doc_encoder::DocEncoder;
use crate::failure::Check;
use crate::figures::grouped;
use crate::messages::say;
use crate::output::Output;
use crate::progress::Progress;
use lexpool::{Error, ErrorKind, Result};
use lexpool_io::corpus::{CorpusWriter, ReadOptions};

/// Inputs of a run.
pub(super) struct ShardRunner<'a> {
    pub(super) shards: &'a [Shard],
    pub(super) args: &'a Run,
    pub(super) reading: ReadOptions,
    /// The number of bytes after which a batch is complete.
    pub(super) batch_bytes: u64,
    pub(super) folder: &'a Folder,
    pub(super) manifest: &'a mut Manifest,
    pub(super) pipeline_digest: &'a str,
    pub(super) check: Check<'a>,
}

pub(super) type Sink<'a> = ChecksumWriter<Output<'a>>;

impl<'a> ShardRunner<'a> {
    /// Processes all shards with rules.
    ///
    /// # Errors
    ///
    /// As for [`run`](ShardRunner::run).
    pub(super) fn run_rules<W: CorpusWriter<Sink = Sink<'a>>>(
        &mut self,
        engine: Engine,
        open_writer: impl Fn(Sink<'a>) -> io::Result<W>,
    ) -> Result<RunResult> {
        let threads = self.args.threads;
        self.run(move || engine.processor::<W>(threads), open_writer)
    }

    /// Processes all shards with a saved pipeline.
    ///
    /// # Errors
    ///
    /// As for [`run`](ShardRunner::run).
    pub(super) fn run_model<W: DocEncoder<Sink = Sink<'a>>>(
        &mut self,
        engine: ModelEngine,
        open_writer: impl Fn(Sink<'a>) -> io::Result<W>,
    ) -> Result<RunResult> {
        let threads = self.args.threads;
        self.run(move || engine.processor::<W>(threads), open_writer)
    }

    /// Processes all shards that have no complete output. An invalid shard is reported and counted,
    /// and the run continues with the others. `fresh` creates a processor with an empty vocab.
    ///
    /// # Errors
    ///
    /// Errors of writing outputs, and of `fresh`; both end the run.
    fn run<W>(
        &mut self,
        fresh: impl Fn() -> Result<BatchProcessor<W::Piece>> + Send + 'static,
        open_writer: impl Fn(Sink<'a>) -> io::Result<W>,
    ) -> Result<RunResult>
    where
        W: CorpusWriter<Sink = Sink<'a>>,
    {
        let pending: Vec<_> = self.pending().collect();
        let check = self.check;
        let stop = StopGuard::default();
        let failed_shard = FailedShard::default();
        let reader = ShardReader {
            sources: pending.iter().map(|(at, shard)| (*at, shard.source.clone())).collect(),
            reading: self.reading,
            batch_bytes: self.batch_bytes,
            stop: Arc::clone(&stop.0),
            failed_shard: failed_shard.clone(),
        };
        let progress = RunProgress::new(&pending, self.args.quiet);
        let processor = fresh()?;
        let (send, events) = mpsc::sync_channel(processor.threads());
        spawn_reader(move || reader.read(processor, &fresh, &send))?;
        let result = RunResult::default();
        let mut writer =
            OutputWriter { run: self, open_writer, output: None, failed_shard, progress, result };
        while let Some(event) = wait(&events, check)? {
            writer.handle(event)?;
        }
        Ok(writer.result)
    }

    /// Returns the shards that have no complete output, with their positions.
    fn pending(&self) -> impl Iterator<Item = (usize, &'a Shard)> + use<'a> {
        let shards = self.shards.iter().enumerate();
        shards.filter(|(_, shard)| !matches!(shard.state, ShardState::Complete(_)))
    }

    /// Names the output of a shard in an error.
    fn output_error(&self, at: usize, error: io::Error) -> Error {
        Output::error(&self.args.output.join(&self.shards[at].output), error)
    }
}

/// The output of the shard that is being written.
struct OpenOutput<W> {
    writer: W,
    counts: Counts,
}

/// Writer of the outputs, driven by the events of the reader.
struct OutputWriter<'r, 'a, W, F> {
    run: &'r mut ShardRunner<'a>,
    open_writer: F,
    /// `None` before the first batch of a shard, and after its end or failure.
    output: Option<OpenOutput<W>>,
    failed_shard: FailedShard,
    progress: RunProgress,
    result: RunResult,
}

impl<'a, W, F> OutputWriter<'_, 'a, W, F>
where
    W: CorpusWriter<Sink = Sink<'a>>,
    F: Fn(Sink<'a>) -> io::Result<W>,
{
    fn handle(&mut self, event: ReadEvent<W::Piece>) -> Result<()> {
        match event {
            ReadEvent::Batch(at, ticket) => self.batch(at, ticket),
            ReadEvent::End(at, read) => self.end(at, read),
            ReadEvent::Failed(error) => Err(error),
        }
    }

    /// Writes a batch of a shard once it is processed.
    fn batch(&mut self, at: usize, mut ticket: Ticket<W::Piece>) -> Result<()> {
        let batch = wait_for_result(&mut ticket, self.run.check, &mut || Ok(false))?;
        if self.failed_shard.is(at) {
            return Ok(());
        }
        match batch {
            Ok(batch) => self.write(at, batch),
            Err(error) => {
                self.failed_shard.set(at);
                self.fail(error)
            }
        }
    }

    fn write(&mut self, at: usize, batch: BatchResult<W::Piece>) -> Result<()> {
        let output = match &mut self.output {
            Some(output) => output,
            None => self.output.insert(open_output(self.run, at, &self.open_writer)?),
        };
        output.writer.write(batch.piece).map_err(|error| self.run.output_error(at, error))?;
        output.counts += batch.counts;
        self.progress.add(&batch.counts, &self.result);
        Ok(())
    }

    /// Completes a shard that was read to its end, or reports why it was not.
    fn end(&mut self, at: usize, read: Result<InputDigest>) -> Result<()> {
        self.progress.end_shard(self.run.shards[at].size);
        if self.failed_shard.is(at) {
            return Ok(());
        }
        match read {
            Ok(digest) => self.complete(at, digest),
            Err(error) => self.fail(error),
        }
    }

    /// Commits the output of a shard, and enters it in the manifest.
    fn complete(&mut self, at: usize, digest: InputDigest) -> Result<()> {
        let OpenOutput { writer, counts } = match self.output.take() {
            Some(output) => output,
            // The shard has no texts.
            None => open_output(self.run, at, &self.open_writer)?,
        };
        let sink = writer.finish().map_err(|error| self.run.output_error(at, error))?;
        let (output, checksum) = sink.into_parts();
        output.commit()?;
        let shard = &self.run.shards[at];
        let entry = ManifestEntry {
            input: shard.input.to_string_lossy().into_owned(),
            kind: shard.kind.to_owned(),
            digest,
            pipeline_digest: self.run.pipeline_digest.to_owned(),
            output: checksum,
            documents: counts.documents,
            tokens: counts.tokens,
        };
        self.run.manifest.add(self.run.folder, &shard.output, entry)?;
        self.result.output_bytes += checksum.bytes;
        self.result.counts += counts;
        self.result.made += 1;
        Ok(())
    }

    /// Drops the output of a shard, and reports the error, which names the input. An interruption
    /// ends the run.
    fn fail(&mut self, error: Error) -> Result<()> {
        self.output = None;
        if error.kind() == ErrorKind::Interrupted {
            return Err(error);
        }
        self.progress.bar.aside(|| say(format_args!("lexpool: {error}")));
        self.result.failed += 1;
        Ok(())
    }
}

/// Stops the reader on drop, however the run ends.
#[derive(Default)]
struct StopGuard(Arc<AtomicBool>);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Creates the output of a shard.
fn open_output<'a, W>(
    run: &ShardRunner<'a>,
    at: usize,
    open_writer: &impl Fn(Sink<'a>) -> io::Result<W>,
) -> Result<OpenOutput<W>> {
    let path = run.folder.output(&run.shards[at].output)?;
    let output = Output::create_in(run.folder.temporary(), &path, run.check)?;
    let writer = open_writer(ChecksumWriter::new(output));
    let writer = writer.map_err(|error| run.output_error(at, error))?;
    Ok(OpenOutput { writer, counts: Counts::default() })
}

/// Progress of a run: a bar of bytes read, with the number of files and the speed.
struct RunProgress {
    bar: Progress,
    start: Instant,
    files: usize,
    /// Bytes of the current shard added to the bar.
    shard_bytes: u64,
    /// Documents of all shards, failed ones included.
    documents: u64,
}

impl RunProgress {
    fn new(pending: &[(usize, &Shard)], quiet: bool) -> RunProgress {
        let total = pending.iter().map(|(_, shard)| shard.size).sum();
        RunProgress {
            bar: Progress::over(Some(total), "", quiet),
            start: Instant::now(),
            files: pending.len(),
            shard_bytes: 0,
            documents: 0,
        }
    }

    /// Adds a batch that was written.
    fn add(&mut self, batch: &Counts, result: &RunResult) {
        self.bar.add(batch.bytes);
        self.shard_bytes += batch.bytes;
        self.documents += batch.documents;
        let seconds = self.start.elapsed().as_secs().max(1);
        self.bar.message(&format!(
            "{} of {} files, {} documents per second",
            result.made + result.failed,
            self.files,
            grouped(self.documents / seconds)
        ));
    }

    /// Adds the bytes of a shard of this size that no batch accounted for.
    fn end_shard(&mut self, size: u64) {
        self.bar.add(size.saturating_sub(self.shard_bytes));
        self.shard_bytes = 0;
    }
}
