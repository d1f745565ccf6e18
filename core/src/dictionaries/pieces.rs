//! Parts of long texts.

use std::ops::Range;

/// Returns the pieces of a text that are analyzed on their own: the whole of a text of at most
/// `max` bytes, and else parts that end behind a line, behind a sentence, or at least behind a
/// character.
pub(super) fn pieces(text: &str, max: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        if rest.is_empty() {
            return None;
        }
        let mut len = rest.len();
        if len > max {
            len = max;
            while !rest.is_char_boundary(len) {
                len -= 1;
            }
            let behind = |ends: &[char]| {
                let at = rest[..len].rfind(ends)?;
                Some(at + rest[at..].chars().next()?.len_utf8())
            };
            len = behind(&['\n']).or_else(|| behind(&['。', '！', '？', '!', '?'])).unwrap_or(len);
        }
        let piece = start..start + len;
        start += len;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lexpool_lattice::sudachi::MAX_BYTES;

    #[test]
    fn a_long_text_is_analyzed_line_by_line() {
        let line = "猫。\n".repeat(10_000);
        let pieces: Vec<_> = pieces(&line, MAX_BYTES).collect();
        assert_eq!(pieces.first().map(|piece| piece.start), Some(0));
        assert_eq!(pieces.last().map(|piece| piece.end), Some(line.len()));
        assert!(pieces.windows(2).all(|two| two[0].end == two[1].start));
        assert!(pieces.iter().all(|piece| piece.len() <= MAX_BYTES && piece.len() % 7 == 0));
        let word = "猫".repeat(20_000);
        assert_eq!(super::pieces(&word, MAX_BYTES).next(), Some(0..49_149));
    }
}
