//! Batches of examples: the generators of `spacy.training.batchers`.

use lexpool::limits;
use lexpool_nn::learn::Schedule;

use crate::settings::fields::{Fields, NumberRange};
use crate::settings::schedule_settings::schedule_in;

/// A way to cut examples into batches. The schedule of sizes goes on from epoch to epoch.
#[derive(Clone, Debug)]
pub struct Batcher {
    pub(crate) method: Method,
    pub(crate) size: Schedule,
    pub(crate) discard_oversize: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    /// By the number of words, with a tolerated excess.
    Words { tolerance: f64 },
    /// By the number of examples.
    Sequence,
    /// By the number of words of examples that are filled up to the longest of their batch.
    Padded { buffer: usize },
}

impl Batcher {
    /// Reads `[training.batcher]`; by words with spaCy's defaults if it is missing.
    pub(crate) fn read(fields: Option<Fields<'_>>) -> Batcher {
        let by_words = |size| Batcher {
            method: Method::Words { tolerance: 0.2 },
            size,
            discard_oversize: false,
        };
        let Some(fields) = fields else {
            return by_words(Schedule::new(lexpool_nn::learn::Series::Compounding {
                start: 100.0,
                stop: 1000.0,
                compound: 1.001,
            }));
        };
        let size = schedule_in(&fields, "size", 1000.0, NumberRange::BATCH_SIZE);
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
                let buffer = fields.at_least_one("buffer", 256, limits::TRAINING_BUFFER);
                Method::Padded { buffer }
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

    /// Returns the number of sizes that the schedule has given.
    pub(crate) fn given(&self) -> u64 {
        self.size.given()
    }

    /// Goes to the place at which the schedule had given so many sizes. Cost: linear in them.
    pub(crate) fn go_to(&mut self, n_sizes: u64) {
        self.size.go_to(n_sizes);
    }

    /// Returns the next size; a list of sizes that is at its end repeats the last one.
    pub(crate) fn next_size(&mut self) -> f64 {
        if let Some(size) = self.size.next_value() {
            return size;
        }
        let given = self.size.given();
        self.size.go_to(given.saturating_sub(1));
        self.size.next_value().unwrap_or(1.0)
    }
}
