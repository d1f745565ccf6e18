//! The interface of a segmenter.

use lexpool_error::Result;

use crate::buffer::{SegmentBuffer, Segments};
use crate::features::{Features, TokenDetails, Whitespace};

/// A segmenter: cuts texts into words.
///
/// Any number of threads may use a segmenter at once.
pub trait Segment: Send + Sync {
    /// Returns the name of the segmenter in errors and saved settings, such as `jieba`.
    fn name(&self) -> &str;

    /// Returns how whitespace between segments becomes tokens.
    fn whitespace(&self) -> Whitespace {
        Whitespace::Attached
    }

    /// Returns the features of characters between segments; `None`, the default, for none.
    fn gap_features<'f>(&'f self, gap: &'f str) -> Option<Features<'f>> {
        let _ = gap;
        None
    }

    /// Returns `true` if [`details`](Segment::details) returns any.
    fn has_details(&self) -> bool {
        false
    }

    /// Returns the details of the tokens of a text; `None`, the default, for a segmenter without
    /// details. Cost: that of cutting the text again.
    ///
    /// # Errors
    ///
    /// Those of the segmenter in [`cut`](Segment::cut).
    fn details(&self, text: &str) -> Result<Option<TokenDetails>> {
        let _ = text;
        Ok(None)
    }

    /// Cuts a text into segments, in order. Segments do not overlap; characters between them, which
    /// should be whitespace, become tokens too.
    ///
    /// # Errors
    ///
    /// Those of [`Segments::push`], which the segmenter hands on, and its own.
    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()>;
}

impl SegmentBuffer {
    /// Cuts a text; the segments replace those of the text before. `check` is called every
    /// megabyte; its error ends the work.
    ///
    /// # Errors
    ///
    /// Those of the segmenter and of `check`.
    pub fn cut(
        &mut self,
        segmenter: &dyn Segment,
        text: &str,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        segmenter.cut(text, &mut Segments::new(text, self, check))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use lexpool_error::{Error, codes};

    use super::*;

    /// Hands over fixed ranges, each with its number as tag where it is odd.
    struct Fixed(Vec<Range<usize>>);

    impl Segment for Fixed {
        fn name(&self) -> &'static str {
            "fixed"
        }

        fn cut(&self, _: &str, out: &mut Segments<'_>) -> Result<()> {
            for (i, range) in self.0.iter().enumerate() {
                if i % 2 == 1 {
                    let (tag, lemma) = (i.to_string(), "l".repeat(i % 8));
                    let features = Features { tag: &tag, lemma: &lemma, ..Features::default() };
                    out.push_with(range.clone(), &features)?;
                } else {
                    out.push(range.clone())?;
                }
            }
            Ok(())
        }
    }

    fn cut(ranges: &[Range<usize>], text: &str) -> Result<SegmentBuffer> {
        let mut buffer = SegmentBuffer::default();
        buffer.cut(&Fixed(ranges.to_vec()), text, &mut || Ok(()))?;
        Ok(buffer)
    }

    #[test]
    fn features_stay_with_their_segments() {
        let buffer = cut(&[0..1, 1..3, 3..3, 3..3, 4..5, 5..6], "a\u{e9} b\u{e9}").unwrap_err();
        assert_eq!(buffer.code(), "segment-range", "a character is split");
        let buffer = cut(&[0..1, 1..3, 3..3, 3..3, 4..5, 5..7], "a\u{e9} b\u{e9}").unwrap();
        let seen: Vec<_> = buffer
            .iter()
            .map(|segment| {
                let tag = segment.features().map(|own| (own.tag.to_owned(), own.lemma.len()));
                (segment.range(), tag)
            })
            .collect();
        assert_eq!(
            seen,
            [
                (0..1, None),
                (1..3, Some(("1".to_owned(), 1))),
                (4..5, None),
                (5..7, Some(("5".to_owned(), 5)))
            ]
        );
        assert!(buffer.has_features() && buffer.len() == 4);
    }

    #[test]
    fn ranges_that_are_no_segments_are_errors() {
        // Pairs, of which the last may be reversed.
        for pairs in [&[(0, 2), (1, 3)][..], &[(2, 3), (0, 1)], &[(0, 9)], &[(9, 9)], &[(2, 1)]] {
            let ranges: Vec<_> = pairs.iter().map(|&(start, end)| start..end).collect();
            assert_eq!(cut(&ranges, "abc").unwrap_err().code(), "segment-range", "{pairs:?}");
        }
    }

    #[test]
    fn an_error_of_the_check_ends_the_work() {
        let text = "a".repeat(3 << 20);
        let ranges: Vec<_> = (0..3 << 20).map(|at| at..at + 1).collect();
        let mut calls = 0;
        let mut buffer = SegmentBuffer::default();
        let stopped = buffer.cut(&Fixed(ranges), &text, &mut || {
            calls += 1;
            if calls < 2 { Ok(()) } else { Err(Error::value(codes::STOPPED, "stop")) }
        });
        assert_eq!(stopped.unwrap_err().code(), "stopped");
        assert_eq!(calls, 2);
        assert_eq!(buffer.len(), 2 << 20);
    }
}
