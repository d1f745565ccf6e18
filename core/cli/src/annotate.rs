//! `lexpool annotate`: runs trained pipelines on texts.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::CommandFactory;
use clap::error::ErrorKind::InvalidValue;

use super::args::{Annotate, Args, Format};
use super::conversion::{Conversion, ConversionResult, output_format};
use super::doc_encoder::DocEncoder;
use super::failure::{Check, Failure};
use super::messages::say;
use super::model::{PipelineFolders, load};
use super::output::Output;
use lexpool::formats::DocExtras;
use lexpool::loading::LoadedPipeline;
use lexpool::pipeline::{Groups, PipelineDoc, Step, annotate_all};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_io::corpus::{
    AnnotatedArrow, AnnotatedDocBin, ConlluWriter, CorpusWriter, Jsonl, MappedWriter,
    SourceLocation, WriteOptions,
};

/// The number of bytes in a batch: about 7,000 tokens, a second of work at most, so that threads
/// share short inputs and Ctrl-C is obeyed soon.
pub(super) const BATCH_BYTES: u64 = 32 << 10;
const ENDINGS: &str = ".corpus, .arrow, .feather, .jsonl, .spacy or .conllu";

pub(super) fn run(
    args: &Annotate,
    folders: PipelineFolders<'_>,
    check: Check<'_>,
) -> Result<(), Failure> {
    let format = output_format(&args.output, args.format, ENDINGS)?;
    if format == Format::Parquet {
        let text = "the Parquet output has no annotation; use .arrow, or lexpool tokenize";
        return Err(Failure::Usage(Args::command().error(InvalidValue, text)));
    }
    let nlp = load(&args.pipeline, &args.selection, folders)?;
    if !args.quiet {
        for warning in &nlp.warnings {
            say(format_args!("lexpool: warning: {warning}"));
        }
    }
    let conversion = Conversion {
        input: &args.input,
        output: &args.output,
        format,
        batch_bytes: BATCH_BYTES,
        caller_helps: false,
        json: args.json,
        quiet: args.quiet,
    };
    let (work, vocab) = (&conversion, Arc::clone(nlp.pipeline.tokenizer().vocab()));
    let result = match format {
        Format::Corpus => convert(work, &nlp, check, |output| {
            MappedWriter::with_options(output, &vocab, &WriteOptions::default())
        }),
        Format::Arrow => {
            convert(work, &nlp, check, |output| AnnotatedArrow::new(output, &nlp.lang))
        }
        Format::SpacyDocbin => {
            convert(work, &nlp, check, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::Conllu => convert(work, &nlp, check, |output| Ok(ConlluWriter::new(output))),
        // Parquet is refused above.
        Format::Jsonl | Format::Parquet => {
            convert(work, &nlp, check, |output| Ok(Jsonl::new(output)))
        }
    }?;
    conversion.report(&result, &result.tokens_per_second())
}

fn convert<'c, W>(
    conversion: &Conversion<'_>,
    nlp: &LoadedPipeline,
    check: Check<'c>,
    open: impl FnOnce(Output<'c>) -> io::Result<W>,
) -> Result<ConversionResult>
where
    W: DocEncoder + CorpusWriter<Sink = Output<'c>>,
{
    let pipeline = nlp.pipeline.clone();
    let make = move |docs: &mut [Doc], locations: &[SourceLocation], stop: &AtomicBool| {
        let extras = annotate(pipeline.steps(), docs, locations, stop)?;
        let rows: Vec<_> = docs.iter().zip(&extras).collect();
        W::encode(&rows)
    };
    let tokenizer = Arc::clone(nlp.pipeline.tokenizer());
    conversion.run(tokenizer, open, Arc::new(make), check)
}

/// Takes documents through the steps on the calling thread; returns their categories and span
/// groups.
///
/// # Errors
///
/// The first error of a step, with the location of the text and the name of the component.
pub(super) fn annotate(
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
