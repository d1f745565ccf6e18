//! `lexpool run`: a folder of texts into a folder of documents, shard by shard, over many runs.
//!
//! Each input becomes one output. What was done is written down in the folder `.lexpool-run` beside
//! the outputs, with sums of input, output and pipeline; the next run does only what is missing,
//! changed or damaged. A run may be killed at any moment: an output gets its name when it is whole
//! and on the disk, and is written down after that. The bytes of an output depend on its input and
//! the pipeline alone.

mod book;
mod engine;
mod flow;
mod folder;
mod pipeline;
mod shards;
mod sums;

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::args::{Args, Format, Run};
use super::figures::{Speed, grouped, megabytes};
use super::json::Json;
use super::output::print;
use super::progress::Progress;
use super::pump::Tally;
use super::{Check, Failure, say};
use book::Book;
use clap::CommandFactory;
use clap::error::ErrorKind::ArgumentConflict;
use engine::Engine;
use flow::Flow;
use folder::Folder;
use lexpool::corpus::{AnnotatedDocBin, Arrow, ConlluWriter, DocBin, Jsonl, MappedWriter, Parquet};
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool::{Error, ErrorKind, Result};
use pipeline::Pipeline;
use shards::{Shard, State};

pub(super) fn run(args: &Run, check: Check<'_>) -> Result<(), Failure> {
    let pipeline = Pipeline::read(args)?;
    let mut shards = shards::collect(args, &pipeline)?;
    let engine = Engine::new(&pipeline)?;
    if matches!(args.to, Format::Arrow | Format::Conllu | Format::Parquet) && engine.annotates() {
        let text = "a plain Arrow file, Parquet or CoNLL-U has no place for entities: write them with \
                    --to corpus, --to jsonl or --to spacy-docbin";
        return Err(Failure::Usage(Args::command().error(ArgumentConflict, text)));
    }
    let plan = engine.plan(args.to);
    if args.dry_run {
        let book = Book::read(&Folder::look(&args.output))?;
        judge(&mut shards, args, &book, &plan, check)?;
        return show(&shards, args).map_err(Failure::from);
    }
    let folder = Folder::enter(&args.output)?;
    let mut book = Book::read(&folder)?;
    judge(&mut shards, args, &book, &plan, check)?;
    let start = Instant::now();
    let mut flow = Flow {
        shards: &shards,
        args,
        reading: pipeline.reading,
        folder: &folder,
        book: &mut book,
        plan: &plan,
        check,
    };
    let done = match args.to {
        Format::Corpus => {
            let tokenizer = Tokenizer::blank(&pipeline.lang)?;
            flow.run(engine, |output| MappedWriter::new(output, tokenizer.vocab()))
        }
        Format::Arrow => flow.run(engine, |output| Arrow::new(output, &pipeline.lang)),
        Format::Jsonl => flow.run(engine, |output| Ok(Jsonl::new(output))),
        Format::SpacyDocbin if engine.annotates() => {
            flow.run(engine, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::SpacyDocbin => flow.run(engine, |output| Ok(DocBin::new(output))),
        Format::Conllu => flow.run(engine, |output| Ok(ConlluWriter::new(output))),
        Format::Parquet => flow.run(engine, Parquet::new),
    };
    // Also after an error: what is whole stays written down.
    let closed = book.close(&folder);
    let done = done?;
    closed?;
    let summary = Summary { shards: &shards, done, time: start.elapsed() };
    if args.json {
        print(format_args!("{}\n", summary.to_json(&args.output)))?;
    } else if !args.quiet {
        say(format_args!("{}", summary.to_line(&args.output)));
    }
    match summary.done.failed {
        0 => Ok(()),
        failed => {
            let text = format!(
                "{failed} of {} inputs came to nothing, as said above; the others are done",
                shards.len()
            );
            Err(Error::new(ErrorKind::Value, "shards-failed", text).into())
        }
    }
}

/// Finds out what is to be done with each shard.
fn judge(
    shards: &mut [Shard],
    args: &Run,
    book: &Book,
    plan: &str,
    check: Check<'_>,
) -> Result<()> {
    let known: u64 = shards.iter().filter(|shard| book.has(&shard.output)).map(|s| s.size).sum();
    let progress = Progress::over(Some(known), "looking at what is done", args.quiet);
    for shard in shards {
        if book.has(&shard.output) {
            shard.state = book.judge(shard, plan, &args.output, check)?;
            progress.add(shard.size);
        }
    }
    Ok(())
}

/// Prints what would be done.
fn show(shards: &[Shard], args: &Run) -> Result<()> {
    let mut lines = String::new();
    for Shard { input, output, state, .. } in shards {
        let (verb, reason) = match state {
            State::Whole(_) => ("keep", "it is whole"),
            State::New => ("make", "it is new"),
            State::Stale(reason) => ("redo", *reason),
        };
        let output = args.output.join(output);
        let _ = writeln!(lines, "{verb} {} from {}: {reason}", shown(&output), shown(input));
    }
    print(format_args!("{lines}"))
}

/// What a run has done.
#[derive(Default)]
struct Done {
    /// What is in the shards that were made.
    tally: Tally,
    output_bytes: u64,
    /// Shards that were made, and that came to nothing.
    made: u64,
    failed: u64,
}

struct Summary<'a> {
    shards: &'a [Shard],
    done: Done,
    time: Duration,
}

impl Summary<'_> {
    /// How many shards were whole before, and documents and tokens in them.
    fn kept(&self) -> (u64, u64, u64) {
        self.shards.iter().fold((0, 0, 0), |(shards, documents, tokens), shard| {
            match &shard.state {
                State::Whole(was) => (shards + 1, documents + was.documents, tokens + was.tokens),
                _ => (shards, documents, tokens),
            }
        })
    }

    fn to_line(&self, output: &Path) -> String {
        let Tally { documents, tokens, bytes, .. } = self.done.tally;
        let (kept, ..) = self.kept();
        let kept =
            if kept > 0 { format!(" ({} more were whole)", grouped(kept)) } else { String::new() };
        format!(
            "{}: {} of {} files made{kept}, {} documents, {} tokens from {} in {:.2} s ({})",
            shown(output),
            grouped(self.done.made),
            grouped(self.shards.len() as u64),
            grouped(documents),
            grouped(tokens),
            megabytes(bytes),
            self.time.as_secs_f64(),
            Speed::new(bytes, self.time)
        )
    }

    fn to_json(&self, output: &Path) -> Json {
        let (kept, documents, tokens) = self.kept();
        Json::Map(vec![
            ("output", (&*output.to_string_lossy()).into()),
            ("files", self.shards.len().into()),
            ("made", self.done.made.into()),
            ("kept", kept.into()),
            ("failed", self.done.failed.into()),
            ("documents", (self.done.tally.documents + documents).into()),
            ("tokens", (self.done.tally.tokens + tokens).into()),
            ("bytes", self.done.tally.bytes.into()),
            ("output_bytes", self.done.output_bytes.into()),
            ("seconds", Json::Real(self.time.as_secs_f64(), 6)),
        ])
    }
}
