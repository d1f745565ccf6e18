//! Reader of a `DocBin`: decodes and validates the columns, then builds documents.

use std::ops::Range;
use std::sync::Arc;

use lexpool_structs::AttrId;

use super::bin::{DocBin, DocExtras, PackedDoc, Strings};
use super::file;
use crate::fallible;
use crate::formats::attr_rows::{self as rows, KnownIds};
use crate::formats::zlib::{self, InflateLimit};
use crate::formats::{checksum, doc_bytes, span_group};
use crate::msgpack::{Item, Reader};
use crate::seeded::IdMap;
use crate::strings::StrId;
use crate::tokens::{Doc, DocBuilder};
use crate::vocab::{LexIx, VocabSnapshot};
use crate::{Code, codes};
use crate::{Error, ErrorKind, Result};

impl DocBin {
    /// Decodes and validates the bytes of a `DocBin`.
    ///
    /// The attributes are those of the bytes, and user data is kept. Inflates at most
    /// [`InflateLimit::for_stream`] bytes.
    ///
    /// # Errors
    ///
    /// `E1014` for bytes that are not a complete zlib stream, `zlib-limit` if it inflates to more
    /// than the limit, `docbin-...` by the check that failed, `checksum` for changed bytes,
    /// `msgpack-...` if the stream is not a message, all of the kind `Value`; `out-of-memory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<DocBin> {
        DocBin::from_bytes_within(bytes, InflateLimit::for_stream(bytes.len()))
    }

    /// Decodes as [`from_bytes`](DocBin::from_bytes) does, within another limit.
    ///
    /// # Errors
    ///
    /// As for [`from_bytes`](DocBin::from_bytes).
    pub fn from_bytes_within(bytes: &[u8], limit: InflateLimit) -> Result<DocBin> {
        let message = zlib::decompress(bytes, limit)?;
        let columns =
            DecodedColumns::read(&message).map_err(|error| error.context("in a DocBin"))?;
        let (mut bin, tokens) = columns.assemble()?;
        bin.rows = message.into_numbers(tokens);
        bin.check_rows()?;
        Ok(bin)
    }

    /// Checks the values of each document that do not depend on a vocab.
    fn check_rows(&self) -> Result<()> {
        (0..self.len()).try_for_each(|i| {
            let checked = rows::check_values(&self.attrs, self.rows(i).unwrap_or_default());
            checked.map_err(|error| error.context(format!("document {i}")))
        })
    }

    /// Creates a builder of documents: adds the strings to a vocab and looks up the words.
    ///
    /// # Errors
    ///
    /// `unknown-id` for an id without a string; an error if memory runs out or a getter fails.
    pub fn reader(&self, snapshot: &VocabSnapshot) -> Result<DocReader> {
        DocReader::new(self, snapshot)
    }
}

/// Decoded columns of the message; lists have one item per document.
#[derive(Default)]
struct DecodedColumns<'a> {
    attrs: Vec<AttrId>,
    /// The place of the rows in the message.
    tokens: Range<usize>,
    spaces: &'a [u8],
    lengths: &'a [u8],
    strings: Vec<&'a str>,
    cats: Option<Vec<&'a [u8]>>,
    flags: Option<Vec<bool>>,
    span_groups: Option<Vec<&'a [u8]>>,
    user_data: Option<Vec<Option<&'a [u8]>>>,
}

impl<'a> DecodedColumns<'a> {
    fn read(message: &'a [u8]) -> Result<DecodedColumns<'a>> {
        let mut reader = Reader::new(message);
        let mut columns = DecodedColumns::default();
        let mut missing = vec!["attrs", "tokens", "spaces", "lengths", "strings", "cats"];
        for _ in 0..reader.map()? {
            let at = reader.position();
            let key = reader.str()?;
            missing.retain(|name| *name != key);
            match key {
                "attrs" => columns.attrs = doc_bytes::read_attrs(&mut reader)?,
                "tokens" => {
                    let len = reader.bytes()?.len();
                    columns.tokens = reader.position() - len..reader.position();
                }
                "spaces" => columns.spaces = reader.bytes()?,
                "lengths" => columns.lengths = reader.bytes()?,
                "strings" => columns.strings = list(&mut reader, Reader::str)?,
                "cats" => columns.cats = Some(list(&mut reader, Reader::skip)?),
                "flags" => columns.flags = Some(list(&mut reader, read_flags)?),
                "span_groups" => columns.span_groups = Some(list(&mut reader, Reader::bytes)?),
                "user_data" => columns.user_data = Some(list(&mut reader, read_user_data)?),
                checksum::KEY => checksum::check(&mut reader, message, at)?,
                _ => drop(reader.skip()?),
            }
        }
        reader.finish()?;
        if let Some(name) = missing.first() {
            return Err(invalid(codes::DOCBIN_PARTS, format!("the key {name:?} is missing")));
        }
        Ok(columns)
    }

    /// Returns a `DocBin` without its rows, and their place in the message.
    fn assemble(self) -> Result<(DocBin, Range<usize>)> {
        if self.attrs.first() != Some(&AttrId::ORTH) {
            return Err(invalid(codes::DOCBIN_ATTRS, "the first attribute must be ORTH"));
        }
        let ends = self.ends()?;
        let docs = ends.len();
        for (name, len) in [
            ("cats", self.cats.as_ref().map(Vec::len)),
            ("flags", self.flags.as_ref().map(Vec::len)),
            ("span_groups", self.span_groups.as_ref().map(Vec::len)),
            ("user_data", self.user_data.as_ref().map(Vec::len)),
        ] {
            if let Some(len) = len.filter(|len| *len != docs) {
                let text = format!("{docs} lengths, but {len} {name}; each document must have one");
                return Err(invalid(codes::DOCBIN_LENGTHS, text));
            }
        }
        if let Some(at) = self.spaces.iter().position(|space| *space > 1) {
            let text = format!("\"spaces\" has {} at token {at}; expected 0 or 1", self.spaces[at]);
            return Err(invalid(codes::DOCBIN_SPACES, text));
        }
        let mut strings = Strings::new();
        strings.try_reserve(self.strings.len())?;
        strings.extend(self.strings.iter().map(|string| (StrId::of(string), Box::from(*string))));
        let pack = |(i, end): (usize, usize)| PackedDoc {
            end,
            has_unknown_spaces: self.flags.as_ref().is_some_and(|flags| flags[i]),
            extras: DocExtras {
                cats: filled(self.cats.as_deref(), i, file::EMPTY_MAP),
                span_groups: filled(self.span_groups.as_deref(), i, span_group::NO_GROUPS),
                user_data: self.user_data.as_ref().and_then(|data| data[i]).map(Box::from),
            },
        };
        let docs = fallible::collect(ends.into_iter().enumerate().map(pack))?;
        let bin = DocBin {
            stores_user_data: false,
            rows: Vec::new(),
            spaces: fallible::copy(self.spaces)?,
            docs,
            strings,
            attrs: self.attrs,
        };
        Ok((bin, self.tokens))
    }

    /// Returns the end of each document, counted in tokens.
    fn ends(&self) -> Result<Vec<usize>> {
        let tokens = self.spaces.len();
        if self.lengths.len() % 4 != 0 {
            return Err(invalid(
                codes::DOCBIN_LENGTHS,
                "\"lengths\" is not a list of 32-bit numbers",
            ));
        }
        let mut end = 0_usize;
        let mut ends = fallible::list(self.lengths.len() / 4)?;
        for length in self.lengths.chunks_exact(4) {
            let length = i32::from_le_bytes(std::array::from_fn(|i| length[i]));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            end = end.saturating_add(length);
            ends.push(end);
        }
        let width = self.attrs.len();
        if end != tokens || self.tokens.len() / 8 / width != tokens {
            let text = format!(
                "lengths of {end} tokens in all, {tokens} spaces, and {} bytes of \"tokens\" for \
                 {width} attributes",
                self.tokens.len()
            );
            return Err(invalid(codes::DOCBIN_LENGTHS, text));
        }
        if self.tokens.len() != tokens * width * 8 {
            return Err(invalid(codes::DOCBIN_LENGTHS, "\"tokens\" ends within a row"));
        }
        Ok(ends)
    }
}

/// Returns a document's item of a list; empty if it equals `empty`.
fn filled(items: Option<&[&[u8]]>, i: usize, empty: &[u8]) -> Box<[u8]> {
    items.map(|items| items[i]).filter(|item| *item != empty).unwrap_or_default().into()
}

fn list<'a, T>(
    reader: &mut Reader<'a>,
    mut item: impl FnMut(&mut Reader<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut items = Vec::new();
    for _ in 0..reader.array()? {
        fallible::push(&mut items, item(reader)?)?;
    }
    Ok(items)
}

fn read_flags(reader: &mut Reader<'_>) -> Result<bool> {
    let mut unknown = false;
    for _ in 0..reader.map()? {
        if reader.str()? == "has_unknown_spaces" {
            unknown = matches!(reader.item()?, Item::Bool(true) | Item::UInt(1));
        } else {
            reader.skip()?;
        }
    }
    Ok(unknown)
}

fn read_user_data<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a [u8]>> {
    match reader.item()? {
        Item::Nil => Ok(None),
        Item::Bytes(bytes) => Ok(Some(bytes)),
        _ => Err(invalid(codes::DOCBIN_USER_DATA, "user data is neither binary data nor nil")),
    }
}

/// Builder of the documents of a [`DocBin`], in one vocab.
pub struct DocReader {
    snapshot: Arc<VocabSnapshot>,
    words: IdMap<Word>,
    /// The texts of all words, concatenated.
    text: String,
}

/// A word, found by its id.
#[derive(Clone, Copy, Debug)]
struct Word {
    lex: LexIx,
    start: usize,
    bytes: u32,
    chars: u32,
}

impl DocReader {
    pub(super) fn new(bin: &DocBin, snapshot: &VocabSnapshot) -> Result<DocReader> {
        for string in bin.strings.values() {
            snapshot.add(string)?;
        }
        let mut known_ids = KnownIds::new(snapshot, bin.rows.len() / bin.attrs.len().max(1))?;
        // One document at a time, so that its rows stay in the cache for all attributes.
        for i in 0..bin.len() {
            let rows = bin.rows(i).unwrap_or_default();
            known_ids
                .check(&bin.attrs, rows)
                .map_err(|error| error.context(format!("document {i}")))?;
            rows::enter_morphs(snapshot, &bin.attrs, rows)?;
        }
        let mut reader = DocReader {
            snapshot: Arc::new(snapshot.clone()),
            words: IdMap::default(),
            text: String::new(),
        };
        for orth in bin.rows.iter().step_by(bin.attrs.len()) {
            if !reader.words.contains_key(orth) {
                reader.enter(StrId::new(*orth))?;
            }
        }
        Ok(reader)
    }

    fn enter(&mut self, orth: StrId) -> Result<()> {
        let word = self.snapshot.string(orth).filter(|word| !word.is_empty()).ok_or_else(|| {
            let text = format!("neither the DocBin nor the vocab has a word for the id {orth}");
            Error::value(codes::UNKNOWN_ID, text)
        })?;
        let lex = self.snapshot.enter_id(orth)?;
        let narrow = |len: usize| {
            u32::try_from(len)
                .map_err(|_| invalid(codes::DOCBIN_STRINGS, "a word of 4 GiB or more"))
        };
        let (bytes, chars) = (narrow(word.len())?, narrow(word.chars().count())?);
        self.words.try_reserve(1)?;
        self.text.try_reserve(word.len())?;
        self.words.insert(orth.get(), Word { lex, start: self.text.len(), bytes, chars });
        self.text.push_str(word);
        Ok(())
    }

    /// Builds the document at a position of the `DocBin` that this reader was made for.
    ///
    /// # Errors
    ///
    /// `docbin-index` if there is no such document; an error if the text grows too long or memory
    /// runs out.
    pub fn doc(&self, bin: &DocBin, i: usize) -> Result<Doc> {
        let parts = (bin.rows(i), bin.spaces(i), bin.has_unknown_spaces(i));
        let (Some(rows), Some(spaces), Some(unknown)) = parts else {
            let text = format!("document {i} is outside of the DocBin, which has {}", bin.len());
            return Err(Error::new(ErrorKind::Index, codes::DOCBIN_INDEX, text));
        };
        let width = bin.attrs.len();
        let mut builder = DocBuilder::with_capacity(spaces.len(), spaces.len() * 6)?;
        for (row, space) in rows.chunks_exact(width).zip(spaces) {
            let Some(Word { lex, start, bytes, chars }) = self.words.get(&row[0]).copied() else {
                return Err(crate::vocab::unknown_id(StrId::new(row[0])));
            };
            let word = &self.text[start..start + bytes as usize];
            builder.push(lex, word, chars as usize, unknown || *space != 0)?;
        }
        let mut doc = builder.finish(Arc::clone(&self.snapshot))?;
        doc.attrs_mut().set_array(&bin.attrs, rows)?;
        doc.set_unknown_spaces(unknown);
        Ok(doc)
    }
}

fn invalid(code: Code, text: impl Into<String>) -> Error {
    Error::value(code, text)
}
