//! `lexpool corpus convert`: documents or texts in one form, documents in another.

use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind::{ArgumentConflict, InvalidValue, MissingRequiredArgument};

use super::super::args::{Args, Convert, Format, Input, Tokenize};
use super::super::figures::{grouped, megabytes};
use super::super::output::{Output, name_of};
use super::super::{Check, Failure, say, tokenize};
use super::documents::{Documents, Form, Opening};
use lexpool::Result;
use lexpool::corpus::{
    AnnotatedDocBin, Arrow, ConlluWriter, CorpusWriter, Jsonl, MappedWriter, Parquet, Piece,
    WriteOptions,
};
use lexpool::escape::shown;
use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;

pub(super) fn run(args: &Convert, check: Check<'_>) -> Result<(), Failure> {
    let usage = |kind, text: &str| Failure::Usage(Args::command().error(kind, text));
    let [path] = &*args.input.files else {
        let text = "one file is converted at a time; lexpool run is for many, and lexpool corpus \
                    merge puts corpora together";
        return Err(usage(InvalidValue, text));
    };
    let ending = args.output.extension().and_then(std::ffi::OsStr::to_str);
    let Some(format) = args.format.or_else(|| Format::of_ending(ending?)) else {
        let text = format!(
            "no form is known by the name of {}: let it end in .corpus, .spacy, .conllu, .jsonl, \
             .arrow or .parquet, or say --format",
            shown(&args.output)
        );
        return Err(usage(MissingRequiredArgument, &text));
    };
    if args.compress && format != Format::Corpus {
        let text = format!("--compress is for a .corpus, and the output is of {}", format.name());
        return Err(usage(ArgumentConflict, &text));
    }
    let options = WriteOptions { compressed: args.compress, ..WriteOptions::default() };
    let field = args.input.field.as_ref().or(args.input.column.as_ref()).cloned();
    // A field that is named has texts, and whatever stands beside it is not of them.
    let is_text = |form| form == Form::Jsonl && field.is_some();
    if Form::of(path).is_some_and(|form| !is_text(form)) {
        return write(args, path, format, &options, check).map_err(Failure::from);
    }
    let form = path.extension().and_then(std::ffi::OsStr::to_str);
    let field = match form {
        Some("jsonl" | "ndjson") => field,
        Some("txt" | "parquet") => args.input.field.clone(),
        _ => {
            let text = format!(
                "what is {}? The name of what is converted ends in .corpus, .spacy, .conllu, .txt, \
                 .jsonl or .parquet",
                shown(path)
            );
            return Err(usage(InvalidValue, &text));
        }
    };
    let Input { files, column, per, skip_blank, lang, threads, errors, .. } = &args.input;
    let input = Input {
        files: files.clone(),
        column: column.clone(),
        field,
        per: *per,
        skip_blank: *skip_blank,
        lang: lang.clone(),
        threads: *threads,
        errors: *errors,
    };
    let args = Tokenize {
        input,
        output: args.output.clone(),
        format: Some(format),
        json: false,
        quiet: args.quiet,
    };
    tokenize::run_with(&args, &options, check)
}

/// So many documents are put down at once.
const AT_ONCE: usize = 64;

type Rows<'a> = &'a [(Doc, DocExtras)];

fn write(
    args: &Convert,
    path: &Path,
    format: Format,
    options: &WriteOptions,
    check: Check<'_>,
) -> Result<()> {
    let sentences = args.sentences.map(|count| count as usize);
    let Input { lang, threads, .. } = &args.input;
    let opening = Opening {
        lang,
        sentences,
        reading: args.input.reading(),
        threads: *threads,
        max_bytes: args.max_bytes,
    };
    let documents = Documents::open(path, &opening)?;
    let lang = documents.vocab.attrs().lang().to_owned();
    let vocab = documents.vocab.clone();
    let done = match format {
        Format::Corpus => pour(
            args,
            documents,
            check,
            |output| MappedWriter::with_options(output, &vocab, options),
            |rows| Piece::of(rows.iter().map(|(doc, extras)| (doc, extras.clone()))),
        ),
        Format::SpacyDocbin => pour(
            args,
            documents,
            check,
            |output| Ok(AnnotatedDocBin::annotated(output)),
            |rows| {
                let rows = rows.iter().map(|(doc, extras)| (doc, extras.clone()));
                AnnotatedDocBin::<Output<'_>>::piece_with(rows)
            },
        ),
        Format::Arrow => pour(
            args,
            documents,
            check,
            |output| Arrow::new(output, &lang),
            plain::<Arrow<Vec<u8>>>,
        ),
        Format::Jsonl => {
            pour(args, documents, check, |output| Ok(Jsonl::new(output)), plain::<Jsonl<Vec<u8>>>)
        }
        Format::Conllu => pour(
            args,
            documents,
            check,
            |output| Ok(ConlluWriter::new(output)),
            plain::<ConlluWriter<Vec<u8>>>,
        ),
        Format::Parquet => pour(args, documents, check, Parquet::new, plain::<Parquet<Vec<u8>>>),
    };
    let (count, bytes) = done?;
    if !args.quiet {
        let name = name_of(&args.output);
        say(format_args!("{name}: {} documents, {}", grouped(count), megabytes(bytes)));
    }
    Ok(())
}

/// A piece of documents without what they carry.
fn plain<W: CorpusWriter>(rows: Rows<'_>) -> Result<W::Piece> {
    let docs = rows.iter().map(|(doc, _)| doc.try_clone()).collect::<Result<Vec<_>>>()?;
    W::piece(&docs)
}

fn pour<'a, W: CorpusWriter<Sink = Output<'a>>>(
    args: &Convert,
    mut documents: Documents,
    check: Check<'a>,
    open: impl FnOnce(Output<'a>) -> io::Result<W>,
    piece: impl Fn(Rows<'_>) -> Result<W::Piece>,
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
        writer.write(piece(&rows)?).map_err(named)?;
    }
    let bytes = writer.finish().map_err(named)?.commit()?;
    Ok((count, bytes))
}
