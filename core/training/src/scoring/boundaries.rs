//! Figures of the boundaries of tokens.

use lexpool::tokens::Doc;

use super::counts::Counts;
use super::pair::{DocPair, is_space};
use super::scores::{Score, Scores};

/// Counts of predicted tokens that align with one reference token, and of tokens as ranges of
/// characters. Whitespace is not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundaryCounts {
    aligned: Counts,
    ranges: Counts,
}

impl BoundaryCounts {
    /// Counts the tokens of a document; nothing if the spaces of the reference are unknown.
    pub fn add(&mut self, pair: &DocPair<'_>) {
        if pair.reference().has_unknown_spaces() {
            return;
        }
        for (_, gold) in pair.words() {
            let counted =
                if gold.is_some() { &mut self.aligned.right } else { &mut self.aligned.wrong };
            *counted += 1;
        }
        self.ranges.add_sets(ranges_of(pair.predicted()), ranges_of(pair.reference()));
    }

    /// Returns `token_acc`, `token_p`, `token_r` and `token_f`.
    pub fn scores<L>(&self) -> Scores<L> {
        let ranges = self.ranges.rates();
        let numbers = [
            ("token_acc", self.aligned.precision()),
            ("token_p", ranges.precision),
            ("token_r", ranges.recall),
            ("token_f", ranges.f_score),
        ];
        let shown = |number| {
            if self.aligned.is_empty() { Score::Missing } else { Score::Number(number) }
        };
        numbers.into_iter().map(|(name, number)| (name.to_owned(), shown(number))).collect()
    }
}

/// Returns the range of characters of each word.
fn ranges_of(doc: &Doc) -> Vec<(usize, usize)> {
    let words = doc.iter().filter(|token| !is_space(token));
    words.map(|token| (token.idx(), token.end_char())).collect()
}
