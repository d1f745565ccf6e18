//! Many documents as bytes: spaCy's `DocBin`.
//!
//! The bytes are one zlib stream over a msgpack map of columns, all documents after each other:
//! numbers of tokens, whether spaces follow, lengths, and what each document carries along; and once
//! each string that the numbers stand for.

mod deflate;
mod file;
mod huffman;
mod read;
mod row_deflate;

use ahash::AHashMap;
use lexpool_structs::AttrId;

pub(crate) use deflate::{Column, Segment};
pub(crate) use file::{Columns, write_file};
pub use read::DocReader;

use super::gather::strings_of;
use super::span_group;
use super::zlib::InflateLimit;
use crate::strings::StrId;
use crate::tokens::{Doc, to_array};
use crate::{Error, Result};

/// The strings behind the ids of many documents.
pub(crate) type Strings = AHashMap<StrId, Box<str>>;

/// Documents packed together, in memory.
///
/// ```
/// use lexpool::formats::{DocBin, DocExtras};
/// use lexpool::tokenizer::Tokenizer;
/// let tokenizer = Tokenizer::blank("en")?;
/// let mut bin = DocBin::default();
/// for text in ["One.", "And another."] {
///     bin.add(&tokenizer.tokenize(text)?, DocExtras::default())?;
/// }
/// let again = DocBin::from_bytes(&bin.to_bytes()?)?;
/// let reader = again.reader(&tokenizer.vocab().snapshot())?;
/// assert_eq!(reader.doc(&again, 1)?.text(), "And another.");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DocBin {
    /// `ORTH` first, then ascending.
    attrs: Vec<AttrId>,
    /// Whether user data is written.
    stores_user_data: bool,
    /// Rows of `attrs.len()` numbers, one a token.
    rows: Vec<u64>,
    /// 0 or 1, one a token.
    spaces: Vec<u8>,
    docs: Vec<Packed>,
    strings: Strings,
}

/// One document's share.
#[derive(Clone, Debug)]
struct Packed {
    /// The position after its last token, among all tokens.
    end: usize,
    has_unknown_spaces: bool,
    extras: DocExtras,
}

/// What a document carries along, packed by the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocExtras {
    /// The categories, a packed map; nothing for an empty one.
    pub cats: Box<[u8]>,
    /// The bytes of the span groups; nothing if there are none.
    pub span_groups: Box<[u8]>,
    /// The bytes of the user data.
    pub user_data: Option<Box<[u8]>>,
}

impl Default for DocBin {
    fn default() -> DocBin {
        DocBin::new(&DocBin::ALL_ATTRS, false)
    }
}

impl DocBin {
    /// The attributes that are stored unless others are asked for.
    pub const ALL_ATTRS: [AttrId; 13] = [
        AttrId::ORTH,
        AttrId::NORM,
        AttrId::LEMMA,
        AttrId::POS,
        AttrId::TAG,
        AttrId::DEP,
        AttrId::ENT_IOB,
        AttrId::ENT_TYPE,
        AttrId::HEAD,
        AttrId::SENT_START,
        AttrId::ENT_KB_ID,
        AttrId::MORPH,
        AttrId::ENT_ID,
    ];

    /// Will store these attributes of each token. `ORTH` and whether a space follows are stored in
    /// any case.
    pub fn new(attrs: &[AttrId], stores_user_data: bool) -> DocBin {
        let mut attrs = attrs.to_vec();
        attrs.retain(|attr| *attr != AttrId::ORTH && *attr != AttrId::SPACY);
        attrs.sort_unstable_by_key(|attr| attr.number());
        attrs.insert(0, AttrId::ORTH);
        DocBin {
            attrs,
            stores_user_data,
            rows: Vec::new(),
            spaces: Vec::new(),
            docs: Vec::new(),
            strings: Strings::new(),
        }
    }

    /// The attributes stored, `ORTH` first.
    pub fn attrs(&self) -> &[AttrId] {
        &self.attrs
    }

    /// Whether user data is written.
    pub fn stores_user_data(&self) -> bool {
        self.stores_user_data
    }

    /// The same documents, their user data to be written or not.
    #[must_use]
    pub fn storing_user_data(mut self, stores: bool) -> DocBin {
        self.stores_user_data = stores;
        self
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// The strings that ids stand for, in no order.
    pub fn strings(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.values().map(|string| &**string)
    }

    /// The numbers of a document's tokens, row by row.
    pub fn rows(&self, doc: usize) -> Option<&[u64]> {
        let (start, end) = self.bounds(doc)?;
        let width = self.attrs.len();
        Some(&self.rows[start * width..end * width])
    }

    /// For each token of a document 1 if a space follows it, else 0.
    pub fn spaces(&self, doc: usize) -> Option<&[u8]> {
        let (start, end) = self.bounds(doc)?;
        Some(&self.spaces[start..end])
    }

    /// Whether nobody said which words of a document are followed by spaces.
    pub fn has_unknown_spaces(&self, doc: usize) -> Option<bool> {
        Some(self.docs.get(doc)?.has_unknown_spaces)
    }

    /// The bytes of a document's span groups.
    pub fn span_groups(&self, doc: usize) -> Option<&[u8]> {
        Some(self.docs.get(doc)?.groups())
    }

    /// What a document carries along.
    pub fn extras(&self, doc: usize) -> Option<&DocExtras> {
        Some(&self.docs.get(doc)?.extras)
    }

    /// Puts a document after the others.
    ///
    /// # Errors
    ///
    /// `E018` for annotation whose id has no string, `span-group` for bytes that are none of span
    /// groups. Nothing is added then.
    pub fn add(&mut self, doc: &Doc, extras: DocExtras) -> Result<()> {
        let mut new = Vec::new();
        let strings = &self.strings;
        strings_of(doc, &extras.span_groups, |id, string| {
            if !strings.contains_key(&id) {
                new.push((id, string));
            }
        })?;
        for (id, string) in new {
            self.strings.entry(id).or_insert_with(|| string.into());
        }
        for token in doc.iter() {
            // The text is the document's own, also where the string store has another by this id.
            self.strings.entry(token.lex().orth()).or_insert_with(|| token.text().into());
        }
        self.rows.extend(to_array(doc, &self.attrs));
        self.spaces.extend(doc.tokens().iter().map(|token| u8::from(token.spacy())));
        let has_unknown_spaces = doc.has_unknown_spaces();
        self.docs.push(Packed { end: self.spaces.len(), has_unknown_spaces, extras });
        Ok(())
    }

    /// Puts the documents of another one after these.
    ///
    /// # Errors
    ///
    /// `E166` if the two store different attributes, or only one of them user data.
    pub fn merge(&mut self, other: &DocBin) -> Result<()> {
        if self.attrs != other.attrs {
            let names = |attrs: &[AttrId]| {
                attrs.iter().map(|attr| attr.name().unwrap_or_default()).collect::<Vec<_>>()
            };
            let (own, other) = (names(&self.attrs), names(&other.attrs));
            let text = format!("attributes differ: {own:?} here, {other:?} in what is merged");
            return Err(Error::value("E166", text));
        }
        if self.stores_user_data != other.stores_user_data {
            let (own, other) = (self.stores_user_data, other.stores_user_data);
            let text = format!("store_user_data differs: {own} here, {other} in what is merged");
            return Err(Error::value("E166", text));
        }
        let before = self.spaces.len();
        self.rows.extend_from_slice(&other.rows);
        self.spaces.extend_from_slice(&other.spaces);
        let docs = other.docs.iter().map(|doc| Packed { end: before + doc.end, ..doc.clone() });
        self.docs.extend(docs);
        for (id, string) in &other.strings {
            self.strings.entry(*id).or_insert_with(|| string.clone());
        }
        Ok(())
    }

    /// The bytes, compressed.
    ///
    /// # Errors
    ///
    /// `E870` for more than the form can hold, which is 4 GiB of attributes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let written = write_file(Vec::new(), &self.attrs, self.columns(), &self.strings);
        written.map_err(|error| Error::value("E870", error.to_string()))
    }

    /// Checks the bytes of a `DocBin` and takes them apart.
    ///
    /// Takes the attributes from the bytes, and keeps user data if they have any. Inflates at most
    /// [`InflateLimit::for_stream`].
    ///
    /// # Errors
    ///
    /// `E1014` for bytes other than a zlib stream or a part of one, `zlib-limit` for one that inflates to
    /// more, `docbin-...` with the check that failed, `checksum` for bytes that were changed, `msgpack-...`
    /// for bytes other than a message, all of the kind `Value`; `out-of-memory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<DocBin> {
        DocBin::from_bytes_within(bytes, InflateLimit::for_stream(bytes.len()))
    }

    /// The same with another limit.
    ///
    /// # Errors
    ///
    /// As for [`from_bytes`](DocBin::from_bytes).
    pub fn from_bytes_within(bytes: &[u8], most: InflateLimit) -> Result<DocBin> {
        read::read(bytes, most)
    }

    /// Prepares for making documents: enters the strings into a vocab and looks up the words.
    ///
    /// # Errors
    ///
    /// `unknown-id` for an id without a string; when memory runs out or a getter fails.
    pub fn reader(&self, snapshot: &crate::vocab::VocabSnapshot) -> Result<DocReader> {
        DocReader::new(self, snapshot)
    }

    /// The columns as they are written, compressed.
    pub(crate) fn columns(&self) -> Columns<Segment> {
        let mut out = Columns::<Vec<u8>>::default();
        let mut start = 0;
        for doc in &self.docs {
            // A document has fewer than 2^30 tokens.
            let len = u32::try_from(doc.end - start).unwrap_or_default();
            out.lengths.extend_from_slice(&len.to_le_bytes());
            start = doc.end;
            file::push_extras(&mut out, doc, self.stores_user_data);
        }
        let user_data = self.stores_user_data.then(|| Segment::new(&out.user_data));
        Columns {
            docs: self.docs.len() as u64,
            tokens: Segment::of_rows(&self.rows, self.attrs.len()),
            spaces: Segment::new(&self.spaces),
            lengths: Segment::new(&out.lengths),
            cats: Segment::new(&out.cats),
            flags: Segment::new(&out.flags),
            span_groups: Segment::new(&out.span_groups),
            user_data: user_data.unwrap_or_default(),
            stores_user_data: self.stores_user_data,
        }
    }

    /// The strings, given away.
    pub(crate) fn into_strings(self) -> Strings {
        self.strings
    }

    fn bounds(&self, doc: usize) -> Option<(usize, usize)> {
        let end = self.docs.get(doc)?.end;
        Some((doc.checked_sub(1).map_or(0, |before| self.docs[before].end), end))
    }
}

impl Packed {
    fn groups(&self) -> &[u8] {
        let groups = &self.extras.span_groups;
        if groups.is_empty() { span_group::NO_GROUPS } else { groups }
    }
}

#[cfg(test)]
mod tests;
