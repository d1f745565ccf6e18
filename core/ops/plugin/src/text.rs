//! Strings as C has them.
//!
//! Holds unsafe code: an address and a length become a `&str`.

/// UTF-8 by address and length: `lexpool_str`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StrC {
    /// The first byte; null for an empty one.
    pub at: *const u8,
    /// Bytes.
    pub len: usize,
}

// SAFETY: it is an address, which only `get` follows.
unsafe impl Send for StrC {}
// SAFETY: as above.
unsafe impl Sync for StrC {}

impl StrC {
    /// The string; good for as long as what it was taken of.
    pub const fn of(text: &str) -> StrC {
        StrC { at: text.as_ptr(), len: text.len() }
    }

    /// Returns whether the bytes are equal.
    ///
    /// # Safety
    ///
    /// As for [`get`](StrC::get).
    #[inline]
    pub(crate) unsafe fn is(self, text: &str) -> bool {
        if self.len != text.len() || self.at.is_null() {
            return self.len == text.len() && text.is_empty();
        }
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(self.at, self.len) == text.as_bytes() }
    }

    /// The string; empty if the bytes are not UTF-8.
    ///
    /// # Safety
    ///
    /// The address is null or has `len` bytes, good for `'a`.
    pub unsafe fn get<'a>(self) -> &'a str {
        if self.at.is_null() {
            return "";
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { std::slice::from_raw_parts(self.at, self.len) };
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}
