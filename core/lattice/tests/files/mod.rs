//! Writers of small dictionaries in the formats of Sudachi and `MeCab`.

#![allow(dead_code, reason = "each test file uses one of the formats")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

/// Returns a file of tests/files/dictionaries.
pub(crate) fn reference(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/files/dictionaries");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

/// The formats of Sudachi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Before Sudachi 0.7.
    Legacy,
    /// Since Sudachi 0.7.
    Blocks,
}

/// A word of a dictionary. Longer words are cheaper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) text: &'static str,
    pub(crate) category: &'static str,
    pub(crate) reading: &'static str,
    lemma: Option<usize>,
    norm: Option<usize>,
    units: &'static [usize],
}

impl Entry {
    pub(crate) const fn new(
        text: &'static str,
        category: &'static str,
        reading: &'static str,
    ) -> Entry {
        Entry { text, category, reading, lemma: None, norm: None, units: &[] }
    }

    pub(crate) const fn lemma(mut self, word: usize) -> Entry {
        self.lemma = Some(word);
        self
    }

    pub(crate) const fn norm(mut self, word: usize) -> Entry {
        self.norm = Some(word);
        self
    }

    pub(crate) const fn units(mut self, words: &'static [usize]) -> Entry {
        self.units = words;
        self
    }
}

/// Returns the parameters of each word: connection ids and cost.
fn params() -> Vec<u8> {
    [1_i16, 1, 100].iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The categories that the analysis itself needs.
const CATEGORIES: [&str; 3] = ["補助記号-一般", "名詞-数詞", "名詞-普通名詞-一般"];

/// Returns the bytes of a dictionary.
pub(crate) fn dictionary(words: &[Entry], format: Format) -> Bytes {
    write(words, format, &CATEGORIES).into()
}

/// Returns the bytes of a dictionary without a category for unknown symbols.
pub(crate) fn without_symbols(words: &[Entry]) -> Vec<u8> {
    write(words, Format::Blocks, &[])
}

fn write(words: &[Entry], format: Format, more: &[&str]) -> Vec<u8> {
    let mut categories: Vec<&str> = more.to_vec();
    for word in words {
        if !categories.contains(&word.category) {
            categories.push(word.category);
        }
    }
    let pos = |word: &Entry| categories.iter().position(|c| *c == word.category).unwrap();
    match format {
        Format::Legacy => legacy(words, &categories, &pos),
        Format::Blocks => blocks(words, &categories, &pos),
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn levels(category: &str) -> Vec<String> {
    let mut levels: Vec<String> = category.split('-').map(str::to_owned).collect();
    levels.resize(6, "*".to_owned());
    levels
}

/// Two ids on each side; each connection costs nothing.
fn costs() -> Vec<u8> {
    let mut out: Vec<u8> = [2_u16, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
    out.extend([0; 8]);
    out
}

fn legacy_string(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().count();
    let mut out =
        if units < 128 { vec![units as u8] } else { vec![0x80 | (units >> 8) as u8, units as u8] };
    out.extend(utf16(text));
    out
}

fn legacy(words: &[Entry], categories: &[&str], pos: &dyn Fn(&Entry) -> usize) -> Vec<u8> {
    let mut out = 0xce9f_011a_9239_4434_u64.to_le_bytes().to_vec();
    out.extend([0; 8 + 256]);
    out.extend((categories.len() as u16).to_le_bytes());
    for level in categories.iter().flat_map(|category| levels(category)) {
        out.extend(legacy_string(&level));
    }
    out.extend(costs());
    let mut table = Vec::new();
    let mut keys = BTreeMap::new();
    for (number, word) in words.iter().enumerate() {
        keys.insert(word.text.as_bytes().to_vec(), table.len() as u32);
        table.push(1);
        table.extend((number as u32).to_le_bytes());
    }
    let trie = double_array(&keys);
    out.extend((trie.len() as u32).to_le_bytes());
    out.extend(trie.iter().flat_map(|unit| unit.to_le_bytes()));
    out.extend((table.len() as u32).to_le_bytes());
    out.extend(table);
    out.extend((words.len() as u32).to_le_bytes());
    out.extend(words.iter().flat_map(|_| params()));
    let mut entries = Vec::new();
    let start = out.len() + 4 * words.len();
    for (number, word) in words.iter().enumerate() {
        out.extend(((start + entries.len()) as u32).to_le_bytes());
        entries.extend(legacy_string(word.text));
        let len = word.text.len();
        assert!(len < 128);
        entries.push(len as u8);
        entries.extend((pos(word) as u16).to_le_bytes());
        // An empty form is the word itself.
        entries.extend(legacy_string(word.norm.map_or("", |norm| words[norm].text)));
        let lemma = word.lemma.map_or(-1, |lemma| lemma as i32);
        entries.extend(if lemma == number as i32 { -1 } else { lemma }.to_le_bytes());
        entries.extend(legacy_string(if word.reading == word.text { "" } else { word.reading }));
        for _ in 0..2 {
            entries.push(word.units.len() as u8);
            entries.extend(word.units.iter().flat_map(|&unit| (unit as u32).to_le_bytes()));
        }
        entries.extend([0, 0]);
    }
    out.extend(entries);
    out
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// Strings of a file, with pointers to them.
#[derive(Default)]
struct Strings(Vec<u8>);

impl Strings {
    fn add(&mut self, text: &str) -> u32 {
        let len = text.encode_utf16().count() as u32;
        let extra = len.saturating_sub(19);
        let bits = 32 - extra.leading_zeros();
        let shift = bits.saturating_sub(1);
        while (self.0.len() / 2) % (1 << shift) != 0 {
            self.0.extend([0, 0]);
        }
        let offset = ((self.0.len() / 2) >> shift) as u32;
        self.0.extend(utf16(text));
        if bits == 0 {
            return (len << 27) | offset;
        }
        let stored = extra ^ (1 << (bits - 1));
        ((19 + bits) << 27) | (stored << (28 - bits)) | offset
    }
}

fn blocks(words: &[Entry], categories: &[&str], pos: &dyn Fn(&Entry) -> usize) -> Vec<u8> {
    // Entries have a fixed part of 32 bytes and their units; numbers are eighths of offsets.
    let size = |word: &Entry| (32 + 4 * word.units.len()).next_multiple_of(8);
    let ids: Vec<u32> = words
        .iter()
        .scan(32, |at, word| {
            let id = *at / 8;
            *at += size(word);
            Some(id as u32)
        })
        .collect();
    let mut strings = Strings::default();
    let mut entries = vec![0; 32];
    for (word, &id) in words.iter().zip(&ids) {
        let start = entries.len();
        entries.extend(params());
        entries.extend((pos(word) as u16).to_le_bytes());
        entries.extend(strings.add(word.text).to_le_bytes());
        entries.extend(strings.add(word.reading).to_le_bytes());
        entries.extend(word.norm.map_or(id, |norm| ids[norm]).to_le_bytes());
        entries.extend(word.lemma.map_or(id, |lemma| ids[lemma]).to_le_bytes());
        entries.extend((word.text.len() as u16).to_le_bytes());
        // The units of mode A are those of mode B, which stand in the file.
        entries.extend([0, word.units.len() as u8, 0xff, 0, 0, 0]);
        entries.extend(word.units.iter().flat_map(|&unit| ids[unit].to_le_bytes()));
        entries.resize(start + size(word), 0);
    }
    let mut pointers = Vec::new();
    let mut keys = BTreeMap::new();
    for (word, &id) in words.iter().zip(&ids) {
        keys.insert(word.text.as_bytes().to_vec(), pointers.len() as u32);
        pointers.extend(varint(1));
        pointers.extend(varint(id as usize));
    }
    let trie = double_array(&keys).iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let mut parts = (categories.len() as u16).to_le_bytes().to_vec();
    for level in categories.iter().flat_map(|category| levels(category)) {
        parts.extend((level.encode_utf16().count() as u16).to_le_bytes());
        parts.extend(utf16(&level));
    }
    let blocks: [(&str, Vec<u8>); 6] = [
        ("ConnMatrix", costs()),
        ("POS", parts),
        ("WordPointers", pointers),
        ("TrieIndex", trie),
        ("Strings", strings.0),
        ("Entries", entries),
    ];
    let mut out = b"SudachiBinaryDic".to_vec();
    out.extend(1_u64.to_le_bytes());
    out.extend([0; 16]);
    out.extend([0, 0, 0]);
    out.extend([varint(words.len()), varint(words.len()), varint(blocks.len())].concat());
    let mut start = 1024;
    let mut body = Vec::new();
    for (name, block) in blocks {
        out.extend([varint(name.len()), name.into(), varint(start), varint(block.len())].concat());
        start += block.len().next_multiple_of(16);
        body.extend(block);
        body.resize(start - 1024, 0);
    }
    out.resize(1024, 0);
    out.extend(body);
    out
}

/// Builds a trie of units of 32 bits. The children of each node have a block of 256 units of their
/// own, so that no two nodes collide.
fn double_array(keys: &BTreeMap<Vec<u8>, u32>) -> Vec<u32> {
    let mut units = vec![0; 256];
    let mut waiting = vec![(0_usize, Vec::new())];
    while let Some((node, prefix)) = waiting.pop() {
        // The offset of a whole number of blocks leaves the low byte as it is.
        let base = units.len() | (node & 0xff);
        units.resize(units.len() + 256, 0);
        let value = keys.get(&prefix);
        let label = u32::from(prefix.last().copied().unwrap_or(0));
        units[node] = (((node ^ base) as u32) << 10) | (u32::from(value.is_some()) << 8) | label;
        if let Some(&value) = value {
            units[base] = value | (1 << 31);
        }
        for byte in next_bytes(keys, &prefix) {
            waiting.push((base ^ usize::from(byte), [&prefix[..], &[byte]].concat()));
        }
    }
    units
}

/// Builds a trie of pairs of base and check, with a block of 257 pairs for each node.
fn pair_array(keys: &BTreeMap<Vec<u8>, u32>) -> Vec<u8> {
    let mut pairs = vec![(0_u32, 0_u32)];
    let mut waiting = vec![(0_usize, Vec::new())];
    while let Some((node, prefix)) = waiting.pop() {
        let base = pairs.len();
        pairs.resize(base + 257, (0, 0));
        pairs[node].0 = base as u32;
        if let Some(&value) = keys.get(&prefix) {
            pairs[base] = (!value, base as u32);
        }
        for byte in next_bytes(keys, &prefix) {
            let child = base + 1 + usize::from(byte);
            pairs[child].1 = base as u32;
            waiting.push((child, [&prefix[..], &[byte]].concat()));
        }
    }
    pairs
        .iter()
        .flat_map(|(base, check)| [base.to_le_bytes(), check.to_le_bytes()].concat())
        .collect()
}

/// Returns the bytes that follow a prefix in some key.
fn next_bytes(keys: &BTreeMap<Vec<u8>, u32>, prefix: &[u8]) -> BTreeSet<u8> {
    let longer = keys.keys().filter(|key| key.starts_with(prefix) && key.len() > prefix.len());
    longer.map(|key| key[prefix.len()]).collect()
}

/// A word of `MeCab`'s: spelling, cost, part of speech, features.
pub(crate) type MecabWord = (&'static str, i16, u16, &'static str);

/// Returns the bytes of `sys.dic` or `unk.dic`. Words of one spelling stand side by side.
pub(crate) fn mecab_words(words: &[MecabWord]) -> Vec<u8> {
    let (mut tokens, mut features, mut keys) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (number, &(text, cost, pos, feature)) in words.iter().enumerate() {
        let value = keys.entry(text.as_bytes().to_vec()).or_insert((number as u32) << 8);
        *value += 1;
        tokens.extend([1_u16, 1, pos].iter().flat_map(|number| number.to_le_bytes()));
        tokens.extend(cost.to_le_bytes());
        tokens.extend((features.len() as u32).to_le_bytes());
        tokens.extend([0; 4]);
        features.extend([feature.as_bytes(), &[0]].concat());
    }
    let trie = pair_array(&keys);
    let len = (72 + trie.len() + tokens.len() + features.len()) as u32;
    let sizes = [trie.len(), tokens.len(), features.len()].map(|len| len as u32);
    let header =
        [len ^ 0xef71_8f77, 102, 0, words.len() as u32, 2, 2, sizes[0], sizes[1], sizes[2], 0];
    let mut out: Vec<u8> = header.iter().flat_map(|number| number.to_le_bytes()).collect();
    out.extend(b"UTF-8");
    out.resize(72, 0);
    out.extend([trie, tokens, features].concat());
    out
}

/// A class of characters of `MeCab`'s: name, range, always, grouped, length.
pub(crate) type MecabClass = (&'static str, std::ops::RangeInclusive<char>, bool, bool, u32);

/// Returns the bytes of `char.bin`; characters outside of the ranges have the first class.
pub(crate) fn mecab_chars(classes: &[MecabClass]) -> Vec<u8> {
    let mut out = (classes.len() as u32).to_le_bytes().to_vec();
    for (name, ..) in classes {
        let start = out.len();
        out.extend(name.as_bytes());
        out.resize(start + 32, 0);
    }
    for code in 0..0xffff_u32 {
        let c = char::from_u32(code).unwrap_or('\0');
        let number = classes.iter().rposition(|(_, range, ..)| range.contains(&c)).unwrap_or(0);
        let (_, _, always, grouped, len) = classes[number];
        let class = (1 << number) | ((number as u32) << 18) | (len << 26);
        let flags = (u32::from(grouped) << 30) | (u32::from(always) << 31);
        out.extend((class | flags).to_le_bytes());
    }
    out
}

/// Returns the bytes of `matrix.bin`, which are those of Sudachi's costs.
pub(crate) fn mecab_costs() -> Vec<u8> {
    costs()
}
