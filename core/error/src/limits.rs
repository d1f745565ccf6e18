//! The table of limits: how large a number may be that a file, a configuration or a caller gives.
//!
//! A few bytes can ask for any amount of memory or work, so a number is compared with its limit
//! where it is read, before anything is allocated or counted up to it. Readers of counts take a
//! [`Limit`] as an argument. From the table come the constants of this module,
//! `lexpool.errors.limits()` in Python and the site's page of limits.
//!
//! ```
//! use lexpool_error::limits;
//!
//! assert_eq!(limits::BEAM_WIDTH.check(32, "\"beam_width\"")?, 32);
//! let error = limits::BEAM_WIDTH.check(2_147_483_647, "\"beam_width\"").unwrap_err();
//! assert_eq!(error.code(), "beam-width");
//! assert_eq!(
//!     error.message(),
//!     "\"beam_width\" is 2147483647; expected 0 to 1024 (limit beam.width)"
//! );
//! # Ok::<(), lexpool_error::Error>(())
//! ```

use std::fmt::Display;

use crate::codes::{self, Raised};
use crate::{Code, Error, ErrorKind, Result};

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    name: &'static str,
    max: u64,
    code: Code,
    counts: &'static str,
    settings: &'static [&'static str],
}

impl Limit {
    /// The name, with a dot: "beam.width".
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The largest number.
    pub const fn max(self) -> u64 {
        self.max
    }

    /// The code of the error for a larger one.
    pub const fn code(self) -> Code {
        self.code
    }

    /// The things that are counted, in one line.
    pub const fn counts(self) -> &'static str {
        self.counts
    }

    /// The settings and arguments that say the number.
    pub const fn settings(self) -> &'static [&'static str] {
        self.settings
    }

    /// Returns a number that is within the limit. `place` is what has the number: a setting or an
    /// argument, after the section or file that it is in.
    ///
    /// # Errors
    ///
    /// The code of the row, with place, number and limit. Also for a negative number.
    pub fn check<N>(self, number: N, place: impl Display) -> Result<usize>
    where
        N: TryInto<u64> + Display + Copy,
    {
        let within = number.try_into().ok().filter(|number| *number <= self.max);
        let within = within.and_then(|number| usize::try_from(number).ok());
        within.ok_or_else(|| self.exceeded(number, place))
    }

    /// Returns the error for a number outside of the limit, of any size.
    pub fn exceeded(self, number: impl Display, place: impl Display) -> Error {
        let (max, name) = (self.max, self.name);
        let text = format!("{place} is {number}; expected 0 to {max} (limit {name})");
        Error::new(self.kind(), self.code, text)
    }

    fn kind(self) -> ErrorKind {
        match codes::find(self.code.as_str()).map(|entry| entry.raised) {
            Some([Raised::Overflow, ..]) => ErrorKind::Overflow,
            Some([Raised::Memory, ..]) => ErrorKind::Memory,
            _ => ErrorKind::Value,
        }
    }
}

/// Finds the row of a name.
pub fn find(name: &str) -> Option<Limit> {
    TABLE.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| TABLE[at])
}

/// Finds the row of a setting.
pub fn of_setting(setting: &str) -> Option<Limit> {
    TABLE.iter().find(|row| row.settings.contains(&setting)).copied()
}

/// The rows, sorted by name.
pub const fn all() -> &'static [Limit] {
    TABLE
}

/// Declares a constant for each row, and the `TABLE`. A row: constant, name, largest number, code,
/// what it counts, settings.
macro_rules! limits {
    (
        $(
            $constant:ident = $name:literal $max:literal $code:path,
            $counts:literal [$($setting:literal)*]
        )+
    ) => {
        $(
            #[doc = concat!("`", $name, "`, at most ", stringify!($max), ": ", $counts, ".")]
            pub const $constant: Limit = Limit {
                name: $name,
                max: $max,
                code: $code,
                counts: $counts,
                settings: &[$($setting),*],
            };
        )+

        const TABLE: &[Limit] = &[$($constant),+];
    };
}

limits! {
    BEAM_WIDTH = "beam.width" 1_024 codes::BEAM_WIDTH,
        "parses that a beam follows" ["beam_width"]
    BLOOM_HASHES = "bloom.hashes" 65_536 codes::BLOOM_SIZE,
        "bits of a member of a Bloom filter" ["hash_funcs"]
    BLOOM_SIZE = "bloom.size" 4_294_967_264 codes::BLOOM_SIZE,
        "bits of a Bloom filter" []
    COMPONENT_CHOICES = "component.choices" 1_048_576 codes::NUMBER_LIMIT,
        "labels of one thing that are considered" ["top_k" "max_positive"]
    COMPONENT_FREQUENCY = "component.frequency" 4_294_967_295 codes::NUMBER_LIMIT,
        "examples from which on a label is learned" ["min_action_freq" "min_tree_freq"]
    DOC_LENGTH = "doc.length" 1_073_741_823 codes::NUMBER_LIMIT,
        "characters, tokens or sentences of a document"
        ["max_length" "min_length" "split_length" "n_sents" "update_with_oracle_cut_size"]
    KNOWLEDGE_ENTITIES = "knowledge.entities" 2_147_483_647 codes::KB_SIZE,
        "entities of a knowledge base" []
    NETWORK_CHARACTERS = "network.characters" 4_096 codes::NUMBER_LIMIT,
        "characters of a word that a network sees" ["nC" "n_characters"]
    NETWORK_COLUMN = "network.column" 65_535 codes::NUMBER_LIMIT,
        "the column of features that a table of embeddings in a file is for" ["column"]
    NETWORK_DEPTH = "network.depth" 256 codes::NUMBER_LIMIT,
        "layers of an encoder of a new network" ["depth" "conv_depth"]
    NETWORK_DIMENSIONS = "network.dimensions" 8 codes::MODEL_FILE,
        "dimensions of an array in a file" []
    NETWORK_LAYERS = "network.layers" 16_384 codes::NUMBER_LIMIT,
        "layers that depths make together, of a network without a file" []
    NETWORK_NGRAM = "network.ngram" 64 codes::NUMBER_LIMIT,
        "words of the longest sequence that a bag of words counts" ["ngram_size"]
    NETWORK_NUMBERS = "network.numbers" 1_073_741_824 codes::NUMBER_LIMIT,
        "numbers of a parameter of a new network, the product of its sizes" []
    NETWORK_PIECES = "network.pieces" 64 codes::NUMBER_LIMIT,
        "pieces of an output, of which the largest is taken" ["maxout_pieces"]
    NETWORK_ROWS = "network.rows" 268_435_456 codes::NUMBER_LIMIT,
        "rows of a table of embeddings or of words" ["rows" "embed_size" "length"]
    NETWORK_SEED = "network.seed" 4_294_967_295 codes::NUMBER_LIMIT,
        "the seed of the hashes of a table of embeddings in a file" []
    NETWORK_WIDTH = "network.width" 1_048_576 codes::NUMBER_LIMIT,
        "numbers of a row" ["width" "hidden_width" "hidden_size" "nM" "nO"]
    NETWORK_WINDOW = "network.window" 4_096 codes::NUMBER_LIMIT,
        "neighbours on a side; in a file also rows of padding" ["window_size" "pad"]
    PIPE_BATCH = "pipe.batch" 1_073_741_824 codes::NUMBER_LIMIT,
        "documents that are processed together" ["batch_size" "candidates_batch_size"]
    SUGGESTER_SIZE = "suggester.size" 65_536 codes::NUMBER_LIMIT,
        "tokens of the longest span that a suggester names" ["sizes" "min_size" "max_size"]
    TRAINING_BATCH = "training.batch" 4_294_967_295 codes::NUMBER_LIMIT,
        "words or examples of a batch, also of each value of a schedule" ["size"]
    TRAINING_BUFFER = "training.buffer" 1_048_576 codes::NUMBER_LIMIT,
        "examples that are sorted together" ["buffer"]
    TRAINING_DOCUMENTS = "training.documents" 4_294_967_295 codes::NUMBER_LIMIT,
        "documents that are read of a corpus" ["limit"]
    TRAINING_PARTS = "training.parts" 65_536 codes::NUMBER_LIMIT,
        "parts of a batch" ["accumulate_gradient"]
    TRAINING_SEED = "training.seed" 4_294_967_295 codes::NUMBER_LIMIT,
        "the seed of a training" ["seed"]
    TRAINING_STEPS = "training.steps" 4_294_967_295 codes::NUMBER_LIMIT,
        "steps and epochs of a training and of its schedules"
        [
            "max_steps" "max_epochs" "patience" "eval_frequency" "n_save_every" "n_save_epoch"
            "warmup_steps" "total_steps" "num_steps" "period" "steps" "t"
        ]
    VECTORS_NGRAM = "vectors.ngram" 64 codes::NUMBER_LIMIT,
        "characters of the longest part of a word that floret looks up" ["maxn"]
    VECTORS_ROWS = "vectors.rows" 4_294_967_295 codes::VECTORS_MEMORY,
        "rows of a table of word vectors" []
    VECTORS_WIDTH = "vectors.width" 16_777_216 codes::VECTORS_SHAPE,
        "numbers of the vector of a word or an entity" ["entity_vector_length"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_sorted_and_each_has_a_code_of_the_catalogue() {
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
        for row in all() {
            assert!(codes::find(row.code.as_str()).is_some(), "{row:?}");
            assert!(row.name.contains('.') && !row.counts.ends_with('.'), "{row:?}");
            assert_eq!(find(row.name), Some(*row));
        }
        assert_eq!(find("beam.depth"), None);
    }

    #[test]
    fn a_setting_has_one_limit() {
        let mut settings: Vec<&str> = all().iter().flat_map(|row| row.settings).copied().collect();
        for setting in &settings {
            assert!(of_setting(setting).is_some_and(|row| row.settings.contains(setting)));
        }
        settings.sort_unstable();
        assert!(settings.windows(2).all(|pair| pair[0] != pair[1]), "{settings:?}");
        assert_eq!(of_setting("threshold"), None);
    }

    #[test]
    fn a_number_passes_up_to_its_limit() {
        for row in all() {
            let max = usize::try_from(row.max).unwrap();
            assert_eq!(row.check(max, "it").unwrap(), max);
            assert_eq!(row.check(0_u8, "it").unwrap(), 0);
            for beyond in [row.max + 1, 1 << 40, 1 << 62, u64::MAX] {
                let error = row.check(beyond, "the place").unwrap_err();
                let text = format!("the place is {beyond}; expected 0 to {}", row.max);
                assert_eq!(error.code(), row.code.as_str());
                assert!(error.message().starts_with(&text), "{error}");
            }
            assert!(row.check(-1_i64, "it").is_err());
        }
    }

    #[test]
    fn an_error_is_of_the_kind_of_its_code() {
        let kind = |limit: Limit| limit.check(u64::MAX, "it").unwrap_err().kind();
        assert_eq!(kind(KNOWLEDGE_ENTITIES), ErrorKind::Overflow);
        assert_eq!(kind(BEAM_WIDTH), ErrorKind::Value);
    }
}
