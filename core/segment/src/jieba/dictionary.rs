//! The dictionary: words with their frequencies, and the route through a text.

use lexpool_chars as chars;
use lexpool_error::{Error, Result, codes};

use crate::trie::Trie;

/// Words with the logarithm of their probability.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// The frequencies. Frequency 0 removes a word that an earlier line has.
    words: Trie<u64>,
    /// The logarithm of the sum of all frequencies.
    log_total: f64,
}

impl Dictionary {
    pub(super) fn parse(text: &str) -> Result<Dictionary> {
        let mut words = Vec::new();
        let mut total: u64 = 0;
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let line = line.trim_matches(chars::is_space);
            if line.is_empty() {
                continue;
            }
            let mut fields = line.split(' ');
            let word = fields.next().unwrap_or_default();
            let frequency = fields.next().and_then(|field| field.parse::<u32>().ok());
            let Some(frequency) = frequency.filter(|_| !word.is_empty()) else {
                let message = format!(
                    "jieba's dict.txt, line {number}: expected a word and its frequency, not {line:?}"
                );
                return Err(Error::value(codes::SEGMENT_DICTIONARY, message));
            };
            total = total.saturating_add(u64::from(frequency));
            words.push((word, u64::from(frequency)));
        }
        if total == 0 {
            let text = "jieba's dictionary has no word with a frequency";
            return Err(Error::value(codes::SEGMENT_DICTIONARY, text));
        }
        #[expect(clippy::cast_precision_loss, reason = "the logarithm needs no more")]
        let log_total = (total as f64).ln();
        Ok(Dictionary { words: Trie::new(words), log_total })
    }

    /// Returns `true` for a word of the dictionary.
    pub(super) fn contains(&self, word: &[char]) -> bool {
        let node = self.words.find(word.iter().copied());
        node.and_then(|node| self.words.value(node)).is_some_and(|frequency| frequency > 0)
    }

    /// Computes the route of the highest probability through a text, and stores the end of the word
    /// at each position in `ends`. Of equal routes that with the longer word is taken. Cost: the
    /// number of words at all positions.
    pub(super) fn route(&self, text: &[char], ends: &mut Vec<usize>) {
        ends.clear();
        ends.resize(text.len(), 0);
        let mut scores = vec![0.0; text.len() + 1];
        for start in (0..text.len()).rev() {
            let mut best: Option<(f64, usize)> = None;
            let mut consider = |frequency: u64, end: usize| {
                #[expect(clippy::cast_precision_loss, reason = "the logarithm needs no more")]
                let score = (frequency as f64).ln() - self.log_total + scores[end];
                if best.is_none_or(|(known, _)| score >= known) {
                    best = Some((score, end));
                }
            };
            for (len, frequency) in self.words.prefixes(text[start..].iter().copied()) {
                if frequency > 0 {
                    consider(frequency, start + len);
                }
            }
            if best.is_none() {
                best = Some((-self.log_total + scores[start + 1], start + 1));
            }
            let (score, end) = best.unwrap_or_default();
            scores[start] = score;
            ends[start] = end;
        }
    }
}
