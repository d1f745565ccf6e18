//! The sections of an image.
//!
//! The site's `files/vocab.mdx` describes every byte; every change of the layout needs another
//! version of the kind.

use crate::codes;
use crate::container::{Container, Kind, NewSection, Section, invalid_at};
use crate::{Error, Result};

pub(super) const KIND: Kind = Kind::new("vocab", 1, "vocab image");

/// The number of sections.
pub(super) const SECTIONS: usize = 13;

pub(super) const META: usize = 0;
pub(super) const LEXEMES: usize = 1;
pub(super) const ENDS: usize = 2;
pub(super) const TEXT: usize = 3;
pub(super) const IDS: usize = 4;
pub(super) const SLOTS: usize = 5;
pub(super) const NORMS: usize = 6;
pub(super) const MORPHS: usize = 7;
pub(super) const ROWS: usize = 8;
pub(super) const KEYS: usize = 9;
pub(super) const KEY_ROWS: usize = 10;
pub(super) const KEY_SLOTS: usize = 11;
pub(super) const HEAD: usize = 12;

/// The names of the sections, and the sizes of their items in bytes; ends of strings have
/// `SMALL_END` bytes if all of them fit.
const LAYOUT: [(&str, usize); SECTIONS] = [
    ("meta", 1),
    ("lexemes", 80),
    ("ends", 8),
    ("text", 1),
    ("ids", 8),
    ("slots", 4),
    ("norms", 8),
    ("morphs", 8),
    ("rows", 4),
    ("keys", 8),
    ("key_rows", 4),
    ("key_slots", 4),
    ("head", 4),
];
const SMALL_END: usize = 4;

/// The layout of an image whose ends of strings have four bytes or eight.
fn layout(small_ends: bool) -> [(&'static str, usize); SECTIONS] {
    let mut layout = LAYOUT;
    if small_ends {
        layout[ENDS].1 = SMALL_END;
    }
    layout
}

/// The sections of an image.
#[derive(Clone, Debug)]
pub(super) struct Sections([Section; SECTIONS]);

impl Sections {
    /// Takes the sections of a container.
    ///
    /// # Errors
    ///
    /// `container-table` for other sections.
    pub(super) fn of(container: Container) -> Result<Sections> {
        let item_size = container.get(LAYOUT[ENDS].0).map(Section::item_size);
        container.exactly(layout(item_size == Some(SMALL_END))).map(Sections)
    }

    pub(super) fn get(&self, section: usize) -> &Section {
        &self.0[section]
    }

    /// Returns the place where a section begins.
    pub(super) fn start(&self, section: usize) -> usize {
        self.get(section).range().start
    }

    /// Returns whether ends of strings have four bytes.
    pub(super) fn small_ends(&self) -> bool {
        self.get(ENDS).item_size() == SMALL_END
    }

    /// Returns the sections.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Section> {
        self.0.iter()
    }
}

/// The numbers in the section `head`, in this order; the lower half of the seed comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// The seed of both hash indices.
    pub(super) seed: u64,
    /// The maximum distance of an item to its first slot, in the index of strings and in that of
    /// keys.
    pub(super) max_probes: [u32; 2],
    /// The number of words that are symbols, which are not stored as strings.
    pub(super) symbols: u32,
}

impl Head {
    /// Reads the head of an image, given its bytes.
    ///
    /// # Errors
    ///
    /// `container-checksum`; `image-section` if there is not one head.
    pub(super) fn of(sections: &Sections, bytes: &[u8]) -> Result<Head> {
        let section = sections.get(HEAD);
        section.verify(bytes)?;
        let [seed_low, seed_high, strings, keys, symbols] = *section.items(bytes) else {
            let start = section.range().start;
            return Err(invalid_at(codes::IMAGE_SECTION, start, "expected five numbers"));
        };
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        Ok(Head { seed, max_probes: [strings, keys], symbols })
    }

    /// Returns the numbers of the section.
    pub(super) fn numbers(&self) -> [u32; 5] {
        let [low, high]: [u32; 2] = bytemuck::must_cast(self.seed);
        [low, high, self.max_probes[0], self.max_probes[1], self.symbols]
    }
}

/// Writes an image of these sections to a sink.
///
/// # Errors
///
/// Those of [`Kind::write`].
pub(super) fn write(
    arrays: [&[u8]; SECTIONS],
    small_ends: bool,
    put: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> Result<()> {
    let sections = layout(small_ends).into_iter().zip(arrays);
    let sections =
        sections.map(|((name, size), bytes)| NewSection::new(name, bytes).items_of(size));
    KIND.write(&sections.collect::<Vec<_>>(), put)
}
