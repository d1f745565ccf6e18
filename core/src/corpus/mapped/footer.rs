//! What a corpus says of itself: one JSON object in the metadata of Arrow's footer.
//!
//! It names the batches with their sizes and checksums, and where the lexicon lies. Its last member,
//! the seal, is the checksum of the end of the file with zeros in its own place: so each byte of the
//! file but padding is under some checksum.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::fault;
use crate::{Error, Result};

/// The version of the form that is written.
pub(super) const VERSION: u64 = 1;

const ZEROS: &str = "00000000";

/// A batch as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) docs: usize,
    pub(super) tokens: usize,
    pub(super) sum: u32,
}

/// The JSON object, read and judged by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Footer {
    pub(super) lang: String,
    /// The checksum of what comes before the first batch.
    pub(super) head: u32,
    pub(super) image: (u64, u64),
    /// How long the lexicon is when it is unpacked, in a compressed file.
    pub(super) unpacked: Option<u64>,
    pub(super) batches: Vec<Written>,
}

impl Footer {
    /// Its name in the metadata.
    pub(super) const KEY: &str = "lexpool.corpus";

    pub(super) fn begun(lang: &str, head: u32) -> Footer {
        Footer { lang: lang.to_owned(), head, image: (0, 0), unpacked: None, batches: Vec::new() }
    }

    pub(super) fn push(&mut self, batch: Written) {
        self.batches.push(batch);
    }

    pub(super) fn set_image(&mut self, at: u64, len: usize, unpacked: Option<usize>) {
        self.image = (at, len as u64);
        self.unpacked = unpacked.map(|len| len as u64);
    }

    /// The object, not yet sealed.
    pub(super) fn to_json(&self) -> String {
        let (at, len) = self.image;
        let unpacked = self.unpacked.map(|len| format!(r#""unpacked":{len},"#)).unwrap_or_default();
        let mut out = format!(
            r#"{{"version":{VERSION},"writer":{:?},"lang":{},"head":"{:08x}","image":[{at},{len}],{unpacked}"batches":["#,
            env!("CARGO_PKG_VERSION"),
            Value::from(self.lang.as_str()),
            self.head,
        );
        for (i, Written { docs, tokens, sum }) in self.batches.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(out, r#"{comma}[{docs},{tokens},"{sum:08x}"]"#)
                .expect("memory takes what is written");
        }
        write!(out, r#"],"seal":"{ZEROS}"}}"#).expect("memory takes what is written");
        out
    }

    /// Reads the object; `at` is where it lies in the file, for errors.
    pub(super) fn from_json(json: &str, at: usize) -> Result<Footer> {
        let wrong = |what: &str| {
            fault("corpus-footer", at, format!("what the corpus says of itself {what}"))
        };
        let json: Value =
            serde_json::from_str(json).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
        match json.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                let text = format!(
                    "the corpus is of version {version}, and this lexpool ({}) reads version \
                     {VERSION}; it was written by lexpool {}",
                    env!("CARGO_PKG_VERSION"),
                    json.get("writer").unwrap_or(&Value::Null)
                );
                return Err(fault("corpus-version", at, text));
            }
            None => return Err(wrong("has no version")),
        }
        let lang = json.get("lang").and_then(Value::as_str).ok_or_else(|| wrong("has no lang"))?;
        let head = json.get("head").and_then(sum).ok_or_else(|| wrong("has no head"))?;
        let image = match numbers(json.get("image")) {
            Some([at, len]) => (at, len),
            None => return Err(wrong("has no image")),
        };
        let written = |batch: &Value| {
            let [docs, tokens, digits] = batch.as_array()?.as_slice() else { return None };
            let (docs, tokens) = (docs.as_u64()?, tokens.as_u64()?);
            let (docs, tokens) = (usize::try_from(docs).ok()?, usize::try_from(tokens).ok()?);
            Some(Written { docs, tokens, sum: sum(digits)? })
        };
        let batches = json.get("batches").and_then(Value::as_array);
        let batches = batches.and_then(|batches| batches.iter().map(written).collect());
        let batches = batches.ok_or_else(|| wrong("does not list its batches"))?;
        let unpacked = match json.get("unpacked") {
            None => None,
            Some(len) => Some(len.as_u64().ok_or_else(|| wrong("has no number as unpacked"))?),
        };
        Ok(Footer { lang: lang.to_owned(), head, image, unpacked, batches })
    }
}

fn sum(value: &Value) -> Option<u32> {
    u32::from_str_radix(value.as_str()?, 16).ok()
}

fn numbers<const N: usize>(value: Option<&Value>) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = value?.as_array()?.iter().map(Value::as_u64).collect();
    numbers?.try_into().ok()
}

/// Puts the checksum of the end of a file into it. `json` is the object that it holds.
pub(super) fn seal(end: &mut [u8], json: &str) -> Result<()> {
    let at = memchr::memmem::find(end, json.as_bytes());
    let digits = at.and_then(|at| digits_of(json, at));
    let digits = digits.ok_or_else(|| {
        Error::new(crate::ErrorKind::State, "corpus-footer", "the footer is not where it was put")
    })?;
    let sum = format!("{:08x}", crc32fast::hash(end));
    end[digits].copy_from_slice(sum.as_bytes());
    Ok(())
}

/// Whether the end of a file is as it was sealed. The object lies `at` bytes from its beginning.
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

/// Where the digits of the seal of an object are, which lies at `at`.
fn digits_of(json: &str, at: usize) -> Option<Range<usize>> {
    let end = json.strip_suffix(r#""}"#)?.len();
    let start = end.checked_sub(ZEROS.len())?;
    Some(at + start..at + end)
}
