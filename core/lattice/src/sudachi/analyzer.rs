//! The analysis of a text.

use std::borrow::Cow;
use std::ops::Range;

use lexpool_error::Result;

use super::dictionary::Dictionary;
use super::input::InputText;
use super::join::{join_katakana, join_numerals};
use super::lexicon::WordId;
use super::part_of_speech::PartOfSpeech;
use super::path::{Forms, Mode, PathWord};
use super::word_ref::WordRef;
use crate::damaged::damaged;
use crate::lattice::{Lattice, LatticeNode, Ties};

/// The length in bytes of the longest text that is analyzed at once. Sudachi refuses longer ones.
pub const MAX_BYTES: usize = 49_149;

/// Memory for the analysis of one text after another.
#[derive(Default)]
pub struct Analyzer {
    input: InputText,
    lattice: Lattice,
    nodes: Vec<LatticeNode>,
    path: Vec<PathWord>,
}

/// A word of a text.
#[derive(Clone)]
pub struct Morpheme<'a> {
    dictionary: &'a Dictionary,
    input: &'a InputText,
    word: Cow<'a, PathWord>,
}

impl Analyzer {
    /// Finds the words of a text. Cost: linear in the text, times the words that begin and end at a
    /// position.
    ///
    /// # Errors
    ///
    /// `E025` for a text longer than [`MAX_BYTES`]; `segment-dictionary` for a damaged dictionary
    /// that leaves no path through the text.
    pub fn analyze<'a>(
        &'a mut self,
        dictionary: &'a Dictionary,
        text: &str,
        mode: Mode,
    ) -> Result<impl ExactSizeIterator<Item = Morpheme<'a>>> {
        if text.len() > MAX_BYTES {
            let text =
                format!("the text has {} bytes; at most {MAX_BYTES} are analyzed", text.len());
            return Err(lexpool_error::Error::value(lexpool_error::codes::E025, text));
        }
        self.path.clear();
        self.input.set(text);
        if self.input.chars() > 0 {
            self.fill_lattice(dictionary);
            self.find_path(dictionary, mode)?;
        }
        let Analyzer { input, path, .. } = self;
        let input = &*input;
        Ok(path.iter().map(move |word| Morpheme { dictionary, input, word: Cow::Borrowed(word) }))
    }

    fn fill_lattice(&mut self, dictionary: &Dictionary) {
        let Analyzer { input, lattice, .. } = self;
        let Dictionary { costs, trie, lexicon, unknown, .. } = dictionary;
        let bytes = input.bytes();
        lattice.reset(input.chars(), Ties::First);
        for at in 0..input.chars() {
            if !lattice.is_reached(at) {
                continue;
            }
            let byte = input.byte(at);
            let mut is_begun = false;
            trie.prefixes(&bytes[byte..], |prefix| {
                let end = byte + prefix.len;
                if !input.can_end(end) {
                    return;
                }
                let end = input.char_at(end);
                lexicon.words_at(prefix.value, |id| {
                    let Some(word) = lexicon.word(id) else { return };
                    is_begun = true;
                    lattice.insert(at, end, word, costs);
                });
            });
            if input.can_begin_unknown(at) {
                let mut has_unknown = false;
                unknown.words_at(input, at, is_begun, |end, word| {
                    has_unknown = true;
                    lattice.insert(at, end, word, costs);
                });
                is_begun |= has_unknown;
            }
            if !is_begun {
                lattice.insert(at, input.word_end(at), unknown.symbol(), costs);
            }
        }
    }

    fn find_path(&mut self, dictionary: &Dictionary, mode: Mode) -> Result<()> {
        if !self.lattice.best_path(self.input.chars(), &dictionary.costs, &mut self.nodes) {
            return Err(damaged("no words of its cover a text"));
        }
        for node in &self.nodes {
            let chars = node.begin as usize..node.end as usize;
            let word = PathWord::resolve(dictionary, chars, WordRef::from_raw(node.id));
            self.path.push(word.ok_or_else(|| damaged("an entry ends beyond the file"))?);
        }
        join_numerals(dictionary, &self.input, &mut self.path);
        join_katakana(dictionary, &self.input, &self.lattice, &mut self.path);
        if mode != Mode::C && self.path.iter().any(|word| word.units(mode).is_some()) {
            let long = std::mem::take(&mut self.path);
            for word in long {
                word.split(dictionary, &self.input, mode, &mut self.path)?;
            }
        }
        Ok(())
    }
}

impl<'a> Morpheme<'a> {
    /// Returns the bytes of the text that the word covers. It is empty for the second of two words
    /// that one character stands for.
    pub fn range(&self) -> Range<usize> {
        self.input.origin(self.word.chars())
    }

    /// Returns the number of the word in the dictionary; `None` for unknown and joined words.
    pub fn word(&self) -> Option<WordId> {
        match self.word.forms() {
            Forms::Entry(id, _) => Some(*id),
            _ => None,
        }
    }

    /// Returns the number of the part of speech in [`Dictionary::parts_of_speech`].
    pub fn pos_number(&self) -> usize {
        usize::from(self.word.pos())
    }

    /// Returns the part of speech; `None` for a number of damaged bytes.
    pub fn part_of_speech(&self) -> Option<&'a PartOfSpeech> {
        self.dictionary.parts_of_speech().get(self.pos_number())
    }

    /// Appends the form of the dictionary, without inflection.
    pub fn push_lemma(&self, out: &mut String) {
        self.word.push_lemma(self.dictionary, self.input, out);
    }

    /// Appends the form that stands for all spellings of the word.
    pub fn push_norm(&self, out: &mut String) {
        self.word.push_norm(self.dictionary, self.input, out);
    }

    /// Appends the reading in katakana; the normalized text for unknown words.
    pub fn push_reading(&self, out: &mut String) {
        self.word.push_reading(self.dictionary, self.input, out);
    }

    /// Returns the units of the word in another mode: the word itself if it has one unit.
    ///
    /// # Errors
    ///
    /// `segment-dictionary` if the dictionary is damaged.
    pub fn split(&self, mode: Mode) -> Result<Vec<Morpheme<'a>>> {
        let mut units = Vec::new();
        let word = PathWord::clone(&self.word);
        word.split(self.dictionary, self.input, mode, &mut units)?;
        let (dictionary, input) = (self.dictionary, self.input);
        let morpheme = |word| Morpheme { dictionary, input, word: Cow::Owned(word) };
        Ok(units.into_iter().map(morpheme).collect())
    }
}
