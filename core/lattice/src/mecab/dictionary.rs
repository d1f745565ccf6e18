//! An open dictionary.

use bytes::Bytes;
use lexpool_error::Result;

use super::char_classes::CharClasses;
use super::words::{TokenParams, Words};
use crate::costs::ConnectionCosts;
use crate::damaged::damaged;
use crate::le::u16_at;

/// The greatest penalty for whitespace that is used.
const MAX_PENALTY: i32 = 1 << 18;

/// The bytes of the files of a compiled dictionary.
#[derive(Clone, Debug)]
pub struct Files<'f> {
    /// `sys.dic`: the words.
    pub words: Bytes,
    /// `unk.dic`: the unknown words, by class of characters.
    pub unknown: Bytes,
    /// `matrix.bin`: the connection costs.
    pub costs: Bytes,
    /// `char.bin`: the classes of characters.
    pub chars: Bytes,
    /// `dicrc`: the settings; an empty text stands for a missing file.
    pub settings: &'f str,
}

/// A compiled dictionary of `MeCab`'s. Any number of threads may use it at once.
#[derive(Clone, Debug)]
pub struct Dictionary {
    pub(super) costs: ConnectionCosts,
    pub(super) chars: CharClasses,
    pub(super) words: Words,
    pub(super) unknown: Words,
    /// By class of characters, the numbers of its words in `unknown`.
    pub(super) unknown_by_class: Vec<Vec<u32>>,
    /// Parts of speech with their costs behind whitespace.
    penalties: Vec<(u16, i32)>,
}

impl Dictionary {
    /// Opens the bytes of a dictionary's files, which stay where they are. Cost: constant, but for
    /// the classes of unknown words.
    ///
    /// # Errors
    ///
    /// `segment-dictionary` for other files, another version or encoding, and parts that end beyond
    /// their file.
    pub fn open(files: &Files<'_>) -> Result<Dictionary> {
        let costs = || {
            let dimension = |at| u16_at(&files.costs, at).map(usize::from);
            let cells = files.costs.get(4..)?;
            ConnectionCosts::new(&files.costs.slice_ref(cells), dimension(0)?, dimension(2)?)
        };
        let costs = costs().ok_or_else(|| damaged("matrix.bin ends before its last cost"))?;
        let chars = CharClasses::read(&files.chars)?;
        let words = Words::read(&files.words, "sys.dic")?;
        let unknown = Words::read(&files.unknown, "unk.dic")?;
        let unknown_by_class: Vec<Vec<u32>> =
            chars.names().map(|name| unknown.find(name)).collect();
        if let Some(class) = unknown_by_class.iter().position(Vec::is_empty) {
            return Err(damaged(&format!("unk.dic has no word for class {class} of char.bin")));
        }
        let penalties = penalties(files.settings)?;
        Ok(Dictionary { costs, chars, words, unknown, unknown_by_class, penalties })
    }

    /// Returns what a word costs behind whitespace or elsewhere.
    #[inline]
    pub(super) fn cost(&self, params: TokenParams, behind_space: bool) -> i32 {
        let penalty = if behind_space {
            self.penalties.iter().find(|(pos, _)| *pos == params.pos).map_or(0, |(_, cost)| *cost)
        } else {
            0
        };
        i32::from(params.cost) + penalty
    }
}

/// Reads the costs of parts of speech behind whitespace: pairs of numbers, separated by commas.
fn penalties(settings: &str) -> Result<Vec<(u16, i32)>> {
    let rows = settings.lines().filter_map(|line| line.split_once('='));
    let Some((_, value)) =
        rows.into_iter().find(|(key, _)| key.trim() == "left-space-penalty-factor")
    else {
        return Ok(Vec::new());
    };
    let mut numbers = value.split(',').map(str::trim).filter(|number| !number.is_empty());
    let mut penalties = Vec::new();
    while let Some(pos) = numbers.next() {
        let mut pair = || Some((pos.parse().ok()?, numbers.next()?.parse::<i32>().ok()?));
        let (pos, cost) = pair().ok_or_else(|| {
            damaged(&format!("left-space-penalty-factor in dicrc is {value:?}; expected pairs"))
        })?;
        penalties.push((pos, cost.clamp(-MAX_PENALTY, MAX_PENALTY)));
    }
    Ok(penalties)
}
