//! What is read, and what each file of it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, ValueValidation};

use super::super::Failure;
use super::super::args::{Args, Run};
use super::book::Entry;
use super::folder::Folder;
use super::pipeline::Pipeline;
use lexpool::corpus::Source;
use lexpool::escape::shown;
use lexpool::{Error, Result};

/// A file that becomes another.
pub(super) struct Shard {
    pub(super) input: PathBuf,
    pub(super) source: Source,
    /// Bytes of the input.
    pub(super) size: u64,
    /// How the input is read, by what its name ends in.
    pub(super) kind: &'static str,
    /// Within the folder of outputs.
    pub(super) output: PathBuf,
    pub(super) state: State,
}

/// What there is of a shard's output.
pub(super) enum State {
    Whole(Entry),
    New,
    /// It is to be made again, for a reason.
    Stale(&'static str),
}

/// The endings that say what a file is.
const PARQUET: &str = "parquet";
const JSONL: [&str; 2] = ["jsonl", "ndjson"];
const TXT: &str = "txt";
/// The field of JSON lines that has the text.
const FIELD: &str = "text";

/// The name of an output as it is written down: the same on all systems.
pub(super) fn name_of(output: &Path) -> String {
    let parts = output.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// The shards of the inputs, folders looked through, in the order given.
///
/// # Errors
///
/// Of usage: for an input of unknown form, for two that would become the same file, and for one that
/// would be overwritten. `file-not-found` and others of the system.
pub(super) fn collect(args: &Run, pipeline: &Pipeline) -> Result<Vec<Shard>, Failure> {
    let outputs = fs::canonicalize(&args.output).ok();
    let mut found = Vec::new();
    for given in &args.inputs {
        if given.is_dir() {
            if outputs.is_some() && fs::canonicalize(given).ok() == outputs {
                let text = format!(
                    "{} is also the folder of the outputs; give another one with -o",
                    shown(given)
                );
                return Err(usage(ValueValidation, &text));
            }
            let (before, mut files) = (found.len(), Vec::new());
            walk(given, outputs.as_deref(), &mut files)?;
            files.sort();
            for file in files {
                let name = file.strip_prefix(given).unwrap_or(&file).to_owned();
                found.extend(source(&file, pipeline).map(|source| (file, source, name)));
            }
            if found.len() == before {
                let text = format!("no .parquet, .jsonl or .txt is in {}", shown(given));
                return Err(usage(ValueValidation, &text));
            }
        } else {
            let Some(source) = source(given, pipeline) else {
                let text = format!(
                    "what is {}? The name of an input ends in .parquet, .jsonl or .txt",
                    shown(given)
                );
                return Err(usage(InvalidValue, &text));
            };
            let name = PathBuf::from(given.file_name().unwrap_or(given.as_os_str()));
            found.push((given.clone(), source, name));
        }
    }
    // An output may lie where any of the inputs does, not only its own.
    let inputs: BTreeSet<_> =
        found.iter().filter_map(|(input, ..)| fs::canonicalize(input).ok()).collect();
    let mut shards: Vec<Shard> = Vec::with_capacity(found.len());
    let mut by_output = BTreeMap::new();
    for (input, source, name) in found {
        let output = name.with_extension(args.to.ending());
        if let Some(other) = by_output.insert(output.clone(), shards.len()) {
            let text = format!(
                "{} and {} would both become {}; give the folder that they are in, whose inner \
                 folders are kept, or run them into two folders",
                shown(&shards[other].input),
                shown(&input),
                shown(&args.output.join(&output))
            );
            return Err(usage(ValueValidation, &text));
        }
        let size = match fs::metadata(&input) {
            Ok(found) => found.len(),
            // A link that leads nowhere is named when it is read; the others are done.
            Err(_) if input.is_symlink() => 0,
            Err(error) => return Err(Error::io("read", &input, error).into()),
        };
        let path = args.output.join(&output);
        if fs::canonicalize(&path).is_ok_and(|path| inputs.contains(&path)) {
            let text = format!(
                "{} would be overwritten with what becomes of {}; give another folder",
                shown(&path),
                shown(&input)
            );
            return Err(usage(ValueValidation, &text));
        }
        let (kind, state) = (kind_of(&source), State::New);
        shards.push(Shard { input, source, size, kind, output, state });
    }
    Ok(shards)
}

fn usage(kind: clap::error::ErrorKind, text: &str) -> Failure {
    Failure::Usage(Args::command().error(kind, text))
}

/// How a file is read; none if its name does not say what it is.
fn source(path: &Path, pipeline: &Pipeline) -> Option<Source> {
    let (path_owned, column) = (path.to_owned(), pipeline.column.clone());
    match path.extension().and_then(OsStr::to_str)? {
        PARQUET => Some(Source::Parquet { path: path_owned, column }),
        end if JSONL.contains(&end) => {
            let field = column.unwrap_or_else(|| FIELD.to_owned());
            Some(Source::Jsonl { path: path_owned, field })
        }
        TXT => Some(Source::File(path_owned)),
        _ => None,
    }
}

/// Two inputs with the same bytes become the same only if they are of one kind.
fn kind_of(source: &Source) -> &'static str {
    match source {
        Source::Parquet { .. } => PARQUET,
        Source::Jsonl { .. } => JSONL[0],
        Source::File(_) | Source::Stdin => TXT,
    }
}

/// All files below a folder, but hidden ones and the outputs of this run and of others: whoever wants
/// those names their folder.
fn walk(folder: &Path, outputs: Option<&Path>, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io("read", folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        match fs::metadata(&path) {
            // A link to a folder is not followed: it may lead back.
            Ok(found) if found.is_dir() && path.is_symlink() => {}
            Ok(found) if found.is_dir() => {
                let is_output =
                    outputs.is_some() && fs::canonicalize(&path).ok().as_deref() == outputs;
                if !is_output && !Folder::is_of_runs(&path) {
                    walk(&path, outputs, files)?;
                }
            }
            Ok(found) if !found.is_file() => {}
            // Whoever reads what cannot be looked at says why; nothing is left out in silence.
            Ok(_) | Err(_) => files.push(path),
        }
    }
    Ok(())
}
