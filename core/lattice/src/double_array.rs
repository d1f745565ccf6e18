//! Tries as double arrays.
//!
//! Aoe (1989), "An efficient digital search algorithm by using a double-array structure". Two
//! layouts are read: units of 32 bits, as Darts-clone writes them for Sudachi, and pairs of base
//! and check, as Darts writes them for `MeCab`.

use bytes::Bytes;

use crate::le::u32_at;

/// The number of words of the trie with which a text begins that are found at most.
/// Damaged bytes may make a circle, whose words have any length.
const MAX_PREFIXES: usize = 512;

/// A word of the trie with which a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The length of the word in bytes.
    pub len: usize,
    /// The value of the word.
    pub value: u32,
}

/// A trie of units of 32 bits: bits 0 to 7 are the label of the node, bit 8 says that a value
/// follows, bit 9 scales the offset in bits 10 to 30, and bit 31 marks a value.
#[derive(Clone, Debug)]
pub struct DoubleArray(Bytes);

/// A trie of pairs of 32 bits, base and check. A base below 0 is a value.
#[derive(Clone, Debug)]
pub struct PairArray(Bytes);

impl DoubleArray {
    /// Creates the trie from its units, little-endian.
    pub fn new(units: Bytes) -> DoubleArray {
        DoubleArray(units)
    }

    /// Calls a function for each word with which a text begins, the shortest first.
    #[inline]
    pub fn prefixes(&self, text: &[u8], mut found: impl FnMut(Prefix)) {
        let units = &self.0[..];
        let unit_at = |node: usize| u32_at(units, node.checked_mul(4)?);
        let Some(root) = unit_at(0) else { return };
        let mut node = offset(root);
        let mut words = 0;
        for (i, &byte) in text.iter().enumerate() {
            node ^= usize::from(byte);
            let Some(unit) = unit_at(node) else { return };
            if unit & ((1 << 31) | 0xff) != u32::from(byte) {
                return;
            }
            node ^= offset(unit);
            if unit & (1 << 8) != 0 {
                let Some(value) = unit_at(node) else { return };
                found(Prefix { len: i + 1, value: value & !(1 << 31) });
                words += 1;
                if words == MAX_PREFIXES {
                    return;
                }
            }
        }
    }
}

/// Returns what a unit adds to the number of its node, by exclusive or.
#[inline]
fn offset(unit: u32) -> usize {
    ((unit >> 10) as usize) << ((unit & (1 << 9)) >> 6)
}

impl PairArray {
    /// Creates the trie from its pairs, little-endian.
    pub fn new(pairs: Bytes) -> PairArray {
        PairArray(pairs)
    }

    /// Calls a function for each word with which a text begins, the shortest first.
    #[inline]
    pub fn prefixes(&self, text: &[u8], mut found: impl FnMut(Prefix)) {
        let Some((mut base, _)) = self.pair(0) else { return };
        let mut words = 0;
        for (i, &byte) in text.iter().enumerate() {
            if let Some(value) = self.value(base) {
                found(Prefix { len: i, value });
                words += 1;
                if words == MAX_PREFIXES {
                    return;
                }
            }
            let Some(child) = base.checked_add(u32::from(byte) + 1) else { return };
            match self.pair(child) {
                Some((next, check)) if check == base => base = next,
                _ => return,
            }
        }
        if let Some(value) = self.value(base) {
            found(Prefix { len: text.len(), value });
        }
    }

    /// Returns the value of a node whose children begin at a base.
    #[inline]
    fn value(&self, base: u32) -> Option<u32> {
        let (value, check) = self.pair(base)?;
        // A value is stored as its complement, which has the highest bit set.
        (check == base && value >> 31 == 1).then_some(!value)
    }

    #[inline]
    fn pair(&self, node: u32) -> Option<(u32, u32)> {
        let at = usize::try_from(node).ok()?.checked_mul(8)?;
        Some((u32_at(&self.0, at)?, u32_at(&self.0, at + 4)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[u32]) -> Bytes {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>().into()
    }

    #[test]
    fn a_circle_in_a_damaged_trie_ends() {
        let text = [b'a'; 4096];
        let a = u32::from(b'a');
        // Each unit leads to the node of the next letter, and has a value.
        let mut units = vec![0; 256];
        units[b'a' as usize] = (a << 10) | (1 << 8) | a;
        let circle = DoubleArray::new(bytes(&units));
        let mut found = 0;
        circle.prefixes(&text, |_| found += 1);
        assert_eq!(found, MAX_PREFIXES);
        // The pair of the letter has its own base, where the value stands.
        let mut pairs = vec![0; 2 * 256];
        (pairs[0], pairs[1]) = (1, 0);
        (pairs[2], pairs[3]) = (!7, 1);
        let letter = 2 * (1 + b'a' as usize + 1);
        (pairs[letter], pairs[letter + 1]) = (1, 1);
        let circle = PairArray::new(bytes(&pairs));
        let mut found = 0;
        circle.prefixes(&text, |_| found += 1);
        assert_eq!(found, MAX_PREFIXES);
    }
}
