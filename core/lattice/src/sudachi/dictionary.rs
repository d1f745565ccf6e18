//! An open dictionary.

use bytes::Bytes;
use lexpool_error::Result;

use super::file::{Sections, is_dictionary};
use super::lexicon::Lexicon;
use super::part_of_speech::PartOfSpeech;
use super::unknown::UnknownWords;
use crate::costs::ConnectionCosts;
use crate::double_array::DoubleArray;

/// A system dictionary of Sudachi's. Any number of threads may use it at once.
#[derive(Clone, Debug)]
pub struct Dictionary {
    pub(super) costs: ConnectionCosts,
    pub(super) trie: DoubleArray,
    pub(super) lexicon: Lexicon,
    pub(super) unknown: UnknownWords,
    parts_of_speech: Vec<PartOfSpeech>,
    /// The part of speech of numerals; `None` if the dictionary has none.
    pub(super) numeral: Option<u16>,
    /// The part of speech of joined katakana.
    pub(super) noun: Option<u16>,
}

impl Dictionary {
    /// Opens the bytes of a `system.dic`, which stay where they are. Cost: that of reading the
    /// parts of speech, some thousand strings.
    ///
    /// ```
    /// use lexpool_lattice::sudachi::Dictionary;
    ///
    /// let error = Dictionary::open(&b"MeCab".as_slice().into()).unwrap_err();
    /// assert_eq!(error.code(), "segment-dictionary");
    /// ```
    ///
    /// # Errors
    ///
    /// `segment-dictionary` for other files than system dictionaries, versions not known here, and
    /// tables that end beyond the file.
    pub fn open(file: &Bytes) -> Result<Dictionary> {
        let Sections { costs, parts_of_speech, trie, lexicon } = Sections::read(file)?;
        let unknown = UnknownWords::new(&parts_of_speech, &costs)?;
        let find = |levels: [&str; 6]| {
            let position = parts_of_speech.iter().position(|part| *part.levels() == levels);
            position.and_then(|pos| u16::try_from(pos).ok())
        };
        let numeral = find(["名詞", "数詞", "*", "*", "*", "*"]);
        let noun = find(["名詞", "普通名詞", "一般", "*", "*", "*"]);
        Ok(Dictionary { costs, trie, lexicon, unknown, parts_of_speech, numeral, noun })
    }

    /// Returns `true` for bytes that begin as a dictionary of Sudachi's does.
    pub fn is_dictionary(file: &[u8]) -> bool {
        is_dictionary(file)
    }

    /// Returns the parts of speech, by number.
    pub fn parts_of_speech(&self) -> &[PartOfSpeech] {
        &self.parts_of_speech
    }
}
