//! Phrase file: the arrays of the phrase trie as they are in memory, to be memory-mapped.
//!
//! The file is a [container](crate::container). The site's page `files/phrases.mdx` describes its
//! sections; any change of them is a new version.

use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use bytes::Bytes;
use lexpool_structs::AttrId;

use super::layout::TrieView;
use super::prefix_filter::PrefixFilter;
use super::validate;
use crate::codes;
use crate::container::{Container, Kind, NewSection, Section, invalid_at};
use crate::escape::shown;
use crate::files::{AtomicFile, Links};
use crate::mapped_file;
use crate::strings::StrId;
use crate::vocab::Vocab;
use crate::{Error, Result};

const KIND: Kind = Kind::new("phrases", 1, "phrase file");
/// The names of the sections, and the sizes of their items.
const SECTIONS: [(&str, usize); 9] = [
    ("ids", 12),
    ("edges", 12),
    ("nodes", 20),
    ("labels", 4),
    ("key_lists", 4),
    ("keys", 8),
    ("ends", 4),
    ("text", 1),
    ("head", 4),
];
const KEYS: usize = 5;
const ENDS: usize = 6;
const TEXT: usize = 7;
/// The two halves of the seed of the hash tables, the lower one first, and the number of the
/// attribute that phrases are compared by.
const HEAD: usize = 8;

/// A phrase trie in a mapped file.
pub(super) struct MappedTrie {
    bytes: Bytes,
    seed: u64,
    sections: [Section; SECTIONS.len()],
    /// The only structure built from the file: at most eight bytes for each phrase.
    prefixes: PrefixFilter,
}

impl MappedTrie {
    /// Maps a file and validates all of it. Returns the trie and its attribute.
    pub(super) fn open(path: &Path) -> Result<(MappedTrie, AttrId)> {
        let (_, bytes) = mapped_file::map(path)?;
        MappedTrie::validate(bytes).map_err(|error| error.context(shown(path)))
    }

    fn validate(bytes: Bytes) -> Result<(MappedTrie, AttrId)> {
        let container = Container::read(&KIND, &bytes)?;
        container.verify(&bytes)?;
        let sections = container.exactly(SECTIONS)?;
        let at = sections[HEAD].range().start;
        let [seed_low, seed_high, number] = *sections[HEAD].items::<u32>(&bytes) else {
            return Err(invalid_at(codes::PHRASES_ATTR, at, "expected three numbers"));
        };
        let seed = u64::from(seed_high) << 32 | u64::from(seed_low);
        let attr = AttrId::new(number);
        if attr.name().is_none() {
            let text = format!("phrases are compared by attribute {number}, which is unknown");
            return Err(invalid_at(codes::PHRASES_ATTR, at + 8, text));
        }
        let mut mapped = MappedTrie { bytes, seed, sections, prefixes: PrefixFilter::new(seed) };
        let offsets = std::array::from_fn(|section| mapped.start(section));
        validate::trie(&mapped.view(), &offsets)?;
        mapped.check_strings()?;
        mapped.prefixes = PrefixFilter::of(&mapped.view())?;
        Ok((mapped, attr))
    }

    pub(super) fn view(&self) -> TrieView<'_> {
        TrieView {
            seed: self.seed,
            ids: self.section(0),
            edges: self.section(1),
            nodes: self.section(2),
            labels: self.section(3),
            key_lists: self.section(4),
            keys: self.section(KEYS),
        }
    }

    /// Returns the filter of the symbols that phrases start with.
    pub(super) fn prefixes(&self) -> &PrefixFilter {
        &self.prefixes
    }

    /// Stores the strings of the keys in a vocab.
    pub(super) fn add_strings(&self, vocab: &Vocab) -> Result<()> {
        let strings = vocab.strings();
        self.strings().try_for_each(|string| strings.add_permanent(string).map(|_| ()))
    }

    fn strings(&self) -> impl Iterator<Item = &str> {
        let (ends, bytes) = (self.section::<u32>(ENDS), self.section::<u8>(TEXT));
        let mut start = 0;
        ends.iter().map(move |end| {
            let string = bytes.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            std::str::from_utf8(string).unwrap_or_default()
        })
    }

    fn check_strings(&self) -> Result<()> {
        let (keys, ends) = (self.section::<u64>(KEYS), self.section::<u32>(ENDS));
        let bytes = self.section::<u8>(TEXT);
        let last = ends.last().map_or(0, |end| *end as usize);
        if ends.len() != keys.len() || !ends.is_sorted() || last != bytes.len() {
            let text = format!(
                "{} keys have {} strings, whose offsets must ascend and end at byte {last} of {}",
                keys.len(),
                ends.len(),
                bytes.len()
            );
            return Err(invalid_at(codes::PHRASES_STRINGS, self.start(ENDS), text));
        }
        let mut start = 0;
        for ((key, end), number) in keys.iter().zip(ends).zip(0..) {
            let end = *end as usize;
            let string = std::str::from_utf8(&bytes[start..end]).ok();
            if string.map(StrId::of) != Some(StrId::new(*key)) {
                let text = format!("the string of key {number} does not have the id {key}");
                return Err(invalid_at(codes::PHRASES_STRINGS, self.start(TEXT) + start, text));
            }
            start = end;
        }
        Ok(())
    }

    fn section<T: Pod>(&self, section: usize) -> &[T] {
        self.sections[section].items(&self.bytes)
    }

    fn start(&self, section: usize) -> usize {
        self.sections[section].range().start
    }
}

/// Writes a trie to a file, atomically.
pub(super) fn save(
    path: &Path,
    view: &TrieView<'_>,
    attr: AttrId,
    vocab: &Arc<Vocab>,
) -> Result<()> {
    AtomicFile::write(path, &to_bytes(view, attr, vocab)?, Links::Followed)
}

/// Serializes a trie to the bytes of a file.
pub(super) fn to_bytes(view: &TrieView<'_>, attr: AttrId, vocab: &Arc<Vocab>) -> Result<Vec<u8>> {
    let (mut ends, mut strings) = (Vec::with_capacity(view.keys.len()), String::new());
    let snapshot = vocab.snapshot();
    for key in view.keys {
        strings.push_str(snapshot.string(StrId::new(*key)).ok_or_else(|| {
            let text = format!("key {key} has no string in the vocab; files store keys as strings");
            Error::new(crate::ErrorKind::Key, codes::E018, text)
        })?);
        ends.push(u32::try_from(strings.len()).map_err(|_| {
            Error::value(
                codes::PHRASE_LIMIT,
                "the strings of the keys have more than 4 GiB in total",
            )
        })?);
    }
    let seed: [u32; 2] = bytemuck::must_cast(view.seed);
    let head = [seed[0], seed[1], attr.number()];
    let arrays: [&[u8]; SECTIONS.len()] = [
        bytemuck::cast_slice(view.ids),
        bytemuck::cast_slice(view.edges),
        bytemuck::cast_slice(view.nodes),
        bytemuck::cast_slice(view.labels),
        bytemuck::cast_slice(view.key_lists),
        bytemuck::cast_slice(view.keys),
        bytemuck::cast_slice(&ends),
        strings.as_bytes(),
        bytemuck::cast_slice(&head),
    ];
    let sections = SECTIONS.iter().zip(arrays);
    let sections =
        sections.map(|((name, size), bytes)| NewSection::new(name, bytes).items_of(*size));
    KIND.to_bytes(&sections.collect::<Vec<_>>())
}
