//! Floret vectors: the vector of a word is the mean of the rows of its hashed subwords (character
//! n-grams).
//!
//! Like a Bloom filter, each subword selects several rows by hash functions (`MurmurHash3`), so a
//! small table covers any vocabulary. Reference: <https://github.com/explosion/floret>.

use crate::strings::murmur3_x64;
use crate::{Error, Result, limits};

use super::RowTable;
use crate::codes;

/// The subword settings: the lengths of n-grams and their hash functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floret {
    /// The minimum length of an n-gram in characters.
    pub minn: u32,
    /// The maximum length of an n-gram.
    pub maxn: u32,
    /// The number of rows of an n-gram: 1 to 4.
    pub hash_count: u32,
    /// The seed of the hash.
    pub hash_seed: u32,
    /// The prefix of a padded word.
    pub bow: String,
    /// The suffix of a padded word.
    pub eow: String,
}

impl Default for Floret {
    fn default() -> Floret {
        let (bow, eow) = ("<".to_owned(), ">".to_owned());
        Floret { minn: 0, maxn: 0, hash_count: 1, hash_seed: 0, bow, eow }
    }
}

impl Floret {
    /// Validates the settings.
    ///
    /// # Errors
    ///
    /// `E863` if `maxn` is less than `minn`, `E862` if `hash_count` is not 1 to 4.
    pub fn check(&self) -> Result<()> {
        if self.maxn < self.minn {
            let text = format!("maxn ({}) must be at least minn ({})", self.maxn, self.minn);
            return Err(Error::value(codes::E863, text));
        }
        limits::VECTORS_NGRAM.check(self.maxn, "maxn")?;
        if !(1..=4).contains(&self.hash_count) {
            let text = format!("hash_count must be 1 to 4, not {}", self.hash_count);
            return Err(Error::value(codes::E862, text));
        }
        Ok(())
    }

    /// Returns the n-grams of a word: the padded word itself, then all its n-grams from the
    /// shortest to the longest.
    pub fn ngrams(&self, word: &str) -> Vec<String> {
        let padded = format!("{}{word}{}", self.bow, self.eow);
        let mut ngrams = Vec::new();
        self.each_ngram(&padded, |ngram| ngrams.push(ngram.to_owned()));
        ngrams
    }

    /// Returns the hashes of an n-gram, one for each row.
    pub fn hashes(&self, ngram: &str) -> impl Iterator<Item = u32> + use<> {
        let words = murmur3_x64(ngram.as_bytes(), self.hash_seed);
        let half = |word: u64, shift: u32| (word >> shift & 0xffff_ffff) as u32;
        let [a, b] = words;
        let hashes = [half(a, 0), half(a, 32), half(b, 0), half(b, 32)];
        hashes.into_iter().take(self.hash_count as usize)
    }

    /// Returns the vector of a word: the mean of the rows of its n-grams, zeros for the empty word.
    pub fn vector(&self, rows: &RowTable, word: &str) -> Vec<f32> {
        let mut mean = vec![0.0; rows.width()];
        if word.is_empty() || rows.is_empty() {
            return mean;
        }
        let padded = format!("{}{word}{}", self.bow, self.eow);
        let mut ngram_rows = Vec::new();
        self.each_ngram(&padded, |ngram| {
            ngram_rows.extend(self.hashes(ngram).map(|hash| hash as usize % rows.len()));
        });
        #[expect(clippy::cast_precision_loss, reason = "a word has few n-grams")]
        let scale = 1.0 / ngram_rows.len() as f32;
        for row in ngram_rows {
            let row = rows.get(row).expect("a remainder by the number of rows");
            for (mean, number) in mean.iter_mut().zip(row) {
                *mean += number * scale;
            }
        }
        mean
    }

    fn each_ngram(&self, padded: &str, mut f: impl FnMut(&str)) {
        f(padded);
        let mut starts: Vec<usize> = padded.char_indices().map(|(start, _)| start).collect();
        starts.push(padded.len());
        let chars = starts.len() - 1;
        let longest = usize::try_from(self.maxn).unwrap_or(chars).min(chars);
        for size in self.minn as usize..=longest {
            // With `minn` of 0, empty n-grams count, too.
            for start in 0..=chars - size {
                f(&padded[starts[start]..starts[start + size]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floret(minn: u32, maxn: u32) -> Floret {
        Floret { minn, maxn, hash_count: 2, hash_seed: 2_166_136_261, ..Floret::default() }
    }

    #[test]
    fn words_are_cut_by_characters() {
        let parts = ["<der>", "<d", "de", "er", "r>", "<de", "der", "er>"];
        assert_eq!(floret(2, 3).ngrams("der"), parts);
        assert_eq!(floret(2, 2).ngrams("\u{e9}"), ["<\u{e9}>", "<\u{e9}", "\u{e9}>"]);
        assert_eq!(floret(7, u32::MAX).ngrams("der"), ["<der>"]);
        assert_eq!(floret(0, 0).ngrams(""), ["<>", "", "", ""]);
    }

    #[test]
    fn a_vector_is_the_mean_of_its_rows() {
        let numbers: Vec<f32> = (0..10_u8).map(f32::from).collect();
        let rows = RowTable::new(numbers, 10, 1).unwrap();
        // The rows that spaCy finds for these settings.
        let found = [5, 6, 7, 5, 8, 2, 8, 9, 3, 3, 4, 6, 7, 3, 0, 2];
        let floret = floret(2, 3);
        let hashes = |ngram: &String| floret.hashes(ngram).collect::<Vec<_>>();
        let hashed: Vec<_> = floret.ngrams("der").iter().flat_map(hashes).collect();
        assert_eq!(hashed.iter().map(|hash| hash % 10).collect::<Vec<_>>(), found);
        assert!((floret.vector(&rows, "der")[0] - 78.0 / 16.0).abs() < 1e-5);
        assert_eq!(floret.vector(&rows, ""), [0.0]);
        assert_eq!(floret.vector(&RowTable::zeros(0, 3).unwrap(), "der"), [0.0; 3]);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let with = |hash_count| Floret { hash_count, ..Floret::default() };
        assert_eq!(with(0).check().unwrap_err().code(), "E862");
        assert_eq!(with(5).check().unwrap_err().code(), "E862");
        assert_eq!(floret(3, 2).check().unwrap_err().code(), "E863");
        assert!(floret(2, 2).check().is_ok());
    }
}
