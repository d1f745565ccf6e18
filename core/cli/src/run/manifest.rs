//! Manifest of a run: a journal with a line of JSON for each complete output.
//!
//! A line is appended after its output is synced to the disk. Of several lines for an output the
//! last one counts; invalid lines, such as a truncated one after a crash, are ignored. At the end
//! of a run the manifest is rewritten with one line per output, sorted, so its bytes do not depend
//! on how often the run was interrupted.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::super::failure::Check;
use super::checksums::{InputDigest, OutputChecksum};
use super::entry::ManifestEntry;
use super::folder::Folder;
use super::shards::{Shard, ShardState, name_of};
use lexpool::files::{AtomicFile, Links, open_own};
use lexpool::{Error, ErrorKind, Result};

/// The complete outputs, by name.
pub(super) struct Manifest {
    entries: BTreeMap<String, ManifestEntry>,
    file: Option<File>,
}

impl Manifest {
    /// Reads the manifest of earlier runs.
    ///
    /// # Errors
    ///
    /// `file-permission` and other errors of the system.
    pub(super) fn read(folder: &Folder) -> Result<Manifest> {
        let path = folder.manifest();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("read", &path, error)),
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(Manifest { entries: lines.filter_map(read_line).collect(), file: None })
    }

    pub(super) fn has(&self, output: &Path) -> bool {
        self.entries.contains_key(&name_of(output))
    }

    /// Checks whether the output of a shard is complete and unchanged, and would have the same
    /// bytes if it were made again.
    pub(super) fn check_output(
        &self,
        shard: &Shard,
        pipeline_digest: &str,
        outputs: &Path,
        check: Check<'_>,
    ) -> Result<ShardState> {
        let Some(entry) = self.entries.get(&name_of(&shard.output)) else {
            return Ok(ShardState::New);
        };
        if entry.pipeline_digest != pipeline_digest || entry.kind != shard.kind {
            return Ok(ShardState::Stale("made by another pipeline or version"));
        }
        let path = outputs.join(&shard.output);
        let Ok(found) = fs::metadata(&path) else {
            return Ok(ShardState::Stale("output missing"));
        };
        if entry.digest.bytes != shard.size {
            return Ok(ShardState::Stale("input changed"));
        }
        if found.len() != entry.output.bytes
            || OutputChecksum::of_file(&path, check)? != entry.output
        {
            return Ok(ShardState::Stale("output damaged"));
        }
        match InputDigest::of_file(&shard.input, check) {
            Ok(digest) if digest == entry.digest => Ok(ShardState::Complete(entry.clone())),
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            _ => Ok(ShardState::Stale("input changed")),
        }
    }

    /// Appends the entry of a complete output.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and other errors of the system.
    pub(super) fn add(
        &mut self,
        folder: &Folder,
        output: &Path,
        entry: ManifestEntry,
    ) -> Result<()> {
        let path = folder.manifest();
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
            // The last line may be truncated.
            file.write_all(b"\n")?;
            self.file.insert(file)
        };
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// Rewrites the manifest, sorted.
    ///
    /// # Errors
    ///
    /// As for [`add`](Manifest::add).
    pub(super) fn close(&mut self, folder: &Folder) -> Result<()> {
        self.file = None;
        let path = folder.manifest();
        let lines: String = self.entries.iter().map(|(name, entry)| line_of(name, entry)).collect();
        if fs::read(&path).is_ok_and(|bytes| bytes == lines.as_bytes()) {
            return Ok(());
        }
        let mut file = AtomicFile::create(&path, Links::Replaced)?;
        file.put(lines.as_bytes(), &|| Ok(()))?;
        file.commit()
    }
}

fn line_of(name: &str, entry: &ManifestEntry) -> String {
    let line = json!({
        "output": name,
        "output_bytes": entry.output.bytes,
        "output_crc32": entry.output.crc32,
        "input": entry.input,
        "input_kind": entry.kind,
        "input_bytes": entry.digest.bytes,
        "input_xxh3": entry.digest.xxh3,
        "pipeline_digest": entry.pipeline_digest,
        "documents": entry.documents,
        "tokens": entry.tokens,
    });
    format!("{line}\n")
}

/// Parses a line; `None` if it is not an entry.
fn read_line(line: &[u8]) -> Option<(String, ManifestEntry)> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let text = |name: &str| Some(line.get(name)?.as_str()?.to_owned());
    let number = |name: &str| line.get(name)?.as_u64();
    let entry = ManifestEntry {
        input: text("input")?,
        kind: text("input_kind")?,
        digest: InputDigest { bytes: number("input_bytes")?, xxh3: text("input_xxh3")? },
        pipeline_digest: text("pipeline_digest")?,
        output: OutputChecksum {
            bytes: number("output_bytes")?,
            crc32: u32::try_from(number("output_crc32")?).ok()?,
        },
        documents: number("documents")?,
        tokens: number("tokens")?,
    };
    Some((text("output")?, entry))
}
