//! Splitting of a text at whitespace: the ends of chunks and of runs of whitespace.
//!
//! Whitespace is that of Python's `str.isspace`. Eight bytes are compared at once in a register
//! (SWAR): with ASCII whitespace, and with the first bytes of the few characters beyond ASCII that
//! are whitespace.

use crate::strings::chars;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns the chunks of a text, each with `true` if the space before it belongs to the chunk
/// before.
///
/// The plain form of a worker's loop, for callers that are not critical.
pub(super) fn split_whitespace(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let space = at > 0 && text.as_bytes().get(at) == Some(&b' ');
        let start = at + usize::from(space);
        let end = match space_len(text, at) {
            None => chunk_end(text, at),
            // The run was a single space, which belongs to the chunk before.
            Some(_) if space && space_len(text, start).is_none() => chunk_end(text, start),
            Some(_) => space_end(text, at).0,
        };
        at = end;
        (start < end || space).then_some((start..end, space))
    })
}

/// Returns the end of the chunk that starts at `start`, which is not whitespace. Reads at most
/// eight bytes beyond the end.
#[inline]
pub(super) fn chunk_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        let Some(word) = bytes.get(at..at + 8) else { return end_by_bytes(text, at) };
        count_reads(8);
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        // The lowest mark is the first byte that is 0x20 or less; marks above it may be wrong.
        let mut marks = word.wrapping_sub(ONES * 0x21) & !word & HIGHS;
        if word & HIGHS != 0 {
            marks |= wide_leads(word);
        }
        if marks == 0 {
            at += 8;
            continue;
        }
        at += marks.trailing_zeros() as usize / 8;
        match space_len(text, at) {
            Some(_) => return at,
            // A control character, or a character whose first byte is that of a wide space.
            None => at += char_len(bytes[at]),
        }
    }
}

/// Marks the bytes that begin wide spaces: U+0085, U+00A0; U+1680; U+2000 to U+205F; U+3000. The
/// lowest mark is right; marks above it may be wrong.
#[inline]
fn wide_leads(word: u64) -> u64 {
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let is_e2_or_e3 = zeros((word & (ONES * 0xfe)) ^ (ONES * 0xe2));
    zeros(word ^ (ONES * 0xc2)) | zeros(word ^ (ONES * 0xe1)) | is_e2_or_e3
}

/// Returns the length of a character that is ASCII or begins with a byte up to 0xe3.
#[inline]
fn char_len(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        _ => 3,
    }
}

/// Finds the end from `from` on, byte by byte, where the text ends soon.
fn end_by_bytes(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        count_reads(1);
        let may_be_space = byte.is_ascii() || matches!(byte, 0xc2 | 0xe1..=0xe3);
        if may_be_space && space_len(text, at).is_some() {
            break;
        }
        at += 1;
    }
    at
}

/// Counts the bytes that are read, for a test.
#[inline]
fn count_reads(bytes: usize) {
    #[cfg(test)]
    tests::BYTES_READ.set(tests::BYTES_READ.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// Returns the length in bytes of the whitespace character at `at`, a character boundary; `None` if
/// the character is not whitespace.
#[inline]
pub(super) fn space_len(text: &str, at: usize) -> Option<usize> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return chars::ascii_class(byte).any(chars::Class::SPACE).then_some(1);
    }
    let c = text[at..].chars().next()?;
    chars::is_space(c).then(|| c.len_utf8())
}

/// Returns the end of a run of whitespace and its number of characters.
pub(super) fn space_end(text: &str, start: usize) -> (usize, u32) {
    let (mut at, mut chars) = (start, 0);
    while let Some(len) = space_len(text, at) {
        at += len;
        chars += 1;
    }
    (at, chars)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        pub(super) static BYTES_READ: Cell<usize> = const { Cell::new(0) };
    }

    /// Returns the runs of whitespace and of other characters, found one character at a time.
    fn naive(text: &str) -> Vec<&str> {
        let mut runs = Vec::new();
        let mut start = 0;
        let mut before = None;
        for (at, c) in text.char_indices() {
            if before.is_some_and(|before| before != chars::is_space(c)) {
                runs.push(&text[start..at]);
                start = at;
            }
            before = Some(chars::is_space(c));
        }
        runs.push(&text[start..]);
        runs
    }

    fn fast(text: &str) -> Vec<&str> {
        let mut runs = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let end = if space_len(text, at).is_some() {
                space_end(text, at).0
            } else {
                chunk_end(text, at)
            };
            runs.push(&text[at..end]);
            at = end;
        }
        runs
    }

    proptest! {
        #[test]
        fn runs_are_those_of_a_naive_split(
            text in "[ab\u{e9}\u{201c}\u{10000}\u{1f600} \n\t\u{1}\u{1c}\u{85}\u{a0}\u{2003}\u{3000}\u{1680}\u{200b}]{1,60}"
        ) {
            prop_assert_eq!(fast(&text), naive(&text));
        }
    }

    #[test]
    fn a_byte_is_read_a_few_times_whatever_the_space() {
        for space in [" ", "\t", "\u{85}", "\u{a0}", "\u{1680}", "\u{2003}", "\u{3000}"] {
            for word in ["a", "\u{e9}", "\u{1}", "a\u{200b}"] {
                let text = format!("{word}{space}").repeat(3000);
                BYTES_READ.set(0);
                assert_eq!(fast(&text).len(), 6000);
                assert!(
                    BYTES_READ.get() <= 16 * text.len(),
                    "{:?}: {}",
                    &text[..8],
                    BYTES_READ.get()
                );
            }
        }
    }
}
