//! The Japanese segmenter: words of Sudachi as spaCy's `JapaneseTokenizer` makes tokens of them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lexpool_lattice::sudachi::{Analyzer, Dictionary, MAX_BYTES, Mode, Morpheme};
use lexpool_segment::{Features, Segment, Segments, SubToken, TokenDetails, Whitespace};

use super::find::{find_installed, missing};
use super::japanese_pos::{SPACE, TaggedWord, resolve};
use super::pieces::pieces;
use crate::escape::shown;
use crate::mapped_file;
use crate::strings::chars;
use crate::{Error, Result, codes};

/// The length of Japanese words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitMode {
    /// Short units, as in `UniDic`.
    #[default]
    A,
    /// Middle units.
    B,
    /// Named entities and compounds in one.
    C,
}

impl SplitMode {
    /// Finds a mode by its letter.
    ///
    /// # Errors
    ///
    /// `config-value` for another text.
    pub fn from_name(name: &str) -> Result<SplitMode> {
        match name {
            "A" => Ok(SplitMode::A),
            "B" => Ok(SplitMode::B),
            "C" => Ok(SplitMode::C),
            _ => {
                let text = format!("split_mode is {name:?}; expected \"A\", \"B\" or \"C\"");
                Err(Error::value(codes::CONFIG_VALUE, text))
            }
        }
    }

    /// The letter of the mode.
    pub fn name(self) -> &'static str {
        match self {
            SplitMode::A => "A",
            SplitMode::B => "B",
            SplitMode::C => "C",
        }
    }

    fn mode(self) -> Mode {
        match self {
            SplitMode::A => Mode::A,
            SplitMode::B => Mode::B,
            SplitMode::C => Mode::C,
        }
    }
}

/// A segmenter with a dictionary of Sudachi's.
pub struct JapaneseSegmenter {
    dictionary: Dictionary,
    split_mode: SplitMode,
    /// Tags and inflections by part of speech.
    names: Vec<PosNames>,
    /// Memory of threads that analyze no text at the moment.
    analyzers: Mutex<Vec<Analyzer>>,
}

/// The names of a part of speech.
struct PosNames {
    tag: String,
    inflection: String,
}

impl JapaneseSegmenter {
    /// Opens a dictionary: a `system.dic`, or the folder of a package with `resources/system.dic`.
    /// Cost: about a millisecond.
    ///
    /// # Errors
    ///
    /// Those of opening the file, such as `file-not-found`; `segment-dictionary` for other files
    /// than a dictionary of Sudachi's.
    pub fn open(path: &Path, split_mode: SplitMode) -> Result<JapaneseSegmenter> {
        let in_package = path.join("resources").join("system.dic");
        let path = if path.is_dir() { &in_package } else { path };
        let dictionary = Dictionary::open(&mapped_file::map(path)?.1)
            .map_err(|error| error.context(shown(path)))?;
        let names = dictionary.parts_of_speech().iter();
        let names = names
            .map(|part| PosNames { tag: part.category(), inflection: part.inflection() })
            .collect();
        Ok(JapaneseSegmenter { dictionary, split_mode, names, analyzers: Mutex::default() })
    }

    /// Opens the dictionary of the package `sudachidict_core`, which is looked for in the folders
    /// of packages beside the program.
    ///
    /// # Errors
    ///
    /// `segmenter-data` if the package is in none; those of [`open`](JapaneseSegmenter::open).
    pub fn installed(split_mode: SplitMode) -> Result<JapaneseSegmenter> {
        match find_installed("sudachidict_core", "/system.dic") {
            Some(path) => JapaneseSegmenter::open(&path, split_mode),
            None => Err(missing("Japanese", "sudachidict_core")),
        }
    }

    /// Returns the shorter units of each token that has several, as spaCy does: for mode B those of
    /// mode A, for mode C those of modes A and B.
    fn sub_tokens(&self, text: &str) -> Result<Vec<Option<Vec<Vec<SubToken>>>>> {
        let mut out = Vec::new();
        // The position behind the last token, and whether a space there belongs to it.
        let (mut at, mut takes_space) = (0, false);
        self.with_analyzer(|analyzer| {
            for piece in pieces(text, MAX_BYTES) {
                let (start, text) = (piece.start, &text[piece]);
                let words = analyzer.analyze(&self.dictionary, text, self.split_mode.mode())?;
                for word in words.filter(|word| !word.range().is_empty()) {
                    let range = word.range();
                    if is_space(&text[range.clone()]) {
                        at += usize::from(takes_space && &text[range] == " ");
                        takes_space = false;
                        continue;
                    }
                    if at < start + range.start {
                        // Whitespace that is a token.
                        out.push(None);
                    }
                    out.push(self.units_of(text, &word)?);
                    (at, takes_space) = (start + range.end, true);
                }
            }
            Ok(())
        })?;
        if at < text.len() {
            out.push(None);
        }
        Ok(out)
    }

    /// Returns the shorter units of a word; `None` if it has none.
    fn units_of(&self, text: &str, word: &Morpheme<'_>) -> Result<Option<Vec<Vec<SubToken>>>> {
        let short = word.split(Mode::A)?;
        Ok(match self.split_mode {
            _ if short.len() == 1 => None,
            SplitMode::A => None,
            SplitMode::B => Some(vec![self.units(text, &short)]),
            SplitMode::C => {
                let middle = word.split(Mode::B)?;
                // Units of the same number are taken to be the same.
                let middle = if middle.len() == short.len() { &short } else { &middle };
                Some(vec![self.units(text, &short), self.units(text, middle)])
            }
        })
    }

    fn units(&self, text: &str, units: &[Morpheme<'_>]) -> Vec<SubToken> {
        let full_units = units.iter().filter(|unit| !unit.range().is_empty());
        let token = |unit: &Morpheme<'_>| {
            let mut token = SubToken { text: text[unit.range()].to_owned(), ..SubToken::default() };
            if let Some(names) = self.names.get(unit.pos_number()) {
                token.tag.clone_from(&names.tag);
                token.inflection.clone_from(&names.inflection);
            }
            unit.push_lemma(&mut token.lemma);
            unit.push_norm(&mut token.norm);
            unit.push_reading(&mut token.reading);
            token
        };
        full_units.map(token).collect()
    }

    fn with_analyzer<T>(&self, work: impl FnOnce(&mut Analyzer) -> Result<T>) -> Result<T> {
        let pool = || self.analyzers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut analyzer = pool().pop().unwrap_or_default();
        let result = work(&mut analyzer);
        pool().push(analyzer);
        result
    }

    /// Returns the tag of a word.
    fn tag(&self, word: &Morpheme<'_>) -> &str {
        self.names.get(word.pos_number()).map_or("", |names| &names.tag)
    }

    /// Hands over the words of a piece of a text, which begins at `start`.
    fn cut_piece(
        &self,
        analyzer: &mut Analyzer,
        text: &str,
        start: usize,
        out: &mut Segments<'_>,
    ) -> Result<()> {
        let words = analyzer.analyze(&self.dictionary, text, self.split_mode.mode())?;
        let words: Vec<Morpheme<'_>> = words.filter(|word| !word.range().is_empty()).collect();
        let (mut lemma, mut norm, mut morph) = (String::new(), String::new(), String::new());
        // The part of speech that the word before decides.
        let mut decided = None;
        for (i, word) in words.iter().enumerate() {
            let range = word.range();
            let place = start + range.start..start + range.end;
            if is_space(&text[range.clone()]) {
                out.push(place)?;
                continue;
            }
            let tag = self.tag(word);
            let next = self.next_tag(text, &words[i..]);
            let (pos, next_pos) = match decided.take() {
                Some(pos) => (pos, None),
                None => resolve(TaggedWord { text: &text[range], tag, next }),
            };
            // No pair with whitespace decides what follows, so this is the next word's.
            decided = next_pos;
            lemma.clear();
            word.push_lemma(&mut lemma);
            if lemma.is_empty() {
                lemma.push_str(&text[word.range()]);
            }
            norm.clear();
            word.push_norm(&mut norm);
            self.write_morph(word, &mut morph);
            let features = Features { tag, pos, lemma: &lemma, norm: &norm, morph: &morph };
            out.push_with(place, &features)?;
        }
        Ok(())
    }

    /// Returns the tag of the token behind the first of some words.
    fn next_tag<'s>(&'s self, text: &str, words: &[Morpheme<'_>]) -> Option<&'s str> {
        let end = words[0].range().end;
        let next = words[1..].iter().find(|word| !is_space(&text[word.range()]));
        let next_start = next.map_or(text.len(), |word| word.range().start);
        // One space belongs to the word in front of it.
        let space = words.get(1).is_some_and(|word| &text[word.range()] == " ");
        if next_start > end + usize::from(space) {
            return Some(SPACE);
        }
        next.map(|word| self.tag(word))
    }

    /// Writes the inflection and the reading of a word as morphological features.
    fn write_morph(&self, word: &Morpheme<'_>, out: &mut String) {
        out.clear();
        let inflection = self.names.get(word.pos_number()).map_or("", |names| &names.inflection);
        if !inflection.is_empty() {
            out.push_str("Inflection=");
            out.push_str(inflection);
        }
        let end = out.len();
        out.push_str(if end == 0 { "Reading=" } else { "|Reading=" });
        let start = out.len();
        word.push_reading(out);
        if out.len() == start {
            out.truncate(end);
        } else if out[start..].contains(['=', '|']) {
            let reading = out[start..].replace(['=', '|'], "_");
            out.replace_range(start.., &reading);
        }
    }
}

impl Segment for JapaneseSegmenter {
    fn name(&self) -> &'static str {
        "sudachi"
    }

    fn whitespace(&self) -> Whitespace {
        Whitespace::AttachedSegments
    }

    fn gap_features<'f>(&'f self, gap: &'f str) -> Option<Features<'f>> {
        let (pos, _) = resolve(TaggedWord { text: gap, tag: SPACE, next: None });
        Some(Features { tag: SPACE, pos, lemma: gap, norm: gap, morph: "" })
    }

    fn has_details(&self) -> bool {
        self.split_mode != SplitMode::A
    }

    fn details(&self, text: &str) -> Result<Option<TokenDetails>> {
        if !self.has_details() {
            return Ok(None);
        }
        Ok(Some(TokenDetails::SubTokens(self.sub_tokens(text)?)))
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        self.with_analyzer(|analyzer| {
            for piece in pieces(text, MAX_BYTES) {
                out.check()?;
                self.cut_piece(analyzer, &text[piece.clone()], piece.start, out)?;
            }
            Ok(())
        })
    }
}

/// Returns `true` for a text of whitespace.
fn is_space(text: &str) -> bool {
    text.chars().all(chars::is_space)
}
