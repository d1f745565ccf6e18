//! The document: a text, its token records, and their annotation columns.
//!
//! Contains unsafe code. Invariant:
//!
//! - `D1`: without a foreign text, the bytes of the buffer are valid UTF-8. Every constructor and
//!   every replacement of the buffer takes them from a `str` or leaves them empty; the caller of
//!   [`Doc::from_parts`] promises it.

use std::fmt;
use std::sync::Arc;

use lexpool_pool::RecordBuffer;
use lexpool_structs::{EntityC, SyntaxC, TagC, TokenC};

use super::address_pins::{AddressPin, AddressPins, RetiredArrays};
use super::columns::{AnnotationColumns, writable};
use super::tensor::Tensor;
use super::text::{ForeignText, SharedText};
use crate::codes;
use crate::fallible;
use crate::vocab::{Vocab, VocabSnapshot};
use crate::{Error, Result, limits};

/// The largest number of characters that a text may have, as in spaCy.
#[expect(clippy::cast_possible_truncation, reason = "below 2^31")]
pub const MAX_CHARS: usize = limits::DOC_LENGTH.max() as usize;

/// A tokenized text with its annotation.
///
/// A document holds a text, one record a token, and the vocab that the records refer to. Annotation
/// lies in columns beside the token records, each allocated by its first write: a fresh document
/// costs 16 bytes a token, and its text unless that is borrowed. Tokens tile the text: each begins
/// where the one before it ends, trailing space included. So the text of a token or span is a slice
/// of the document's text, whatever the string store holds.
///
/// What a document says of its tokens is reached through views, one for each concept:
///
/// | view | reads or writes |
/// | --- | --- |
/// | [`token`](Doc::token), [`span`](Doc::span), [`iter`](Doc::iter) | one token, a range of tokens, all tokens |
/// | [`attrs`](Doc::attrs), [`attrs_mut`](Doc::attrs_mut) | attributes by number: one, a column, rows |
/// | [`tree`](Doc::tree), [`tree_mut`](Doc::tree_mut) | the dependency tree |
/// | [`entities`](Doc::entities), [`entities_mut`](Doc::entities_mut) | named entities |
/// | [`sentences`](Doc::sentences) | sentences |
/// | [`char_offsets`](Doc::char_offsets) | tokens and spans by character offset |
/// | [`tensor`](Doc::tensor), [`set_tensor`](Doc::set_tensor) | a row of numbers for each token |
///
/// Edits that concern the whole document are values of their own:
/// [`Retokenization`](super::Retokenization) merges and splits tokens,
/// [`RecordEdit`](super::RecordEdit) changes the records themselves.
///
/// ```
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Hello", false), (",", true), ("world", false)])?;
/// assert_eq!(doc.text(), "Hello, world");
/// assert_eq!(doc.token(2).unwrap().idx(), 7);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Doc {
    /// Shared by the documents that were made together, so that threads which make and drop others
    /// do not count references in one cache line.
    snapshot: Arc<VocabSnapshot>,
    pub(super) buffer: RecordBuffer<TokenC>,
    pub(super) foreign: Option<ForeignText>,
    pub(super) side: Option<Box<SideData>>,
    pub(super) generation: u32,
    /// Pins on the arrays as they are now.
    pub(super) pins: AddressPins,
    has_unknown_spaces: bool,
}

/// The rarely present part of a document. Each column is as long as the tokens; heads and edges
/// point into the document.
#[derive(Default)]
pub(super) struct SideData {
    pub(super) columns: AnnotationColumns,
    /// Has a row for each token.
    pub(super) tensor: Option<Arc<Tensor>>,
    pub(super) retired: RetiredArrays,
}

impl From<AnnotationColumns> for SideData {
    fn from(columns: AnnotationColumns) -> SideData {
        SideData { columns, ..SideData::default() }
    }
}

impl Doc {
    /// Creates a document without text.
    pub fn empty(vocab: &Arc<Vocab>) -> Doc {
        Doc::from_buffer(vocab.snapshot(), RecordBuffer::default(), None)
    }

    /// Assembles a document from finished parts; the tokens must tile the text.
    pub(crate) fn from_buffer(
        snapshot: impl Into<Arc<VocabSnapshot>>,
        buffer: RecordBuffer<TokenC>,
        foreign: Option<ForeignText>,
    ) -> Doc {
        debug_assert!(std::str::from_utf8(buffer.bytes()).is_ok());
        Doc {
            snapshot: snapshot.into(),
            buffer,
            foreign,
            side: None,
            generation: 0,
            pins: AddressPins::default(),
            has_unknown_spaces: false,
        }
    }

    /// Assembles a document from validated parts; the tokens must tile the text, each column of
    /// annotation must be as long as the tokens, and heads and edges must point into the document.
    ///
    /// # Safety
    ///
    /// The bytes of the buffer of tokens are valid UTF-8.
    #[must_use]
    pub unsafe fn from_parts(
        snapshot: &Arc<VocabSnapshot>,
        tokens: RecordBuffer<TokenC>,
        tags: Option<RecordBuffer<TagC>>,
        syntax: Option<RecordBuffer<SyntaxC>>,
        entities: Option<RecordBuffer<EntityC>>,
    ) -> Doc {
        let mut doc = Doc::from_buffer(Arc::clone(snapshot), tokens, None);
        let columns = AnnotationColumns::from_buffers(tags, syntax, entities);
        doc.side = (!columns.is_empty()).then(|| Box::new(SideData::from(columns)));
        doc
    }

    /// Copies the document into memory of its own; only the tensor is shared.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn try_clone(&self) -> Result<Doc> {
        let (tokens, text) = (self.tokens(), self.text().as_bytes());
        let buffer = RecordBuffer::from_vecs(fallible::copy(tokens)?, fallible::copy(text)?)?;
        let mut copy = Doc::from_buffer(Arc::clone(&self.snapshot), buffer, None);
        if let Some(columns) = self.columns().filter(|columns| !columns.is_empty()) {
            copy.side = Some(Box::new(SideData::from(columns.try_clone()?)));
        }
        copy.set_tensor(self.tensor().cloned())?;
        copy.has_unknown_spaces = self.has_unknown_spaces;
        Ok(copy)
    }

    /// Returns the bytes of the records, the text and the annotation, tensors and retired arrays
    /// aside.
    pub fn n_bytes(&self) -> usize {
        size_of_val(self.tokens())
            + self.text().len()
            + self.tag_records().map_or(0, size_of_val)
            + self.syntax_records().map_or(0, size_of_val)
            + self.entity_records().map_or(0, size_of_val)
    }

    /// Returns the vocab, with the zone in which the document was made.
    pub fn snapshot(&self) -> &VocabSnapshot {
        &self.snapshot
    }

    /// Returns the vocab for a document that is made of this one. Cost: a reference count.
    pub(crate) fn share_snapshot(&self) -> Arc<VocabSnapshot> {
        Arc::clone(&self.snapshot)
    }

    /// Returns the vocab.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.snapshot.vocab()
    }

    /// Returns the text, trailing spaces included, without a copy.
    pub fn text(&self) -> &str {
        match &self.foreign {
            Some(foreign) => foreign.as_str(),
            // SAFETY: D1: the bytes are valid UTF-8.
            None => unsafe { std::str::from_utf8_unchecked(self.buffer.bytes()) },
        }
    }

    /// Returns the borrowed text with its owner, or `None` if the document owns its text.
    pub fn foreign_text(&self) -> Option<&ForeignText> {
        self.foreign.as_ref()
    }

    /// Returns the text as a value that outlives the document. Cost: one reference count, or what
    /// the foreign owner of a borrowed text takes for one; no copy.
    pub fn share_text(&self) -> SharedText {
        match &self.foreign {
            Some(foreign) => SharedText::of_foreign(foreign.clone()),
            None => SharedText::of_buffer(self.text(), self.buffer.keep_alive()),
        }
    }

    /// Returns the token records, contiguous and at a stable address until the document is edited
    /// or dropped; see [`Doc::pin`].
    pub fn tokens(&self) -> &[TokenC] {
        self.buffer.records()
    }

    /// Returns the records of tags, lemmas, norms, morphology and parts of speech, one a token.
    /// `None` until the first write.
    #[inline]
    pub fn tag_records(&self) -> Option<&[TagC]> {
        self.columns()?.tags()
    }

    /// Returns the records of the dependency tree, one a token. `None` until the first write.
    #[inline]
    pub fn syntax_records(&self) -> Option<&[SyntaxC]> {
        self.columns()?.syntax()
    }

    /// Returns the records of entity types and ids, one a token. `None` until the first write.
    /// Which token begins an entity is in [`TokenC::ent_iob`].
    #[inline]
    pub fn entity_records(&self) -> Option<&[EntityC]> {
        self.columns()?.entities()
    }

    /// Returns the tensor, which has a row for each token; spaCy's `Doc.tensor`. `None` until a
    /// component or a caller sets it.
    pub fn tensor(&self) -> Option<&Arc<Tensor>> {
        self.side.as_deref()?.tensor.as_ref()
    }

    /// Sets or removes the tensor. Merging tokens keeps the row of the last one, and the parts of a
    /// split token get rows of zeros.
    ///
    /// # Errors
    ///
    /// `tensor-shape` for another number of rows than tokens.
    pub fn set_tensor(&mut self, tensor: Option<Arc<Tensor>>) -> Result<()> {
        let Some(tensor) = tensor else {
            if let Some(side) = &mut self.side {
                side.tensor = None;
            }
            return Ok(());
        };
        if tensor.len() != self.len() {
            let text = format!(
                "the tensor has {} rows, but the document has {} tokens; expected a row for each \
                 token",
                tensor.len(),
                self.len()
            );
            return Err(Error::value(codes::TENSOR_SHAPE, text));
        }
        self.side.get_or_insert_default().tensor = Some(tensor);
        Ok(())
    }

    /// Returns the token records to be written; offsets must not change.
    pub(crate) fn tokens_mut(&mut self) -> Result<&mut [TokenC]> {
        writable(&mut self.buffer)
    }

    /// Returns the tag records to be written, allocated if absent.
    pub(crate) fn tag_records_mut(&mut self) -> Result<&mut [TagC]> {
        let len = self.len();
        self.side.get_or_insert_default().columns.tags_mut(len)
    }

    /// Returns the syntax records to be written, allocated if absent.
    pub(crate) fn syntax_records_mut(&mut self) -> Result<&mut [SyntaxC]> {
        Ok(self.tokens_and_syntax_mut()?.1)
    }

    /// Returns the token records and the syntax records to be written.
    pub(crate) fn tokens_and_syntax_mut(&mut self) -> Result<(&mut [TokenC], &mut [SyntaxC])> {
        let len = self.len();
        let syntax = self.side.get_or_insert_default().columns.syntax_mut(len)?;
        Ok((writable(&mut self.buffer)?, syntax))
    }

    /// Returns the entity records to be written, allocated if absent.
    pub(crate) fn entity_records_mut(&mut self) -> Result<&mut [EntityC]> {
        let len = self.len();
        self.side.get_or_insert_default().columns.entities_mut(len)
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.tokens().len()
    }

    /// Returns whether the document has no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens().is_empty()
    }

    /// Returns whether the document was made without knowing which words are followed by spaces.
    pub fn has_unknown_spaces(&self) -> bool {
        self.has_unknown_spaces
    }

    /// Marks the spacing of the document as unknown.
    #[must_use]
    pub fn with_unknown_spaces(mut self) -> Doc {
        self.has_unknown_spaces = true;
        self
    }

    /// Sets whether the spacing of the document is unknown.
    pub fn set_unknown_spaces(&mut self, unknown: bool) {
        self.has_unknown_spaces = unknown;
    }

    /// Returns a number that changes when tokens are merged or split. A position found under
    /// another generation may mean another token.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Keeps the arrays of this moment at their addresses, also when an edit replaces them: for
    /// callers that give out addresses.
    pub fn pin(&self) -> AddressPin {
        self.pins.pin()
    }

    #[inline]
    fn columns(&self) -> Option<&AnnotationColumns> {
        Some(&self.side.as_deref()?.columns)
    }

    /// Returns the character offsets of the tokens `start..end`; both are the offset of the start
    /// if the range is empty.
    pub(super) fn char_bounds(&self, start: usize, end: usize) -> (usize, usize) {
        let from =
            match self.tokens().get(start) {
                Some(token) => token.idx as usize,
                None => self.tokens().len().checked_sub(1).map_or(0, |last| {
                    self.end_char(last) + usize::from(self.tokens()[last].spacy())
                }),
            };
        (from, if end > start { self.end_char(end - 1) } else { from })
    }

    /// Returns the byte offset of a token's end, its trailing space not included.
    pub(super) fn end_byte(&self, i: usize) -> usize {
        let next = self.tokens().get(i + 1).map_or(self.text().len(), |next| next.byte as usize);
        next - usize::from(self.tokens()[i].spacy())
    }

    /// Returns the character offset of a token's end, its trailing space not included. Constant
    /// time, but for the last token linear in its length.
    pub(super) fn end_char(&self, i: usize) -> usize {
        let token = &self.tokens()[i];
        if let Some(next) = self.tokens().get(i + 1) {
            return next.idx as usize - usize::from(token.spacy());
        }
        let token_text = &self.text()[token.byte as usize..self.end_byte(i)];
        token.idx as usize + token_text.chars().count()
    }
}

impl fmt::Debug for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |i: usize| &self.text()[self.tokens()[i].byte as usize..self.end_byte(i)];
        f.debug_list().entries((0..self.len()).map(text)).finish()
    }
}

impl fmt::Display for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Checks the character and the byte offset of a token, and returns them as its record holds them.
pub(super) fn check_size(chars: usize, bytes: usize) -> Result<(u32, u32)> {
    match (u32::try_from(chars), u32::try_from(bytes)) {
        (Ok(idx), Ok(byte)) if chars <= MAX_CHARS => Ok((idx, byte)),
        _ => Err(text_too_long(chars)),
    }
}

/// Returns the error (`E025`) of a text that no document can have, for a number of its characters.
pub fn text_too_long(chars: usize) -> Error {
    let text = format!(
        "the text has {chars} characters or more; the limit is {MAX_CHARS} characters and 4 GiB of \
         UTF-8; split it into parts, for example at paragraphs"
    );
    Error::value(codes::E025, text)
}
