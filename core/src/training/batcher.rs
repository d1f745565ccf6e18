//! Batches of examples: the generators of `spacy.training.batchers`.

use lexpool_train::Schedule;

use super::fields::{Fields, NumberRange, Problems};
use super::schedule_settings::schedule_in;
use crate::Result;
use crate::config::{Config, Value};

/// A way to cut examples into batches. The schedule of sizes goes on from epoch to epoch.
#[derive(Clone, Debug)]
pub struct Batcher {
    method: Method,
    size: Schedule,
    discard_oversize: bool,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    /// By the number of words, with a tolerated excess.
    Words { tolerance: f64 },
    /// By the number of examples.
    Sequence,
    /// By the number of words of examples that are filled up to the longest of their batch.
    Padded { buffer: usize },
}

impl Batcher {
    /// Reads `[training.batcher]`; by words with spaCy's defaults if it is missing.
    pub(super) fn read(fields: Option<Fields<'_>>) -> Batcher {
        let by_words = |size| Batcher {
            method: Method::Words { tolerance: 0.2 },
            size,
            discard_oversize: false,
        };
        let Some(fields) = fields else {
            return by_words(Schedule::new(lexpool_train::Series::Compounding {
                start: 100.0,
                stop: 1000.0,
                compound: 1.001,
            }));
        };
        let size = schedule_in(&fields, "size", 1000.0, NumberRange::FROM_ONE);
        let mut discard_oversize = false;
        let method = match fields.function("@batchers") {
            Some("spacy.batch_by_words.v1") => {
                discard_oversize = fields.flag("discard_oversize", false);
                let tolerance = fields.number_in("tolerance", 0.2, NumberRange::NOT_NEGATIVE);
                Method::Words { tolerance }
            }
            Some("spacy.batch_by_sequence.v1") => Method::Sequence,
            Some("spacy.batch_by_padded.v1") => {
                discard_oversize = fields.flag("discard_oversize", false);
                Method::Padded { buffer: fields.at_least_one("buffer", 256) }
            }
            Some(name) => {
                let text = format!("has the batcher {name:?}, which lexpool does not have");
                fields.unsupported(&text);
                return by_words(size);
            }
            None => return by_words(size),
        };
        if fields.get("get_length").is_some() {
            fields.no_function("get_length");
        }
        fields.finish();
        Batcher { method, size, discard_oversize }
    }

    /// Starts an epoch of examples of these lengths, in the order of the epoch. The iterator yields
    /// positions in that order.
    pub fn batches<'b>(&'b mut self, lengths: &'b [usize]) -> Batches<'b> {
        let target = match self.method {
            Method::Words { .. } => self.next_size(),
            Method::Sequence | Method::Padded { .. } => 0.0,
        };
        Batches {
            batcher: self,
            lengths,
            next: 0,
            target,
            batch: Vec::new(),
            words: 0,
            excess: Vec::new(),
            excess_words: 0,
            ready: Vec::new(),
        }
    }

    /// Returns the most words of a batch, or of a part of one if batches are cut into `parts`, of
    /// examples of these lengths in an order that the batcher cannot know. Cost: sorts the lengths.
    pub(super) fn largest(&self, lengths: &[usize], parts: usize) -> usize {
        let mut lengths = lengths.to_vec();
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        // Examples of like lengths beside each other, as the last part of a batch has them.
        let size = Schedule::constant(self.size.bound());
        let mut batcher = Batcher { size, ..self.clone() };
        let batches = batcher.batches(&lengths);
        let words = |part: &Vec<usize>| part.iter().map(|at| lengths[*at]).sum();
        batches
            .flat_map(|batch| subdivide(&batch, &lengths, parts))
            .map(|part| words(&part))
            .max()
            .unwrap_or(0)
    }

    /// Returns the number of sizes that the schedule has given.
    pub(super) fn given(&self) -> u64 {
        self.size.given()
    }

    /// Goes to the place at which the schedule had given so many sizes. Cost: linear in them.
    pub(super) fn go_to(&mut self, given: u64) {
        self.size.go_to(given);
    }

    /// Returns the next size; a list of sizes that is at its end repeats the last one.
    fn next_size(&mut self) -> f64 {
        if let Some(size) = self.size.next_value() {
            return size;
        }
        let given = self.size.given();
        self.size.go_to(given.saturating_sub(1));
        self.size.next_value().unwrap_or(1.0)
    }
}

/// Reads the section of a batcher; null for batches by words with spaCy's defaults.
///
/// # Errors
///
/// `training-config` for wrong settings, `training-unsupported` for another batcher.
pub fn read_batcher(value: &Value) -> Result<Batcher> {
    let problems = Problems::default();
    let section = value.as_section();
    let fields = section.map(|section| Fields::new(section, "training.batcher", &problems));
    let batcher = Batcher::read(fields);
    problems.into_result(&Config::parse("", "the settings")?)?;
    Ok(batcher)
}

/// The batches of an epoch.
pub struct Batches<'b> {
    batcher: &'b mut Batcher,
    lengths: &'b [usize],
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

impl Iterator for Batches<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        match self.batcher.method {
            Method::Words { tolerance } => self.by_words(tolerance),
            Method::Sequence => {
                let size = whole(self.batcher.next_size());
                let end = self.next.saturating_add(size).min(self.lengths.len());
                let batch: Vec<usize> = (self.next..end).collect();
                self.next = end;
                Some(batch).filter(|batch| !batch.is_empty())
            }
            Method::Padded { buffer } => self.by_padded(buffer),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words, compared as Python does")]
impl Batches<'_> {
    fn by_words(&mut self, tolerance: f64) -> Option<Vec<usize>> {
        if let Some(batch) = self.ready.pop() {
            return Some(batch);
        }
        while let Some(words) = self.lengths.get(self.next).copied() {
            let at = self.next;
            self.next += 1;
            let most = self.target + self.target * tolerance;
            let fits = |words: usize, target: f64| words as f64 <= target;
            if words as f64 > most {
                if !self.batcher.discard_oversize {
                    return Some(vec![at]);
                }
            } else if self.excess_words == 0 && fits(self.words + words, self.target) {
                self.batch.push(at);
                self.words += words;
            } else if fits(self.words + self.excess_words + words, most) {
                self.excess.push(at);
                self.excess_words += words;
            } else if let Some(batch) = self.begin_batch(at, words, tolerance) {
                return Some(batch);
            }
        }
        self.batch.append(&mut self.excess);
        self.excess_words = 0;
        Some(std::mem::take(&mut self.batch)).filter(|batch| !batch.is_empty())
    }

    /// Ends the batch at hand, and puts an example into one of the next two.
    fn begin_batch(&mut self, at: usize, words: usize, tolerance: f64) -> Option<Vec<usize>> {
        let ended = std::mem::replace(&mut self.batch, std::mem::take(&mut self.excess));
        self.words = std::mem::take(&mut self.excess_words);
        self.target = self.batcher.next_size();
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
            self.target = self.batcher.next_size();
            if !alone.is_empty() {
                if ended.is_empty() {
                    return Some(alone);
                }
                self.ready.push(alone);
            }
        }
        Some(ended).filter(|batch| !batch.is_empty())
    }

    fn by_padded(&mut self, buffer: usize) -> Option<Vec<usize>> {
        loop {
            if let Some(batch) = self.ready.pop() {
                return Some(batch);
            }
            if self.next >= self.lengths.len() {
                return None;
            }
            let end = self.next.saturating_add(buffer).min(self.lengths.len());
            let size = self.batcher.next_size();
            let mut order: Vec<usize> = (self.next..end).collect();
            order.sort_by_key(|at| (self.lengths[*at], *at));
            self.next = end;
            let mut batches: Vec<Vec<usize>> = Vec::new();
            for at in order {
                let length = self.lengths[at];
                match batches.last_mut() {
                    Some(batch) if (length * (batch.len() + 1)) as f64 <= size => batch.push(at),
                    _ => batches.push(vec![at]),
                }
            }
            // The longest comes first, and the last of `ready` is taken first.
            for mut batch in batches {
                batch.sort_unstable();
                let longest = batch.iter().map(|at| self.lengths[*at]).max().unwrap_or(0);
                let padded = (longest * batch.len()) as f64;
                if !self.batcher.discard_oversize || padded < size {
                    self.ready.push(batch);
                }
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
pub fn subdivide(batch: &[usize], lengths: &[usize], parts: usize) -> Vec<Vec<usize>> {
    let mut batch = batch.to_vec();
    batch.sort_by_key(|at| lengths[*at]);
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
    use lexpool_train::{PythonRandom, Series};

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
                        for part in subdivide(&batch, &lengths, parts) {
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
        assert_eq!(subdivide(&[0, 1, 2, 3, 4], &lengths, 2), [vec![1, 3], vec![4, 2], vec![0]]);
        assert_eq!(subdivide(&[0, 1], &lengths, 3), [[1, 0]]);
    }
}
