//! Writer of a `DocBin`: a msgpack map in a zlib stream, assembled from compressed columns.
//!
//! The header of each column contains its length, which is known only after the last document, so
//! nothing can be written before that. Until then columns are kept compressed.

use std::io::{self, Write};

use lexpool_structs::AttrId;

use super::bin::{DocBin, PackedDoc, Strings};
use super::deflate::{DeflatedColumn, DeflatedPiece, ZlibWriter};
use crate::codes;
use crate::formats::checksum;
use crate::msgpack::Writer;
use crate::{Error, Result};

/// Columns of the map, with values for each token or each document.
#[derive(Default)]
pub struct Columns<T> {
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

impl Columns<DeflatedColumn> {
    /// Appends a piece to each column.
    pub fn push(&mut self, columns: Columns<DeflatedPiece>) {
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

    /// Checks that a file can hold the rows of all tokens.
    ///
    /// # Errors
    ///
    /// `FileTooLarge` for 4 GiB or more.
    pub fn check_size(&self) -> io::Result<()> {
        length(self.tokens.len()).map(drop)
    }
}

impl From<Columns<DeflatedPiece>> for Columns<DeflatedColumn> {
    fn from(columns: Columns<DeflatedPiece>) -> Columns<DeflatedColumn> {
        let mut out = Columns::default();
        out.push(columns);
        out
    }
}

/// Writes a `DocBin` to `out`.
///
/// # Errors
///
/// Errors of `out`; `FileTooLarge` if the format cannot hold the data.
pub fn write_file<W: Write>(
    out: W,
    attrs: &[AttrId],
    columns: impl Into<Columns<DeflatedColumn>>,
    strings: &Strings,
) -> io::Result<W> {
    let columns = columns.into();
    let docs = length(columns.docs)? as usize;
    let mut strings: Vec<&str> = strings.values().map(|string| &**string).collect();
    strings.sort_unstable();
    let mut map = Map { zlib: ZlibWriter::new(out)?, head: Writer::new() };
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

/// Writer of the map: small parts are collected in `head` until the next column.
struct Map<W> {
    zlib: ZlibWriter<W>,
    head: Writer,
}

impl<W: Write> Map<W> {
    fn part(&mut self, write: impl FnOnce(&mut Writer) -> Result<()>) -> io::Result<()> {
        write(&mut self.head).map_err(|_| too_large())
    }

    /// Writes a column that is one binary value.
    fn bytes(&mut self, key: &str, column: &DeflatedColumn) -> io::Result<()> {
        let len = length(column.len())? as usize;
        // The bytes follow, compressed.
        self.part(|head| head.str(key).and_then(|()| head.bytes_header(len)))?;
        self.column(column)
    }

    /// Writes a column that is a list of one value per document.
    fn list(&mut self, key: &str, docs: usize, column: &DeflatedColumn) -> io::Result<()> {
        self.part(|head| head.str(key))?;
        self.part(|head| head.array(docs))?;
        self.column(column)
    }

    fn column(&mut self, column: &DeflatedColumn) -> io::Result<()> {
        self.flush()?;
        self.zlib.column(column)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zlib.bytes(std::mem::take(&mut self.head).as_bytes())
    }
}

/// Checks that msgpack can express a length.
fn length(len: u64) -> io::Result<u32> {
    u32::try_from(len).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    let text = "a DocBin holds at most 4 GiB of attributes, 8 bytes each; write several, or store \
                fewer attributes";
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

impl DocBin {
    /// Encodes the documents, compressed.
    ///
    /// # Errors
    ///
    /// `E870` if the format cannot hold the documents: at most 4 GiB of attributes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let written = write_file(Vec::new(), &self.attrs, self.columns(), &self.strings);
        written.map_err(|error| Error::value(codes::E870, error.to_string()))
    }

    /// Compresses the columns.
    pub fn columns(&self) -> Columns<DeflatedPiece> {
        let mut out = Columns::<Vec<u8>>::default();
        let mut start = 0;
        for doc in &self.docs {
            // A document has fewer than 2^30 tokens.
            let len = u32::try_from(doc.end - start).unwrap_or_default();
            out.lengths.extend_from_slice(&len.to_le_bytes());
            start = doc.end;
            push_extras(&mut out, doc, self.stores_user_data);
        }
        let user_data = self.stores_user_data.then(|| DeflatedPiece::new(&out.user_data));
        Columns {
            docs: self.docs.len() as u64,
            tokens: DeflatedPiece::of_rows(&self.rows, self.attrs.len()),
            spaces: DeflatedPiece::new(&self.spaces),
            lengths: DeflatedPiece::new(&out.lengths),
            cats: DeflatedPiece::new(&out.cats),
            flags: DeflatedPiece::new(&out.flags),
            span_groups: DeflatedPiece::new(&out.span_groups),
            user_data: user_data.unwrap_or_default(),
            stores_user_data: self.stores_user_data,
        }
    }
}

/// Appends the values of a document.
pub(super) fn push_extras(out: &mut Columns<Vec<u8>>, doc: &PackedDoc, user_data: bool) {
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

// Msgpack values spelled out: each document of the file has one of them.
pub(super) const EMPTY_MAP: &[u8] = b"\x80";
const NIL: u8 = 0xc0;
const KNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc2";
const UNKNOWN_SPACES: &[u8] = b"\x81\xb2has_unknown_spaces\xc3";
