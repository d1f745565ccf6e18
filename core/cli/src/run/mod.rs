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
mod model_engine;
mod pipeline;
mod reader;
mod runner;
mod shards;
mod summary;

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use super::annotate;
use super::args::{Args, Format, Run};
use super::batch_pipeline::COMPRESSED_BATCH_BYTES;
use super::failure::{Check, Failure};
use super::messages::say;
use super::model::PipelineFolders;
use super::output::print;
use super::progress::Progress;
use clap::CommandFactory;
use clap::error::ErrorKind::ArgumentConflict;
use engine::Engine;
use folder::Folder;
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool::{Error, ErrorKind, Result};
use lexpool_io::corpus::{
    AnnotatedArrow, AnnotatedDocBin, Arrow, ConlluWriter, DocBin, Jsonl, MappedWriter, Parquet,
};
use manifest::Manifest;
use model_engine::ModelEngine;
use pipeline::Pipeline;
use runner::ShardRunner;
use shards::{Shard, ShardState};
use summary::{RunResult, Summary};

pub(super) fn run(
    args: &Run,
    folders: PipelineFolders<'_>,
    check: Check<'_>,
) -> Result<(), Failure> {
    let pipeline = Pipeline::read(args, folders)?;
    check_options(args, &pipeline)?;
    let mut shards = shards::collect(args, &pipeline)?;
    let engine = match &pipeline.model {
        Some(folder) => RunEngine::Model(ModelEngine::new(folder, args, check)?),
        None => RunEngine::Rules(Engine::new(&pipeline)?),
    };
    let pipeline_digest = match &engine {
        RunEngine::Model(engine) => engine.pipeline_digest(&pipeline, args.to),
        RunEngine::Rules(engine) => {
            check_format(args.to, engine)?;
            engine.pipeline_digest(args.to)
        }
    };
    if args.dry_run {
        let manifest = Manifest::read(&Folder::unlocked(&args.output))?;
        check_outputs(&mut shards, args, &manifest, &pipeline_digest, check)?;
        return show(&shards, args).map_err(Failure::from);
    }
    let folder = Folder::lock(&args.output)?;
    let mut manifest = Manifest::read(&folder)?;
    check_outputs(&mut shards, args, &manifest, &pipeline_digest, check)?;
    let start = Instant::now();
    let batch_bytes = match &engine {
        RunEngine::Model(_) => annotate::BATCH_BYTES,
        RunEngine::Rules(_) => COMPRESSED_BATCH_BYTES,
    };
    let mut runner = ShardRunner {
        shards: &shards,
        args,
        reading: pipeline.reading,
        batch_bytes,
        folder: &folder,
        manifest: &mut manifest,
        pipeline_digest: &pipeline_digest,
        check,
    };
    let result = match engine {
        RunEngine::Model(engine) => run_model(&mut runner, engine, args.to),
        RunEngine::Rules(engine) => run_rules(&mut runner, engine, &pipeline.lang, args.to),
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

/// The way of processing texts.
enum RunEngine {
    /// A tokenizer, with patterns for entities.
    Rules(Engine),
    /// A saved pipeline.
    Model(ModelEngine),
}

/// Checks options that only one of the engines takes.
fn check_options(args: &Run, pipeline: &Pipeline) -> Result<(), Failure> {
    let text = if pipeline.model.is_none() {
        if args.selection.is_default() {
            return Ok(());
        }
        "--disable, --enable, --exclude and --numerics select components of a pipeline, but none is \
         given; give its folder or its name with --pipeline"
    } else if args.lang.is_some() {
        "a saved pipeline has its own language; leave out --lang"
    } else if args.to == Format::Parquet {
        "the Parquet output has no annotation; use --to arrow"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(Args::command().error(ArgumentConflict, text)))
}

/// Checks that a format has a place for entities, if patterns set some.
fn check_format(to: Format, engine: &Engine) -> Result<(), Failure> {
    if !engine.annotates() || !matches!(to, Format::Arrow | Format::Conllu | Format::Parquet) {
        return Ok(());
    }
    let text = "plain Arrow, Parquet and CoNLL-U files cannot store entities; use --to corpus, \
                --to jsonl or --to spacy-docbin";
    Err(Failure::Usage(Args::command().error(ArgumentConflict, text)))
}

/// Makes outputs with the tokens and the entities of patterns.
fn run_rules(
    runner: &mut ShardRunner<'_>,
    engine: Engine,
    lang: &str,
    to: Format,
) -> Result<RunResult> {
    let annotates = engine.annotates();
    match to {
        Format::Corpus => {
            let tokenizer = Tokenizer::blank(lang)?;
            runner.run_rules(engine, |output| MappedWriter::new(output, tokenizer.vocab()))
        }
        Format::Arrow => runner.run_rules(engine, |output| Arrow::new(output, lang)),
        Format::Jsonl => runner.run_rules(engine, |output| Ok(Jsonl::new(output))),
        Format::SpacyDocbin if annotates => {
            runner.run_rules(engine, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::SpacyDocbin => runner.run_rules(engine, |output| Ok(DocBin::new(output))),
        Format::Conllu => runner.run_rules(engine, |output| Ok(ConlluWriter::new(output))),
        Format::Parquet => runner.run_rules(engine, Parquet::new),
    }
}

/// Makes outputs with the annotation of a saved pipeline.
fn run_model(runner: &mut ShardRunner<'_>, engine: ModelEngine, to: Format) -> Result<RunResult> {
    let (lang, vocab) = (engine.lang().to_owned(), Arc::clone(engine.vocab()));
    match to {
        Format::Corpus => runner.run_model(engine, |output| MappedWriter::new(output, &vocab)),
        Format::Arrow => runner.run_model(engine, |output| AnnotatedArrow::new(output, &lang)),
        Format::SpacyDocbin => {
            runner.run_model(engine, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::Conllu => runner.run_model(engine, |output| Ok(ConlluWriter::new(output))),
        // Parquet is refused before.
        Format::Jsonl | Format::Parquet => {
            runner.run_model(engine, |output| Ok(Jsonl::new(output)))
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
