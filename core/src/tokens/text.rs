//! Text that a document borrows from an owner outside of this crate, such as a Python string; and
//! the text of any document, held without the document.
//!
//! Holds unsafe code: an owner is kept as a raw pointer beside the bytes that it keeps alive, so
//! that a document which borrows its text costs no allocation.

use std::fmt;
use std::ptr::NonNull;

use lexpool_pool::KeepAlive;

use super::Doc;

/// UTF-8 text kept alive by a foreign owner, which is released when this is dropped.
pub struct ForeignText {
    text: NonNull<str>,
    owner: NonNull<()>,
    count: ForeignCount,
}

/// How references to a foreign owner are counted. Each may be called from any thread.
#[derive(Clone, Copy)]
pub struct ForeignCount {
    /// Takes one more reference to an owner that is alive.
    pub retain: unsafe fn(NonNull<()>),
    /// Gives one back.
    pub release: unsafe fn(NonNull<()>),
}

// SAFETY: whoever calls `new` promises that the text is immutable and that both functions may be
// called from any thread.
unsafe impl Send for ForeignText {}
// SAFETY: as above; `&ForeignText` only reads.
unsafe impl Sync for ForeignText {}

impl ForeignText {
    /// Takes over one reference to `owner`.
    ///
    /// # Safety
    ///
    /// - `text` points to valid UTF-8 that stays where it is and does not change until `release`
    ///   was called with `owner` as often as it has references.
    /// - Both functions of `count` may be called from any thread; `release` once, and once more for
    ///   each call of `retain`.
    pub unsafe fn new(text: NonNull<str>, owner: NonNull<()>, count: ForeignCount) -> ForeignText {
        ForeignText { text, owner, count }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // SAFETY: valid until `release`, which only `drop` calls.
        unsafe { self.text.as_ref() }
    }

    /// The owner that was given, still alive.
    pub fn owner(&self) -> NonNull<()> {
        self.owner
    }
}

impl Clone for ForeignText {
    fn clone(&self) -> ForeignText {
        // SAFETY: this text's own reference keeps the owner alive; the new one is given back once.
        unsafe { (self.count.retain)(self.owner) };
        ForeignText { ..*self }
    }
}

impl Drop for ForeignText {
    fn drop(&mut self) {
        // SAFETY: the only call for this reference; `new` was promised that it is sound from any
        // thread.
        unsafe { (self.count.release)(self.owner) }
    }
}

impl fmt::Debug for ForeignText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForeignText").field(&self.as_str()).finish()
    }
}

/// The text of a document, without the document: it stays where it is and as it is, whatever
/// becomes of its document, and reading it takes no lock.
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
    _keeper: TextOwner,
}

#[derive(Clone, Debug)]
#[expect(dead_code, reason = "kept for what they keep")]
enum TextOwner {
    Own(KeepAlive),
    Foreign(ForeignText),
}

// SAFETY: the text is never written, and both keepers may be held and dropped by any thread.
unsafe impl Send for SharedText {}
// SAFETY: as above; `&SharedText` only reads.
unsafe impl Sync for SharedText {}

impl SharedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        // SAFETY: the keeper keeps the bytes where they are; nobody writes them.
        unsafe { self.text.as_ref() }
    }
}

impl Doc {
    /// The text, to be kept beyond the document. Cost: a count, or what the foreign owner of a
    /// borrowed text takes for one; no copy.
    pub fn share_text(&self) -> SharedText {
        let keeper = match &self.foreign {
            Some(foreign) => TextOwner::Foreign(foreign.clone()),
            None => TextOwner::Own(self.buffer.keep()),
        };
        SharedText { text: NonNull::from(self.text()), _keeper: keeper }
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
