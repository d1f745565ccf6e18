//! Alignment of two tokenizations of one text, by the characters that tokens share.
//!
//! Case and whitespace do not count: the two may come from texts that differ in both.
//!
//! ```
//! use lexpool::alignment::Alignment;
//!
//! let alignment = Alignment::of(&["do", "n't", "stop"], &["don't", "Stop"])?;
//! assert_eq!(alignment.x2y.to_vecs(), [[0], [0], [1]]);
//! assert_eq!(alignment.y2x.row(0), Some(&[0, 1][..]));
//! # Ok::<(), lexpool::Error>(())
//! ```

#![forbid(unsafe_code)]

mod chars;
mod ragged;
#[cfg(test)]
mod tests;

use crate::{Error, ErrorKind, Result};
use chars::Cursor;

use crate::codes;
pub use ragged::Ragged;

/// Two tokenizations of one text, X and Y, laid over each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// For each token of X the tokens of Y that it shares characters with, ascending.
    pub x2y: Ragged,
    /// For each token of Y those of X.
    pub y2x: Ragged,
}

impl Alignment {
    /// Aligns the words of two tokenizations. Cost: one pass over their characters, or bytes where
    /// equal words begin at the same place.
    ///
    /// A character of whitespace that only one side has is passed over, so a word of whitespace may
    /// have no partner.
    ///
    /// # Errors
    ///
    /// `E949` if the texts differ in more than case and whitespace; `too-many-words` for
    /// more words than positions of 32 bits can count.
    pub fn of(x: &[&str], y: &[&str]) -> Result<Alignment> {
        // There are fewer pairs than words on both sides, as each pair but the first has a new
        // word.
        if i32::try_from(x.len().saturating_add(y.len())).is_err() {
            let text = format!("cannot align {} words with {}: too many", x.len(), y.len());
            return Err(Error::new(ErrorKind::Overflow, codes::TOO_MANY_WORDS, text));
        }
        let mut pairs = Pairs::default();
        let (mut left, mut right) = (Cursor::new(x), Cursor::new(y));
        loop {
            while let (Some(word), Some(other)) = (left.whole_word(), right.whole_word()) {
                if word != other {
                    break;
                }
                pairs.push(left.word(), right.word());
                left.skip_word();
                right.skip_word();
            }
            match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(char), Some(other)) if char == other => {
                    pairs.push(left.word(), right.word());
                    left.advance();
                    right.advance();
                }
                (Some(char), _) if is_space(char) => left.advance(),
                (_, Some(other)) if is_space(other) => right.advance(),
                _ => return Err(differ(&left, &right)),
            }
        }
        Ok(pairs.alignment(x.len(), y.len()))
    }
}

fn is_space(c: char) -> bool {
    crate::strings::chars::is_space(c)
}

fn differ(left: &Cursor<'_>, right: &Cursor<'_>) -> Error {
    let text = format!(
        "cannot align two tokenizations of different texts: {} where the other has {}; only case and \
         whitespace may differ",
        left.describe(),
        right.describe()
    );
    Error::value(codes::E949, text)
}

/// Pairs of aligned words, ascending on both sides.
#[derive(Default)]
struct Pairs(Vec<(usize, usize)>);

impl Pairs {
    fn push(&mut self, x: usize, y: usize) {
        if self.0.last() != Some(&(x, y)) {
            self.0.push((x, y));
        }
    }

    fn alignment(&self, x_len: usize, y_len: usize) -> Alignment {
        // Neither side ever steps back, so the pairs are in the order of both tables.
        Alignment {
            x2y: Ragged::from_pairs(x_len, self.0.iter().copied()),
            y2x: Ragged::from_pairs(y_len, self.0.iter().map(|&(x, y)| (y, x))),
        }
    }
}
