//! The two formats of Sudachi's `system.dic`: blocks, which Sudachi 0.7 introduced, and the format
//! before.

use std::ops::Range;

use bytes::Bytes;
use lexpool_error::{Error, Result, codes};

use super::lexicon::{BlockLexicon, LegacyLexicon, Lexicon, legacy_len};
use super::part_of_speech::PartOfSpeech;
use crate::costs::ConnectionCosts;
use crate::damaged::damaged;
use crate::double_array::DoubleArray;
use crate::le::{Cursor, u16_at};

/// The first bytes of a file of blocks.
const MAGIC: &[u8; 16] = b"SudachiBinaryDic";

/// The first eight bytes of the format before, for system dictionaries.
const LEGACY_VERSIONS: [u64; 2] = [0x7366_d3f1_8bd1_11e7, 0xce9f_011a_9239_4434];

/// The same for user dictionaries.
const LEGACY_USER_VERSIONS: [u64; 3] =
    [0xa50f_3118_8bd2_11e7, 0x9fde_b5a9_0168_d868, 0xca98_1175_6ff6_4fb0];

/// The length of the header of the format before: version, time, and a description of 256 bytes.
const LEGACY_HEADER: usize = 8 + 8 + 256;

/// The sections of a file.
pub(super) struct Sections {
    pub(super) costs: ConnectionCosts,
    pub(super) parts_of_speech: Vec<PartOfSpeech>,
    pub(super) trie: DoubleArray,
    pub(super) lexicon: Lexicon,
}

impl Sections {
    /// Finds the sections of a file of either format.
    pub(super) fn read(file: &Bytes) -> Result<Sections> {
        if file.starts_with(MAGIC) {
            return read_blocks(file);
        }
        match Cursor::new(file, 0).u64() {
            Some(version) if LEGACY_VERSIONS.contains(&version) => read_legacy(file),
            Some(version) if LEGACY_USER_VERSIONS.contains(&version) => Err(Error::value(
                codes::SEGMENT_DICTIONARY,
                "the file is a user dictionary of Sudachi's; expected a system dictionary",
            )),
            _ => Err(Error::value(
                codes::SEGMENT_DICTIONARY,
                format!(
                    "the file begins with the bytes {:02x?}; expected a system dictionary of \
                     Sudachi's (system.dic)",
                    &file[..file.len().min(16)]
                ),
            )),
        }
    }
}

/// The names and ranges of the blocks of a file.
struct Blocks(Vec<(Vec<u8>, Range<usize>)>);

impl Blocks {
    fn read(file: &Bytes) -> Result<Blocks> {
        let mut cursor = Cursor::new(file, MAGIC.len());
        match cursor.u64() {
            Some(1) => {}
            version => {
                let text = format!("the format has version {version:?}; expected 1");
                return Err(Error::value(codes::SEGMENT_DICTIONARY, text));
            }
        }
        let mut read = || {
            // The time of creation, and flags.
            cursor.take(16)?;
            let string = |cursor: &mut Cursor<'_>| {
                let len = usize::try_from(cursor.varint()?).ok()?;
                cursor.take(len)
            };
            let (_comment, _signature) = (string(&mut cursor)?, string(&mut cursor)?);
            let system = string(&mut cursor)?;
            let (_indexed, _words) = (cursor.varint()?, cursor.varint()?);
            let mut blocks = Vec::new();
            for _ in 0..cursor.varint()? {
                let name = string(&mut cursor)?;
                let start = usize::try_from(cursor.varint()?).ok()?;
                let end = start.checked_add(usize::try_from(cursor.varint()?).ok()?)?;
                file.get(start..end)?;
                blocks.push((file[name].to_vec(), start..end));
            }
            Some((system, blocks))
        };
        let (system, blocks) = read().ok_or_else(|| damaged("its blocks end beyond the file"))?;
        if !system.is_empty() {
            let text = "the file is a user dictionary of Sudachi's; expected a system dictionary";
            return Err(Error::value(codes::SEGMENT_DICTIONARY, text));
        }
        Ok(Blocks(blocks))
    }

    fn find(&self, name: &str) -> Result<Range<usize>> {
        let named_block = self.0.iter().find(|(block, _)| block == name.as_bytes());
        let (_, range) = named_block.ok_or_else(|| damaged(&format!("it has no block {name}")))?;
        Ok(range.clone())
    }
}

fn read_blocks(file: &Bytes) -> Result<Sections> {
    let blocks = Blocks::read(file)?;
    let costs = costs(file, blocks.find("ConnMatrix")?)?;
    let parts = blocks.find("POS")?;
    let mut cursor = Cursor::new(&file[..parts.end], parts.start);
    let len = |cursor: &mut Cursor<'_>| cursor.u16().map(usize::from);
    let parts_of_speech = PartOfSpeech::read_all(file, &mut cursor, len)?;
    let trie = DoubleArray::new(file.slice(blocks.find("TrieIndex")?));
    let lexicon = Lexicon::Blocks(BlockLexicon {
        file: file.clone(),
        word_pointers: blocks.find("WordPointers")?,
        strings: blocks.find("Strings")?,
        entries: blocks.find("Entries")?,
    });
    Ok(Sections { costs, parts_of_speech, trie, lexicon })
}

fn read_legacy(file: &Bytes) -> Result<Sections> {
    let mut cursor = Cursor::new(file, LEGACY_HEADER);
    let parts_of_speech = PartOfSpeech::read_all(file, &mut cursor, legacy_len)?;
    let costs = costs(file, cursor.at()..file.len())?;
    let at = cursor.at() + 4 + 2 * costs.right_ids() * costs.left_ids();
    let mut cursor = Cursor::new(file, at);
    // The number of items of a table, which follows it.
    let mut table = |width: usize| {
        let count = cursor.u32()? as usize;
        cursor.take(count.checked_mul(width)?)
    };
    let mut tables = || Some((table(4)?, table(1)?, table(6)?));
    let (trie, word_ids, params) =
        tables().ok_or_else(|| damaged("its tables end beyond the file"))?;
    let offsets = cursor
        .take(4 * (params.len() / 6))
        .ok_or_else(|| damaged("the offsets of its words end beyond the file"))?;
    let trie = DoubleArray::new(file.slice(trie));
    let file = file.clone();
    let lexicon = Lexicon::Legacy(LegacyLexicon { file, word_ids, params, offsets });
    Ok(Sections { costs, parts_of_speech, trie, lexicon })
}

/// Reads connection costs, behind their two dimensions.
fn costs(file: &Bytes, range: Range<usize>) -> Result<ConnectionCosts> {
    let dimension = |at| u16_at(file, range.start + at).map(usize::from);
    let read = || {
        let (right_ids, left_ids) = (dimension(0)?, dimension(2)?);
        let cells = file.get(range.start + 4..range.end).map(|cells| file.slice_ref(cells))?;
        ConnectionCosts::new(&cells, right_ids, left_ids)
    };
    read().ok_or_else(|| damaged("its connection costs end beyond the file"))
}

/// Returns `true` for bytes that begin as a dictionary of Sudachi's does.
pub(super) fn is_dictionary(file: &[u8]) -> bool {
    let legacy =
        Cursor::new(file, 0).u64().is_some_and(|version| LEGACY_VERSIONS.contains(&version));
    file.starts_with(MAGIC) || legacy
}
