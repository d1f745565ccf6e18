//! The batches of an epoch, cut from its examples in their order.

use std::borrow::BorrowMut;
use std::convert::Infallible;

use lexpool_nn::learn::Schedule;

use super::batcher::{Batcher, Method};

impl Batcher {
    /// Starts an epoch of examples of these lengths, in the order of the epoch. The iterator yields
    /// positions in that order.
    pub(crate) fn batches<'b>(&'b mut self, lengths: &'b [usize]) -> Batches<'b> {
        Batches { cutter: BatchCutter::new(self), lengths }
    }

    /// Returns the most words of a batch, or of a part of one if batches are cut into `parts`, of
    /// examples of these lengths in an order that the batcher cannot know. Cost: sorts the lengths.
    pub(crate) fn largest(&self, lengths: &[usize], parts: usize) -> usize {
        let mut lengths = lengths.to_vec();
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        // Examples of like lengths beside each other, as the last part of a batch has them.
        let size = Schedule::constant(self.size.bound());
        let mut batcher = Batcher { size, ..self.clone() };
        let batches = batcher.batches(&lengths);
        let words = |part: &Vec<usize>| part.iter().map(|at| lengths[*at]).sum();
        batches
            .flat_map(|batch| subdivide(&batch, |at| lengths[at], parts))
            .map(|part| words(&part))
            .max()
            .unwrap_or(0)
    }
}

/// The batches of examples whose lengths are all known: an iterator of positions.
pub(crate) struct Batches<'b> {
    cutter: BatchCutter<&'b mut Batcher>,
    lengths: &'b [usize],
}

impl Iterator for Batches<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let mut length = |at: usize| Ok::<_, Infallible>(self.lengths.get(at).copied());
        match self.cutter.next_batch(&mut length) {
            Ok(batch) => batch,
            Err(never) => match never {},
        }
    }
}

/// A cutter of batches that asks for the lengths of examples one after another, so that these can
/// be read meanwhile.
pub(crate) struct BatchCutter<B> {
    batcher: B,
    /// The position of the next example.
    next: usize,
    /// The size of the present batch, for batches by words.
    target: f64,
    batch: Vec<usize>,
    words: usize,
    /// Examples within the tolerance, which the next batch gets if this one ends.
    excess: Vec<usize>,
    excess_words: usize,
    /// Finished batches, the last one first.
    ready: Vec<Vec<usize>>,
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words, compared as Python does")]
impl<B: BorrowMut<Batcher>> BatchCutter<B> {
    /// Starts an epoch.
    pub(crate) fn new(mut batcher: B) -> BatchCutter<B> {
        let target = match batcher.borrow().method {
            Method::Words { .. } => batcher.borrow_mut().next_size(),
            Method::Sequence | Method::Padded { .. } => 0.0,
        };
        BatchCutter {
            batcher,
            next: 0,
            target,
            batch: Vec::new(),
            words: 0,
            excess: Vec::new(),
            excess_words: 0,
            ready: Vec::new(),
        }
    }

    /// Returns the batcher, whose sizes go on from where they are.
    pub(crate) fn into_batcher(self) -> B {
        self.batcher
    }

    /// Returns the positions of the next batch; `None` after the last one. `length` returns the
    /// number of words of the example at a position, and `None` after the last example; it is asked
    /// for positions from 0 on, each once.
    ///
    /// # Errors
    ///
    /// Those of `length`.
    pub(crate) fn next_batch<E>(
        &mut self,
        length: &mut impl FnMut(usize) -> Result<Option<usize>, E>,
    ) -> Result<Option<Vec<usize>>, E> {
        if let Some(batch) = self.ready.pop() {
            return Ok(Some(batch));
        }
        match self.batcher.borrow().method {
            Method::Words { tolerance } => self.by_words(tolerance, length),
            Method::Sequence => {
                let size = whole(self.batcher.borrow_mut().next_size());
                let batch = self.take(size, length)?;
                Ok(Some(batch.iter().map(|(_, at)| *at).collect())
                    .filter(|batch: &Vec<usize>| !batch.is_empty()))
            }
            Method::Padded { buffer } => self.by_padded(buffer, length),
        }
    }

    /// Returns the first position that a later batch may have.
    pub(crate) fn oldest(&self) -> usize {
        let pending = self.ready.iter().chain([&self.batch, &self.excess]).flatten();
        pending.copied().min().unwrap_or(self.next)
    }

    /// Takes up to `most` examples: their lengths and positions.
    fn take<E>(
        &mut self,
        most: usize,
        length: &mut impl FnMut(usize) -> Result<Option<usize>, E>,
    ) -> Result<Vec<(usize, usize)>, E> {
        let mut taken = Vec::new();
        while taken.len() < most {
            let Some(words) = length(self.next)? else { break };
            taken.push((words, self.next));
            self.next += 1;
        }
        Ok(taken)
    }

    fn by_words<E>(
        &mut self,
        tolerance: f64,
        length: &mut impl FnMut(usize) -> Result<Option<usize>, E>,
    ) -> Result<Option<Vec<usize>>, E> {
        while let Some(words) = length(self.next)? {
            let at = self.next;
            self.next += 1;
            let most = self.target + self.target * tolerance;
            let fits = |words: usize, target: f64| words as f64 <= target;
            if words as f64 > most {
                if !self.batcher.borrow().discard_oversize {
                    return Ok(Some(vec![at]));
                }
            } else if self.excess_words == 0 && fits(self.words + words, self.target) {
                self.batch.push(at);
                self.words += words;
            } else if fits(self.words + self.excess_words + words, most) {
                self.excess.push(at);
                self.excess_words += words;
            } else if let Some(batch) = self.begin_batch(at, words, tolerance) {
                return Ok(Some(batch));
            }
        }
        self.batch.append(&mut self.excess);
        self.excess_words = 0;
        Ok(Some(std::mem::take(&mut self.batch)).filter(|batch: &Vec<usize>| !batch.is_empty()))
    }

    /// Ends the batch at hand, and puts an example into one of the next two.
    fn begin_batch(&mut self, at: usize, words: usize, tolerance: f64) -> Option<Vec<usize>> {
        let ended = std::mem::replace(&mut self.batch, std::mem::take(&mut self.excess));
        self.words = std::mem::take(&mut self.excess_words);
        self.target = self.batcher.borrow_mut().next_size();
        let sum = (self.words + words) as f64;
        if sum <= self.target {
            self.batch.push(at);
            self.words += words;
        } else if sum <= self.target + self.target * tolerance {
            self.excess.push(at);
            self.excess_words = words;
        } else {
            let alone = std::mem::replace(&mut self.batch, vec![at]);
            self.words = words;
            self.target = self.batcher.borrow_mut().next_size();
            if !alone.is_empty() {
                if ended.is_empty() {
                    return Some(alone);
                }
                self.ready.push(alone);
            }
        }
        Some(ended).filter(|batch: &Vec<usize>| !batch.is_empty())
    }

    fn by_padded<E>(
        &mut self,
        buffer: usize,
        length: &mut impl FnMut(usize) -> Result<Option<usize>, E>,
    ) -> Result<Option<Vec<usize>>, E> {
        loop {
            let mut taken = self.take(buffer, length)?;
            if taken.is_empty() {
                return Ok(None);
            }
            let size = self.batcher.borrow_mut().next_size();
            taken.sort_unstable();
            let mut batches: Vec<Vec<(usize, usize)>> = Vec::new();
            for (words, at) in taken {
                match batches.last_mut() {
                    Some(batch) if (words * (batch.len() + 1)) as f64 <= size => {
                        batch.push((words, at));
                    }
                    _ => batches.push(vec![(words, at)]),
                }
            }
            // The longest comes first, and the last of `ready` is taken first.
            for batch in batches {
                let longest = batch.last().map_or(0, |(words, _)| *words);
                let padded = (longest * batch.len()) as f64;
                if !self.batcher.borrow().discard_oversize || padded < size {
                    let mut positions: Vec<usize> = batch.iter().map(|(_, at)| *at).collect();
                    positions.sort_unstable();
                    self.ready.push(positions);
                }
            }
            if let Some(batch) = self.ready.pop() {
                return Ok(Some(batch));
            }
        }
    }
}

/// Returns a size as Python's `int` of it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as `int` truncates")]
fn whole(size: f64) -> usize {
    size.max(0.0) as usize
}

/// Cuts a batch into parts of about the same number of examples, sorted by length: spaCy's
/// `subdivide_batch`.
pub(crate) fn subdivide(
    batch: &[usize],
    length: impl Fn(usize) -> usize,
    parts: usize,
) -> Vec<Vec<usize>> {
    let mut batch = batch.to_vec();
    batch.sort_by_key(|at| length(*at));
    let size = batch.len() / parts.max(1);
    let mut cut = Vec::new();
    let mut rest = &batch[..];
    for _ in 0..parts {
        let (part, after) = rest.split_at(size.min(rest.len()));
        if !part.is_empty() {
            cut.push(part.to_vec());
        }
        rest = after;
    }
    if !rest.is_empty() {
        cut.push(rest.to_vec());
    }
    cut
}

#[cfg(test)]
mod tests {
    use lexpool_nn::learn::{PythonRandom, Series};

    use super::*;

    const LENGTHS: [usize; 24] =
        [2, 8, 8, 2, 3, 8, 5, 13, 8, 1, 8, 1, 30, 5, 3, 8, 2, 2, 13, 5, 8, 30, 8, 5];

    fn batches(batcher: &mut Batcher) -> Vec<Vec<usize>> {
        batcher.batches(&LENGTHS).collect()
    }

    // The expected batches are those of `spacy.training.batchers`.

    #[test]
    fn batches_by_words_are_spacys_over_two_epochs() {
        let series = Series::Compounding { start: 10.0, stop: 20.0, compound: 1.1 };
        let mut batcher = Batcher {
            method: Method::Words { tolerance: 0.2 },
            size: Schedule::new(series),
            discard_oversize: false,
        };
        let expected: [&[usize]; 12] = [
            &[0, 1],
            &[2, 3],
            &[4, 5],
            &[6],
            &[7],
            &[12],
            &[8, 9],
            &[10, 11, 13, 14],
            &[15, 16, 17],
            &[18, 19],
            &[21],
            &[20, 22, 23],
        ];
        assert_eq!(batches(&mut batcher), expected);
        batcher.discard_oversize = true;
        let expected: [&[usize]; 7] = [
            &[0, 1, 2, 3],
            &[4, 5, 6],
            &[7],
            &[8, 9, 10, 11],
            &[13, 14, 15, 16, 17],
            &[18, 19],
            &[20, 22, 23],
        ];
        assert_eq!(batches(&mut batcher), expected);
    }

    #[test]
    fn batches_by_padded_words_are_spacys() {
        let mut batcher = Batcher {
            method: Method::Padded { buffer: 10 },
            size: Schedule::constant(30.0),
            discard_oversize: false,
        };
        let expected: [&[usize]; 9] = [
            &[7, 8],
            &[1, 2, 5],
            &[0, 3, 4, 6, 9],
            &[12],
            &[18],
            &[10, 15],
            &[11, 13, 14, 16, 17, 19],
            &[21],
            &[20, 22, 23],
        ];
        assert_eq!(batches(&mut batcher), expected);
        batcher.discard_oversize = true;
        let kept = [0, 1, 2, 4, 5, 8].map(|at| expected[at]);
        assert_eq!(batches(&mut batcher), kept);
    }

    #[test]
    fn batches_by_number_take_a_size_each() {
        let size = Schedule::new(Series::List(vec![10.0, 3.9]));
        let mut batcher = Batcher { method: Method::Sequence, size, discard_oversize: false };
        let lengths: Vec<usize> = batches(&mut batcher).iter().map(Vec::len).collect();
        assert_eq!(lengths, [10, 3, 3, 3, 3, 2]);
    }

    #[test]
    fn no_batch_of_any_order_is_larger_than_the_largest() {
        let series = Series::Compounding { start: 10.0, stop: 20.0, compound: 1.1 };
        for (method, size) in [
            (Method::Words { tolerance: 0.2 }, Schedule::new(series)),
            (Method::Sequence, Schedule::constant(3.0)),
            (Method::Padded { buffer: 10 }, Schedule::constant(30.0)),
        ] {
            let batcher = Batcher { method, size, discard_oversize: false };
            let mut random = PythonRandom::new(3);
            for parts in [1, 2] {
                let largest = batcher.largest(&LENGTHS, parts);
                let (mut seen, mut running) = (0, batcher.clone());
                for _ in 0..50 {
                    let mut lengths = LENGTHS;
                    random.shuffle(&mut lengths);
                    for batch in running.batches(&lengths) {
                        for part in subdivide(&batch, |at| lengths[at], parts) {
                            seen = seen.max(part.iter().map(|at| lengths[*at]).sum());
                        }
                    }
                }
                assert!(seen <= largest, "{method:?}, {parts}: {seen} of {largest}");
                assert!(largest <= seen + seen / 2, "{method:?}, {parts}: {seen} of {largest}");
            }
        }
        let mut oversize = Batcher::read(None);
        assert_eq!(oversize.largest(&[5, 7000, 5], 1), 7000);
        oversize.discard_oversize = true;
        assert_eq!(oversize.largest(&[5, 7000, 5], 1), 10);
    }

    #[test]
    fn a_batch_is_cut_into_parts_by_length() {
        let lengths = [5, 1, 4, 2, 3];
        let length = |at: usize| lengths[at];
        assert_eq!(subdivide(&[0, 1, 2, 3, 4], length, 2), [vec![1, 3], vec![4, 2], vec![0]]);
        assert_eq!(subdivide(&[0, 1], length, 3), [[1, 0]]);
    }

    #[test]
    fn examples_are_needed_from_the_oldest_position_to_the_last_one_asked_for() {
        let mut random = PythonRandom::new(7);
        for (method, most) in [
            (Method::Words { tolerance: 0.2 }, 200),
            (Method::Sequence, 20),
            (Method::Padded { buffer: 16 }, 16),
        ] {
            let series = Series::Compounding { start: 10.0, stop: 20.0, compound: 1.1 };
            for discard_oversize in [false, true] {
                let size = Schedule::new(series.clone());
                let batcher = Batcher { method, size, discard_oversize };
                let lengths: Vec<usize> =
                    (0..500).map(|_| 1 + usize::try_from(random.below(30)).unwrap()).collect();
                let whole: Vec<_> = batcher.clone().batches(&lengths).collect();
                let mut running = batcher;
                let mut cutter = BatchCutter::new(&mut running);
                let (mut asked, mut cut) = (0, Vec::new());
                loop {
                    let mut length = |at: usize| {
                        assert!(at == asked || at == lengths.len(), "{at} after {asked}");
                        asked = lengths.len().min(at + 1);
                        Ok::<_, Infallible>(lengths.get(at).copied())
                    };
                    let oldest = cutter.oldest();
                    let Ok(Some(batch)) = cutter.next_batch(&mut length) else { break };
                    assert!(batch.iter().all(|at| (oldest..asked).contains(at)), "{batch:?}");
                    assert!(asked - oldest <= most, "{method:?}: {oldest} to {asked}");
                    cut.push(batch);
                }
                assert_eq!(cut, whole, "{method:?}");
            }
        }
    }
}
