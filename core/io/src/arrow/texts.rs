//! Column of texts in the memory of documents.
//!
//! # Safety
//!
//! - `T1`: a [`SharedText`] keeps its bytes readable and unchanged while it lives, and each buffer
//!   owns one.
//! - `T2`: a view of more than `INLINE` bytes points to a buffer added by `source`, lies within it
//!   (checked by `push`) and ends between characters; `make_view` writes its length and prefix.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};

use lexpool::codes;
use lexpool::tokens::{Doc, SharedText};
use lexpool::{Error, Result};

/// Limit of the bytes of a buffer of views: offsets are signed 32-bit numbers.
const MAX_BUFFER: usize = i32::MAX as usize;

/// Distance of the buffers over a text. They overlap, so that each value of up to half of
/// [`MAX_BUFFER`] lies within one of them.
const STEP: usize = 1 << 30;

/// Limit of the bytes stored in a view itself.
const INLINE: usize = 12;

/// Builder of a column of texts of documents.
pub(super) struct DocTexts {
    views: Vec<u128>,
    buffers: Vec<Buffer>,
}

/// A document whose text is in buffers of a column.
pub(super) struct TextSource {
    /// Index of its first buffer.
    first: usize,
}

impl DocTexts {
    pub(super) fn with_capacity(len: usize) -> DocTexts {
        DocTexts { views: Vec::with_capacity(len), buffers: Vec::new() }
    }

    /// Adds buffers over the text of a document, for values to point to.
    pub(super) fn source(&mut self, doc: &Doc) -> TextSource {
        let first = self.buffers.len();
        if doc.text().len() > INLINE {
            self.buffers.extend(windows(&doc.share_text(), STEP, MAX_BUFFER));
        }
        TextSource { first }
    }

    /// Appends a part of a document's text, which begins at byte `byte`.
    ///
    /// # Errors
    ///
    /// `arrow-too-long` for a value of more than 2^31 - 1 bytes, or of more than 2^30 bytes that is
    /// not at the start of the document.
    pub(super) fn push(&mut self, source: &TextSource, text: &str, byte: usize) -> Result<()> {
        let offset = byte % STEP;
        if offset + text.len() > MAX_BUFFER && text.len() > INLINE {
            let len = text.len();
            let text = format!(
                "a text of {len} bytes at byte {byte} of a document is too long for Arrow's views, \
                 which end before byte 2^31"
            );
            return Err(Error::value(codes::ARROW_TOO_LONG, text));
        }
        let buffer = u32::try_from(source.first + byte / STEP);
        let buffer = buffer.expect("a column has fewer than 2^32 documents");
        let offset = u32::try_from(offset).expect("less than the step");
        self.views.push(make_view(text.as_bytes(), buffer, offset));
        Ok(())
    }

    pub(super) fn finish(self) -> ArrayRef {
        let views = ScalarBuffer::from(self.views);
        // SAFETY: T2.
        let array = unsafe { StringViewArray::new_unchecked(views, self.buffers, None) };
        Arc::new(array)
    }
}

/// Creates buffers over a text, one for every `step` bytes, of up to `longest` bytes each.
fn windows(text: &SharedText, step: usize, longest: usize) -> Vec<Buffer> {
    let bytes = text.as_str().as_bytes();
    let window = |from: usize| {
        let window = &bytes[from..bytes.len().min(from + longest)];
        let owner = Arc::new(text.clone());
        // SAFETY: T1: the buffer owns `owner`.
        unsafe { Buffer::from_custom_allocation(NonNull::from(window).cast(), window.len(), owner) }
    };
    (0..bytes.len()).step_by(step).map(window).collect()
}

#[cfg(test)]
mod tests {
    use lexpool::tokenizer::Tokenizer;

    use super::*;

    #[test]
    fn windows_overlap_and_lie_in_the_text() {
        let doc = Tokenizer::blank("en").unwrap().tokenize("0123456789abc").unwrap();
        let windows = windows(&doc.share_text(), 4, 7);
        let parts: Vec<_> = windows.iter().map(|part| std::str::from_utf8(part).unwrap()).collect();
        assert_eq!(parts, ["0123456", "456789a", "89abc", "c"]);
        assert_eq!(windows[1].as_ptr(), doc.text()[4..].as_ptr());
        drop(doc);
        assert_eq!(windows[3].as_slice(), b"c");
    }
}
