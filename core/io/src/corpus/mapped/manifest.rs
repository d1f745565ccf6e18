//! Manifest of a corpus: a JSON object in the metadata of Arrow's footer.
//!
//! It lists the batches with their sizes and checksums, and the range of the lexicon. Its last
//! member, the seal, is the checksum of the end of the file, computed with zeros in the place of
//! the seal. So every byte of the file except padding is covered by a checksum.

use std::fmt::Write as _;
use std::ops::Range;

use lexpool::codes;
use lexpool::{Error, Result};
use serde_json::Value;

use super::errors::invalid_at;

/// Version of the format.
pub(super) const VERSION: u64 = 1;

const ZEROS: &str = "00000000";

/// Size and checksum of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchEntry {
    pub(super) docs: usize,
    pub(super) tokens: usize,
    pub(super) checksum: u32,
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CorpusManifest {
    pub(super) lang: String,
    /// Checksum of the bytes before the first batch.
    pub(super) head: u32,
    pub(super) image: (u64, u64),
    /// Size of the lexicon before compression, in a compressed file.
    pub(super) unpacked: Option<u64>,
    pub(super) batches: Vec<BatchEntry>,
}

impl CorpusManifest {
    /// Key of the manifest in the metadata.
    pub(super) const KEY: &str = "lexpool.corpus";

    pub(super) fn new(lang: &str, head: u32) -> CorpusManifest {
        CorpusManifest {
            lang: lang.to_owned(),
            head,
            image: (0, 0),
            unpacked: None,
            batches: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, batch: BatchEntry) {
        self.batches.push(batch);
    }

    pub(super) fn set_image(&mut self, at: u64, len: usize, unpacked: Option<usize>) {
        self.image = (at, len as u64);
        self.unpacked = unpacked.map(|len| len as u64);
    }

    /// Encodes the manifest, with zeros as the seal.
    pub(super) fn to_json(&self) -> String {
        let (at, len) = self.image;
        let unpacked = self.unpacked.map(|len| format!(r#""unpacked":{len},"#)).unwrap_or_default();
        let mut out = format!(
            r#"{{"version":{VERSION},"writer":{:?},"lang":{},"head":"{:08x}","image":[{at},{len}],{unpacked}"batches":["#,
            env!("CARGO_PKG_VERSION"),
            Value::from(self.lang.as_str()),
            self.head,
        );
        for (i, BatchEntry { docs, tokens, checksum }) in self.batches.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(out, r#"{comma}[{docs},{tokens},"{checksum:08x}"]"#)
                .expect("writing to a string does not fail");
        }
        write!(out, r#"],"seal":"{ZEROS}"}}"#).expect("writing to a string does not fail");
        out
    }

    /// Decodes a manifest; `at` is its position in the file, for errors.
    pub(super) fn from_json(json: &str, at: usize) -> Result<CorpusManifest> {
        let wrong = |what: &str| {
            invalid_at(codes::CORPUS_FOOTER, at, format!("the corpus metadata {what}"))
        };
        let json: Value =
            serde_json::from_str(json).map_err(|error| wrong(&format!("is not JSON: {error}")))?;
        match json.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                let text = format!(
                    "the corpus has version {version}, but this lexpool ({}) reads version \
                     {VERSION}; it was written by lexpool {}",
                    env!("CARGO_PKG_VERSION"),
                    json.get("writer").unwrap_or(&Value::Null)
                );
                return Err(invalid_at(codes::CORPUS_VERSION, at, text));
            }
            None => return Err(wrong("has no version")),
        }
        let lang = json.get("lang").and_then(Value::as_str).ok_or_else(|| wrong("has no lang"))?;
        let head = json.get("head").and_then(parse_checksum).ok_or_else(|| wrong("has no head"))?;
        let image = match numbers(json.get("image")) {
            Some([at, len]) => (at, len),
            None => return Err(wrong("has no image")),
        };
        let written = |batch: &Value| {
            let [docs, tokens, digits] = batch.as_array()?.as_slice() else { return None };
            let (docs, tokens) = (docs.as_u64()?, tokens.as_u64()?);
            let (docs, tokens) = (usize::try_from(docs).ok()?, usize::try_from(tokens).ok()?);
            Some(BatchEntry { docs, tokens, checksum: parse_checksum(digits)? })
        };
        let batches = json.get("batches").and_then(Value::as_array);
        let batches = batches.and_then(|batches| batches.iter().map(written).collect());
        let batches = batches.ok_or_else(|| wrong("does not list its batches"))?;
        let unpacked = match json.get("unpacked") {
            None => None,
            Some(len) => Some(len.as_u64().ok_or_else(|| wrong("has an invalid \"unpacked\""))?),
        };
        Ok(CorpusManifest { lang: lang.to_owned(), head, image, unpacked, batches })
    }
}

fn parse_checksum(value: &Value) -> Option<u32> {
    u32::from_str_radix(value.as_str()?, 16).ok()
}

fn numbers<const N: usize>(value: Option<&Value>) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = value?.as_array()?.iter().map(Value::as_u64).collect();
    numbers?.try_into().ok()
}

/// Writes the seal: the checksum of the end of a file, which contains the manifest `json`.
pub(super) fn seal(end: &mut [u8], json: &str) -> Result<()> {
    let at = memchr::memmem::find(end, json.as_bytes());
    let digits = at.and_then(|at| digits_of(json, at));
    let digits = digits.ok_or_else(|| {
        let text = "the manifest is not in the end of the file; this is a bug in lexpool";
        Error::new(lexpool::ErrorKind::State, codes::CORPUS_FOOTER, text)
    })?;
    let sum = format!("{:08x}", crc32fast::hash(end));
    end[digits].copy_from_slice(sum.as_bytes());
    Ok(())
}

/// Checks the seal. `at` is the position of the manifest in `end`.
pub(super) fn is_sealed(end: &[u8], json: &str, at: usize) -> bool {
    let Some(digits) = digits_of(json, at).filter(|digits| digits.end <= end.len()) else {
        return false;
    };
    let mut sum = crc32fast::Hasher::new();
    sum.update(&end[..digits.start]);
    sum.update(ZEROS.as_bytes());
    sum.update(&end[digits.end..]);
    end[digits] == *format!("{:08x}", sum.finalize()).as_bytes()
}

/// Returns the range of the seal's digits in a manifest at `at`.
fn digits_of(json: &str, at: usize) -> Option<Range<usize>> {
    let end = json.strip_suffix(r#""}"#)?.len();
    let start = end.checked_sub(ZEROS.len())?;
    Some(at + start..at + end)
}
