//! Segmenters: words of texts in languages that are written without spaces.
//!
//! ```
//! use lexpool_segment::{Segment, SegmentBuffer, Segments};
//! use lexpool_error::Result;
//!
//! /// Cuts behind each vowel.
//! struct Syllables;
//!
//! impl Segment for Syllables {
//!     fn name(&self) -> &str {
//!         "syllables"
//!     }
//!
//!     fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
//!         let mut start = 0;
//!         for (at, _) in text.match_indices(['a', 'e', 'i', 'o', 'u']) {
//!             out.push(start..at + 1)?;
//!             start = at + 1;
//!         }
//!         out.push(start..text.len())
//!     }
//! }
//!
//! let mut buffer = SegmentBuffer::default();
//! buffer.cut(&Syllables, "karaoke", &mut || Ok(()))?;
//! let ranges: Vec<_> = buffer.iter().map(|segment| segment.range()).collect();
//! assert_eq!(ranges, [0..2, 2..4, 4..5, 5..7]);
//! # Ok::<(), lexpool_error::Error>(())
//! ```
//!
//! | item | contents |
//! | --- | --- |
//! | [`Segment`] | the interface of a segmenter |
//! | [`Segments`] | the segments of a text, as a segmenter hands them over |
//! | [`Features`] | annotation of a segment: tag, part of speech, lemma, norm, morphology |
//! | [`TokenDetails`], [`SubToken`] | details of tokens: all tags, shorter units |
//! | [`SegmentBuffer`] | memory for segments, reused from text to text |
//! | [`Whitespace`] | how whitespace between segments becomes tokens |
//! | [`Jieba`] | Chinese, as jieba |
//! | [`Pkuseg`] | Chinese, as pkuseg |
//! | [`MaxMatch`] | Thai, as PyThaiNLP's `newmm` |
//!
//! The crate reads no environment variable and uses no network.

#![forbid(unsafe_code)]

mod buffer;
mod features;
mod jieba;
mod pkuseg;
mod segment;
mod thai;
mod trie;

pub use buffer::{SegmentBuffer, SegmentView, Segments};
pub use features::{Features, SubToken, TokenDetails, Whitespace};
pub use jieba::{Jieba, JiebaModel};
pub use pkuseg::{Pkuseg, PkusegFiles};
pub use segment::Segment;
pub use thai::MaxMatch;
