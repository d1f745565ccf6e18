//! The words of a path through a lattice.

use std::ops::Range;

use lexpool_error::Result;

use super::dictionary::Dictionary;
use super::input::InputText;
use super::lexicon::{References, WordEntry, WordId};
use super::word_ref::WordRef;
use crate::damaged::damaged;

/// The length of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Short units, as in `UniDic`.
    #[default]
    A,
    /// Middle units.
    B,
    /// Named entities and compounds in one.
    C,
}

/// A word of a path.
#[derive(Clone, Debug)]
pub(super) struct PathWord {
    begin: usize,
    end: usize,
    pos: u16,
    forms: Forms,
}

/// The lemma, the norm and the reading of a word.
#[derive(Clone, Debug)]
pub(super) enum Forms {
    /// As the dictionary says.
    Entry(WordId, Box<WordEntry>),
    /// As in the normalized text.
    Text,
    /// As its parts, for joined words.
    Joined(Box<JoinedForms>),
}

#[derive(Clone, Debug)]
pub(super) struct JoinedForms {
    lemma: String,
    norm: String,
    reading: String,
}

impl Forms {
    pub(super) fn joined(lemma: String, norm: String, reading: String) -> Forms {
        Forms::Joined(Box::new(JoinedForms { lemma, norm, reading }))
    }
}

impl PathWord {
    pub(super) fn new(chars: Range<usize>, pos: u16, forms: Forms) -> PathWord {
        PathWord { begin: chars.start, end: chars.end, pos, forms }
    }

    /// Reads the entry of a word of the lattice; `None` if the dictionary is damaged.
    pub(super) fn resolve(
        dictionary: &Dictionary,
        chars: Range<usize>,
        word: WordRef,
    ) -> Option<PathWord> {
        Some(match word.resolve() {
            Ok(id) => {
                let entry = dictionary.lexicon.entry(id)?;
                PathWord::new(chars, entry.pos, Forms::Entry(id, Box::new(entry)))
            }
            Err(pos) => PathWord::new(chars, pos, Forms::Text),
        })
    }

    pub(super) fn chars(&self) -> Range<usize> {
        self.begin..self.end
    }

    pub(super) fn forms(&self) -> &Forms {
        &self.forms
    }

    pub(super) fn pos(&self) -> u16 {
        self.pos
    }

    /// Returns `true` for unknown and joined words.
    pub(super) fn is_unknown(&self) -> bool {
        !matches!(self.forms, Forms::Entry(..))
    }

    /// Returns `true` if the norm is one ASCII character.
    pub(super) fn norm_is(&self, dictionary: &Dictionary, input: &InputText, c: u8) -> bool {
        match &self.forms {
            Forms::Entry(_, entry) => dictionary.lexicon.is_char(&entry.norm, c),
            Forms::Text => input.slice(self.chars()).as_bytes() == [c],
            Forms::Joined(forms) => forms.norm.as_bytes() == [c],
        }
    }

    pub(super) fn push_lemma(&self, dictionary: &Dictionary, input: &InputText, out: &mut String) {
        match &self.forms {
            Forms::Entry(_, entry) => dictionary.lexicon.push(&entry.lemma, out),
            Forms::Text => out.push_str(input.slice(self.chars())),
            Forms::Joined(forms) => out.push_str(&forms.lemma),
        }
    }

    pub(super) fn push_norm(&self, dictionary: &Dictionary, input: &InputText, out: &mut String) {
        match &self.forms {
            Forms::Entry(_, entry) => dictionary.lexicon.push(&entry.norm, out),
            Forms::Text => out.push_str(input.slice(self.chars())),
            Forms::Joined(forms) => out.push_str(&forms.norm),
        }
    }

    pub(super) fn push_reading(
        &self,
        dictionary: &Dictionary,
        input: &InputText,
        out: &mut String,
    ) {
        match &self.forms {
            Forms::Entry(_, entry) => dictionary.lexicon.push(&entry.reading, out),
            Forms::Text => out.push_str(input.slice(self.chars())),
            Forms::Joined(forms) => out.push_str(&forms.reading),
        }
    }

    /// Returns the units of the word in a mode; `None` if it has one unit.
    pub(super) fn units(&self, mode: Mode) -> Option<&References> {
        let Forms::Entry(_, entry) = &self.forms else { return None };
        let units = match mode {
            Mode::A => &entry.short_units,
            Mode::B => &entry.middle_units,
            Mode::C => return None,
        };
        (units.0.len() > 4).then_some(units)
    }

    /// Appends the units of the word. Each has the length that the dictionary says, and the last
    /// what is left.
    pub(super) fn split(
        self,
        dictionary: &Dictionary,
        input: &InputText,
        mode: Mode,
        out: &mut Vec<PathWord>,
    ) -> Result<()> {
        let Some(units) = self.units(mode) else {
            out.push(self);
            return Ok(());
        };
        let mut units = dictionary.lexicon.references(units);
        let mut begin = self.chars().start;
        while let Some(id) = units.next() {
            let entry = dictionary.lexicon.entry(id);
            let entry = entry.ok_or_else(|| damaged("a unit of a word ends beyond the file"))?;
            let mut end = self.chars().end;
            if units.len() > 0 {
                end = input.char_at(input.byte(begin) + entry.len).clamp(begin, end);
            }
            out.push(PathWord::new(begin..end, entry.pos, Forms::Entry(id, Box::new(entry))));
            begin = end;
        }
        Ok(())
    }
}
