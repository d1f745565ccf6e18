//! Packed bytes of words, which the build script and the tests write.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::predictor::{BitCoder, split};
use super::walk::{self, MAX_SYMBOLS, Node};

/// Packs words; returns `None` for more than 88 characters or 4 billion nodes.
pub(super) fn pack<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Vec<u8>> {
    let words: BTreeSet<&str> = words.into_iter().collect();
    let alphabet = alphabet(&words);
    if alphabet.len() > MAX_SYMBOLS as usize {
        return None;
    }
    let nodes = nodes(&words, &alphabet);
    let mut bytes = vec![u8::try_from(alphabet.len()).ok()?];
    bytes.extend(u32::try_from(nodes.len()).ok()?.to_le_bytes());
    bytes.extend(alphabet.iter().flat_map(|&c| u32::from(c).to_le_bytes()));
    let mut coder = BitWriter { low: 0, high: u32::MAX, bytes };
    walk::code(&mut coder, u32::try_from(alphabet.len()).ok()?, nodes.len(), Some(&nodes))?;
    Some(coder.finish())
}

/// Returns the characters of words, those of most nodes first.
pub(super) fn alphabet(words: &BTreeSet<&str>) -> Vec<char> {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    let mut last = "";
    for word in words {
        let shared = word.chars().zip(last.chars()).take_while(|(own, other)| own == other).count();
        for c in word.chars().skip(shared) {
            *counts.entry(c).or_default() += 1;
        }
        last = word;
    }
    let mut alphabet: Vec<(char, usize)> = counts.into_iter().collect();
    alphabet.sort_by_key(|&(c, count)| (Reverse(count), c));
    alphabet.into_iter().map(|(c, _)| c).collect()
}

/// Returns the nodes of the trie of words.
pub(super) fn nodes(words: &BTreeSet<&str>, alphabet: &[char]) -> Vec<Node> {
    let symbols: BTreeMap<char, u32> = alphabet.iter().copied().zip(0..).collect();
    let mut words: Vec<Vec<u32>> =
        words.iter().map(|word| word.chars().map(|c| symbols[&c]).collect()).collect();
    words.sort_unstable();
    let mut nodes = vec![Node::default()];
    // Nodes whose children are missing, with their words and the length of these that is read.
    let mut waiting = VecDeque::from([(0, &words[..], 0)]);
    while let Some((node, mut words, read)) = waiting.pop_front() {
        if let Some((_, longer)) = words.split_first().filter(|(word, _)| word.len() == read) {
            nodes[node].is_word = true;
            words = longer;
        }
        let first = nodes.len();
        for same in words.chunk_by(|one, other| one[read] == other[read]) {
            waiting.push_back((nodes.len(), same, read + 1));
            nodes.push(Node { symbol: same[0][read], ..Node::default() });
        }
        nodes[node].children = first..nodes.len();
    }
    nodes
}

/// A writer of bits.
struct BitWriter {
    low: u32,
    high: u32,
    bytes: Vec<u8>,
}

impl BitWriter {
    /// Returns all bytes.
    fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(self.high.to_be_bytes());
        self.bytes
    }
}

impl BitCoder for BitWriter {
    fn code(&mut self, bit: bool, probability: u32) -> bool {
        let middle = split(self.low, self.high, probability);
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        // The first byte is known.
        while (self.low ^ self.high) >> 24 == 0 {
            self.bytes.push(self.high.to_be_bytes()[0]);
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
        bit
    }
}
