//! A file that records the uncompressed size which each page announces in its header.
//!
//! The `parquet` crate reads the header of a page without exposing the size, but decompressing the
//! page needs it as a limit.

use std::collections::BTreeSet;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use lexpool::formats::zlib::InflateLimit;

/// A file whose pages are read as a header and then the bytes.
pub(super) struct PageSizeFile {
    file: Arc<File>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Positions at which reading started since the last page.
    starts: BTreeSet<u64>,
    /// Uncompressed size of the page whose bytes were read last.
    len: Option<usize>,
}

impl PageSizeFile {
    pub(super) fn new(file: Arc<File>) -> PageSizeFile {
        PageSizeFile { file, state: Mutex::default() }
    }

    /// Returns the announced uncompressed size of the page read last, levels included.
    pub(super) fn page_len(&self) -> Result<usize> {
        let len = self.state.lock().unwrap_or_else(PoisonError::into_inner).len;
        len.ok_or_else(|| {
            ParquetError::General("a page does not announce its uncompressed size".to_owned())
        })
    }
}

impl Length for PageSizeFile {
    fn len(&self) -> u64 {
        Length::len(&*self.file)
    }
}

impl ChunkReader for PageSizeFile {
    type T = <File as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).starts.insert(start);
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A header ends where its page begins.
        state.len = match std::mem::take(&mut state.starts).range(..start).next_back() {
            Some(header) => {
                let prefix =
                    usize::try_from(start - header).map_or(MAX_PREFIX, |len| len.min(MAX_PREFIX));
                let len = announced_size(&self.file.get_bytes(*header, prefix)?);
                // Memory for the page is allocated before it is decompressed.
                let limit = InflateLimit::for_stream(length);
                if let Some(len) = len.filter(|len| !limit.allows(*len as u64)) {
                    let text = format!("a page of {length} bytes announces {len}, over the limit");
                    return Err(ParquetError::General(text));
                }
                len
            }
            None => None,
        };
        self.file.get_bytes(start, length)
    }
}

/// Limit of the length of the first two fields of a header.
const MAX_PREFIX: usize = 12;
/// Thrift's type byte of an `i32` whose field number is one higher than that of the field before.
const NEXT_I32: u8 = 0x15;

/// Returns the second field of a header in Thrift's compact protocol; the first is the kind of
/// page.
fn announced_size(header: &[u8]) -> Option<usize> {
    let (_, rest) = number(header)?;
    let (len, _) = number(rest)?;
    usize::try_from(len).ok()
}

fn number(field: &[u8]) -> Option<(i64, &[u8])> {
    let (NEXT_I32, mut rest) = field.split_first().map(|(first, rest)| (*first, rest))? else {
        return None;
    };
    let mut bits = 0_u64;
    for shift in (0..35).step_by(7) {
        let (byte, after) = rest.split_first()?;
        rest = after;
        bits |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            // ZigZag encoding: the sign is the lowest bit.
            let half = i64::try_from(bits >> 1).ok()?;
            return Some((if bits & 1 == 0 { half } else { -half - 1 }, rest));
        }
    }
    None
}
