//! Objectives of a pretraining: what is predicted of a word, with loss and gradient.
//!
//! Sources: `spacy.ml.models.multi_task` of spaCy 3.8; `L2Distance` and `CosineDistance` of
//! `thinc.loss`.

use lexpool::Result;
use lexpool::tokens::{Doc, write_utf8};
use lexpool::trained::{VectorSource, with_sources};
use lexpool_nn::Rows;
use lexpool_nn::learn::Workers;

use crate::components::push_cosine_gradient;

/// The number of values of a byte.
const BYTES: usize = 256;
/// The number of words that a thread computes together.
const WORDS: usize = 64;

/// The prediction of each word, from a row of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objective {
    /// The word's vector.
    Vectors(Distance),
    /// So many bytes of the word, from both ends.
    Characters(usize),
}

/// The distance of a prediction from a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distance {
    Cosine,
    L2,
}

impl Objective {
    /// Returns the number of columns of predictions. `vectors` is the width of the vocab's vectors.
    pub(super) fn width(self, vectors: usize) -> usize {
        match self {
            Objective::Vectors(_) => vectors,
            Objective::Characters(n) => n.saturating_mul(BYTES),
        }
    }

    /// Returns the loss of predictions for documents, all words included, and the gradient, which
    /// is 0 for words that are not to be predicted.
    ///
    /// # Errors
    ///
    /// Those of reading vectors; `threads` if the system cannot start them.
    pub(super) fn loss(
        self,
        docs: &[&Doc],
        is_predicted: &[bool],
        predictions: &Rows,
        vectors: Option<&dyn VectorSource>,
        workers: Workers,
    ) -> Result<(f64, Vec<f32>)> {
        match self {
            Objective::Characters(n) => characters(n, docs, is_predicted, predictions, workers),
            Objective::Vectors(distance) => {
                let width = predictions.width();
                let targets = targets(docs, width, vectors)?;
                Ok(distances(distance, &targets, is_predicted, predictions))
            }
        }
    }
}

/// Returns the vectors of all tokens; zeros for words without one.
fn targets(docs: &[&Doc], width: usize, vectors: Option<&dyn VectorSource>) -> Result<Vec<f32>> {
    let n: usize = docs.iter().map(|doc| doc.len()).sum();
    with_sources(docs, vectors, |sources| {
        let mut rows = vec![0.0; n * width];
        let mut rest = rows.chunks_exact_mut(width.max(1));
        for source in sources {
            let own = source.vectors().filter(|own| own.width() == width);
            for token in 0..source.len() {
                if let Some((own, row)) = own.zip(rest.next()) {
                    own.read(token, row);
                }
            }
        }
        Ok(rows)
    })
}

fn distances(
    distance: Distance,
    targets: &[f32],
    is_predicted: &[bool],
    predictions: &Rows,
) -> (f64, Vec<f32>) {
    let width = predictions.width().max(1);
    let n = count(predictions.len());
    let (mut loss, mut d) = (0.0, Vec::with_capacity(predictions.numbers().len()));
    let rows = predictions.numbers().chunks_exact(width).zip(targets.chunks_exact(width));
    for ((guess, truth), is_predicted) in rows.zip(is_predicted) {
        let start = d.len();
        match distance {
            Distance::L2 => {
                d.extend(guess.iter().zip(truth).map(|(guess, truth)| (guess - truth) / n));
                loss += d[start..].iter().map(|d| f64::from(d * d)).sum::<f64>();
            }
            // A word without a vector has no direction.
            Distance::Cosine if truth.iter().all(|number| *number == 0.0) => {
                d.resize(start + width, 0.0);
            }
            Distance::Cosine => {
                loss += push_cosine_gradient(&mut d, guess, truth) / f64::from(n);
                d[start..].iter_mut().for_each(|d| *d /= n);
            }
        }
        if !is_predicted {
            d[start..].fill(0.0);
        }
    }
    (loss, d)
}

/// Returns the loss of bytes. A prediction is the number of each value itself: thinc's layer of
/// several softmaxes computes them aside and returns what it was given.
fn characters(
    n_bytes: usize,
    docs: &[&Doc],
    is_predicted: &[bool],
    predictions: &Rows,
    workers: Workers,
) -> Result<(f64, Vec<f32>)> {
    let mut bytes = vec![0; predictions.len() * n_bytes];
    let mut rest = &mut bytes[..];
    for doc in docs {
        let (own, after) = rest.split_at_mut(doc.len() * n_bytes);
        write_utf8(doc, 0..doc.len(), n_bytes, own);
        rest = after;
    }
    let (width, n) = (n_bytes * BYTES, count(predictions.len()));
    let numbers = predictions.numbers().chunks(WORDS * width);
    let tiles = numbers.zip(bytes.chunks(WORDS * n_bytes)).zip(is_predicted.chunks(WORDS));
    let done = workers.map(tiles.collect(), |((logits, bytes), is_predicted)| {
        let mut d = logits.to_vec();
        let mut loss = 0.0;
        for ((row, bytes), is_predicted) in
            d.chunks_exact_mut(width).zip(bytes.chunks_exact(n_bytes)).zip(is_predicted)
        {
            for (row, byte) in row.chunks_exact_mut(BYTES).zip(bytes) {
                row[usize::from(*byte)] -= 1.0;
                loss += row.iter().map(|d| f64::from(d * d)).sum::<f64>();
            }
            if *is_predicted {
                for d in row.iter_mut() {
                    *d /= n;
                }
            } else {
                row.fill(0.0);
            }
        }
        (loss, d)
    })?;
    let loss = done.iter().map(|(loss, _)| loss).sum();
    Ok((loss, done.into_iter().flat_map(|(_, d)| d).collect()))
}

#[expect(clippy::cast_precision_loss, reason = "a number of words")]
fn count(words: usize) -> f32 {
    words as f32
}

#[cfg(test)]
mod tests {
    use lexpool::vectors::Vectors;
    use lexpool::vocab::{Getters, Vocab};

    use super::*;

    fn doc(words: &[&str]) -> Doc {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words: Vec<_> = words.iter().map(|word| (*word, false)).collect();
        Doc::from_words(&vocab, &words).unwrap()
    }

    fn rows(width: usize, numbers: Vec<f32>) -> Rows {
        let n = numbers.len() / width;
        Rows::with_lengths(width, numbers, vec![n])
    }

    #[test]
    fn bytes_are_predicted_from_both_ends_of_masked_words() {
        let doc = doc(&["abc", "d"]);
        let objective = Objective::Characters(2);
        let predictions = rows(512, vec![0.0; 2 * 512]);
        let (loss, d) =
            objective.loss(&[&doc], &[true, false], &predictions, None, Workers::ONE).unwrap();
        assert!((loss - 4.0).abs() < 1e-6, "{loss}");
        for (at, d) in d.iter().enumerate() {
            let expected = match at {
                97 | 355 => -0.5,
                _ => 0.0,
            };
            assert!((f64::from(*d) - expected).abs() < 1e-7, "{at}: {d}");
        }
        assert_eq!((u32::from('a'), 256 + u32::from('c')), (97, 355));
    }

    #[test]
    fn vectors_are_predicted_where_words_have_any() {
        let doc = doc(&["a", "b", "c"]);
        let mut vectors = Vectors::with_shape(2, 2).unwrap();
        let orths = doc.attrs().column(lexpool_structs::AttrId::ORTH);
        vectors.add(orths[0], Some(0), Some(&[1.0, 0.0])).unwrap();
        vectors.add(orths[2], Some(1), Some(&[0.0, 2.0])).unwrap();
        let predictions = rows(2, vec![1.0, 1.0, 5.0, 5.0, 0.0, 1.0]);
        let loss = |distance| {
            let predicted = [true, true, true];
            let objective = Objective::Vectors(distance);
            objective.loss(&[&doc], &predicted, &predictions, Some(&vectors), Workers::ONE).unwrap()
        };
        let (cosine, d) = loss(Distance::Cosine);
        assert!((cosine - (1.0 - 0.5_f64.sqrt()) / 3.0).abs() < 1e-6, "{cosine}");
        assert_eq!(d[2..4], [0.0, 0.0]);
        assert!(d[0] < 0.0 && d[1] > 0.0 && d[5].abs() < 1e-6, "{d:?}");
        let (squares, d) = loss(Distance::L2);
        let expected = (1.0 + 25.0 + 25.0 + 1.0) / 9.0;
        assert!((squares - expected).abs() < 1e-6, "{squares}");
        assert!((d[2] - 5.0 / 3.0).abs() < 1e-6, "{d:?}");
    }

    #[test]
    fn the_bits_do_not_depend_on_threads() {
        let words = ["some", "words"].repeat(150);
        let doc = doc(&words);
        let numbers = (0..97_u8).cycle().map(|at| f32::from(at) / 50.0).take(300 * 256).collect();
        let predictions = rows(256, numbers);
        let is_predicted: Vec<bool> = (0..300).map(|at| at % 3 == 0).collect();
        let loss = |threads| {
            let workers = Workers::new(threads);
            Objective::Characters(1).loss(&[&doc], &is_predicted, &predictions, None, workers)
        };
        assert_eq!(loss(1).unwrap(), loss(3).unwrap());
    }
}
