//! `lexpool run`: converts files of texts to files of documents, shard by shard, over any number of
//! runs.
//!
//! Each input file becomes one output file. The manifest in the folder `.lexpool-run` of the
//! outputs has a line per complete output, with checksums of input, output and pipeline; the next
//! run makes only outputs that are missing, changed or damaged. A run may be killed at any time: an
//! output is renamed to its name after it is complete and synced, and entered in the manifest after
//! that. The bytes of an output depend on its input and the pipeline only.

mod checksums;
mod engine;
mod entry;
mod folder;
mod manifest;
mod pipeline;
mod reader;
mod runner;
mod shards;
mod summary;

use std::fmt::Write;
use std::time::Instant;

use super::args::{Args, Format, Run};
use super::failure::{Check, Failure};
use super::messages::say;
use super::output::print;
use super::progress::Progress;
use clap::CommandFactory;
use clap::error::ErrorKind::ArgumentConflict;
use engine::Engine;
use folder::Folder;
use lexpool::codes;
use lexpool::corpus::{AnnotatedDocBin, Arrow, ConlluWriter, DocBin, Jsonl, MappedWriter, Parquet};
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool::{Error, ErrorKind, Result};
use manifest::Manifest;
use pipeline::Pipeline;
use runner::ShardRunner;
use shards::{Shard, ShardState};
use summary::Summary;

pub(super) fn run(args: &Run, check: Check<'_>) -> Result<(), Failure> {
    let pipeline = Pipeline::read(args)?;
    let mut shards = shards::collect(args, &pipeline)?;
    let engine = Engine::new(&pipeline)?;
    if matches!(args.to, Format::Arrow | Format::Conllu | Format::Parquet) && engine.annotates() {
        let text = "plain Arrow, Parquet and CoNLL-U files cannot store entities; use --to corpus, \
                    --to jsonl or --to spacy-docbin";
        return Err(Failure::Usage(Args::command().error(ArgumentConflict, text)));
    }
    let pipeline_digest = engine.pipeline_digest(args.to);
    if args.dry_run {
        let manifest = Manifest::read(&Folder::unlocked(&args.output))?;
        check_outputs(&mut shards, args, &manifest, &pipeline_digest, check)?;
        return show(&shards, args).map_err(Failure::from);
    }
    let folder = Folder::lock(&args.output)?;
    let mut manifest = Manifest::read(&folder)?;
    check_outputs(&mut shards, args, &manifest, &pipeline_digest, check)?;
    let start = Instant::now();
    let mut runner = ShardRunner {
        shards: &shards,
        args,
        reading: pipeline.reading,
        folder: &folder,
        manifest: &mut manifest,
        pipeline_digest: &pipeline_digest,
        check,
    };
    let result = match args.to {
        Format::Corpus => {
            let tokenizer = Tokenizer::blank(&pipeline.lang)?;
            runner.run(engine, |output| MappedWriter::new(output, tokenizer.vocab()))
        }
        Format::Arrow => runner.run(engine, |output| Arrow::new(output, &pipeline.lang)),
        Format::Jsonl => runner.run(engine, |output| Ok(Jsonl::new(output))),
        Format::SpacyDocbin if engine.annotates() => {
            runner.run(engine, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::SpacyDocbin => runner.run(engine, |output| Ok(DocBin::new(output))),
        Format::Conllu => runner.run(engine, |output| Ok(ConlluWriter::new(output))),
        Format::Parquet => runner.run(engine, Parquet::new),
    };
    // Also after an error: complete outputs stay in the manifest.
    let closed = manifest.close(&folder);
    let result = result?;
    closed?;
    let summary = Summary { shards: &shards, result, time: start.elapsed() };
    if args.json {
        print(format_args!("{}\n", summary.to_json(&args.output)))?;
    } else if !args.quiet {
        say(format_args!("{}", summary.to_line(&args.output)));
    }
    match summary.result.failed {
        0 => Ok(()),
        failed => {
            let text = format!(
                "{failed} of {} inputs failed; see the errors above. The others are complete",
                shards.len()
            );
            Err(Error::new(ErrorKind::Value, codes::SHARDS_FAILED, text).into())
        }
    }
}

/// Determines the state of each shard.
fn check_outputs(
    shards: &mut [Shard],
    args: &Run,
    manifest: &Manifest,
    pipeline_digest: &str,
    check: Check<'_>,
) -> Result<()> {
    let known: u64 =
        shards.iter().filter(|shard| manifest.has(&shard.output)).map(|s| s.size).sum();
    let progress = Progress::over(Some(known), "checking existing outputs", args.quiet);
    for shard in shards {
        if manifest.has(&shard.output) {
            shard.state = manifest.check_output(shard, pipeline_digest, &args.output, check)?;
            progress.add(shard.size);
        }
    }
    Ok(())
}

/// Prints what a run would do.
fn show(shards: &[Shard], args: &Run) -> Result<()> {
    let mut lines = String::new();
    for Shard { input, output, state, .. } in shards {
        let (verb, reason) = match state {
            ShardState::Complete(_) => ("keep", "complete"),
            ShardState::New => ("make", "new"),
            ShardState::Stale(reason) => ("redo", *reason),
        };
        let output = args.output.join(output);
        let _ = writeln!(lines, "{verb} {} from {}: {reason}", shown(&output), shown(input));
    }
    print(format_args!("{lines}"))
}
