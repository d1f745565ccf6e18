//! Equivalence classes of characters, the input alphabet of the automata.
//!
//! A pattern whose classes have a thousand ranges still distinguishes only some dozen kinds of
//! character. All characters that belong to the same sets of the pattern become one [`Symbol`]; a
//! transition table then has one column per symbol instead of one per code point. `regex-automata`
//! does the same for bytes (`ByteClasses`).
//!
//! A look-up is an array access for ASCII, a two-stage table below [`TABLE_END`], and a binary
//! search above it.

use ahash::AHashMap;

use crate::charset::CharSet;

/// An equivalence class of characters, or one of the two special symbols below.
pub(crate) type Symbol = u16;

/// The symbol before the first character of a text and after the last.
pub(crate) const EDGE: Symbol = 0;

/// A line feed that is the last character of the text: `$` matches before it.
pub(crate) const LAST_NEWLINE: Symbol = 1;

/// The first symbol that stands for a class of characters.
const FIRST_CLASS: Symbol = 2;

/// Bounds the width of a row of the transition tables.
pub(crate) const MAX_SYMBOLS: usize = 4096;

const BLOCK_BITS: u32 = 6;
const BLOCK: usize = 1 << BLOCK_BITS;
/// The end of the code points that the two-stage table covers.
const TABLE_END: u32 = 0x2_0000;

/// The map from characters to symbols.
#[derive(Debug)]
pub(crate) struct Alphabet {
    ascii: [Symbol; 128],
    /// For each block of `BLOCK` code points below `TABLE_END`, the offset of its symbols in
    /// `block_symbols`. Equal blocks share an offset.
    block_offsets: Vec<u32>,
    block_symbols: Vec<Symbol>,
    /// The first code point of each maximal range with one symbol, over all of Unicode.
    ranges: Vec<(u32, Symbol)>,
    symbols: usize,
}

/// A set of symbols, as a bit set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolSet {
    words: Box<[u64]>,
}

impl Alphabet {
    /// Returns the coarsest alphabet that separates the members of each set from all other
    /// characters, and the sets as sets of symbols; `None` if it exceeds [`MAX_SYMBOLS`].
    pub(crate) fn new(sets: &[CharSet]) -> Option<(Alphabet, Vec<SymbolSet>)> {
        // The code points at which membership in a set changes, with the set.
        let mut boundaries: Vec<(u32, u32)> = Vec::new();
        for (ix, set) in (0..).zip(sets) {
            for &(low, high) in set.ranges() {
                boundaries.extend([(low, ix), (high + 1, ix)]);
            }
        }
        boundaries.sort_unstable();

        // A sweep over all code points; `members` has a bit for each set that contains `point`.
        let mut members = vec![0_u64; sets.len().div_ceil(64)];
        let mut symbol_of: AHashMap<Box<[u64]>, Symbol> = AHashMap::new();
        let mut classes: Vec<Box<[u64]>> = Vec::new();
        let mut ranges: Vec<(u32, Symbol)> = Vec::new();
        let mut boundaries = boundaries.into_iter().peekable();
        let mut point = 0;
        while point <= u32::from(char::MAX) {
            while let Some(&(_, set)) = boundaries.peek().filter(|next| next.0 == point) {
                members[set as usize / 64] ^= 1 << (set % 64);
                boundaries.next();
            }
            let symbol = if let Some(&symbol) = symbol_of.get(members.as_slice()) {
                symbol
            } else {
                let symbol = Symbol::try_from(classes.len()).ok()?.checked_add(FIRST_CLASS)?;
                classes.push(members.clone().into());
                symbol_of.insert(members.clone().into(), symbol);
                symbol
            };
            if ranges.last().is_none_or(|last| last.1 != symbol) {
                ranges.push((point, symbol));
            }
            point = boundaries.peek().map_or(u32::MAX, |next| next.0);
        }
        let symbols = classes.len() + usize::from(FIRST_CLASS);
        if symbols > MAX_SYMBOLS {
            return None;
        }

        let symbol_sets = (0..sets.len())
            .map(|set| {
                let mut symbol_set = SymbolSet::empty(symbols);
                for (class, symbol) in classes.iter().zip(FIRST_CLASS..) {
                    if class[set / 64] & (1 << (set % 64)) != 0 {
                        symbol_set.insert(symbol);
                    }
                }
                if sets[set].contains('\n'.into()) {
                    symbol_set.insert(LAST_NEWLINE);
                }
                symbol_set
            })
            .collect();
        Some((Alphabet::from_ranges(ranges, symbols), symbol_sets))
    }

    fn from_ranges(ranges: Vec<(u32, Symbol)>, symbols: usize) -> Alphabet {
        let mut ascii = [EDGE; 128];
        let mut block_offsets = Vec::with_capacity(TABLE_END as usize / BLOCK);
        let mut block_symbols: Vec<Symbol> = Vec::new();
        let mut offset_of: AHashMap<[Symbol; BLOCK], u32> = AHashMap::new();
        let mut offset_of_uniform: AHashMap<Symbol, u32> = AHashMap::new();
        let mut range = 0;
        for block in 0..TABLE_END >> BLOCK_BITS {
            let first = block << BLOCK_BITS;
            while ranges.get(range + 1).is_some_and(|next| next.0 <= first) {
                range += 1;
            }
            let mut intern = |block: [Symbol; BLOCK]| {
                *offset_of.entry(block).or_insert_with(|| {
                    block_symbols.extend_from_slice(&block);
                    u32::try_from(block_symbols.len() - BLOCK).expect("at most TABLE_END symbols")
                })
            };
            let uniform =
                ranges.get(range + 1).is_none_or(|next| next.0 >= first + (1 << BLOCK_BITS));
            if uniform {
                let symbol = ranges[range].1;
                let offset = offset_of_uniform.entry(symbol);
                block_offsets.push(*offset.or_insert_with(|| intern([symbol; BLOCK])));
                continue;
            }
            let mut symbols = [EDGE; BLOCK];
            let mut within = range;
            for (point, symbol) in (first..).zip(&mut symbols) {
                while ranges.get(within + 1).is_some_and(|next| next.0 <= point) {
                    within += 1;
                }
                *symbol = ranges[within].1;
            }
            block_offsets.push(intern(symbols));
        }
        for (point, symbol) in ascii.iter_mut().enumerate() {
            *symbol = block_symbols[block_offsets[point >> BLOCK_BITS] as usize + point % BLOCK];
        }
        Alphabet { ascii, block_offsets, block_symbols, ranges, symbols }
    }

    /// Returns the number of symbols, the special ones included.
    pub(crate) fn len(&self) -> usize {
        self.symbols
    }

    /// Returns the symbol that follows byte `at` of the text, and its length in bytes.
    #[inline]
    pub(crate) fn after(&self, text: &str, at: usize) -> (Symbol, usize) {
        match text.as_bytes().get(at) {
            None => (EDGE, 0),
            Some(b'\n') if at + 1 == text.len() => (LAST_NEWLINE, 1),
            Some(&byte) if byte < 128 => (self.ascii[usize::from(byte)], 1),
            Some(_) => text[at..].chars().next().map_or((EDGE, 0), |c| self.non_ascii(c)),
        }
    }

    /// Returns the symbol that precedes byte `at` of the text, and its length in bytes.
    #[inline]
    pub(crate) fn before(&self, text: &str, at: usize) -> (Symbol, usize) {
        let Some(last) = at.checked_sub(1) else { return (EDGE, 0) };
        match text.as_bytes()[last] {
            b'\n' if at == text.len() => (LAST_NEWLINE, 1),
            byte if byte < 128 => (self.ascii[usize::from(byte)], 1),
            _ => text[..at].chars().next_back().map_or((EDGE, 0), |c| self.non_ascii(c)),
        }
    }

    fn non_ascii(&self, c: char) -> (Symbol, usize) {
        let point = u32::from(c);
        let symbol = if point < TABLE_END {
            let offset = self.block_offsets[(point >> BLOCK_BITS) as usize] as usize;
            self.block_symbols[offset + point as usize % BLOCK]
        } else {
            let next = self.ranges.partition_point(|&(first, _)| first <= point);
            self.ranges[next - 1].1
        };
        (symbol, c.len_utf8())
    }
}

impl SymbolSet {
    /// Returns the empty set over an alphabet of `symbols` symbols.
    pub(crate) fn empty(symbols: usize) -> SymbolSet {
        SymbolSet { words: vec![0; symbols.div_ceil(64)].into() }
    }

    /// Returns the set of `members` over an alphabet of `symbols` symbols.
    pub(crate) fn of(symbols: usize, members: &[Symbol]) -> SymbolSet {
        let mut set = SymbolSet::empty(symbols);
        for &symbol in members {
            set.insert(symbol);
        }
        set
    }

    pub(crate) fn insert(&mut self, symbol: Symbol) {
        self.words[usize::from(symbol) / 64] |= 1 << (symbol % 64);
    }

    pub(crate) fn remove(&mut self, symbol: Symbol) {
        self.words[usize::from(symbol) / 64] &= !(1 << (symbol % 64));
    }

    #[inline]
    pub(crate) fn contains(&self, symbol: Symbol) -> bool {
        self.words[usize::from(symbol) / 64] & (1 << (symbol % 64)) != 0
    }

    pub(crate) fn union(&mut self, other: &SymbolSet) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Returns the set of all other symbols, the special ones included.
    pub(crate) fn complement(&self) -> SymbolSet {
        SymbolSet { words: self.words.iter().map(|word| !word).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_the_same_sets_share_a_symbol() {
        let vowels = CharSet::new("aeiou".chars().map(|c| (c.into(), c.into())).collect());
        let letters = CharSet::new(vec![('a'.into(), 'z'.into()), (0x2_0000, 0x2_00FF)]);
        let (alphabet, sets) = Alphabet::new(&[vowels, letters]).unwrap();
        assert_eq!(alphabet.len(), 5);
        let symbol = |c: char| alphabet.after(&format!("{c}."), 0).0;
        assert_eq!(symbol('a'), symbol('u'));
        assert_eq!(symbol('b'), symbol('\u{2_0001}'));
        assert_eq!(symbol('.'), symbol('\u{4E00}'));
        assert!(sets[0].contains(symbol('e')) && sets[1].contains(symbol('e')));
        assert!(!sets[0].contains(symbol('b')) && !sets[1].contains(symbol('.')));
    }

    #[test]
    fn both_directions_read_the_same_symbols() {
        let greek = CharSet::new(vec![(0x3B1, 0x3C9)]);
        let (alphabet, _) = Alphabet::new(&[greek]).unwrap();
        let text = "a\u{3B2}\u{1F600}\n\n";
        let mut at = 0;
        while at < text.len() {
            let (symbol, width) = alphabet.after(text, at);
            at += width;
            assert_eq!(alphabet.before(text, at), (symbol, width));
        }
        assert_eq!(alphabet.before(text, 0), (EDGE, 0));
        assert_eq!(alphabet.after(text, at), (EDGE, 0));
        assert_eq!(alphabet.before(text, at).0, LAST_NEWLINE);
    }
}
