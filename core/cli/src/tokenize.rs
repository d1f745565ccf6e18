//! `lexpool tokenize`: texts in, documents out.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, MissingRequiredArgument};

use super::args::{Args, Format, Tokenize};
use super::figures::{Speed, grouped, megabytes};
use super::json::Json;
use super::output::{Output, is_stdout, name_of, print};
use super::progress::Progress;
use super::pump::{Pump, Tally, Work};
use super::{Check, Failure, say};
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

/// The same with what is asked for of a corpus; other formats have none of it.
pub(super) fn run_with(
    args: &Tokenize,
    options: &WriteOptions,
    check: Check<'_>,
) -> Result<(), Failure> {
    let format = format(args).map_err(Failure::Usage)?;
    let written = match format {
        Format::Corpus => {
            let tokenizer = Tokenizer::blank(&args.input.lang)?;
            write(args, check, |output| {
                MappedWriter::with_options(output, tokenizer.vocab(), options)
            })
        }
        Format::Arrow => write(args, check, |output| Arrow::new(output, &args.input.lang)),
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

/// The format that was asked for, or that the name of the output stands for.
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
                "no format is known by the name of {}: let it end in .corpus, .arrow, .feather, \
                 .jsonl, .spacy, .conllu or .parquet, or say --format",
                shown(&args.output)
            );
            Err(Args::command().error(MissingRequiredArgument, text))
        }
        Some(Format::Corpus | Format::Arrow | Format::SpacyDocbin | Format::Parquet)
            if to_stdout && io::stdout().is_terminal() =>
        {
            let text = "binary data is not for a terminal: name a file with -o, or use a pipe";
            Err(Args::command().error(InvalidValue, text))
        }
        Some(format) => Ok(format),
    }
}

/// What was done, for the summary.
struct Written {
    tally: Tally,
    output_bytes: u64,
    time: Duration,
}

fn write<'a, W>(
    args: &Tokenize,
    check: Check<'a>,
    open: impl FnOnce(Output<'a>) -> io::Result<W>,
) -> Result<Written>
where
    W: CorpusWriter<Sink = Output<'a>>,
{
    let sources = args.input.sources();
    let progress = Progress::new(&sources, args.quiet)?;
    let tokenizer = Arc::new(Tokenizer::blank(&args.input.lang)?);
    let output = Output::create(&args.output, check)?;
    let name = output.name().to_owned();
    let named = |error| Output::error(&name, error);
    let mut writer = open(output).map_err(named)?;
    let mut tally = Tally::default();
    let prompt = is_stdout(&args.output);
    let start = Instant::now();
    let make = Arc::new(|docs: &mut [Doc], _: &[SourceLocation]| W::piece(docs));
    let pump = Pump { work: Work { tokenizer, make, threads: args.input.threads }, prompt };
    pump.run(Texts::new(sources, args.input.reading()), check, &mut |done| {
        writer.write(done.piece).map_err(named)?;
        progress.add(done.tally.bytes);
        tally += done.tally;
        Ok(())
    })?;
    let output_bytes = writer.finish().map_err(named)?.commit()?;
    Ok(Written { tally, output_bytes, time: start.elapsed() })
}

impl Written {
    fn to_line(&self, output: &Path) -> String {
        let Tally { documents, tokens, bytes, .. } = self.tally;
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
            ("documents", self.tally.documents.into()),
            ("tokens", self.tally.tokens.into()),
            ("characters", self.tally.characters.into()),
            ("bytes", self.tally.bytes.into()),
            ("output_bytes", self.output_bytes.into()),
            ("seconds", Json::Real(self.time.as_secs_f64(), 6)),
        ])
    }
}
