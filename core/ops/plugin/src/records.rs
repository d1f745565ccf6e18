//! Records, documents and vocabs, lent for a call.
//!
//! Holds unsafe code: address, length and record type become slices, after a check.

use std::sync::atomic::{AtomicU64, Ordering};

use lexpool_structs::{EntityC, LexemeC, Record, SyntaxC, TagC, TokenC};

pub use crate::raw::{DocC, DocRefC, RecordsC, RecordsOf, ScopeC, VocabC};
use crate::value::Value;

impl<T> RecordsOf<'_, T> {
    /// The records as a value.
    pub fn value(&self) -> Value<'_> {
        Value::records(&self.lent)
    }
}

/// A document as a plugin sees it: its records, by reference.
#[derive(Clone, Copy, Debug)]
pub struct DocView<'a>(&'a DocRefC);

impl<'a> DocView<'a> {
    pub(crate) fn of(doc: &'a DocRefC) -> Option<DocView<'a>> {
        let is_known = doc.doc.size as usize >= size_of::<DocC>();
        (is_known && doc.doc.abi == lexpool_structs::ABI_VERSION).then_some(DocView(doc))
    }

    /// The C form.
    pub fn as_c(self) -> &'a DocC {
        &self.0.doc
    }

    /// The tokens.
    pub fn tokens(self) -> &'a [TokenC] {
        // SAFETY: a document has as many tokens as it says, for as long as it is lent.
        unsafe { slice(self.0.doc.tokens, self.0.len()) }.unwrap_or_default()
    }

    /// Tags and lemmas, if there are any.
    pub fn tags(self) -> Option<&'a [TagC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.tags, self.0.len()) }
    }

    /// The tree, if there is one.
    pub fn syntax(self) -> Option<&'a [SyntaxC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.syntax, self.0.len()) }
    }

    /// Entities, if there are any.
    pub fn entities(self) -> Option<&'a [EntityC]> {
        // SAFETY: as above.
        unsafe { slice(self.0.doc.entities, self.0.len()) }
    }

    /// The lexeme of the token at a position, as it is now.
    pub fn lexeme(self, i: usize) -> Option<LexemeC> {
        let token = self.tokens().get(i)?;
        let doc = &self.0.doc;
        let segments = if token.in_zone() { doc.zone_lexemes } else { doc.lexemes };
        if segments.is_null() {
            return None;
        }
        let place = u64::from(token.lex_index()) + 64;
        let segment = 57 - place.leading_zeros() as usize;
        let at = place - (64 << segment);
        // SAFETY: lexpool gives segments for all lexemes of its documents; segment `k` has `64 <<
        // k`. Fields are written by other threads, each by one atomic store, so they are loaded so.
        let fields = unsafe {
            let record = (*segments.add(segment)).add(usize::try_from(at).ok()?);
            record.cast::<[AtomicU64; size_of::<LexemeC>() / 8]>().as_ref()?
        };
        Some(bytemuck::must_cast(fields.each_ref().map(|field| field.load(Ordering::Relaxed))))
    }
}

/// Borrows records by their address and number; `None` for an address that is null or not
/// aligned.
///
/// # Safety
///
/// The address is null or that of `len` records, good for `'a`.
unsafe fn slice<'a, T>(first: *const T, len: usize) -> Option<&'a [T]> {
    if first.is_null() || !first.is_aligned() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { std::slice::from_raw_parts(first, len) })
}

/// Records that an op may write.
pub(crate) fn lent_to_write<T: Record>(value: Value<'_>) -> Option<&mut [T]> {
    value.as_records()?.as_mut_slice()
}
