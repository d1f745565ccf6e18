//! `lexpool tokenize`: converts texts to documents.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, MissingRequiredArgument};

use super::args::{Args, Format, Tokenize};
use super::batch_pipeline::{BATCH_BYTES, BatchPipeline, BatchProcessor, Counts};
use super::failure::{Check, Failure};
use super::figures::{Speed, grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::output::{Output, is_stdout, name_of, print};
use super::progress::Progress;
use lexpool::Result;
use lexpool::corpus::{
    Arrow, ConlluWriter, CorpusWriter, DocBin, Jsonl, MappedWriter, Parquet, SourceLocation, Texts,
    WriteOptions,
};
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;

pub(super) fn run(args: &Tokenize, check: Check<'_>) -> Result<(), Failure> {
    run_with(args, &WriteOptions::default(), check)
}

/// Runs the command with options of a corpus, which other formats ignore.
pub(super) fn run_with(
    args: &Tokenize,
    options: &WriteOptions,
    check: Check<'_>,
) -> Result<(), Failure> {
    let format = format(args).map_err(Failure::Usage)?;
    let written = match format {
        Format::Corpus => {
            let tokenizer = Tokenizer::blank(&args.language.lang)?;
            write(args, check, |output| {
                MappedWriter::with_options(output, tokenizer.vocab(), options)
            })
        }
        Format::Arrow => write(args, check, |output| Arrow::new(output, &args.language.lang)),
        Format::Jsonl => write(args, check, |output| Ok(Jsonl::new(output))),
        Format::SpacyDocbin => write(args, check, |output| Ok(DocBin::new(output))),
        Format::Conllu => write(args, check, |output| Ok(ConlluWriter::new(output))),
        Format::Parquet => write(args, check, Parquet::new),
    }?;
    if args.json {
        let json = written.to_json(&args.output, format);
        if is_stdout(&args.output) {
            say(format_args!("{json}"));
        } else {
            print(format_args!("{json}\n"))?;
        }
    } else if !args.quiet {
        say(format_args!("{}", written.to_line(&args.output)));
    }
    Ok(())
}

/// Returns the format of the option, or of the ending of the output's name.
fn format(args: &Tokenize) -> Result<Format, clap::Error> {
    let to_stdout = is_stdout(&args.output);
    let format = match args.output.extension().and_then(OsStr::to_str) {
        _ if args.format.is_some() => args.format,
        _ if to_stdout => Some(Format::Jsonl),
        ending => ending.and_then(Format::of_ending),
    };
    match format {
        None => {
            let text = format!(
                "cannot tell the format of {} from its ending; use .corpus, .arrow, .feather, \
                 .jsonl, .spacy, .conllu or .parquet, or --format",
                shown(&args.output)
            );
            Err(Args::command().error(MissingRequiredArgument, text))
        }
        Some(Format::Corpus | Format::Arrow | Format::SpacyDocbin | Format::Parquet)
            if to_stdout && io::stdout().is_terminal() =>
        {
            let text = "binary output cannot go to a terminal; use -o FILE or a pipe";
            Err(Args::command().error(InvalidValue, text))
        }
        Some(format) => Ok(format),
    }
}

/// Results for the summary.
struct TokenizeResult {
    counts: Counts,
    output_bytes: u64,
    time: Duration,
}

fn write<'a, W>(
    args: &Tokenize,
    check: Check<'a>,
    open: impl FnOnce(Output<'a>) -> io::Result<W>,
) -> Result<TokenizeResult>
where
    W: CorpusWriter<Sink = Output<'a>>,
{
    let sources = args.input.sources();
    let progress = Progress::new(&sources, args.quiet)?;
    let tokenizer = Arc::new(Tokenizer::blank(&args.language.lang)?);
    let output = Output::create(&args.output, check)?;
    let name = output.name().to_owned();
    let named = |error| Output::error(&name, error);
    let mut writer = open(output).map_err(named)?;
    let mut counts = Counts::default();
    let prompt = is_stdout(&args.output);
    let start = Instant::now();
    let make = Arc::new(|docs: &mut [Doc], _: &[SourceLocation], _: &AtomicBool| W::piece(docs));
    let pipeline = BatchPipeline {
        processor: BatchProcessor { tokenizer, make, threads: args.input.threads },
        batch_bytes: BATCH_BYTES,
        prompt,
    };
    pipeline.run(Texts::new(sources, args.input.reading()), check, &mut |done| {
        writer.write(done.piece).map_err(named)?;
        progress.add(done.counts.bytes);
        counts += done.counts;
        Ok(())
    })?;
    let output_bytes = writer.finish().map_err(named)?.commit()?;
    Ok(TokenizeResult { counts, output_bytes, time: start.elapsed() })
}

impl TokenizeResult {
    fn to_line(&self, output: &Path) -> String {
        let Counts { documents, tokens, bytes, .. } = self.counts;
        format!(
            "{}: {} documents, {} tokens from {} in {:.2} s ({})",
            name_of(output),
            grouped(documents),
            grouped(tokens),
            megabytes(bytes),
            self.time.as_secs_f64(),
            Speed::new(bytes, self.time)
        )
    }

    fn to_json(&self, output: &Path, format: Format) -> Json {
        Json::Map(vec![
            ("output", (&*output.to_string_lossy()).into()),
            ("format", format.name().into()),
            ("documents", self.counts.documents.into()),
            ("tokens", self.counts.tokens.into()),
            ("characters", self.counts.characters.into()),
            ("bytes", self.counts.bytes.into()),
            ("output_bytes", self.output_bytes.into()),
            ("seconds", Json::Float(self.time.as_secs_f64(), 6)),
        ])
    }
}
