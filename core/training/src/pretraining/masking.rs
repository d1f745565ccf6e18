//! Documents some of whose words are replaced, as Devlin et al. (2019), "BERT", mask them.

use std::sync::Arc;

use lexpool_nn::learn::NumpyRandom;

use lexpool::Result;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;

/// The share of words that are predicted.
const SHARE: f64 = 0.15;
/// The shares of predicted words that are replaced by the mask, and by that or a random word.
const MASKED: f64 = 0.8;
const MASKED_OR_RANDOM: f64 = 0.9;
const MASK: &str = "[MASK]";
/// The most words that random ones are taken from, and how many numbers are drawn at once.
const WORDS: usize = 10_000;

/// The source of words that replace others. Its numbers are drawn in spaCy's order.
pub(super) struct RandomWords {
    words: Vec<String>,
    /// The positions that were drawn ahead.
    drawn: Vec<usize>,
}

impl RandomWords {
    /// Takes the first words that a vocab has, each as likely as the others.
    pub(super) fn new(vocab: &Arc<Vocab>) -> RandomWords {
        let snapshot = vocab.snapshot();
        let words = vocab.positions().map(|ix| snapshot.lexeme(ix).text().to_owned());
        let words = words.filter(|word| !word.is_empty()).take(WORDS);
        let mut words: Vec<String> = words.collect();
        // Rules may enter theirs in any order.
        words.sort_unstable();
        RandomWords { words, drawn: Vec::new() }
    }

    fn next(&mut self, random: &mut NumpyRandom) -> Option<&str> {
        if self.drawn.is_empty() {
            let n = self.words.len();
            #[expect(clippy::cast_precision_loss, reason = "at most 10,000 words")]
            let place = |number: f64| number * n as f64;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below n")]
            self.drawn.extend((0..WORDS).map(|_| place(random.uniform(0.0, 1.0)) as usize));
        }
        self.drawn.pop().and_then(|at| self.words.get(at)).map(String::as_str)
    }
}

/// Documents with masked words, and which of all words are predicted.
pub(super) struct MaskedDocs {
    pub(super) docs: Vec<Doc>,
    /// By token of all documents.
    pub(super) is_predicted: Vec<bool>,
}

impl MaskedDocs {
    /// Masks some words of documents.
    ///
    /// # Errors
    ///
    /// Those of [`Doc::from_words`].
    pub(super) fn new(
        docs: &[&Doc],
        words: &mut RandomWords,
        random: &mut NumpyRandom,
    ) -> Result<MaskedDocs> {
        let n: usize = docs.iter().map(|doc| doc.len()).sum();
        let is_predicted: Vec<bool> = (0..n).map(|_| random.uniform(0.0, 1.0) < SHARE).collect();
        let mut predicted = is_predicted.iter();
        let masked = docs.iter().map(|doc| {
            let mut own: Vec<(String, bool)> = Vec::with_capacity(doc.len());
            for token in doc.iter() {
                let is_predicted = predicted.next().is_some_and(|is_predicted| *is_predicted);
                let word = if is_predicted {
                    replaced(token.text(), words, random)
                } else {
                    token.text().to_owned()
                };
                own.push((word, token.record().spacy()));
            }
            Doc::from_words(doc.vocab(), &own)
        });
        Ok(MaskedDocs { docs: masked.collect::<Result<_>>()?, is_predicted })
    }
}

fn replaced(word: &str, words: &mut RandomWords, random: &mut NumpyRandom) -> String {
    let number = random.uniform(0.0, 1.0);
    let other = if number < MASKED {
        Some(MASK)
    } else if number < MASKED_OR_RANDOM {
        words.next(random)
    } else {
        None
    };
    other.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use lexpool::vocab::Getters;

    use super::*;

    #[test]
    fn a_share_of_the_words_is_predicted_and_most_of_these_are_masked() {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words: Vec<_> = (0..20_000).map(|at| (format!("w{}", at % 50), at % 3 == 0)).collect();
        let doc = Doc::from_words(&vocab, &words).unwrap();
        let mut random = NumpyRandom::new(1);
        let mut others = RandomWords::new(&vocab);
        let masked = MaskedDocs::new(&[&doc], &mut others, &mut random).unwrap();
        let n = masked.is_predicted.iter().filter(|own| **own).count();
        assert!((2_700..3_300).contains(&n), "{n}");
        let (mut masks, mut same) = (0, 0);
        for ((old, new), is_predicted) in
            doc.iter().zip(masked.docs[0].iter()).zip(&masked.is_predicted)
        {
            assert_eq!(old.record().spacy(), new.record().spacy());
            assert!(*is_predicted || old.text() == new.text());
            masks += usize::from(new.text() == MASK);
            same += usize::from(*is_predicted && old.text() == new.text());
        }
        assert!((n * 7 / 10..n * 9 / 10).contains(&masks), "{masks} of {n}");
        assert!((n / 20..n / 5).contains(&same), "{same} of {n}");
    }

    #[test]
    fn a_vocab_without_words_leaves_words_as_they_are() {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let mut words = RandomWords::new(&vocab);
        assert_eq!(words.next(&mut NumpyRandom::new(0)), None);
    }
}
