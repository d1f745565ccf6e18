//! Chinese: words of a dictionary by the route of the highest probability, and a hidden Markov
//! model for the characters between them, as jieba cuts texts.

mod block;
mod dictionary;
mod hmm;
mod literal;

use std::sync::Arc;

use lexpool_error::Result;

use crate::buffer::Segments;
use crate::segment::Segment;
use block::BlockCutter;
use dictionary::Dictionary;
use hmm::Hmm;
pub use hmm::JiebaModel;

/// A segmenter for Chinese with jieba's algorithm and data.
///
/// The dictionary and the model are read from texts in the format of the Python package `jieba`:
/// its files `dict.txt`, `finalseg/prob_start.py`, `prob_trans.py` and `prob_emit.py`.
///
/// ```
/// use lexpool_segment::{Jieba, JiebaModel, SegmentBuffer};
///
/// let model = JiebaModel {
///     start: "P={'B': -0.26, 'E': -3.14e+100, 'M': -3.14e+100, 'S': -1.46}",
///     transitions: "P={'B': {'E': -0.5, 'M': -0.9}, 'E': {'B': -0.6, 'S': -0.8}, \
///                   'M': {'E': -0.3, 'M': -1.2}, 'S': {'B': -0.7, 'S': -0.6}}",
///     emissions: "P={'B': {'\\u6770': -5.0}, 'E': {}, 'M': {}, 'S': {'\\u5927': -7.0}}",
/// };
/// let jieba = Jieba::new("北京 300 ns\n大学 200 n\n北京大学 200 nt\n", &model)?;
/// let mut buffer = SegmentBuffer::default();
/// let text = "在北京大学, OK";
/// buffer.cut(&jieba, text, &mut || Ok(()))?;
/// let words: Vec<_> = buffer.iter().map(|segment| &text[segment.range()]).collect();
/// assert_eq!(words, ["在", "北京大学", ",", " ", "OK"]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jieba {
    data: Arc<(Dictionary, Hmm)>,
}

impl Jieba {
    /// Creates a segmenter with a dictionary, whose lines are a word, its frequency and, if known,
    /// its part of speech. Cost: 60 ms for that of jieba.
    ///
    /// # Errors
    ///
    /// `segment-dictionary`, with the line.
    pub fn new(dictionary: &str, model: &JiebaModel<'_>) -> Result<Jieba> {
        let data = (Dictionary::parse(dictionary)?, Hmm::parse(model)?);
        Ok(Jieba { data: Arc::new(data) })
    }
}

impl Segment for Jieba {
    fn name(&self) -> &'static str {
        "jieba"
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        let mut at = 0;
        let mut cutter = BlockCutter::new(&self.data, out);
        while at < text.len() {
            let end = at + run_len(&text[at..], is_block);
            if at < end {
                cutter.block(&text[at..end], at)?;
                at = end;
            }
            let end = at + run_len(&text[at..], |c| !is_block(c));
            // Between blocks each character is a segment; whitespace has its own tokens anyway.
            for (offset, c) in text[at..end].char_indices() {
                cutter.out.push(at + offset..at + offset + c.len_utf8())?;
            }
            at = end;
        }
        Ok(())
    }
}

/// Returns `true` for characters that words consist of.
fn is_block(c: char) -> bool {
    hmm::is_han(c) || c.is_ascii_alphanumeric() || "+#&._%-".contains(c)
}

/// Returns the length in bytes of the run of some characters at the start of a text.
fn run_len(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_in(c)).unwrap_or(text.len())
}
