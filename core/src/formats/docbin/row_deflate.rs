//! Deflate for rows of 64-bit numbers.
//!
//! A general compressor looks at every byte. Here most numbers stand in the same column of the row
//! before, and a word's row is that of its last occurrence; so numbers are compared, eight bytes at
//! once, with these two places only. That is many times faster and no larger.

use super::huffman::{Bits, Code, code_lengths, codes};

/// How far back numbers may be repeated from: deflate's 32 KiB.
const WINDOW: usize = 4096;
/// The most numbers that one repetition holds: deflate has up to 258 bytes.
const LONGEST: usize = 32;
/// A block gets codes of its own; so many items are where that costs little.
const BLOCK: usize = 1 << 15;
const SLOTS: usize = 1 << 13;

const END_OF_BLOCK: usize = 256;
/// The order in which the lengths of the codes for code lengths are written.
const LENGTH_ORDER: [usize; 19] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A number as it is, or numbers repeated from before.
#[derive(Clone, Copy)]
enum Item {
    Number(u64),
    /// How many, and from how many numbers back.
    Repeat(u16, u16),
}

/// Compresses rows of `width` numbers, as little-endian bytes, so that another stream may follow.
pub(super) fn deflate(numbers: &[u64], width: usize) -> Vec<u8> {
    let mut out = Bits::default();
    let mut items = Vec::with_capacity(BLOCK);
    // Where a number was last, by its hash; 0 stands for nowhere, else one more than the position.
    let mut last = vec![0_u32; SLOTS];
    let mut at = 0;
    while at < numbers.len() {
        let number = numbers[at];
        let above = at.checked_sub(width).filter(|_| width <= WINDOW);
        let above = above.map_or(0, |from| repeated(numbers, from, at));
        let seen = (last[slot_of(number)] as usize).checked_sub(1);
        let seen = seen.filter(|from| at - from <= WINDOW);
        let (len, back) = match seen.map(|from| (repeated(numbers, from, at), at - from)) {
            Some((len, back)) if len > above => (len, back),
            _ => (above, width),
        };
        let taken = len.max(1);
        for (i, number) in (at..).zip(&numbers[at..at + taken]) {
            // Zeros are found above; positions beyond 32 bits are not found again.
            if *number != 0 {
                last[slot_of(*number)] = u32::try_from(i + 1).unwrap_or_default();
            }
        }
        items.push(if len == 0 {
            Item::Number(number)
        } else {
            Item::Repeat(small(len), small(back))
        });
        at += taken;
        if items.len() == BLOCK {
            write_block(&mut out, &items);
            items.clear();
        }
    }
    if !items.is_empty() {
        write_block(&mut out, &items);
    }
    // A stored block without content ends on a whole byte.
    out.put(0, 3);
    let mut out = out.into_bytes();
    out.extend([0, 0, 0xff, 0xff]);
    out
}

fn small(count: usize) -> u16 {
    u16::try_from(count).expect("within the window")
}

fn slot_of(number: u64) -> usize {
    // Ids are hashes; small numbers are spread.
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize
}

/// How many numbers from `at` on are those from `from` on.
fn repeated(numbers: &[u64], from: usize, at: usize) -> usize {
    let pairs = numbers[from..].iter().zip(&numbers[at..]).take(LONGEST);
    pairs.take_while(|(before, now)| before == now).count()
}

/// A symbol of deflate's with the bits that follow it.
#[derive(Clone, Copy, Default)]
struct Symbol {
    number: usize,
    extra: u32,
    extra_len: u32,
}

/// Of a repetition of so many numbers.
fn length_symbol(numbers: u16) -> Symbol {
    // At least 8 bytes; deflate counts from 3.
    let len = u32::from(numbers) * 8 - 3;
    let extra_len = len.ilog2() - 2;
    let number = 257 + 4 * extra_len + (len >> extra_len);
    Symbol { number: number as usize, extra: len & ((1 << extra_len) - 1), extra_len }
}

/// Of a repetition from so many numbers back.
fn distance_symbol(numbers: u16) -> Symbol {
    let distance = u32::from(numbers) * 8 - 1;
    let extra_len = distance.ilog2() - 1;
    let number = 2 * extra_len + (distance >> extra_len);
    Symbol { number: number as usize, extra: distance & ((1 << extra_len) - 1), extra_len }
}

/// A count of symbols or codes.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("there are at most 286 symbols")
}

fn write_block(out: &mut Bits, items: &[Item]) {
    let mut counts = [0_u32; 286];
    let mut distance_counts = [0_u32; 30];
    counts[END_OF_BLOCK] = 1;
    for item in items {
        match *item {
            Item::Number(number) => {
                number.to_le_bytes().into_iter().for_each(|byte| counts[usize::from(byte)] += 1);
            }
            Item::Repeat(len, back) => {
                counts[length_symbol(len).number] += 1;
                distance_counts[distance_symbol(back).number] += 1;
            }
        }
    }
    let lengths = code_lengths(&counts, 15);
    let distance_lengths = code_lengths(&distance_counts, 15);
    // Not the last block; codes of its own.
    out.put(0b100, 3);
    write_lengths(out, &lengths, &distance_lengths);
    let (codes, distance_codes) = (codes(&lengths), codes(&distance_lengths));
    let put = |out: &mut Bits, codes: &[Code], symbol: Symbol| {
        out.code(codes[symbol.number]);
        out.put(symbol.extra, symbol.extra_len);
    };
    for item in items {
        match *item {
            Item::Number(number) => {
                number
                    .to_le_bytes()
                    .into_iter()
                    .for_each(|byte| out.code(codes[usize::from(byte)]));
            }
            Item::Repeat(len, back) => {
                put(out, &codes, length_symbol(len));
                put(out, &distance_codes, distance_symbol(back));
            }
        }
    }
    out.code(codes[END_OF_BLOCK]);
}

/// Writes the lengths of codes, in which runs are shortened and which have codes themselves.
fn write_lengths(out: &mut Bits, lengths: &[u8], distance_lengths: &[u8]) {
    let used = |lengths: &[u8], least: usize| {
        let last = lengths.iter().rposition(|len| *len > 0);
        last.map_or(least, |last| least.max(last + 1))
    };
    let (n, m) = (used(lengths, 257), used(distance_lengths, 1));
    let all = [&lengths[..n], &distance_lengths[..m]].concat();
    let runs: Vec<Symbol> = all.chunk_by(|a, b| a == b).flat_map(shortened).collect();
    let mut counts = [0_u32; 19];
    // Two codes at the least: a decoder wants the code to be complete.
    (counts[0], counts[18]) = (1, 1);
    for run in &runs {
        counts[run.number] += 1;
    }
    let run_lengths = code_lengths(&counts, 7);
    let run_codes = codes(&run_lengths);
    let last = LENGTH_ORDER.iter().rposition(|symbol| run_lengths[*symbol] > 0);
    let written = last.map_or(4, |last| (last + 1).max(4));
    out.put(narrow(n - 257), 5);
    out.put(narrow(m - 1), 5);
    out.put(narrow(written - 4), 4);
    for symbol in &LENGTH_ORDER[..written] {
        out.put(run_lengths[*symbol].into(), 3);
    }
    for run in runs {
        out.code(run_codes[run.number]);
        out.put(run.extra, run.extra_len);
    }
}

/// A run of one length: 18 and 17 stand for many zeros, 16 for the length before once more.
fn shortened(run: &[u8]) -> Vec<Symbol> {
    let length = usize::from(run[0]);
    let plain = Symbol { number: length, ..Symbol::default() };
    let mut out = Vec::new();
    let mut rest = run.len();
    if length > 0 {
        out.push(plain);
        rest -= 1;
    }
    while rest > 0 {
        let (number, taken, least, extra_len) = match (length, rest) {
            (0, 11..) => (18, rest.min(138), 11, 7),
            (0, 3..) => (17, rest, 3, 3),
            (1.., 3..) => (16, rest.min(6), 3, 2),
            _ => (length, 1, 1, 0),
        };
        out.push(Symbol { number, extra: narrow(taken - least), extra_len });
        rest -= taken;
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    fn inflated(mut stream: Vec<u8>) -> Vec<u64> {
        stream.extend([0x03, 0x00]);
        let mut read = Vec::new();
        DeflateDecoder::new(&*stream).read_to_end(&mut read).unwrap();
        assert_eq!(read.len() % 8, 0);
        read.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    #[test]
    fn all_lengths_and_distances_have_their_symbols() {
        // A number that returns after each distance, for each length.
        for back in [1, 2, 3, 31, 33, 255, 256, 257, 2047, 4095, 4096, 4097] {
            let mut numbers: Vec<u64> = (0..back).map(|i| (i + 1) * 0x1_0001).collect();
            for len in 1..=40 {
                let from = numbers.len() - usize::try_from(back).unwrap();
                let again: Vec<_> = numbers[from..].iter().copied().cycle().take(len).collect();
                numbers.extend(again);
                numbers.push(u64::MAX - numbers.len() as u64);
            }
            assert_eq!(inflated(deflate(&numbers, 13)), numbers);
        }
    }

    #[test]
    fn repeated_rows_are_small() {
        let row = |word: u64| [word, word, 0, 0, 0, 0, 0, 0, u64::MAX, 0, 0, 0, 0];
        let words = (0..50_000_u64).map(|i| (i * i % 97 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rows: Vec<u64> = words.flat_map(row).collect();
        let stream = deflate(&rows, 13);
        assert!(stream.len() < 50_000 * 5, "{}", stream.len());
        assert_eq!(inflated(stream), rows);
    }

    #[test]
    fn one_number_and_none() {
        assert!(inflated(deflate(&[], 1)).is_empty());
        assert_eq!(inflated(deflate(&[7], 13)), [7]);
        assert_eq!(inflated(deflate(&[0; 5], 1)), [0; 5]);
    }

    proptest! {
        #[test]
        fn any_rows_come_back(
            words in prop::collection::vec((0..40_u64, any::<bool>(), any::<u64>()), 0..3000),
            width in 1..15_usize,
        ) {
            let numbers = words.iter().flat_map(|(word, known, any)| {
                let word = if *known { word.wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { *any };
                (0..width).map(move |i| if i % 3 == 0 { word } else { (i % 2) as u64 })
            });
            let numbers: Vec<u64> = numbers.collect();
            prop_assert_eq!(inflated(deflate(&numbers, width)), numbers);
        }
    }
}
