//! `lexpool corpus convert`: converts documents or texts to another format.

use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind::{ArgumentConflict, InvalidValue, MissingRequiredArgument};

use super::super::args::{Args, Convert, Format, Input, Tokenize};
use super::super::doc_encoder::DocEncoder;
use super::super::failure::{Check, Failure};
use super::super::figures::{grouped, megabytes};
use super::super::messages::say;
use super::super::output::{Output, name_of};
use super::super::tokenize;
use super::documents::{DocFormat, Documents, ReadSettings};
use lexpool::Result;
use lexpool::escape::shown;
use lexpool_io::corpus::{
    AnnotatedArrow, AnnotatedDocBin, ConlluWriter, CorpusWriter, Jsonl, MappedWriter, Parquet,
    WriteOptions,
};

pub(super) fn run(args: &Convert, check: Check<'_>) -> Result<(), Failure> {
    let usage = |kind, text: &str| Failure::Usage(Args::command().error(kind, text));
    let [path] = &*args.input.files else {
        let text = "convert takes one input file; use lexpool run for several, or lexpool corpus \
                    merge to join corpora";
        return Err(usage(InvalidValue, text));
    };
    let ending = args.output.extension().and_then(std::ffi::OsStr::to_str);
    let Some(format) = args.format.or_else(|| Format::of_ending(ending?)) else {
        let text = format!(
            "cannot tell the format of {} from its ending; use .corpus, .spacy, .conllu, .jsonl, \
             .arrow or .parquet, or --format",
            shown(&args.output)
        );
        return Err(usage(MissingRequiredArgument, &text));
    };
    if args.compress && format != Format::Corpus {
        let text = format!("--compress requires a .corpus output, not {}", format.name());
        return Err(usage(ArgumentConflict, &text));
    }
    let options = WriteOptions { compressed: args.compress, ..WriteOptions::default() };
    let field = args.input.field.as_ref().or(args.input.column.as_ref()).cloned();
    // If a field is named, lines are texts, and their other fields are ignored.
    let is_text = |format| format == DocFormat::Jsonl && field.is_some();
    if DocFormat::of(path).is_some_and(|format| !is_text(format)) {
        return write(args, path, format, &options, check).map_err(Failure::from);
    }
    let form = path.extension().and_then(std::ffi::OsStr::to_str);
    let field = match form {
        Some("jsonl" | "ndjson") => field,
        Some("txt" | "parquet") => args.input.field.clone(),
        _ => {
            let text = format!(
                "cannot tell the format of {} from its ending; expected .corpus, .spacy, .conllu, \
                 .txt, .jsonl or .parquet",
                shown(path)
            );
            return Err(usage(InvalidValue, &text));
        }
    };
    let args = Tokenize {
        input: Input { field, ..args.input.clone() },
        language: args.language.clone(),
        output: args.output.clone(),
        format: Some(format),
        json: false,
        quiet: args.quiet,
    };
    tokenize::run_with(&args, &options, check)
}

/// Documents encoded at once.
const AT_ONCE: usize = 64;

fn write(
    args: &Convert,
    path: &Path,
    format: Format,
    options: &WriteOptions,
    check: Check<'_>,
) -> Result<()> {
    let sentences = args.sentences.map(|count| count as usize);
    let settings = ReadSettings {
        lang: &args.language.lang,
        sentences,
        reading: args.input.reading(),
        threads: args.input.threads,
        max_bytes: args.max_bytes,
    };
    let documents = Documents::open(path, &settings)?;
    let lang = documents.vocab.attrs().lang().to_owned();
    let vocab = documents.vocab.clone();
    let done = match format {
        Format::Corpus => convert_with(args, documents, check, |output| {
            MappedWriter::with_options(output, &vocab, options)
        }),
        Format::SpacyDocbin => {
            convert_with(args, documents, check, |output| Ok(AnnotatedDocBin::annotated(output)))
        }
        Format::Arrow => {
            convert_with(args, documents, check, |output| AnnotatedArrow::new(output, &lang))
        }
        Format::Jsonl => convert_with(args, documents, check, |output| Ok(Jsonl::new(output))),
        Format::Conllu => {
            convert_with(args, documents, check, |output| Ok(ConlluWriter::new(output)))
        }
        Format::Parquet => convert_with(args, documents, check, Parquet::new),
    };
    let (count, bytes) = done?;
    if !args.quiet {
        let name = name_of(&args.output);
        say(format_args!("{name}: {} documents, {}", grouped(count), megabytes(bytes)));
    }
    Ok(())
}

/// Writes documents with a writer; returns their number and the size of the output.
fn convert_with<'a, W: DocEncoder + CorpusWriter<Sink = Output<'a>>>(
    args: &Convert,
    mut documents: Documents,
    check: Check<'a>,
    open: impl FnOnce(Output<'a>) -> io::Result<W>,
) -> Result<(u64, u64)> {
    let output = Output::create(&args.output, check)?;
    let name = output.name().to_owned();
    let named = |error| Output::error(&name, error);
    let mut writer = open(output).map_err(named)?;
    let mut count = 0;
    loop {
        check()?;
        let rows = documents.by_ref().take(AT_ONCE).collect::<Result<Vec<_>>>()?;
        if rows.is_empty() {
            break;
        }
        count += rows.len() as u64;
        let encoded =
            W::encode(&rows.iter().map(|(doc, extras)| (doc, extras)).collect::<Vec<_>>())?;
        writer.write(encoded).map_err(named)?;
    }
    let bytes = writer.finish().map_err(named)?.commit()?;
    Ok((count, bytes))
}
