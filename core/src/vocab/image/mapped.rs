//! The mapped vocab: reading strings, lexemes and settings of an image in place.

use std::ops::Range;

use super::hash_index::SlotTable;
use super::image_memory::ImageMemory;
use super::layout::{self, Head, Sections};
use super::meta::ImageMeta;
use crate::Result;
use crate::strings::{BaseStrings, StrId};
use crate::vocab::getters::Getters;

/// A memory-mapped vocab image: strings and lexemes as they lie in a file.
pub struct MappedVocab {
    pub(super) memory: ImageMemory,
    pub(super) head: Head,
    pub(super) sections: Sections,
    /// The number of words without the empty one; the first strings are theirs.
    pub(super) words: u32,
    pub(super) strings: u32,
}

impl MappedVocab {
    /// Returns the number of words; the lexeme of string `i` is at position `i + 1`.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// Returns the number of strings, those of words first.
    pub fn strings(&self) -> u32 {
        self.strings
    }

    /// Returns the size of the image in bytes.
    pub fn size(&self) -> usize {
        self.memory.len()
    }

    /// Returns the sections: their names and byte ranges.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.sections.iter().map(|section| (section.name(), section.range()))
    }

    /// Returns the string at a position, or `None` beyond the end or if the bytes are not UTF-8.
    pub fn string(&self, position: u32) -> Option<&str> {
        let range = self.range_of(position)?;
        std::str::from_utf8(self.bytes(layout::TEXT).get(range)?).ok()
    }

    /// Returns the id of the string at a position.
    #[inline]
    pub fn id(&self, position: u32) -> Option<StrId> {
        if position < self.words {
            return Some(self.cells().get(position as usize + 1)?.orth());
        }
        let ids: &[u64] = self.section(layout::IDS);
        ids.get((position - self.words) as usize).copied().map(StrId::new)
    }

    /// Returns the position of the string of an id. Cost: a few loads.
    pub fn position(&self, id: StrId) -> Option<u32> {
        self.slots().find(id.get(), |position| self.id(position) == Some(id))
    }

    /// Returns the position of the lexeme of an id.
    pub fn lexeme(&self, id: StrId) -> Option<u32> {
        self.position(id).filter(|position| *position < self.words).map(|position| position + 1)
    }

    /// Returns the normal forms of morphological analyses, as string ids.
    pub fn morphs(&self) -> &[u64] {
        self.section(layout::MORPHS)
    }

    /// Returns the norms of special cases; the number of the first one is 1.
    pub fn norms(&self) -> &[u64] {
        self.section(layout::NORMS)
    }

    /// Returns the getters and the settings. Cost: parsing the JSON of the section.
    ///
    /// # Errors
    ///
    /// `image-meta` if the JSON is invalid.
    pub fn meta(&self) -> Result<ImageMeta> {
        ImageMeta::read(self.bytes(layout::META)).map_err(|error| {
            let start = self.sections.start(layout::META);
            error.context(format_args!("at byte {start}"))
        })
    }

    /// Returns the getters for new words. If functions are missing or the settings are invalid,
    /// they add no words.
    pub(in crate::vocab) fn getters(&self) -> Getters {
        match self.meta() {
            Ok(meta) => meta.getters,
            Err(error) => Getters::unreadable(&error),
        }
    }

    /// Returns the byte range of a string in the text section.
    pub(super) fn range_of(&self, position: u32) -> Option<Range<usize>> {
        let start = match position.checked_sub(1) {
            Some(before) => self.end(before)?,
            None => 0,
        };
        Some(start..self.end(position)?)
    }

    fn end(&self, position: u32) -> Option<usize> {
        let at = position as usize;
        if self.sections.small_ends() {
            return self.section::<u32>(layout::ENDS).get(at).map(|end| *end as usize);
        }
        usize::try_from(*self.section::<u64>(layout::ENDS).get(at)?).ok()
    }

    pub(super) fn slots(&self) -> SlotTable<'_> {
        SlotTable {
            table: self.section(layout::SLOTS),
            seed: self.head.seed,
            max_probe: self.head.max_probes[0],
            items: self.strings,
        }
    }

    fn bytes(&self, section: usize) -> &[u8] {
        self.section(section)
    }

    pub(super) fn section<T: bytemuck::Pod>(&self, section: usize) -> &[T] {
        self.items(&self.sections.get(section).range())
    }

    /// Returns whether a section is writable.
    pub(super) fn is_writable(&self, range: &Range<usize>) -> bool {
        [layout::LEXEMES, layout::ROWS].iter().any(|section| {
            let writable = self.sections.get(*section).range();
            !range.is_empty() && !writable.is_empty() && writable.start == range.start
        })
    }
}

impl BaseStrings for MappedVocab {
    fn len(&self) -> u32 {
        self.strings
    }

    fn symbol_count(&self) -> u32 {
        self.head.symbols
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
