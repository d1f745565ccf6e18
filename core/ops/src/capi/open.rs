//! The structs of documents and vocabs for C, and checked views of them.
//!
//! Contains unsafe code, which relies on the obligations K1 to K5 of the caller (see the parent
//! module).

use std::ptr;
use std::sync::Arc;

use lexpool::tokens::Doc;
use lexpool::vocab::{LexIx, LexemeCell, Vocab, VocabSnapshot};
use lexpool_plugin::size_of_u32;
pub use lexpool_plugin::{DocC, VocabC};
use lexpool_structs::{ABI_VERSION, EntityC, LexemeC, SyntaxC, TagC, TokenC};

/// The writable arrays of a document: `lexpool_doc_mut`. Absent arrays are null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocMutC {
    /// The size of this struct in bytes.
    pub size: u32,
    /// [`ABI_VERSION`] of the records.
    pub abi: u32,
    /// The tokens.
    pub tokens: *mut TokenC,
    /// The number of tokens, and of records in each non-null array.
    pub length: i32,
    /// Zero.
    pub reserved: u32,
    /// Tags and lemmas.
    pub tags: *mut TagC,
    /// The tree.
    pub syntax: *mut SyntaxC,
    /// Entities.
    pub entities: *mut EntityC,
}

/// Returns the arrays of a document and [pins](Doc::pin) them: the addresses are valid while the
/// document lives and does not move, also after an edit replaced the arrays. Cost: the length of
/// the last token.
pub fn open_doc(doc: &Doc) -> DocC {
    doc.pin().retain_for_document();
    let [lexemes, zone_lexemes] = doc.snapshot().segment_tables();
    let end = doc.len().checked_sub(1).and_then(|last| doc.token(last));
    DocC {
        size: size_of_u32::<DocC>(),
        abi: ABI_VERSION,
        tokens: doc.tokens().as_ptr(),
        length: i32::try_from(doc.len()).expect("a document has fewer than 2^30 tokens"),
        text_chars: end.map_or(0, |last| u32::try_from(last.end_char()).unwrap_or(u32::MAX)),
        tags: doc.tag_records().map_or(ptr::null(), <[TagC]>::as_ptr),
        syntax: doc.syntax_records().map_or(ptr::null(), <[SyntaxC]>::as_ptr),
        entities: doc.entity_records().map_or(ptr::null(), <[EntityC]>::as_ptr),
        lexemes,
        zone_lexemes,
        norms: doc.vocab().norm_segments(),
        scope: ptr::from_ref(doc.snapshot()).cast(),
    }
}

/// Returns a vocab for C, which is valid while this `Arc` lives and does not move.
pub fn open_vocab(vocab: &Arc<Vocab>) -> *const VocabC {
    ptr::from_ref(vocab).cast()
}

/// Returns the vocab of a pointer of [`open_vocab`]; `None` for null.
///
/// # Safety
///
/// `vocab` must fulfil K3.
pub(super) unsafe fn vocab_of<'a>(vocab: *const VocabC) -> Option<&'a Arc<Vocab>> {
    // SAFETY: K3, by the caller.
    unsafe { vocab.cast::<Arc<Vocab>>().as_ref() }
}

/// Returns the cell of a lexeme record; `None` for null and for a misaligned address.
///
/// # Safety
///
/// `lex` must fulfil K4 during `'a`.
pub(super) unsafe fn cell_of<'a>(lex: *const LexemeC) -> Option<&'a LexemeCell> {
    if !lex.is_aligned() {
        return None;
    }
    // SAFETY: K4, by the caller; a cell has the layout of a record, for which all bit patterns are
    // valid.
    unsafe { lex.cast::<LexemeCell>().as_ref() }
}

/// The arrays of a [`DocC`] as slices.
pub(super) struct DocView<'a> {
    pub(super) tokens: &'a [TokenC],
    pub(super) tags: Option<&'a [TagC]>,
    pub(super) syntax: Option<&'a [SyntaxC]>,
    pub(super) entities: Option<&'a [EntityC]>,
    pub(super) snapshot: Option<&'a VocabSnapshot>,
    text_chars: u32,
}

impl<'a> DocView<'a> {
    /// Returns the arrays; `None` for null, another version, a negative length or a misaligned
    /// array.
    ///
    /// # Safety
    ///
    /// `doc` must fulfil K1, K2 and K3 during `'a`.
    pub(super) unsafe fn of(doc: *const DocC) -> Option<DocView<'a>> {
        // SAFETY: K1, by the caller.
        let doc = unsafe { checked(doc)? };
        let len = usize::try_from(doc.length).ok()?;
        // SAFETY: K2, K3, by the caller.
        unsafe {
            Some(DocView {
                tokens: slice(doc.tokens, len)?.or((len == 0).then_some(&[]))?,
                tags: slice(doc.tags, len)?,
                syntax: slice(doc.syntax, len)?,
                entities: slice(doc.entities, len)?,
                snapshot: doc.scope.cast::<VocabSnapshot>().as_ref(),
                text_chars: doc.text_chars,
            })
        }
    }

    /// Returns the character offset of a token's end, in 64 bits since the records may hold any
    /// number.
    pub(super) fn end_char(&self, i: usize) -> i64 {
        match self.tokens.get(i + 1) {
            Some(next) => i64::from(next.idx) - i64::from(self.tokens[i].spacy()),
            None => i64::from(self.text_chars),
        }
    }

    /// Returns the cell of a token's lexeme; `None` if the struct has no vocab.
    pub(super) fn cell(&self, i: usize) -> Option<&'a LexemeCell> {
        self.snapshot?.cell(LexIx::from_raw(self.tokens[i].lex))
    }
}

/// The arrays of a [`DocMutC`] as slices.
pub(super) struct DocViewMut<'a> {
    pub(super) tokens: &'a mut [TokenC],
    pub(super) tags: Option<&'a mut [TagC]>,
    pub(super) syntax: Option<&'a mut [SyntaxC]>,
    pub(super) entities: Option<&'a mut [EntityC]>,
}

impl DocViewMut<'_> {
    /// Returns the arrays; `None` as for [`DocView::of`].
    ///
    /// # Safety
    ///
    /// `doc` must fulfil K1 and K2 during `'a`.
    pub(super) unsafe fn of<'a>(doc: *const DocMutC) -> Option<DocViewMut<'a>> {
        // SAFETY: K1, by the caller.
        let doc = unsafe { checked(doc)? };
        let len = usize::try_from(doc.length).ok()?;
        // SAFETY: K2, by the caller.
        unsafe {
            Some(DocViewMut {
                tokens: slice_mut(doc.tokens, len)?.or((len == 0).then_some(&mut []))?,
                tags: slice_mut(doc.tags, len)?,
                syntax: slice_mut(doc.syntax, len)?,
                entities: slice_mut(doc.entities, len)?,
            })
        }
    }
}

/// Returns a struct after checking the size and the version that it begins with.
///
/// # Safety
///
/// `given` must fulfil K1.
unsafe fn checked<'a, T: Versioned>(given: *const T) -> Option<&'a T> {
    if given.is_null() || !given.is_aligned() {
        return None;
    }
    // SAFETY: K1, by the caller: every struct begins with these two numbers.
    let [size, abi] = unsafe { given.cast::<[u32; 2]>().read() };
    // A larger struct is of a later header; its additional fields are not read.
    if size < size_of_u32::<T>() || abi != ABI_VERSION {
        return None;
    }
    // SAFETY: K1, by the caller: the struct has at least this size.
    Some(unsafe { &*given })
}

/// A struct that begins with two `u32`, its size and the version.
trait Versioned {}
impl Versioned for DocC {}
impl Versioned for DocMutC {}

/// Returns an array: `Some(None)` if it is null, `None` if it is misaligned.
///
/// # Safety
///
/// `first` must fulfil K2 for `len` records.
#[expect(clippy::option_option, reason = "an absent array is not an invalid one")]
pub(super) unsafe fn slice<'a, T>(first: *const T, len: usize) -> Option<Option<&'a [T]>> {
    if first.is_null() {
        return Some(None);
    }
    // SAFETY: K2, by the caller; the address is aligned.
    first.is_aligned().then(|| Some(unsafe { std::slice::from_raw_parts(first, len) }))
}

/// Like [`slice`], to be written.
///
/// # Safety
///
/// `first` must fulfil K2 for `len` records.
#[expect(clippy::option_option, reason = "an absent array is not an invalid one")]
pub(super) unsafe fn slice_mut<'a, T>(first: *mut T, len: usize) -> Option<Option<&'a mut [T]>> {
    if first.is_null() {
        return Some(None);
    }
    // SAFETY: K2, by the caller; the address is aligned.
    first.is_aligned().then(|| Some(unsafe { std::slice::from_raw_parts_mut(first, len) }))
}
