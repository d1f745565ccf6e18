//! A column of texts that lie in documents.
//!
//! Holds unsafe code: buffers of Arrow's are made over the memory of documents, which they keep.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};

use crate::tokens::{Doc, SharedText};
use crate::{Error, Result};

/// The most bytes that a buffer of views has: Arrow counts in it with 32 bits and a sign.
const LONGEST: usize = i32::MAX as usize;

/// Where in a text its buffers begin: every so many bytes. They overlap, so that a value of up to
/// half of [`LONGEST`] lies within one of them wherever it begins.
const STEP: usize = 1 << 30;

/// Values of up to so many bytes lie in the column itself.
const INLINE: usize = 12;

/// Texts of documents, as views.
pub(super) struct Texts {
    views: Vec<u128>,
    buffers: Vec<Buffer>,
}

/// A document whose text is among the buffers of a column.
pub(super) struct Source {
    /// Its first buffer.
    first: usize,
}

impl Texts {
    pub(super) fn with_capacity(len: usize) -> Texts {
        Texts { views: Vec::with_capacity(len), buffers: Vec::new() }
    }

    /// Makes the text of a document one to be pointed to.
    pub(super) fn source(&mut self, doc: &Doc) -> Source {
        let first = self.buffers.len();
        if doc.text().len() > INLINE {
            self.buffers.extend(windows(&doc.share_text(), STEP, LONGEST));
        }
        Source { first }
    }

    /// Adds a part of a document's text, which begins at a byte of it.
    ///
    /// # Errors
    ///
    /// `arrow-too-long` for a value of more than 2^31 - 1 bytes, or of more than 2^30 that does not
    /// begin the document.
    pub(super) fn push(&mut self, source: &Source, text: &str, byte: usize) -> Result<()> {
        let offset = byte % STEP;
        if offset + text.len() > LONGEST && text.len() > INLINE {
            let len = text.len();
            let text = format!(
                "a text of {len} bytes from byte {byte} of a document is too long for a view of \
                 Arrow's, which ends before byte 2^31"
            );
            return Err(Error::value("arrow-too-long", text));
        }
        let buffer = u32::try_from(source.first + byte / STEP);
        let buffer = buffer.expect("a column has fewer than 2^32 documents");
        let offset = u32::try_from(offset).expect("less than the step");
        self.views.push(make_view(text.as_bytes(), buffer, offset));
        Ok(())
    }

    pub(super) fn finish(self) -> ArrayRef {
        let views = ScalarBuffer::from(self.views);
        // SAFETY: a view of more than `INLINE` bytes points to a buffer that `source` has put
        // there: the text of its document, of which the value is a part between characters, checked
        // by `push` to end within the buffer; and `make_view` wrote its length and prefix.
        let array = unsafe { StringViewArray::new_unchecked(views, self.buffers, None) };
        Arc::new(array)
    }
}

/// Buffers over a text, one from each `step` bytes on, of up to `longest` bytes.
fn windows(text: &SharedText, step: usize, longest: usize) -> Vec<Buffer> {
    let bytes = text.as_str().as_bytes();
    let window = |from: usize| {
        let window = &bytes[from..bytes.len().min(from + longest)];
        let owner = Arc::new(text.clone());
        // SAFETY: the bytes are readable and as they are for as long as the owner lives.
        unsafe { Buffer::from_custom_allocation(NonNull::from(window).cast(), window.len(), owner) }
    };
    (0..bytes.len()).step_by(step).map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

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
