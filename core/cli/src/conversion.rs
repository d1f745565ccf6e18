//! Conversion of texts to documents in a file: the work of `tokenize` and `annotate`.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, MissingRequiredArgument};

use super::args::{Args, Format, Input};
use super::batch_pipeline::{BatchPipeline, BatchProcessor, Counts, MakePiece};
use super::failure::{Check, Failure};
use super::figures::{Speed, grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::output::{Output, is_stdout, name_of, print};
use super::progress::Progress;
use lexpool::Result;
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool_io::corpus::{CorpusWriter, Texts};

/// The options of a conversion.
pub(super) struct Conversion<'a> {
    pub(super) input: &'a Input,
    pub(super) output: &'a Path,
    pub(super) format: Format,
    /// The number of bytes after which a batch is complete.
    pub(super) batch_bytes: u64,
    /// Set to let the thread that writes process batches too.
    pub(super) caller_helps: bool,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

/// The figures of a finished conversion.
pub(super) struct ConversionResult {
    pub(super) counts: Counts,
    pub(super) time: Duration,
    output_bytes: u64,
}

impl Conversion<'_> {
    /// Tokenizes all texts, and writes the pieces that `make` makes of the documents.
    pub(super) fn run<'c, W>(
        &self,
        tokenizer: Arc<Tokenizer>,
        open: impl FnOnce(Output<'c>) -> io::Result<W>,
        make: MakePiece<W::Piece>,
        check: Check<'c>,
    ) -> Result<ConversionResult>
    where
        W: CorpusWriter<Sink = Output<'c>>,
    {
        let start = Instant::now();
        let sources = self.input.sources();
        let progress = Progress::new(&sources, self.quiet)?;
        let output = Output::create(self.output, check)?;
        let name = output.name().to_owned();
        let named = |error| Output::error(&name, error);
        let mut writer = open(output).map_err(named)?;
        let (mut counts, threads) = (Counts::default(), self.input.threads);
        let pipeline = BatchPipeline {
            processor: BatchProcessor { tokenizer, make, threads, caller_helps: self.caller_helps },
            batch_bytes: self.batch_bytes,
            prompt: is_stdout(self.output),
        };
        pipeline.run(Texts::new(sources, self.input.reading()), check, &mut |done| {
            writer.write(done.piece).map_err(named)?;
            progress.add(done.counts.bytes);
            counts += done.counts;
            Ok(())
        })?;
        let output_bytes = writer.finish().map_err(named)?.commit()?;
        Ok(ConversionResult { counts, output_bytes, time: start.elapsed() })
    }

    /// Prints the summary, with a speed.
    pub(super) fn report(&self, result: &ConversionResult, speed: &str) -> Result<(), Failure> {
        let ConversionResult { counts, time, output_bytes } = result;
        if self.json {
            let json = Json::Map(vec![
                ("output", (&*self.output.to_string_lossy()).into()),
                ("format", self.format.name().into()),
                ("documents", counts.documents.into()),
                ("tokens", counts.tokens.into()),
                ("characters", counts.characters.into()),
                ("bytes", counts.bytes.into()),
                ("output_bytes", (*output_bytes).into()),
                ("seconds", Json::Float(time.as_secs_f64(), 6)),
            ]);
            if is_stdout(self.output) {
                say(format_args!("{json}"));
            } else {
                print(format_args!("{json}\n"))?;
            }
        } else if !self.quiet {
            say(format_args!(
                "{}: {} documents, {} tokens from {} in {:.2} s ({speed})",
                name_of(self.output),
                grouped(counts.documents),
                grouped(counts.tokens),
                megabytes(counts.bytes),
                time.as_secs_f64(),
            ));
        }
        Ok(())
    }
}

impl ConversionResult {
    /// Returns the bytes of text a second.
    pub(super) fn bytes_per_second(&self) -> String {
        Speed::new(self.counts.bytes, self.time).to_string()
    }

    /// Returns the tokens a second.
    pub(super) fn tokens_per_second(&self) -> String {
        format!("{:.0} tokens/s", Speed::new(self.counts.tokens, self.time).per_second())
    }
}

/// Returns the format of the option, or of the ending of the output's name; JSON lines for the
/// standard output.
///
/// # Errors
///
/// A message of the command line for a name of another ending, whose `endings` it lists, and for
/// binary output to a terminal.
pub(super) fn output_format(
    output: &Path,
    option: Option<Format>,
    endings: &str,
) -> Result<Format, Failure> {
    let wrong = |kind, text| Failure::Usage(Args::command().error(kind, text));
    let to_stdout = is_stdout(output);
    let of_name = match output.extension().and_then(OsStr::to_str) {
        _ if to_stdout => Some(Format::Jsonl),
        ending => ending.and_then(Format::of_ending),
    };
    let format = option.or(of_name).ok_or_else(|| {
        let text = format!(
            "cannot tell the format of {} from its ending; use {endings}, or --format",
            shown(output)
        );
        wrong(MissingRequiredArgument, text)
    })?;
    let is_text = matches!(format, Format::Jsonl | Format::Conllu);
    if !is_text && to_stdout && io::stdout().is_terminal() {
        let text = "binary output cannot go to a terminal; use -o FILE or a pipe";
        return Err(wrong(InvalidValue, text.to_owned()));
    }
    Ok(format)
}
