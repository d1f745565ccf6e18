//! `lexpool annotate`: runs trained pipelines on texts.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, MissingRequiredArgument};

use super::args::{Annotate, Args, Format};
use super::batch_pipeline::{BatchPipeline, BatchProcessor, Counts};
use super::doc_encoder::DocEncoder;
use super::failure::{Check, Failure};
use super::figures::{Speed, grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::model::{PipelineFolders, load};
use super::output::{Output, is_stdout, name_of, print};
use super::progress::Progress;
use lexpool::corpus::{
    AnnotatedArrow, AnnotatedDocBin, ConlluWriter, CorpusWriter, Jsonl, MappedWriter,
    SourceLocation, Texts, WriteOptions,
};
use lexpool::escape::shown;
use lexpool::formats::DocExtras;
use lexpool::loading::LoadedPipeline;
use lexpool::pipeline::{Groups, PipelineDoc, Step, annotate_all};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result, codes};

/// The number of bytes in a batch: about 7,000 tokens, a second of work at most, so that threads
/// share short inputs and Ctrl-C is obeyed soon.
const BATCH_BYTES: u64 = 32 << 10;

pub(super) fn run(
    args: &Annotate,
    folders: PipelineFolders<'_>,
    check: Check<'_>,
) -> Result<(), Failure> {
    let format = format(args).map_err(Failure::Usage)?;
    let nlp = load(&args.pipeline, &args.selection, folders)?;
    if !args.quiet {
        for warning in &nlp.warnings {
            say(format_args!("lexpool: warning: {warning}"));
        }
    }
    let vocab = Arc::clone(nlp.pipeline.tokenizer().vocab());
    let start = Instant::now();
    let (counts, output_bytes) = match format {
        Format::Corpus => write(args, &nlp, check, |output| {
            MappedWriter::with_options(output, &vocab, &WriteOptions::default())
        }),
        Format::Arrow => write(args, &nlp, check, |output| AnnotatedArrow::new(output, &nlp.lang)),
        Format::SpacyDocbin => {
            write(args, &nlp, check, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::Conllu => write(args, &nlp, check, |output| Ok(ConlluWriter::new(output))),
        // `format` has refused Parquet.
        Format::Jsonl | Format::Parquet => {
            write(args, &nlp, check, |output| Ok(Jsonl::new(output)))
        }
    }?;
    let seconds = start.elapsed();
    let Counts { documents, tokens, bytes, .. } = counts;
    if args.json {
        let json = Json::Map(vec![
            ("output", (&*args.output.to_string_lossy()).into()),
            ("format", format.name().into()),
            ("documents", documents.into()),
            ("tokens", tokens.into()),
            ("bytes", bytes.into()),
            ("output_bytes", output_bytes.into()),
            ("seconds", Json::Float(seconds.as_secs_f64(), 6)),
        ]);
        if is_stdout(&args.output) {
            say(format_args!("{json}"));
        } else {
            print(format_args!("{json}\n"))?;
        }
    } else if !args.quiet {
        say(format_args!(
            "{}: {} documents, {} tokens from {} in {:.2} s ({:.0} tokens/s)",
            name_of(&args.output),
            grouped(documents),
            grouped(tokens),
            megabytes(bytes),
            seconds.as_secs_f64(),
            Speed::new(tokens, seconds).per_second()
        ));
    }
    Ok(())
}

/// Returns the format of the option, or of the ending of the output's name.
fn format(args: &Annotate) -> Result<Format, clap::Error> {
    let ending = args.output.extension().and_then(OsStr::to_str);
    let of_name = match ending.and_then(Format::of_ending) {
        None if is_stdout(&args.output) => Some(Format::Jsonl),
        of_name => of_name,
    };
    match args.format.or(of_name) {
        None => {
            let text = format!(
                "cannot tell the format of {} from its ending; use .corpus, .arrow, .feather, \
                 .jsonl, .spacy or .conllu, or --format",
                shown(&args.output)
            );
            Err(Args::command().error(MissingRequiredArgument, text))
        }
        Some(Format::Parquet) => {
            let text = "the Parquet output has no annotation; use .arrow, or lexpool tokenize";
            Err(Args::command().error(InvalidValue, text))
        }
        Some(Format::Corpus | Format::Arrow | Format::SpacyDocbin)
            if is_stdout(&args.output) && io::stdout().is_terminal() =>
        {
            let text = "binary output cannot go to a terminal; use -o FILE or a pipe";
            Err(Args::command().error(InvalidValue, text))
        }
        Some(format) => Ok(format),
    }
}

/// Annotates all texts and writes them; returns the counts and the size of the output.
fn write<'a, W>(
    args: &Annotate,
    nlp: &LoadedPipeline,
    check: Check<'a>,
    open: impl FnOnce(Output<'a>) -> io::Result<W>,
) -> Result<(Counts, u64)>
where
    W: DocEncoder + CorpusWriter<Sink = Output<'a>>,
{
    let sources = args.input.sources();
    let prompt = is_stdout(&args.output);
    let progress = Progress::new(&sources, args.quiet)?;
    let output = Output::create(&args.output, check)?;
    let name = output.name().to_owned();
    let named = |error| Output::error(Path::new(&name), error);
    let mut writer = open(output).map_err(named)?;
    let mut counts = Counts::default();
    let pipeline = nlp.pipeline.clone();
    let make =
        Arc::new(move |docs: &mut [Doc], locations: &[SourceLocation], stop: &AtomicBool| {
            let extras = annotate(pipeline.steps(), docs, locations, stop)?;
            let rows: Vec<_> = docs.iter().zip(&extras).collect();
            W::encode(&rows)
        });
    let tokenizer = Arc::clone(nlp.pipeline.tokenizer());
    let processor = BatchProcessor { tokenizer, make, threads: args.input.threads };
    let pipeline = BatchPipeline { processor, batch_bytes: BATCH_BYTES, prompt };
    pipeline.run(Texts::new(sources, args.input.reading()), check, &mut |done| {
        writer.write(done.piece).map_err(named)?;
        progress.add(done.counts.bytes);
        counts += done.counts;
        Ok(())
    })?;
    let output_bytes = writer.finish().map_err(named)?.commit()?;
    Ok((counts, output_bytes))
}

/// Takes documents through the steps on the calling thread; returns their categories and span
/// groups.
///
/// # Errors
///
/// The first error of a step, with the location of the text and the name of the component.
fn annotate(
    steps: &[Step],
    docs: &mut [Doc],
    locations: &[SourceLocation],
    stop: &AtomicBool,
) -> Result<Vec<DocExtras>> {
    let mut items: Vec<_> =
        docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
    annotate_all(steps, &mut items, 1, &mut || {
        if stop.load(Ordering::Relaxed) {
            let text = "the work was stopped";
            return Err(Error::new(ErrorKind::Interrupted, codes::STOPPED, text));
        }
        Ok(())
    })?;
    let annotated = items.into_iter().zip(locations).map(|(mut item, location)| {
        if let Some(Err((at, error))) = item.result.take() {
            let step = format!("component {:?}", steps[at].name);
            return Err(error.context(step).context(location));
        }
        item.extras().map_err(|error| error.context(location))
    });
    annotated.collect()
}
