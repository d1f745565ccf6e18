//! Documents and vocabs as C sees them, and what is read back from there.

use std::ptr;
use std::sync::Arc;

use lexpool_structs::{ABI_VERSION, EntityC, LexemeC, SyntaxC, TagC, TokenC};

pub use lexpool_plugin::{DocC, VocabC};

use super::size_of_u32;
use crate::tokens::Doc;
use crate::vocab::{LexIx, LexemeCell, Vocab, VocabSnapshot};

/// Arrays that may be written: `lexpool_doc_mut`. Those that are null are not there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DocMutC {
    /// Bytes of this struct.
    pub size: u32,
    /// [`ABI_VERSION`] of the records.
    pub abi: u32,
    /// The tokens.
    pub tokens: *mut TokenC,
    /// How many tokens there are, and records in each array that is not null.
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

/// The arrays of a document, which is [pinned](Doc::pin): addresses stay good for as long as it
/// stays where it is, also those of arrays that an edit replaces. Cost: the length of the last token.
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

/// A vocab for C; good for as long as this `Arc` stays where it is.
pub fn open_vocab(vocab: &Arc<Vocab>) -> *const VocabC {
    ptr::from_ref(vocab).cast()
}

/// The vocab behind a pointer of [`open_vocab`]; none for null.
///
/// # Safety
///
/// A pointer that is not null came from [`open_vocab`] and is still good.
pub(super) unsafe fn vocab_of<'a>(vocab: *const VocabC) -> Option<&'a Arc<Vocab>> {
    // SAFETY: as the caller promises.
    unsafe { vocab.cast::<Arc<Vocab>>().as_ref() }
}

/// The cell of a lexeme's record; none for null and for an address no record can have.
///
/// # Safety
///
/// A pointer that is not null leads to a record that stays there for `'a`.
pub(super) unsafe fn cell_of<'a>(lex: *const LexemeC) -> Option<&'a LexemeCell> {
    if !lex.is_aligned() {
        return None;
    }
    // SAFETY: as the caller promises; a cell has the layout of a record, and any bytes are one.
    unsafe { lex.cast::<LexemeCell>().as_ref() }
}

/// What a [`DocC`] says, as slices.
pub(super) struct View<'a> {
    pub(super) tokens: &'a [TokenC],
    pub(super) tags: Option<&'a [TagC]>,
    pub(super) syntax: Option<&'a [SyntaxC]>,
    pub(super) entities: Option<&'a [EntityC]>,
    pub(super) snapshot: Option<&'a VocabSnapshot>,
    text_chars: u32,
}

impl<'a> View<'a> {
    /// The arrays; none for null, another version, a negative length and misplaced arrays.
    ///
    /// # Safety
    ///
    /// `doc` is null or leads to as many bytes as its first field says; arrays that are not null have
    /// `length` records, which nobody writes during `'a`, and the snapshot is one of [`open_doc`]'s.
    pub(super) unsafe fn of(doc: *const DocC) -> Option<View<'a>> {
        // SAFETY: as the caller promises.
        let doc = unsafe { checked(doc)? };
        let len = usize::try_from(doc.length).ok()?;
        // SAFETY: as the caller promises.
        unsafe {
            Some(View {
                tokens: slice(doc.tokens, len)?.or((len == 0).then_some(&[]))?,
                tags: slice(doc.tags, len)?,
                syntax: slice(doc.syntax, len)?,
                entities: slice(doc.entities, len)?,
                snapshot: doc.scope.cast::<VocabSnapshot>().as_ref(),
                text_chars: doc.text_chars,
            })
        }
    }

    /// Where a token's own text ends, in characters; 64 bits hold it whatever the records say.
    pub(super) fn end_char(&self, i: usize) -> i64 {
        match self.tokens.get(i + 1) {
            Some(next) => i64::from(next.idx) - i64::from(self.tokens[i].spacy()),
            None => i64::from(self.text_chars),
        }
    }

    /// The cell of a token's lexeme; none in arrays that have no vocab.
    pub(super) fn cell(&self, i: usize) -> Option<&'a LexemeCell> {
        self.snapshot?.cell(LexIx::from_raw(self.tokens[i].lex))
    }
}

/// What a [`DocMutC`] says, as slices.
pub(super) struct ViewMut<'a> {
    pub(super) tokens: &'a mut [TokenC],
    pub(super) tags: Option<&'a mut [TagC]>,
    pub(super) syntax: Option<&'a mut [SyntaxC]>,
    pub(super) entities: Option<&'a mut [EntityC]>,
}

impl ViewMut<'_> {
    /// The arrays; none as for [`View::of`].
    ///
    /// # Safety
    ///
    /// As for [`View::of`]; the arrays are the caller's alone and do not overlap.
    pub(super) unsafe fn of<'a>(doc: *const DocMutC) -> Option<ViewMut<'a>> {
        // SAFETY: as the caller promises.
        let doc = unsafe { checked(doc)? };
        let len = usize::try_from(doc.length).ok()?;
        // SAFETY: as the caller promises.
        unsafe {
            Some(ViewMut {
                tokens: slice_mut(doc.tokens, len)?.or((len == 0).then_some(&mut []))?,
                tags: slice_mut(doc.tags, len)?,
                syntax: slice_mut(doc.syntax, len)?,
                entities: slice_mut(doc.entities, len)?,
            })
        }
    }
}

/// A struct that begins with its size and version, if both are ours.
///
/// # Safety
///
/// `given` is null or leads to as many bytes as the first of them say.
unsafe fn checked<'a, T: Versioned>(given: *const T) -> Option<&'a T> {
    if given.is_null() || !given.is_aligned() {
        return None;
    }
    // SAFETY: every struct of the header begins with these two numbers.
    let [size, abi] = unsafe { given.cast::<[u32; 2]>().read() };
    // A larger one is that of a later header: what it has more is not read.
    if size < size_of_u32::<T>() || abi != ABI_VERSION {
        return None;
    }
    // SAFETY: it is large enough, and the caller promises the rest.
    Some(unsafe { &*given })
}

/// Begins with two `u32`, its size and the version.
trait Versioned {}
impl Versioned for DocC {}
impl Versioned for DocMutC {}

/// An array, or none where it is null; none at all if no record can lie there.
///
/// # Safety
///
/// An address that is not null has `len` records.
#[expect(clippy::option_option, reason = "absent is not the same as wrong")]
pub(super) unsafe fn slice<'a, T>(first: *const T, len: usize) -> Option<Option<&'a [T]>> {
    if first.is_null() {
        return Some(None);
    }
    // SAFETY: aligned, and as the caller promises.
    first.is_aligned().then(|| Some(unsafe { std::slice::from_raw_parts(first, len) }))
}

/// As [`slice`], to be written.
///
/// # Safety
///
/// An address that is not null has `len` records, which nobody else looks at.
#[expect(clippy::option_option, reason = "absent is not the same as wrong")]
pub(super) unsafe fn slice_mut<'a, T>(first: *mut T, len: usize) -> Option<Option<&'a mut [T]>> {
    if first.is_null() {
        return Some(None);
    }
    // SAFETY: aligned, and as the caller promises.
    first.is_aligned().then(|| Some(unsafe { std::slice::from_raw_parts_mut(first, len) }))
}
