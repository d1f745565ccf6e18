//! Canonical Huffman codes of deflate (RFC 1951, 3.2.2), and a writer of bits in deflate's order.

/// Code of a symbol, its bits reversed: the first bit to write is the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) len: u8,
}

/// Computes the code lengths of symbols from their counts, at most `limit`; 0 for unused symbols.
pub(super) fn code_lengths(counts: &[u32], limit: u8) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = unlimited_lengths(&counts);
        if lengths.iter().all(|len| *len <= limit) {
            return lengths;
        }
        // Flatter counts make a flatter tree.
        for count in &mut *counts {
            *count = count.div_ceil(2);
        }
    }
}

/// Huffman's algorithm: joins the two rarest nodes until one is left.
fn unlimited_lengths(counts: &[u32]) -> Vec<u8> {
    let mut lengths = vec![0; counts.len()];
    let mut leaves: Vec<usize> = (0..counts.len()).filter(|symbol| counts[*symbol] > 0).collect();
    if let [only] = leaves[..] {
        lengths[only] = 1;
        return lengths;
    }
    leaves.sort_by_key(|symbol| counts[*symbol]);
    let n = leaves.len();
    // Leaves in order of weight, then joined nodes, whose weights ascend as well.
    let mut weights: Vec<u64> = leaves.iter().map(|symbol| u64::from(counts[*symbol])).collect();
    let mut parents = vec![0; (2 * n).saturating_sub(1)];
    let (mut leaf, mut joined) = (0, n);
    for node in n..parents.len() {
        let mut weight = 0;
        for _ in 0..2 {
            let take_leaf = leaf < n && (joined >= node || weights[leaf] <= weights[joined]);
            let next = if take_leaf { &mut leaf } else { &mut joined };
            parents[*next] = node;
            weight += weights[*next];
            *next += 1;
        }
        weights.push(weight);
    }
    let mut depths = vec![0_u8; parents.len()];
    // The root is last, and parents come after their children.
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    for (node, symbol) in leaves.into_iter().enumerate() {
        lengths[symbol] = depths[node];
    }
    lengths
}

/// Assigns canonical codes: codes of one length count up, longer ones continue from them.
pub(super) fn codes(lengths: &[u8]) -> Vec<Code> {
    let mut codes = vec![Code::default(); lengths.len()];
    let mut next = 0_u16;
    for len in 1..=15_u8 {
        next <<= 1;
        for (code, own) in codes.iter_mut().zip(lengths) {
            if *own == len {
                *code = Code { bits: next.reverse_bits() >> (16 - len), len };
                next += 1;
            }
        }
    }
    codes
}

/// Writer of bits into bytes, the lowest bit first.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    out: Vec<u8>,
    pending: u64,
    len: u32,
}

impl BitWriter {
    /// Appends up to 32 bits.
    #[inline]
    pub(super) fn put(&mut self, bits: u32, len: u32) {
        self.pending |= u64::from(bits) << self.len;
        self.len += len;
        if self.len >= 32 {
            self.out.extend_from_slice(&self.pending.to_le_bytes()[..4]);
            self.pending >>= 32;
            self.len -= 32;
        }
    }

    #[inline]
    pub(super) fn code(&mut self, code: Code) {
        self.put(code.bits.into(), code.len.into());
    }

    /// Pads the last byte with zeros and returns all bytes.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let bytes = self.len.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        // The example of RFC 1951, 3.2.2; codes are written from their first bit.
        let codes = codes(&[3, 3, 3, 3, 3, 2, 4, 4]);
        let first = |code: Code| format!("{:0len$b}", code.bits, len = code.len.into());
        let read: Vec<String> =
            codes.into_iter().map(|code| first(code).chars().rev().collect()).collect();
        assert_eq!(read, ["010", "011", "100", "101", "110", "00", "1110", "1111"]);
    }

    #[test]
    fn few_symbols_have_codes_too() {
        assert_eq!(code_lengths(&[0, 0], 15), [0, 0]);
        assert_eq!(code_lengths(&[0, 7], 15), [0, 1]);
        assert_eq!(code_lengths(&[9, 1], 15), [1, 1]);
    }

    proptest! {
        #[test]
        fn codes_are_complete_and_none_too_long(
            counts in prop::collection::vec(0..u32::MAX, 2..286),
            skew in 0..30_u32,
            limit in 9..=15_u8,
        ) {
            let counts: Vec<u32> = (0..).zip(&counts).map(|(i, n)| n >> (i * skew % 32)).collect();
            let lengths = code_lengths(&counts, limit);
            prop_assert!(lengths.iter().zip(&counts).all(|(len, n)| (*len > 0) == (*n > 0)));
            let used = || lengths.iter().filter(|len| **len > 0);
            prop_assert!(used().all(|len| *len <= limit));
            let filled: u32 = used().map(|len| 1 << (15 - len)).sum();
            prop_assert!(used().count() < 2 || filled == 1 << 15);
        }
    }
}
