//! Words of packed bytes.

use super::predictor::{BitCoder, split};
use super::walk::{self, MAX_SYMBOLS, Node};

/// A trie of packed words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    /// The characters, by symbol.
    pub(super) alphabet: Vec<char>,
    pub(super) nodes: Vec<Node>,
}

/// Reads packed words; returns `None` for damaged bytes. The number of nodes is at most 64 times
/// that of the bytes.
pub(super) fn unpack(bytes: &[u8]) -> Option<Unpacked> {
    let len = bytes.len();
    let (&symbols, mut rest) = bytes.split_first()?;
    let mut number = || {
        let (number, after) = rest.split_first_chunk()?;
        rest = after;
        Some(u32::from_le_bytes(*number))
    };
    let count = number().and_then(|count| usize::try_from(count).ok())?;
    let alphabet: Option<Vec<char>> =
        (0..symbols).map(|_| number().and_then(char::from_u32)).collect();
    let symbols = u32::from(symbols);
    if symbols > MAX_SYMBOLS || count == 0 || count / 64 > len {
        return None;
    }
    let nodes = walk::code(&mut BitReader::new(rest), symbols, count, None)?;
    Some(Unpacked { alphabet: alphabet?, nodes })
}

/// A reader of bits; behind the end it reads zeros.
struct BitReader<'b> {
    low: u32,
    high: u32,
    value: u32,
    rest: &'b [u8],
}

impl<'b> BitReader<'b> {
    fn new(bytes: &'b [u8]) -> BitReader<'b> {
        let mut reader = BitReader { low: 0, high: u32::MAX, value: 0, rest: bytes };
        for _ in 0..4 {
            reader.shift();
        }
        reader
    }

    /// Takes a byte into the value.
    #[inline]
    fn shift(&mut self) {
        let (byte, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.value = self.value << 8 | u32::from(*byte);
        self.rest = rest;
    }
}

impl BitCoder for BitReader<'_> {
    #[inline]
    fn code(&mut self, _: bool, probability: u32) -> bool {
        let middle = split(self.low, self.high, probability);
        let bit = self.value <= middle;
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        // The first byte is known.
        while (self.low ^ self.high) >> 24 == 0 {
            self.shift();
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
        bit
    }
}
