//! Text that a document borrows from an owner outside of this crate, such as a Python string, and
//! text that outlives its document.
//!
//! Contains unsafe code: the owner is a raw pointer beside the bytes that it keeps alive, so a
//! document that borrows its text makes no allocation. Invariants:
//!
//! - `F1`: `ForeignText` holds one reference to its owner, given to `new` or taken by `retain`, and
//!   gives it back once, in `drop`. The text is valid, immutable UTF-8 until then.
//! - `F2`: `retain` and `release` may be called from any thread.
//! - `F3`: the bytes of a `SharedText` stay allocated and unchanged while its owner field lives.

use std::fmt;
use std::ptr::NonNull;

use lexpool_pool::KeepAlive;

/// UTF-8 text kept alive by a foreign owner. Dropping the value releases the owner.
pub struct ForeignText {
    text: NonNull<str>,
    owner: NonNull<()>,
    count: ForeignCount,
}

/// The functions that count references to a foreign owner. Both may be called from any thread.
#[derive(Clone, Copy)]
pub struct ForeignCount {
    /// Takes one more reference to a live owner.
    pub retain: unsafe fn(NonNull<()>),
    /// Gives one reference back.
    pub release: unsafe fn(NonNull<()>),
}

// SAFETY: F1, F2: the text is immutable, and the owner may be released from any thread.
unsafe impl Send for ForeignText {}
// SAFETY: F1: `&ForeignText` only reads immutable text.
unsafe impl Sync for ForeignText {}

impl ForeignText {
    /// Takes over one reference to `owner`.
    ///
    /// # Safety
    ///
    /// - `text` points to valid UTF-8 that does not move or change until `release` was called once
    ///   for each reference to `owner`.
    /// - Both functions of `count` may be called from any thread; `release` once, and once more for
    ///   each call of `retain`.
    pub unsafe fn new(text: NonNull<str>, owner: NonNull<()>, count: ForeignCount) -> ForeignText {
        ForeignText { text, owner, count }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // SAFETY: F1: the text is valid until `drop`.
        unsafe { self.text.as_ref() }
    }

    /// Returns the owner, which is alive.
    pub fn owner(&self) -> NonNull<()> {
        self.owner
    }
}

impl Clone for ForeignText {
    fn clone(&self) -> ForeignText {
        // SAFETY: F1: the owner is alive; the copy gives the new reference back.
        unsafe { (self.count.retain)(self.owner) };
        ForeignText { ..*self }
    }
}

impl Drop for ForeignText {
    fn drop(&mut self) {
        // SAFETY: F1, F2: the only call for this reference, from any thread.
        unsafe { (self.count.release)(self.owner) }
    }
}

impl fmt::Debug for ForeignText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForeignText").field(&self.as_str()).finish()
    }
}

/// The text of a document, kept alive without the document. Its address and content do not change
/// when the document is edited or dropped, and reading it takes no lock.
///
/// ```
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Hello", true), ("world", false)])?;
/// let (text, at) = (doc.share_text(), doc.text().as_ptr());
/// drop(doc);
/// assert_eq!((text.as_str(), text.as_str().as_ptr()), ("Hello world", at));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedText {
    text: NonNull<str>,
    _owner: TextOwner,
}

#[derive(Clone, Debug)]
#[expect(dead_code, reason = "held only to keep the text alive")]
enum TextOwner {
    Buffer(KeepAlive),
    Foreign(ForeignText),
}

// SAFETY: F2, F3: the text is immutable, and its owner may be dropped by any thread.
unsafe impl Send for SharedText {}
// SAFETY: F3: `&SharedText` only reads immutable text.
unsafe impl Sync for SharedText {}

impl SharedText {
    /// Shares the text of a buffer that `owner` keeps allocated.
    pub(super) fn of_buffer(text: &str, owner: KeepAlive) -> SharedText {
        SharedText { text: NonNull::from(text), _owner: TextOwner::Buffer(owner) }
    }

    /// Shares a foreign text.
    pub(super) fn of_foreign(foreign: ForeignText) -> SharedText {
        SharedText { text: foreign.text, _owner: TextOwner::Foreign(foreign) }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // SAFETY: F3: the bytes are allocated and unchanged.
        unsafe { self.text.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_owner_is_released_once_for_each_reference() {
        unsafe fn retain(owner: NonNull<()>) {
            // SAFETY: the pointer came from `Arc::into_raw` below, and the caller has a count.
            unsafe { Arc::increment_strong_count(owner.as_ptr().cast::<String>().cast_const()) };
        }
        unsafe fn release(owner: NonNull<()>) {
            // SAFETY: the pointer came from `Arc::into_raw` below.
            drop(unsafe { Arc::from_raw(owner.as_ptr().cast::<String>()) });
        }
        let owner = Arc::new("borrowed".to_owned());
        let text = NonNull::from(owner.as_str());
        let raw = NonNull::new(Arc::into_raw(Arc::clone(&owner)).cast_mut().cast()).unwrap();
        // SAFETY: the text belongs to the Arc, one count of which is handed over.
        let foreign = unsafe { ForeignText::new(text, raw, ForeignCount { retain, release }) };
        assert_eq!(foreign.as_str(), "borrowed");
        assert_eq!(Arc::strong_count(&owner), 2);
        let other = foreign.clone();
        assert_eq!(Arc::strong_count(&owner), 3);
        drop(foreign);
        assert_eq!(other.as_str(), "borrowed");
        drop(other);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
