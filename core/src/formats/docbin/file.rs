//! The message of a `DocBin`, put together from compressed columns.
//!
//! The map begins with the lengths of columns that end with the last document, so nothing can be
//! written before that. Columns are kept compressed meanwhile.

use std::io::{self, Write};

use lexpool_structs::AttrId;

use super::deflate::{Segment, Zlib};
use super::{Column, Packed, Strings};
use crate::Result;
use crate::formats::checksum;
use crate::msgpack::Writer;

/// What the map holds of each token or document.
#[derive(Default)]
pub(crate) struct Columns<T> {
    pub(crate) docs: u64,
    pub(crate) tokens: T,
    pub(crate) spaces: T,
    pub(crate) lengths: T,
    pub(crate) cats: T,
    pub(crate) flags: T,
    pub(crate) span_groups: T,
    pub(crate) user_data: T,
    pub(crate) stores_user_data: bool,
}

impl Columns<Column> {
    /// Puts columns after these.
    pub(crate) fn push(&mut self, columns: Columns<Segment>) {
        self.docs += columns.docs;
        self.tokens.push(columns.tokens);
        self.spaces.push(columns.spaces);
        self.lengths.push(columns.lengths);
        self.cats.push(columns.cats);
        self.flags.push(columns.flags);
        self.span_groups.push(columns.span_groups);
        self.user_data.push(columns.user_data);
        self.stores_user_data |= columns.stores_user_data;
    }

    /// Fails once there are more tokens than a file can hold.
    pub(crate) fn check_size(&self) -> io::Result<()> {
        length(self.tokens.len()).map(drop)
    }
}

impl From<Columns<Segment>> for Columns<Column> {
    fn from(columns: Columns<Segment>) -> Columns<Column> {
        let mut out = Columns::default();
        out.push(columns);
        out
    }
}

/// Writes the file.
///
/// # Errors
///
/// Those of the sink; `FileTooLarge` when the form can hold no more.
pub(crate) fn write_file<W: Write>(
    out: W,
    attrs: &[AttrId],
    columns: impl Into<Columns<Column>>,
    strings: &Strings,
) -> io::Result<W> {
    let columns = columns.into();
    let docs = length(columns.docs)? as usize;
    let mut strings: Vec<&str> = strings.values().map(|string| &**string).collect();
    strings.sort_unstable();
    let mut map = Map { zlib: Zlib::new(out)?, head: Writer::new() };
    map.part(|head| {
        head.map(if columns.stores_user_data { 11 } else { 10 })?;
        head.str("version")?;
        head.str("0.1")?;
        head.str("attrs")?;
        head.array(attrs.len())?;
        for attr in attrs {
            head.uint(attr.number().into());
        }
        Ok(())
    })?;
    map.bytes("tokens", &columns.tokens)?;
    map.bytes("spaces", &columns.spaces)?;
    map.bytes("lengths", &columns.lengths)?;
    map.part(|head| {
        head.str("strings")?;
        head.array(strings.len())?;
        strings.iter().try_for_each(|string| head.str(string))
    })?;
    map.list("cats", docs, &columns.cats)?;
    map.list("flags", docs, &columns.flags)?;
    map.list("span_groups", docs, &columns.span_groups)?;
    if columns.stores_user_data {
        map.list("user_data", docs, &columns.user_data)?;
    }
    map.flush()?;
    let sum = map.zlib.crc();
    map.part(|head| {
        head.str(checksum::KEY)?;
        head.uint(sum.into());
        Ok(())
    })?;
    map.flush()?;
    map.zlib.finish()
}

/// The file being written: small parts are gathered in `head` until a column is due.
struct Map<W> {
    zlib: Zlib<W>,
    head: Writer,
}

impl<W: Write> Map<W> {
    fn part(&mut self, write: impl FnOnce(&mut Writer) -> Result<()>) -> io::Result<()> {
        write(&mut self.head).map_err(|_| too_large())
    }

    /// A column whose bytes are one binary value.
    fn bytes(&mut self, key: &str, column: &Column) -> io::Result<()> {
        let len = length(column.len())?;
        self.part(|head| head.str(key))?;
        // The header alone: the bytes follow compressed.
        let mut header = Vec::new();
        rmp::encode::write_bin_len(&mut header, len)?;
        self.head.packed(&header);
        self.column(column)
    }

    /// A column of values, one a document.
    fn list(&mut self, key: &str, docs: usize, column: &Column) -> io::Result<()> {
        self.part(|head| head.str(key))?;
        self.part(|head| head.array(docs))?;
        self.column(column)
    }

    fn column(&mut self, column: &Column) -> io::Result<()> {
        self.flush()?;
        self.zlib.column(column)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zlib.bytes(std::mem::take(&mut self.head).as_bytes())
    }
}

/// Checks a length that msgpack has to hold.
fn length(len: u64) -> io::Result<u32> {
    u32::try_from(len).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    let text = "a DocBin holds at most 4 GiB of attributes, 8 bytes each; write several, or store \
                fewer attributes";
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// Writes what a document carries along.
pub(super) fn push_extras(out: &mut Columns<Vec<u8>>, doc: &Packed, user_data: bool) {
    let extras = &doc.extras;
    let cats = if extras.cats.is_empty() { EMPTY_MAP } else { &extras.cats };
    out.cats.extend_from_slice(cats);
    let flags = if doc.has_unknown_spaces { UNKNOWN_SPACES } else { KNOWN_SPACES };
    out.flags.extend_from_slice(flags);
    push_bytes(&mut out.span_groups, doc.groups());
    match &extras.user_data {
        _ if !user_data => {}
        Some(bytes) => push_bytes(&mut out.user_data, bytes),
        None => out.user_data.push(NIL),
    }
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut writer = Writer::new();
    writer.bytes(bytes).expect("span groups and user data were packed into less than 4 GiB");
    out.extend_from_slice(writer.as_bytes());
}

// Values of msgpack, spelled out: they stand in the file once a document.
pub(super) const EMPTY_MAP: &[u8] = b"\x80";
const NIL: u8 = 0xc0;
const KNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc2";
const UNKNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc3";
