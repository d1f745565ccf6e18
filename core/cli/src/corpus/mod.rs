//! `lexpool corpus`: inspects, verifies, converts and merges files of documents.

mod convert;
mod documents;

use std::fmt::Write as _;
use std::io::Write;

use super::args::{CorpusCommand, Head, Info, Merge, Verify};
use super::failure::{Check, Failure};
use super::figures::{grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::output::{Output, print};
use documents::{DocFormat, Documents, ReadSettings};
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::vocab::{self, OpenOptions};
use lexpool::{Error, ErrorKind, Result};
use lexpool_io::corpus::{Corpus, Jsonl, merge};

pub(super) fn run(command: &CorpusCommand, check: Check<'_>) -> Result<(), Failure> {
    match command {
        CorpusCommand::Info(args) => info(args).map_err(Failure::from),
        CorpusCommand::Verify(args) => verify(args, check).map_err(Failure::from),
        CorpusCommand::Convert(args) => convert::run(args, check),
        CorpusCommand::Head(args) => head(args, check).map_err(Failure::from),
        CorpusCommand::Merge(args) => merged(args, check).map_err(Failure::from),
    }
}

fn info(args: &Info) -> Result<()> {
    let mut all = Vec::new();
    for path in &args.files {
        let corpus = Corpus::open(path)?;
        let size = std::fs::metadata(path).map_err(|error| Error::io("read", path, error))?.len();
        let columns = corpus.schema().fields().iter().map(|field| field.name().as_str());
        let columns: Vec<_> = columns.collect();
        let (documents, tokens) = (corpus.len() as u64, corpus.file_tokens());
        let words = corpus.vocab().len() as u64;
        if args.json {
            all.push(Json::Map(vec![
                ("file", (&*path.to_string_lossy()).into()),
                ("lang", corpus.lang().into()),
                ("documents", documents.into()),
                ("tokens", tokens.into()),
                ("words", words.into()),
                ("bytes", size.into()),
                ("columns", Json::List(columns.into_iter().map(Json::from).collect())),
            ]));
            continue;
        }
        let rows = [
            ("language", corpus.lang().to_owned()),
            ("documents", grouped(documents)),
            ("tokens", grouped(tokens)),
            ("words", grouped(words)),
            ("size", megabytes(size)),
            ("columns", columns.join(", ")),
        ];
        let mut table = format!("{}\n", shown(path));
        for (name, value) in rows {
            let _ = writeln!(table, "  {name:<11}{value}");
        }
        print(format_args!("{table}"))?;
    }
    if args.json { print(format_args!("{}\n", Json::List(all))) } else { Ok(()) }
}

fn verify(args: &Verify, check: Check<'_>) -> Result<()> {
    let mut wrong = 0;
    for path in &args.files {
        let verified = match DocFormat::of(path) {
            Some(DocFormat::Corpus) => {
                let options = OpenOptions::new().verify(vocab::Verify::Full);
                Corpus::open_with(path, &options).map(|corpus| corpus.len() as u64)
            }
            Some(_) => Documents::open(path, &ReadSettings::DEFAULT).and_then(|mut documents| {
                let mut count = 0;
                while let Some(doc) = documents.next().transpose()? {
                    drop(doc);
                    check()?;
                    count += 1;
                }
                Ok(count)
            }),
            None => Err(DocFormat::unknown(path)),
        };
        check()?;
        match verified {
            Ok(_) if args.quiet => {}
            Ok(count) => {
                print(format_args!("{}: valid, {} documents\n", shown(path), grouped(count)))?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                wrong += 1;
                say(format_args!("lexpool: {error}"));
            }
        }
    }
    match wrong {
        0 => Ok(()),
        wrong => {
            let text =
                format!("{wrong} of {} files are invalid; see the errors above", args.files.len());
            Err(Error::value(codes::CORPUS_BROKEN, text))
        }
    }
}

fn head(args: &Head, check: Check<'_>) -> Result<()> {
    let settings =
        ReadSettings { lang: &args.lang, max_bytes: args.max_bytes, ..ReadSettings::DEFAULT };
    for read in Documents::open(&args.file, &settings)?.take(args.n) {
        check()?;
        let (doc, extras) = read?;
        let line = Jsonl::<Vec<u8>>::piece_with([(&doc, &extras)])?;
        print(format_args!("{}", String::from_utf8_lossy(&line)))?;
    }
    Ok(())
}

fn merged(args: &Merge, check: Check<'_>) -> Result<()> {
    let corpora = args.files.iter().map(|path| Corpus::open(path)).collect::<Result<Vec<_>>>()?;
    let output = Output::create(&args.output, check)?;
    let name = output.name().to_owned();
    let mut output = merge(&corpora, output, &name, args.compress, &mut |_| check())?;
    output.flush().map_err(|error| Output::error(&args.output, error))?;
    let size = output.commit()?;
    if !args.quiet {
        let documents: usize = corpora.iter().map(Corpus::len).sum();
        say(format_args!(
            "{}: {} documents of {} corpora, {}",
            shown(&args.output),
            grouped(documents as u64),
            corpora.len(),
            megabytes(size)
        ));
    }
    Ok(())
}
