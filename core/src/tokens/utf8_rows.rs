//! The UTF-8 bytes of tokens as rows of fixed width, as spaCy's `Doc.to_utf8_array` lays them out.

use std::ops::Range;

use super::doc::Doc;

/// Returns the length of the longest token in bytes.
pub fn longest_utf8(doc: &Doc) -> usize {
    doc.iter().map(|token| token.text().len()).max().unwrap_or(0)
}

/// Writes each token of a range as a row of `width` bytes, taken alternately from the front and
/// from the back, and padded with 255.
///
/// # Panics
///
/// If the range is not within the document.
pub fn write_utf8(doc: &Doc, range: Range<usize>, width: usize, rows: &mut [u8]) {
    rows.fill(255);
    for (i, row) in range.zip(rows.chunks_exact_mut(width.max(1))) {
        let token = doc.token(i).expect("a token of the range");
        let mut bytes = token.text().bytes();
        for (at, slot) in row.iter_mut().enumerate() {
            let byte = if at % 2 == 0 { bytes.next() } else { bytes.next_back() };
            let Some(byte) = byte else { break };
            *slot = byte;
        }
    }
}
