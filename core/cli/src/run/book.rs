//! What was done: a line of JSON for each output that is whole.
//!
//! A line is appended after its output lies on the disk. Later lines outrank earlier ones; one that
//! cannot be read, as the last may be after a crash, counts as not there. When a run ends the file
//! is written again, a line for each output, sorted: so it does not depend on how often a run was
//! broken off.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::super::Check;
use super::folder::Folder;
use super::shards::{Shard, State, name_of};
use super::sums::{Digest, Written};
use lexpool::files::{AtomicFile, open_own};
use lexpool::{Error, ErrorKind, Result};

/// An output that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// As it was given.
    pub(super) input: String,
    /// How it was read.
    pub(super) kind: String,
    pub(super) digest: Digest,
    /// What was done with it, as a sum.
    pub(super) plan: String,
    pub(super) written: Written,
    pub(super) documents: u64,
    pub(super) tokens: u64,
}

/// All outputs that are whole, by name.
pub(super) struct Book {
    entries: BTreeMap<String, Entry>,
    file: Option<File>,
}

impl Book {
    /// Reads what earlier runs have done.
    ///
    /// # Errors
    ///
    /// `file-permission` and others of the system.
    pub(super) fn read(folder: &Folder) -> Result<Book> {
        let path = folder.book();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("read", &path, error)),
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(Book { entries: lines.filter_map(read_line).collect(), file: None })
    }

    pub(super) fn has(&self, output: &Path) -> bool {
        self.entries.contains_key(&name_of(output))
    }

    /// Whether an output that is written down is still what it was, and would be made again the
    /// same.
    pub(super) fn judge(
        &self,
        shard: &Shard,
        plan: &str,
        outputs: &Path,
        check: Check<'_>,
    ) -> Result<State> {
        let Some(entry) = self.entries.get(&name_of(&shard.output)) else { return Ok(State::New) };
        if entry.plan != plan || entry.kind != shard.kind {
            return Ok(State::Stale("it was made otherwise"));
        }
        let path = outputs.join(&shard.output);
        let Ok(found) = fs::metadata(&path) else {
            return Ok(State::Stale("it is not there any more"));
        };
        if entry.digest.bytes != shard.size {
            return Ok(State::Stale("the input has changed"));
        }
        if found.len() != entry.written.bytes || Written::of_file(&path, check)? != entry.written {
            return Ok(State::Stale("it is damaged"));
        }
        match Digest::of_file(&shard.input, check) {
            Ok(digest) if digest == entry.digest => Ok(State::Whole(entry.clone())),
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            _ => Ok(State::Stale("the input has changed")),
        }
    }

    /// Writes down that an output is whole.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and others of the system.
    pub(super) fn add(&mut self, folder: &Folder, output: &Path, entry: Entry) -> Result<()> {
        let path = folder.book();
        let name = name_of(output);
        let line = line_of(&name, &entry);
        self.append(&path, &line).map_err(|error| Error::io("write to", &path, error))?;
        self.entries.insert(name, entry);
        Ok(())
    }

    fn append(&mut self, path: &Path, line: &str) -> io::Result<()> {
        let file = if let Some(file) = &mut self.file {
            file
        } else {
            let mut file = open_own(OpenOptions::new().create(true).append(true), path)?;
            // The last line may have been cut off.
            file.write_all(b"\n")?;
            self.file.insert(file)
        };
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// Writes the file again, in order.
    ///
    /// # Errors
    ///
    /// As for [`add`](Book::add).
    pub(super) fn close(&mut self, folder: &Folder) -> Result<()> {
        self.file = None;
        let path = folder.book();
        let lines: String = self.entries.iter().map(|(name, entry)| line_of(name, entry)).collect();
        if fs::read(&path).is_ok_and(|bytes| bytes == lines.as_bytes()) {
            return Ok(());
        }
        let mut file = AtomicFile::create_part(&path)?;
        file.put(lines.as_bytes(), &|| Ok(()))?;
        file.commit()
    }
}

fn line_of(name: &str, entry: &Entry) -> String {
    let line = json!({
        "output": name,
        "output_bytes": entry.written.bytes,
        "output_crc32": entry.written.crc32,
        "input": entry.input,
        "input_kind": entry.kind,
        "input_bytes": entry.digest.bytes,
        "input_xxh3": entry.digest.xxh3,
        "plan": entry.plan,
        "documents": entry.documents,
        "tokens": entry.tokens,
    });
    format!("{line}\n")
}

/// None for what is no line of this file.
fn read_line(line: &[u8]) -> Option<(String, Entry)> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let text = |name: &str| Some(line.get(name)?.as_str()?.to_owned());
    let number = |name: &str| line.get(name)?.as_u64();
    let entry = Entry {
        input: text("input")?,
        kind: text("input_kind")?,
        digest: Digest { bytes: number("input_bytes")?, xxh3: text("input_xxh3")? },
        plan: text("plan")?,
        written: Written {
            bytes: number("output_bytes")?,
            crc32: u32::try_from(number("output_crc32")?).ok()?,
        },
        documents: number("documents")?,
        tokens: number("tokens")?,
    };
    Some((text("output")?, entry))
}
