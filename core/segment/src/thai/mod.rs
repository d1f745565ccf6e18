//! Thai: maximal matching over a list of words, as PyThaiNLP's `newmm`.

#[cfg(feature = "thai")]
mod builtin;
mod clusters;
mod max_match;
mod numbers;

use std::sync::Arc;
#[cfg(feature = "thai")]
use std::sync::OnceLock;

use lexpool_chars as chars;
use lexpool_error::{Error, Result, codes};

use crate::buffer::Segments;
use crate::features::Whitespace;
use crate::segment::Segment;
use crate::trie::Trie;

/// A segmenter for Thai: maximal matching, constrained by character clusters, as PyThaiNLP's
/// `newmm`; words of one formatted number are joined, as its `word_tokenize` does.
///
/// ```
/// # #[cfg(feature = "thai")] {
/// use lexpool_segment::{MaxMatch, SegmentBuffer};
///
/// let mut buffer = SegmentBuffer::default();
/// let text = "ภาษาไทยง่าย 1,234.5";
/// buffer.cut(&MaxMatch::builtin(), text, &mut || Ok(()))?;
/// let words: Vec<_> = buffer.iter().map(|segment| &text[segment.range()]).collect();
/// assert_eq!(words, ["ภาษาไทย", "ง่าย", " ", "1,234.5"]);
/// # }
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaxMatch {
    words: Arc<Trie<()>>,
}

impl MaxMatch {
    /// Creates a segmenter with a list of words, one a line.
    ///
    /// # Errors
    ///
    /// `segment-dictionary` for a list without words.
    pub fn from_words(list: &str) -> Result<MaxMatch> {
        let words: Vec<_> = list
            .trim_start_matches('\u{feff}')
            .lines()
            .map(|line| line.trim_matches(chars::is_space))
            .filter(|word| !word.is_empty())
            .map(|word| (word, ()))
            .collect();
        if words.is_empty() {
            let text = "the list of Thai words is empty; expected one word a line";
            return Err(Error::value(codes::SEGMENT_DICTIONARY, text));
        }
        Ok(MaxMatch { words: Arc::new(Trie::new(words)) })
    }

    /// Returns the segmenter with the built-in list of words: PyThaiNLP's (CC0), from the crate
    /// `kham-core`. The list is read at the first call, in less than a tenth of a second, and kept.
    #[cfg(feature = "thai")]
    pub fn builtin() -> MaxMatch {
        static BUILTIN: OnceLock<MaxMatch> = OnceLock::new();
        let read = || builtin::words().map(|words| MaxMatch { words: Arc::new(words) });
        BUILTIN.get_or_init(|| read().expect("the list has words; a test reads it")).clone()
    }
}

impl Segment for MaxMatch {
    fn name(&self) -> &'static str {
        "newmm"
    }

    fn whitespace(&self) -> Whitespace {
        Whitespace::Tokens
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        let chars: Vec<char> = text.chars().collect();
        let mut ends = Vec::new();
        max_match::cut(&chars, &self.words, &mut || out.check(), &mut ends)?;
        numbers::join(&chars, &mut ends);
        let mut rest = chars.iter();
        let (mut start, mut last) = (0, 0);
        for end in ends {
            let bytes: usize = rest.by_ref().take(end - last).map(|c| c.len_utf8()).sum();
            out.push(start..start + bytes)?;
            (start, last) = (start + bytes, end);
        }
        Ok(())
    }
}
