//! Cutting of one block: a run of characters that words consist of.

use lexpool_error::Result;

use super::dictionary::Dictionary;
use super::hmm::{self, Hmm};
use crate::buffer::Segments;

/// Cuts blocks, with buffers that are reused.
pub(super) struct BlockCutter<'d, 'o, 't> {
    dictionary: &'d Dictionary,
    model: &'d Hmm,
    pub(super) out: &'o mut Segments<'t>,
    chars: Vec<char>,
    /// The end of the word at each position, on the best route.
    route: Vec<usize>,
    ends: Vec<usize>,
    run_ends: Vec<usize>,
}

impl<'d, 'o, 't> BlockCutter<'d, 'o, 't> {
    pub(super) fn new(
        (dictionary, model): &'d (Dictionary, Hmm),
        out: &'o mut Segments<'t>,
    ) -> BlockCutter<'d, 'o, 't> {
        let (chars, route, ends, run_ends) = Default::default();
        BlockCutter { dictionary, model, out, chars, route, ends, run_ends }
    }

    /// Cuts a block that begins at byte `start` of the text.
    pub(super) fn block(&mut self, block: &str, start: usize) -> Result<()> {
        self.chars.clear();
        self.chars.extend(block.chars());
        self.dictionary.route(&self.chars, &mut self.route);
        self.ends.clear();
        // The run of single characters that waits, from `single` on, for a word to end it.
        let (mut single, mut at) = (0, 0);
        while at < self.chars.len() {
            let end = self.route[at];
            if end > at + 1 {
                self.singles(single, at);
                self.ends.push(end);
                single = end;
            }
            at = end;
        }
        self.singles(single, at);
        let (mut byte, mut last) = (start, 0);
        for end in &self.ends {
            let len: usize = self.chars[last..*end].iter().map(|c| c.len_utf8()).sum();
            self.out.push(byte..byte + len)?;
            (byte, last) = (byte + len, *end);
        }
        Ok(())
    }

    /// Cuts a run of characters that are single words on the route: by the model, unless the run is
    /// a word of the dictionary, which the route has divided with reason.
    fn singles(&mut self, start: usize, end: usize) {
        let run = &self.chars[start..end];
        if run.len() == 1 || self.dictionary.contains(run) {
            self.ends.extend(start + 1..=end);
            return;
        }
        let mut at = 0;
        while at < run.len() {
            let len = match han_len(&run[at..]) {
                0 => token_len(&run[at..]),
                len => {
                    self.run_ends.clear();
                    self.model.cut(&run[at..at + len], &mut self.run_ends);
                    // The last one is added below.
                    self.run_ends.pop();
                    self.ends.extend(self.run_ends.iter().map(|own| start + at + own));
                    len
                }
            };
            at += len;
            self.ends.push(start + at);
        }
    }
}

/// Returns the length of the run of characters that the model covers.
fn han_len(run: &[char]) -> usize {
    run.iter().take_while(|c| hmm::is_han(**c)).count()
}

/// Returns the length of the token at the start of a run: letters and digits, perhaps with decimals
/// and a percent sign; or other characters up to such a token.
fn token_len(run: &[char]) -> usize {
    let alphanumeric =
        |from: usize| run[from..].iter().take_while(|c| c.is_ascii_alphanumeric()).count();
    let mut len = alphanumeric(0);
    if len == 0 {
        let is_other = |c: &&char| !c.is_ascii_alphanumeric() && !hmm::is_han(**c);
        return run.iter().take_while(is_other).count();
    }
    if run.get(len) == Some(&'.') {
        let decimals = run[len + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        if decimals > 0 {
            len += 1 + decimals;
        }
    }
    len + usize::from(run.get(len) == Some(&'%'))
}
