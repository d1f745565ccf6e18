//! A file that notes how long each page says it is once it is uncompressed.
//!
//! The `parquet` crate reads the header before a page and does not give that number out, but whoever
//! uncompresses a page has to know where to stop.

use std::collections::BTreeSet;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use crate::formats::zlib::InflateLimit;

/// A file of pages, each read as its header and then its bytes.
pub(super) struct Announced {
    file: Arc<File>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Where reading began since the last page.
    starts: BTreeSet<u64>,
    /// Of the page whose bytes were read last.
    len: Option<usize>,
}

impl Announced {
    pub(super) fn new(file: Arc<File>) -> Announced {
        Announced { file, state: Mutex::default() }
    }

    /// How long the page that was read last is once it is uncompressed, levels included.
    pub(super) fn len_of_page(&self) -> Result<usize> {
        let len = self.state.lock().unwrap_or_else(PoisonError::into_inner).len;
        len.ok_or_else(|| {
            ParquetError::General("a page does not say first how long it is".to_owned())
        })
    }
}

impl Length for Announced {
    fn len(&self) -> u64 {
        Length::len(&*self.file)
    }
}

impl ChunkReader for Announced {
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
                let enough = usize::try_from(start - header).map_or(ENOUGH, |len| len.min(ENOUGH));
                let len = announced(&self.file.get_bytes(*header, enough)?);
                // Room for the page is made before it is looked at.
                let most = InflateLimit::for_stream(length);
                if let Some(len) = len.filter(|len| !most.allows(*len as u64)) {
                    let text =
                        format!("a page of {length} bytes announces {len}, which is too many");
                    return Err(ParquetError::General(text));
                }
                len
            }
            None => None,
        };
        self.file.get_bytes(start, length)
    }
}

/// The first two fields of a header are not longer.
const ENOUGH: usize = 12;
/// Before a field whose number is one higher than that of the one before, and that is an `i32`.
const NEXT_I32: u8 = 0x15;

/// The second field of a header in Thrift's compact form; the first is the kind of the page.
fn announced(header: &[u8]) -> Option<usize> {
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
            // The sign is the lowest bit.
            let half = i64::try_from(bits >> 1).ok()?;
            return Some((if bits & 1 == 0 { half } else { -half - 1 }, rest));
        }
    }
    None
}
