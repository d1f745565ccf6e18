//! The few kinds of character that one pattern can tell apart.
//!
//! A pattern with classes of a thousand ranges still asks only some dozen
//! different questions of a character. Characters that answer all of them
//! alike become one [`Symbol`]; the automata then run over symbols and keep
//! one column for each.

use ahash::AHashMap;

use super::charset::CharSet;

/// A kind of character, or one of the two special symbols below.
pub(super) type Symbol = u16;

/// What stands before the first character and after the last.
pub(super) const EDGE: Symbol = 0;

/// A line feed that is the last character of the text, which `$` looks past.
pub(super) const LAST_NEWLINE: Symbol = 1;

/// More kinds than this make the rows of the automata too wide.
pub(super) const MOST_SYMBOLS: usize = 4096;

const CELL_BITS: u32 = 6;
const CELL: usize = 1 << CELL_BITS;
/// Code points from here on are found by binary search.
const PAGED: u32 = 0x2_0000;

/// The map from characters to symbols.
#[derive(Debug)]
pub(super) struct Alphabet {
    ascii: [Symbol; 128],
    /// For each run of `CELL` code points below `PAGED`, where its symbols
    /// stand in `cells`. Runs with the same symbols share a place.
    pages: Vec<u32>,
    cells: Vec<Symbol>,
    /// The first code point of each stretch of one symbol, over all of Unicode.
    stretches: Vec<(u32, Symbol)>,
    symbols: usize,
}

/// A set of symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolSet {
    words: Box<[u64]>,
}

impl Alphabet {
    /// The coarsest alphabet that tells the members of each set from all other
    /// characters, and the sets in its symbols; `None` if it is too large.
    pub(super) fn new(sets: &[CharSet]) -> Option<(Alphabet, Vec<SymbolSet>)> {
        let mut turns: Vec<(u32, u32)> = Vec::new();
        for (ix, set) in (0..).zip(sets) {
            for &(low, high) in set.ranges() {
                turns.extend([(low, ix), (high + 1, ix)]);
            }
        }
        turns.sort_unstable();

        let width = sets.len().div_ceil(64);
        let mut members = vec![0_u64; width];
        let mut known: AHashMap<Box<[u64]>, Symbol> = AHashMap::new();
        let mut kinds: Vec<Box<[u64]>> = Vec::new();
        let mut stretches: Vec<(u32, Symbol)> = Vec::new();
        let mut turns = turns.into_iter().peekable();
        let mut point = 0;
        while point <= u32::from(char::MAX) {
            while let Some(&(_, set)) = turns.peek().filter(|turn| turn.0 == point) {
                members[set as usize / 64] ^= 1 << (set % 64);
                turns.next();
            }
            let symbol = if let Some(&symbol) = known.get(members.as_slice()) {
                symbol
            } else {
                let symbol = Symbol::try_from(kinds.len() + 2).ok()?;
                kinds.push(members.clone().into());
                known.insert(members.clone().into(), symbol);
                symbol
            };
            if stretches.last().is_none_or(|last| last.1 != symbol) {
                stretches.push((point, symbol));
            }
            point = turns.peek().map_or(u32::MAX, |turn| turn.0);
        }
        let symbols = kinds.len() + 2;
        if symbols > MOST_SYMBOLS {
            return None;
        }

        let in_symbols = (0..sets.len())
            .map(|set| {
                let mut within = SymbolSet::none(symbols);
                for (kind, symbol) in kinds.iter().zip(2..) {
                    if kind[set / 64] & (1 << (set % 64)) != 0 {
                        within.insert(symbol);
                    }
                }
                if sets[set].contains('\n'.into()) {
                    within.insert(LAST_NEWLINE);
                }
                within
            })
            .collect();
        Some((Alphabet::from_stretches(stretches, symbols), in_symbols))
    }

    fn from_stretches(stretches: Vec<(u32, Symbol)>, symbols: usize) -> Alphabet {
        let mut ascii = [EDGE; 128];
        let mut pages = Vec::with_capacity(PAGED as usize / CELL);
        let mut cells: Vec<Symbol> = Vec::new();
        let mut known: AHashMap<[Symbol; CELL], u32> = AHashMap::new();
        let mut plain: AHashMap<Symbol, u32> = AHashMap::new();
        let mut at = 0;
        for page in 0..PAGED >> CELL_BITS {
            let first = page << CELL_BITS;
            while stretches.get(at + 1).is_some_and(|next| next.0 <= first) {
                at += 1;
            }
            let mut place = |cell: [Symbol; CELL]| {
                *known.entry(cell).or_insert_with(|| {
                    cells.extend_from_slice(&cell);
                    u32::try_from(cells.len() - CELL).expect("at most PAGED cells")
                })
            };
            let uniform =
                stretches.get(at + 1).is_none_or(|next| next.0 >= first + (1 << CELL_BITS));
            if uniform {
                let symbol = stretches[at].1;
                pages.push(*plain.entry(symbol).or_insert_with(|| place([symbol; CELL])));
                continue;
            }
            let mut cell = [EDGE; CELL];
            let mut within = at;
            for (point, symbol) in (first..).zip(&mut cell) {
                while stretches.get(within + 1).is_some_and(|next| next.0 <= point) {
                    within += 1;
                }
                *symbol = stretches[within].1;
            }
            pages.push(place(cell));
        }
        for (point, symbol) in ascii.iter_mut().enumerate() {
            *symbol = cells[pages[point >> CELL_BITS] as usize + point % CELL];
        }
        Alphabet { ascii, pages, cells, stretches, symbols }
    }

    /// How many symbols there are, the special ones included.
    pub(super) fn len(&self) -> usize {
        self.symbols
    }

    /// The symbol that follows byte `at` of the text, and its length in bytes.
    #[inline]
    pub(super) fn after(&self, text: &str, at: usize) -> (Symbol, usize) {
        match text.as_bytes().get(at) {
            None => (EDGE, 0),
            Some(b'\n') if at + 1 == text.len() => (LAST_NEWLINE, 1),
            Some(&byte) if byte < 128 => (self.ascii[usize::from(byte)], 1),
            Some(_) => text[at..].chars().next().map_or((EDGE, 0), |c| self.wide(c)),
        }
    }

    /// The symbol that precedes byte `at` of the text, and its length in bytes.
    #[inline]
    pub(super) fn before(&self, text: &str, at: usize) -> (Symbol, usize) {
        let Some(last) = at.checked_sub(1) else { return (EDGE, 0) };
        match text.as_bytes()[last] {
            b'\n' if at == text.len() => (LAST_NEWLINE, 1),
            byte if byte < 128 => (self.ascii[usize::from(byte)], 1),
            _ => text[..at].chars().next_back().map_or((EDGE, 0), |c| self.wide(c)),
        }
    }

    fn wide(&self, c: char) -> (Symbol, usize) {
        let point = u32::from(c);
        let symbol = if point < PAGED {
            let cell = self.pages[(point >> CELL_BITS) as usize] as usize;
            self.cells[cell + point as usize % CELL]
        } else {
            let next = self.stretches.partition_point(|&(first, _)| first <= point);
            self.stretches[next - 1].1
        };
        (symbol, c.len_utf8())
    }
}

impl SymbolSet {
    pub(super) fn none(symbols: usize) -> SymbolSet {
        SymbolSet { words: vec![0; symbols.div_ceil(64)].into() }
    }

    pub(super) fn of(symbols: usize, members: &[Symbol]) -> SymbolSet {
        let mut set = SymbolSet::none(symbols);
        for &symbol in members {
            set.insert(symbol);
        }
        set
    }

    pub(super) fn insert(&mut self, symbol: Symbol) {
        self.words[usize::from(symbol) / 64] |= 1 << (symbol % 64);
    }

    pub(super) fn remove(&mut self, symbol: Symbol) {
        self.words[usize::from(symbol) / 64] &= !(1 << (symbol % 64));
    }

    #[inline]
    pub(super) fn contains(&self, symbol: Symbol) -> bool {
        self.words[usize::from(symbol) / 64] & (1 << (symbol % 64)) != 0
    }

    pub(super) fn unite(&mut self, other: &SymbolSet) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Every other symbol, the special ones included.
    pub(super) fn complement(&self) -> SymbolSet {
        SymbolSet { words: self.words.iter().map(|word| !word).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_no_set_tells_apart_share_a_symbol() {
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
