//! Segments of a text, validated as a segmenter hands them over.

use std::ops::Range;

use lexpool_error::{Error, Result, codes};

use crate::features::Features;

/// The bytes that are cut between two checks for cancellation.
const BYTES_PER_CHECK: usize = 1 << 20;

/// The capacity in segments and bytes up to which memory is reused for the next text.
const MAX_REUSED: usize = 1 << 20;

/// Memory for the segments of one text after another.
#[derive(Debug, Default)]
pub struct SegmentBuffer {
    /// Invariant: in order, without overlaps, not empty, on character boundaries of the text.
    segments: Vec<SegmentRecord>,
    /// The features of segments that have any.
    features: Vec<FeatureRecord>,
    /// The strings of `features`, one behind the other.
    strings: String,
}

/// A segment in memory.
#[derive(Clone, Copy, Debug)]
struct SegmentRecord {
    start: usize,
    end: usize,
    /// The index in `features` plus 1; 0 for a segment without features.
    features: usize,
}

/// The start of the strings of a segment's features, and the end of each.
#[derive(Clone, Copy, Debug)]
struct FeatureRecord {
    start: usize,
    ends: [usize; 5],
}

/// The segments of a text, as a segmenter hands them over.
pub struct Segments<'t> {
    text: &'t str,
    buffer: &'t mut SegmentBuffer,
    check: &'t mut dyn FnMut() -> Result<()>,
    /// The position behind the last segment.
    end: usize,
    next_check: usize,
}

/// A segment with its features.
#[derive(Clone, Copy)]
pub struct SegmentView<'b> {
    buffer: &'b SegmentBuffer,
    record: SegmentRecord,
}

impl SegmentBuffer {
    /// Removes all segments, and frees the memory of a long text.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.features.clear();
        self.strings.clear();
        self.segments.shrink_to(MAX_REUSED);
        self.features.shrink_to(MAX_REUSED);
        self.strings.shrink_to(MAX_REUSED);
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns `true` for a text without segments.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns `true` if a segment has features.
    pub fn has_features(&self) -> bool {
        !self.features.is_empty()
    }

    /// Returns the segments in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SegmentView<'_>> {
        self.segments.iter().map(|&record| SegmentView { buffer: self, record })
    }

    fn add_features(&mut self, features: &Features<'_>) {
        let start = self.strings.len();
        let Features { tag, pos, lemma, norm, morph } = *features;
        let ends = [tag, pos, lemma, norm, morph].map(|string| {
            self.strings.push_str(string);
            self.strings.len()
        });
        self.features.push(FeatureRecord { start, ends });
    }
}

impl SegmentView<'_> {
    /// Returns the bytes of the segment.
    pub fn range(&self) -> Range<usize> {
        self.record.start..self.record.end
    }

    /// Returns the features; `None` if the segment has none.
    pub fn features(&self) -> Option<Features<'_>> {
        let FeatureRecord { start, ends } =
            self.buffer.features[self.record.features.checked_sub(1)?];
        let string = |i: usize| {
            let start = if i == 0 { start } else { ends[i - 1] };
            &self.buffer.strings[start..ends[i]]
        };
        Some(Features {
            tag: string(0),
            pos: string(1),
            lemma: string(2),
            norm: string(3),
            morph: string(4),
        })
    }
}

impl<'t> Segments<'t> {
    /// Begins the segments of a text, which replace those of the text before.
    pub(crate) fn new(
        text: &'t str,
        buffer: &'t mut SegmentBuffer,
        check: &'t mut dyn FnMut() -> Result<()>,
    ) -> Segments<'t> {
        buffer.clear();
        Segments { text, buffer, check, end: 0, next_check: BYTES_PER_CHECK }
    }

    /// Adds a segment behind the last one. An empty segment is left out.
    ///
    /// # Errors
    ///
    /// `segment-range` if the range lies outside of the text, overlaps the last segment or splits a
    /// character; the error of the caller's check for cancellation.
    #[inline]
    pub fn push(&mut self, range: Range<usize>) -> Result<()> {
        self.add(range, 0)
    }

    /// Adds a segment with features. An empty segment is left out.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Segments::push).
    pub fn push_with(&mut self, range: Range<usize>, features: &Features<'_>) -> Result<()> {
        if range.is_empty() {
            return self.add(range, 0);
        }
        self.add(range, self.buffer.features.len() + 1)?;
        self.buffer.add_features(features);
        Ok(())
    }

    /// Calls the caller's check for cancellation; for work of a segmenter that adds no segments.
    ///
    /// # Errors
    ///
    /// That of the check.
    pub fn check(&mut self) -> Result<()> {
        (self.check)()
    }

    #[inline]
    fn add(&mut self, range: Range<usize>, features: usize) -> Result<()> {
        let Range { start, end } = range;
        if start < self.end || self.text.get(start..end).is_none() {
            return Err(self.wrong_range(start, end));
        }
        if start == end {
            return Ok(());
        }
        self.buffer.segments.push(SegmentRecord { start, end, features });
        self.end = end;
        if end >= self.next_check {
            self.next_check = end.saturating_add(BYTES_PER_CHECK);
            (self.check)()?;
        }
        Ok(())
    }

    #[cold]
    fn wrong_range(&self, start: usize, end: usize) -> Error {
        let message = format!(
            "bytes {start} to {end} are no segment of a text of {} bytes; expected whole characters \
             from byte {} on",
            self.text.len(),
            self.end
        );
        Error::value(codes::SEGMENT_RANGE, message)
    }
}
