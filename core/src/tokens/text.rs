//! Text that a document borrows from an owner outside of this crate, such as a Python string.
//!
//! Holds unsafe code: an owner is kept as a raw pointer beside the bytes that it keeps alive, so
//! that a document which borrows its text costs no allocation.

use std::fmt;
use std::ptr::NonNull;

/// UTF-8 text kept alive by a foreign owner, which is released when this is dropped.
pub struct ForeignText {
    text: NonNull<str>,
    owner: NonNull<()>,
    release: unsafe fn(NonNull<()>),
}

// SAFETY: whoever calls `new` promises that the text is immutable and that `release` may be called
// from any thread.
unsafe impl Send for ForeignText {}
// SAFETY: as above; `&ForeignText` only reads.
unsafe impl Sync for ForeignText {}

impl ForeignText {
    /// Takes over one reference to `owner`.
    ///
    /// # Safety
    ///
    /// - `text` points to valid UTF-8 that stays where it is and does not change until `release`
    ///   was called with `owner`.
    /// - `release` may be called once, from any thread.
    pub unsafe fn new(
        text: NonNull<str>,
        owner: NonNull<()>,
        release: unsafe fn(NonNull<()>),
    ) -> ForeignText {
        ForeignText { text, owner, release }
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

impl Drop for ForeignText {
    fn drop(&mut self) {
        // SAFETY: the first and only call; `new` was promised that it is sound from any thread.
        unsafe { (self.release)(self.owner) }
    }
}

impl fmt::Debug for ForeignText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForeignText").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_owner_is_released_once() {
        unsafe fn release(owner: NonNull<()>) {
            // SAFETY: the pointer came from `Arc::into_raw` below.
            drop(unsafe { Arc::from_raw(owner.as_ptr().cast::<String>()) });
        }
        let owner = Arc::new("borrowed".to_owned());
        let text = NonNull::from(owner.as_str());
        let raw = NonNull::new(Arc::into_raw(Arc::clone(&owner)).cast_mut().cast()).unwrap();
        // SAFETY: the text belongs to the Arc, one count of which is handed over.
        let foreign = unsafe { ForeignText::new(text, raw, release) };
        assert_eq!(foreign.as_str(), "borrowed");
        assert_eq!(Arc::strong_count(&owner), 2);
        drop(foreign);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
