//! The shards of a run: its input files, and the output file of each.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::ErrorKind::{InvalidValue, ValueValidation};

use super::super::args::{Args, Run};
use super::super::failure::Failure;
use super::entry::ManifestEntry;
use super::folder::Folder;
use super::pipeline::Pipeline;
use lexpool::escape::shown;
use lexpool::{Error, Result};
use lexpool_io::corpus::Source;

/// An input file and its output file.
pub(super) struct Shard {
    pub(super) input: PathBuf,
    pub(super) source: Source,
    /// Size of the input, in bytes.
    pub(super) size: u64,
    /// Format of the input, by the ending of its name.
    pub(super) kind: &'static str,
    /// Path within the output folder.
    pub(super) output: PathBuf,
    pub(super) state: ShardState,
}

/// State of a shard's output.
pub(super) enum ShardState {
    Complete(ManifestEntry),
    New,
    /// It must be made again, for this reason.
    Stale(&'static str),
}

/// File name endings of the input formats.
const PARQUET: &str = "parquet";
const JSONL: [&str; 2] = ["jsonl", "ndjson"];
const TXT: &str = "txt";
/// Default text field of JSON lines.
const FIELD: &str = "text";

/// Returns the name of an output in the manifest, which is the same on all systems.
pub(super) fn name_of(output: &Path) -> String {
    let parts = output.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Collects the shards of all inputs, in the given order; folders are searched recursively.
///
/// # Errors
///
/// Usage errors for an input of unknown format, for two inputs with the same output, and for an
/// input that would be overwritten. `file-not-found` and other errors of the system.
pub(super) fn collect(args: &Run, pipeline: &Pipeline) -> Result<Vec<Shard>, Failure> {
    let outputs = fs::canonicalize(&args.output).ok();
    let mut found = Vec::new();
    for given in &args.inputs {
        if given.is_dir() {
            if outputs.is_some() && fs::canonicalize(given).ok() == outputs {
                let text =
                    format!("{} is the output folder too; use another one with -o", shown(given));
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
                let text = format!("no .parquet, .jsonl or .txt file in {}", shown(given));
                return Err(usage(ValueValidation, &text));
            }
        } else {
            let Some(source) = source(given, pipeline) else {
                let text = format!(
                    "cannot tell the format of {} from its ending; expected .parquet, .jsonl or .txt",
                    shown(given)
                );
                return Err(usage(InvalidValue, &text));
            };
            let name = PathBuf::from(given.file_name().unwrap_or(given.as_os_str()));
            found.push((given.clone(), source, name));
        }
    }
    // An output may collide with any of the inputs, not only its own.
    let inputs: BTreeSet<_> =
        found.iter().filter_map(|(input, ..)| fs::canonicalize(input).ok()).collect();
    let mut shards: Vec<Shard> = Vec::with_capacity(found.len());
    let mut by_output = BTreeMap::new();
    for (input, source, name) in found {
        let output = name.with_extension(args.to.ending());
        if let Some(other) = by_output.insert(output.clone(), shards.len()) {
            let text = format!(
                "{} and {} would both become {}; give the folder that contains them, whose \
                 subfolders are kept, or run them into two folders",
                shown(&shards[other].input),
                shown(&input),
                shown(&args.output.join(&output))
            );
            return Err(usage(ValueValidation, &text));
        }
        let size = match fs::metadata(&input) {
            Ok(found) => found.len(),
            // A broken link is reported when it is read, and the run continues with the others.
            Err(_) if input.is_symlink() => 0,
            Err(error) => return Err(Error::io("read", &input, error).into()),
        };
        let path = args.output.join(&output);
        if fs::canonicalize(&path).is_ok_and(|path| inputs.contains(&path)) {
            let text = format!(
                "{} would be overwritten by the output of {}; use another output folder",
                shown(&path),
                shown(&input)
            );
            return Err(usage(ValueValidation, &text));
        }
        let (kind, state) = (kind_of(&source), ShardState::New);
        shards.push(Shard { input, source, size, kind, output, state });
    }
    Ok(shards)
}

fn usage(kind: clap::error::ErrorKind, text: &str) -> Failure {
    Failure::Usage(Args::command().error(kind, text))
}

/// Returns the source of a file, or `None` if the ending of its name is unknown.
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

/// Returns the format of a source: inputs with equal bytes have equal outputs only if their formats
/// agree.
fn kind_of(source: &Source) -> &'static str {
    match source {
        Source::Parquet { .. } => PARQUET,
        Source::Jsonl { .. } => JSONL[0],
        Source::File(_) | Source::Stdin => TXT,
    }
}

/// Collects all files below a folder, except hidden ones and outputs of this run and of others.
fn walk(folder: &Path, outputs: Option<&Path>, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io("read", folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        match fs::metadata(&path) {
            // A link to a folder is not followed, since it could lead to a cycle.
            Ok(found) if found.is_dir() && path.is_symlink() => {}
            Ok(found) if found.is_dir() => {
                let is_output =
                    outputs.is_some() && fs::canonicalize(&path).ok().as_deref() == outputs;
                if !is_output && !Folder::is_of_runs(&path) {
                    walk(&path, outputs, files)?;
                }
            }
            Ok(found) if !found.is_file() => {}
            // Files that cannot be inspected are reported when they are read.
            Ok(_) | Err(_) => files.push(path),
        }
    }
    Ok(())
}
