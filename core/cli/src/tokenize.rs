//! `lexpool tokenize`: converts texts to documents.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::{Format, Tokenize};
use super::batch_pipeline::{BATCH_BYTES, COMPRESSED_BATCH_BYTES};
use super::conversion::{Conversion, ConversionResult, output_format};
use super::failure::{Check, Failure};
use super::output::Output;
use lexpool::Result;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool_io::corpus::{
    Arrow, ConlluWriter, CorpusWriter, DocBin, Jsonl, MappedWriter, Parquet, SourceLocation,
    WriteOptions,
};

const ENDINGS: &str = ".corpus, .arrow, .feather, .jsonl, .spacy, .conllu or .parquet";

pub(super) fn run(args: &Tokenize, check: Check<'_>) -> Result<(), Failure> {
    run_with(args, &WriteOptions::default(), check)
}

/// Runs the command with options of a corpus, which other formats ignore.
pub(super) fn run_with(
    args: &Tokenize,
    options: &WriteOptions,
    check: Check<'_>,
) -> Result<(), Failure> {
    let format = output_format(&args.output, args.format, ENDINGS)?;
    let conversion = Conversion {
        input: &args.input,
        output: &args.output,
        format,
        batch_bytes: match format {
            Format::Arrow | Format::Conllu | Format::Jsonl => BATCH_BYTES,
            Format::Corpus | Format::Parquet | Format::SpacyDocbin => COMPRESSED_BATCH_BYTES,
        },
        caller_helps: true,
        json: args.json,
        quiet: args.quiet,
    };
    let lang = &args.language.lang;
    let tokenizer = Arc::new(Tokenizer::blank(lang)?);
    let (work, vocab) = (&conversion, Arc::clone(tokenizer.vocab()));
    let result = match format {
        Format::Corpus => convert(work, tokenizer, check, |output| {
            MappedWriter::with_options(output, &vocab, options)
        }),
        Format::Arrow => convert(work, tokenizer, check, |output| Arrow::new(output, lang)),
        Format::Jsonl => convert(work, tokenizer, check, |output| Ok(Jsonl::new(output))),
        Format::SpacyDocbin => convert(work, tokenizer, check, |output| Ok(DocBin::new(output))),
        Format::Conllu => convert(work, tokenizer, check, |output| Ok(ConlluWriter::new(output))),
        Format::Parquet => convert(work, tokenizer, check, Parquet::new),
    }?;
    conversion.report(&result, &result.bytes_per_second())
}

fn convert<'c, W>(
    conversion: &Conversion<'_>,
    tokenizer: Arc<Tokenizer>,
    check: Check<'c>,
    open: impl FnOnce(Output<'c>) -> io::Result<W>,
) -> Result<ConversionResult>
where
    W: CorpusWriter<Sink = Output<'c>>,
{
    let make = |docs: &mut [Doc], _: &[SourceLocation], _: &AtomicBool| W::piece(docs);
    conversion.run(tokenizer, open, Arc::new(make), check)
}
