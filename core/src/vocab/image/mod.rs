//! A vocab in a file, mapped and not parsed: strings, lexemes and a ready index over them.
//!
//! An [`MappedVocab`] is what a vocab begins with. It stays as it is, but for attributes of lexemes, which
//! may be set for this process; new words and strings go to the tables that a vocab has anyway.
//! [`Builder`] makes one, [`Vocab::open`](super::Vocab::open) opens it. Opening judges the header
//! and the bounds of the sections and looks at nothing else, so it takes as long for a million words
//! as for ten; what is read later is bounded where it is read. The site's `files/vocab.mdx` has the bytes.

mod builder;
mod check;
mod index;
mod layout;
mod memory;
mod meta;
#[cfg(test)]
mod mutations;
mod open;
#[cfg(test)]
mod tests;
mod texts;
mod vectors;

use std::ops::Range;

pub use builder::Builder;
pub use open::{OpenOptions, Verify};

use super::Getters;
use crate::strings::{BaseStrings, StrId, symbol_name};
use crate::{Error, Result};
use index::Slots;
use layout::{Header, Sections};
use memory::Memory;
pub use meta::Meta;

/// Strings and lexemes as they lie in a file.
pub struct MappedVocab {
    memory: Memory,
    header: Header,
    sections: Sections,
    /// How many words there are, the empty one not counted; the first strings are theirs.
    words: u32,
    strings: u32,
}

impl MappedVocab {
    /// How many words there are; the lexeme of string `i` is at position `i + 1`.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// How many strings there are, those of words first.
    pub fn strings(&self) -> u32 {
        self.strings
    }

    /// How many bytes the image has.
    pub fn size(&self) -> usize {
        self.memory.len()
    }

    /// The sections with their names and where they lie in the image.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> + '_ {
        layout::NAMES.into_iter().zip(self.sections.ranges.iter().cloned())
    }

    /// The string at a position; none without one, and where the bytes are no UTF-8.
    pub fn string(&self, position: u32) -> Option<&str> {
        let range = self.range_of(position)?;
        std::str::from_utf8(self.bytes(layout::TEXT).get(range)?).ok()
    }

    /// The id of the string at a position.
    #[inline]
    pub fn id(&self, position: u32) -> Option<StrId> {
        if position < self.words {
            return Some(self.cells().get(position as usize + 1)?.orth());
        }
        let ids: &[u64] = self.section(layout::IDS);
        ids.get((position - self.words) as usize).copied().map(StrId::new)
    }

    /// The position of the string of an id. Cost: a few loads.
    pub fn position(&self, id: StrId) -> Option<u32> {
        self.slots().find(id.get(), |position| self.id(position) == Some(id))
    }

    /// The position of the lexeme of an id.
    pub fn lexeme(&self, id: StrId) -> Option<u32> {
        self.position(id).filter(|position| *position < self.words).map(|position| position + 1)
    }

    /// The normal forms of morphological analyses, as ids of strings.
    pub fn morphs(&self) -> &[u64] {
        self.section(layout::MORPHS)
    }

    /// The norms of special cases; the number of the first one is 1.
    pub fn norms(&self) -> &[u64] {
        self.section(layout::NORMS)
    }

    /// How new words get their attributes, and the settings. Cost: that of reading as much JSON.
    ///
    /// # Errors
    ///
    /// `image-meta` if it is no such JSON.
    pub fn meta(&self) -> Result<Meta> {
        Meta::read(self.bytes(layout::META)).map_err(|error| {
            let start = self.sections.get(layout::META).start;
            error.context(format_args!("at byte {start}"))
        })
    }

    /// The getters for new words; without those that are missing, words cannot be entered.
    pub(super) fn getters(&self) -> Getters {
        match self.meta() {
            Ok(meta) => meta.getters,
            Err(error) => Getters::unreadable(&error),
        }
    }

    /// Where a string lies in the text.
    fn range_of(&self, position: u32) -> Option<Range<usize>> {
        let start = match position.checked_sub(1) {
            Some(before) => self.end(before)?,
            None => 0,
        };
        Some(start..self.end(position)?)
    }

    fn end(&self, position: u32) -> Option<usize> {
        let at = position as usize;
        if self.sections.small_ends {
            return self.section::<u32>(layout::ENDS).get(at).map(|end| *end as usize);
        }
        usize::try_from(*self.section::<u64>(layout::ENDS).get(at)?).ok()
    }

    fn slots(&self) -> Slots<'_> {
        Slots {
            table: self.section(layout::SLOTS),
            seed: self.header.seed,
            longest: self.header.longest[0],
            items: self.strings,
        }
    }

    fn bytes(&self, section: usize) -> &[u8] {
        self.section(section)
    }

    fn section<T: bytemuck::Pod>(&self, section: usize) -> &[T] {
        self.items(self.sections.get(section))
    }

    /// Whether a section may be written while it is read.
    fn is_written(&self, range: &Range<usize>) -> bool {
        [layout::LEXEMES, layout::ROWS].iter().any(|section| {
            let written = self.sections.get(*section);
            !range.is_empty() && !written.is_empty() && written.start == range.start
        })
    }
}

impl BaseStrings for MappedVocab {
    fn len(&self) -> u32 {
        self.strings
    }

    fn unstored(&self) -> u32 {
        self.header.symbols
    }

    fn position(&self, id: StrId) -> Option<u32> {
        self.position(id)
    }

    fn get(&self, position: u32) -> Option<(StrId, &str)> {
        Some((self.id(position)?, self.string(position)?))
    }

    fn at(&self, position: u32) -> &str {
        self.string(position).unwrap_or_default()
    }
}

/// Whether an id is that of a symbol or of the empty string, which are not stored as strings.
fn is_symbol(id: StrId) -> bool {
    symbol_name(id).is_some()
}

/// What is wrong with an image, and where.
fn fault(code: &'static str, offset: usize, text: impl AsRef<str>) -> Error {
    broken(code, format!("at byte {offset}: {}", text.as_ref()))
}

fn broken(code: &'static str, text: impl Into<String>) -> Error {
    Error::value(code, text)
}
