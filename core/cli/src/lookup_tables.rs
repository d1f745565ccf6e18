//! `lexpool lookups`: builds and inspects files of look-up tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::args::{Lookups as Args, LookupsBuild, LookupsInfo};
use super::failure::Check;
use super::figures::{grouped, megabytes};
use super::json::Json;
use super::output::print;
use lexpool::escape::shown;
use lexpool::files::{AtomicFile, Links};
use lexpool::lookups::{LookupsBuilder, MappedLookups, MappedTable, TableSource};
use lexpool::{Error, ErrorKind, Result, codes};

/// Finds the folder of the tables of an installed package; `None` outside of Python.
pub(super) type FindTables<'a> = Option<&'a dyn Fn() -> Option<PathBuf>>;

pub(super) fn run(args: &Args, find: FindTables<'_>, check: Check<'_>) -> Result<()> {
    match args {
        Args::Build(args) => build(args, find, check),
        Args::Info(args) => info(args),
    }
}

fn build(args: &LookupsBuild, find: FindTables<'_>, check: Check<'_>) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => find.and_then(|find| find()).ok_or_else(|| no_folder(find.is_some()))?,
    };
    let output = args.output.as_ref().unwrap_or(&folder);
    let languages = languages(&folder, &args.lang)?;
    fs::create_dir_all(output).map_err(|error| Error::io("write to", output, error))?;
    let mut rows = Vec::new();
    for (lang, sources) in languages {
        let mut builder = LookupsBuilder::new(&lang);
        for source in &sources {
            check()?;
            builder.add(&source.table, &source.read()?, Some(source.origin()?))?;
        }
        let (path, bytes) = (output.join(format!("{lang}.lookups")), builder.finish()?);
        AtomicFile::write(&path, &bytes, Links::Replaced)?;
        let lookups = MappedLookups::from_bytes(bytes)?;
        if args.json {
            rows.push(json(&path, &lookups));
        } else {
            let names: Vec<&str> = lookups.tables().iter().map(MappedTable::name).collect();
            let size = megabytes(lookups.size() as u64);
            print(format_args!("{}: {size}, {}\n", shown(&path), names.join(", ")))?;
        }
    }
    if args.json { print(format_args!("{}\n", Json::List(rows))) } else { Ok(()) }
}

/// Returns the tables in a folder by the languages that are asked for, or of all languages.
fn languages(folder: &Path, asked: &[String]) -> Result<BTreeMap<String, Vec<TableSource>>> {
    let mut found: BTreeMap<String, Vec<TableSource>> = BTreeMap::new();
    for source in TableSource::find(folder)? {
        found.entry(source.lang.clone()).or_default().push(source);
    }
    let known = found.keys().cloned().collect::<Vec<_>>().join(", ");
    if let Some(lang) = asked.iter().find(|lang| !found.contains_key(*lang)) {
        let text = format!("{} has no table of {lang:?}; it has {known}", shown(folder));
        return Err(Error::new(ErrorKind::Value, codes::E955, text));
    }
    if found.is_empty() {
        let text =
            format!("{} has no tables; expected files such as de_lemma_lookup.json", shown(folder));
        return Err(Error::new(ErrorKind::Value, codes::E955, text));
    }
    found.retain(|lang, _| asked.is_empty() || asked.contains(lang));
    Ok(found)
}

fn no_folder(in_python: bool) -> Error {
    if in_python {
        let text = "the package spacy-lookups-data is not installed; install it, or give the \
                    folder of the tables: lexpool lookups build FOLDER";
        return Error::new(ErrorKind::Value, codes::E955, text);
    }
    let text = "outside of Python, the folder of the tables is required: lexpool lookups build \
                FOLDER";
    Error::new(ErrorKind::State, codes::NEEDS_PYTHON, text)
}

fn info(args: &LookupsInfo) -> Result<()> {
    let lookups = MappedLookups::open(&args.file)?;
    if args.verify {
        lookups.verify().map_err(|error| error.context(shown(&args.file)))?;
    }
    if args.json {
        return print(format_args!("{}\n", json(&args.file, &lookups)));
    }
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{name:<18}{value}");
    };
    row("language", lookups.lang());
    row("size", &megabytes(lookups.size() as u64));
    row("verified", if args.verify { "the whole file" } else { "the manifest only; see --verify" });
    let _ = writeln!(out, "\n{:<24}{:>14}{:>16}  origin", "table", "words", "bytes");
    for table in lookups.tables() {
        let (words, bytes) = (grouped(table.len() as u64), grouped(table.size() as u64));
        let origin = table.origin().map_or("", |origin| &origin.file);
        let _ = writeln!(out, "{:<24}{words:>14}{bytes:>16}  {origin}", table.name());
    }
    print(format_args!("{out}"))
}

fn json(path: &Path, lookups: &MappedLookups) -> Json {
    let tables = lookups.tables().iter().map(|table| {
        let origin = table.origin().map_or(Json::Null, |origin| origin.file.as_str().into());
        Json::Map(vec![
            ("name", table.name().into()),
            ("words", table.len().into()),
            ("bytes", table.size().into()),
            ("origin", origin),
        ])
    });
    Json::Map(vec![
        ("path", (&*path.to_string_lossy()).into()),
        ("lang", lookups.lang().into()),
        ("bytes", lookups.size().into()),
        ("tables", Json::List(tables.collect())),
    ])
}
