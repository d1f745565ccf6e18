//! A set of packed documents in memory: spaCy's `DocBin`.

use ahash::AHashMap;
use lexpool_structs::AttrId;

use crate::codes;
use crate::fallible;
use crate::formats::doc_strings::strings_of;
use crate::formats::span_group;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::{Error, Result};

/// The strings of the ids of many documents.
pub type Strings = AHashMap<StrId, Box<str>>;

/// Documents packed into columns, in memory.
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
    /// `ORTH` first, then in ascending order.
    pub(super) attrs: Vec<AttrId>,
    /// Set if user data is written.
    pub(super) stores_user_data: bool,
    /// Rows of `attrs.len()` values, one row per token.
    pub(super) rows: Vec<u64>,
    /// 1 for each token that a space follows, else 0.
    pub(super) spaces: Vec<u8>,
    pub(super) docs: Vec<PackedDoc>,
    pub(super) strings: Strings,
}

/// The values of one document that are not in the columns of tokens.
#[derive(Clone, Debug)]
pub(super) struct PackedDoc {
    /// Position after its last token, among the tokens of all documents.
    pub(super) end: usize,
    pub(super) has_unknown_spaces: bool,
    pub(super) extras: DocExtras,
}

/// Values of a whole document, packed by the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocExtras {
    /// The categories, a packed map; empty for none.
    pub cats: Box<[u8]>,
    /// The bytes of the span groups; empty for none.
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
    /// The attributes stored by default.
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

    /// Creates an empty bin that stores these attributes of each token. `ORTH` and `SPACY` are
    /// always stored.
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

    /// Returns the attributes stored, `ORTH` first.
    pub fn attrs(&self) -> &[AttrId] {
        &self.attrs
    }

    /// Returns `true` if user data is written.
    pub fn stores_user_data(&self) -> bool {
        self.stores_user_data
    }

    /// Sets whether user data is written.
    #[must_use]
    pub fn storing_user_data(mut self, stores: bool) -> DocBin {
        self.stores_user_data = stores;
        self
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Returns `true` if the bin is empty.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Returns the strings of all ids, in no particular order.
    pub fn strings(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.values().map(|string| &**string)
    }

    /// Returns the attribute values of a document, one row per token, or `None` if there is no such
    /// document.
    pub fn rows(&self, doc: usize) -> Option<&[u64]> {
        let (start, end) = self.bounds(doc)?;
        let width = self.attrs.len();
        Some(&self.rows[start * width..end * width])
    }

    /// Returns 1 for each token of a document that a space follows, else 0.
    pub fn spaces(&self, doc: usize) -> Option<&[u8]> {
        let (start, end) = self.bounds(doc)?;
        Some(&self.spaces[start..end])
    }

    /// Returns `true` if it is unknown which words of a document spaces follow.
    pub fn has_unknown_spaces(&self, doc: usize) -> Option<bool> {
        Some(self.docs.get(doc)?.has_unknown_spaces)
    }

    /// Returns the bytes of a document's span groups.
    pub fn span_groups(&self, doc: usize) -> Option<&[u8]> {
        Some(self.docs.get(doc)?.groups())
    }

    /// Returns the values of a whole document.
    pub fn extras(&self, doc: usize) -> Option<&DocExtras> {
        Some(&self.docs.get(doc)?.extras)
    }

    /// Appends a document.
    ///
    /// # Errors
    ///
    /// `E018` if an id of the annotation has no string, `span-group` if the span groups cannot be
    /// decoded; `out-of-memory`. Nothing is added then.
    pub fn add(&mut self, doc: &Doc, extras: DocExtras) -> Result<()> {
        let start = self.rows.len();
        let added = self.add_rows(doc).and_then(|()| {
            self.spaces.try_reserve(doc.len())?;
            self.docs.try_reserve(1)?;
            self.add_strings(doc, start, &extras.span_groups)
        });
        if added.is_err() {
            self.rows.truncate(start);
            return added;
        }
        self.spaces.extend(doc.tokens().iter().map(|token| u8::from(token.spacy())));
        let has_unknown_spaces = doc.has_unknown_spaces();
        self.docs.push(PackedDoc { end: self.spaces.len(), has_unknown_spaces, extras });
        Ok(())
    }

    fn add_rows(&mut self, doc: &Doc) -> Result<()> {
        let (start, added) = (self.rows.len(), doc.len() * self.attrs.len());
        self.rows.try_reserve(added)?;
        self.rows.resize(start + added, 0);
        doc.attrs().write_array(0..doc.len(), &self.attrs, &mut self.rows[start..]);
        Ok(())
    }

    /// Adds the strings of a document whose rows begin at `start`; all of them or, on an error,
    /// none.
    fn add_strings(&mut self, doc: &Doc, start: usize, span_groups: &[u8]) -> Result<()> {
        let mut new = Vec::new();
        let strings = &self.strings;
        strings_of(doc, span_groups, |id, string| {
            if !strings.contains_key(&id) {
                fallible::push(&mut new, (id, string))?;
            }
            Ok(())
        })?;
        for (token, row) in doc.iter().zip(self.rows[start..].chunks_exact(self.attrs.len())) {
            let orth = StrId::new(row[0]);
            if !strings.contains_key(&orth) {
                // The document's own text, even if the string store has another one for this id.
                fallible::push(&mut new, (orth, token.text()))?;
            }
        }
        self.strings.try_reserve(new.len())?;
        for (id, string) in new {
            self.strings.entry(id).or_insert_with(|| string.into());
        }
        Ok(())
    }

    /// Appends the documents of another bin.
    ///
    /// # Errors
    ///
    /// `E166` if the bins store different attributes, or only one of them stores user data;
    /// `out-of-memory`. Nothing is appended then.
    pub fn merge(&mut self, other: &DocBin) -> Result<()> {
        if self.attrs != other.attrs {
            let names = |attrs: &[AttrId]| {
                attrs.iter().map(|attr| attr.name().unwrap_or_default()).collect::<Vec<_>>()
            };
            let (own, other) = (names(&self.attrs), names(&other.attrs));
            let text = format!("the bins store different attributes: {own:?} and {other:?}");
            return Err(Error::value(codes::E166, text));
        }
        if self.stores_user_data != other.stores_user_data {
            let (own, other) = (self.stores_user_data, other.stores_user_data);
            let text = format!(
                "only one of the bins stores user data: store_user_data is {own} and {other}"
            );
            return Err(Error::value(codes::E166, text));
        }
        self.rows.try_reserve(other.rows.len())?;
        self.spaces.try_reserve(other.spaces.len())?;
        self.docs.try_reserve(other.docs.len())?;
        self.strings.try_reserve(other.strings.len())?;
        let before = self.spaces.len();
        self.rows.extend_from_slice(&other.rows);
        self.spaces.extend_from_slice(&other.spaces);
        let docs = other.docs.iter().map(|doc| PackedDoc { end: before + doc.end, ..doc.clone() });
        self.docs.extend(docs);
        for (id, string) in &other.strings {
            self.strings.entry(*id).or_insert_with(|| string.clone());
        }
        Ok(())
    }

    /// Returns the strings of all ids, by value.
    pub fn into_strings(self) -> Strings {
        self.strings
    }

    /// Returns the range of a document, in tokens.
    fn bounds(&self, doc: usize) -> Option<(usize, usize)> {
        let end = self.docs.get(doc)?.end;
        Some((doc.checked_sub(1).map_or(0, |before| self.docs[before].end), end))
    }
}

impl PackedDoc {
    /// Returns the bytes of the span groups.
    pub(super) fn groups(&self) -> &[u8] {
        let groups = &self.extras.span_groups;
        if groups.is_empty() { span_group::NO_GROUPS } else { groups }
    }
}
