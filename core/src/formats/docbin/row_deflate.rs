//! Deflate encoder (RFC 1951) for rows of 64-bit numbers.
//!
//! A general compressor searches for matches at every byte. Here most numbers equal the number
//! above, in the same column of the row before, and the row of a word equals the rows of its last
//! occurrences. So the encoder compares whole numbers: with the row above, with the occurrences of
//! the number in the window, of which hash chains lead from one to the one before (as in zlib), and
//! with what follows the last match. It is many times faster than zlib, and the output is as large
//! as at zlib's level 6, within a hundredth.

use super::huffman::{BitWriter, Code, code_lengths, codes};

/// Largest distance of a match, in numbers: deflate's window of 32 KiB.
const WINDOW: usize = 4096;
/// Longest match, in numbers: deflate allows 258 bytes.
const MAX_MATCH: usize = 32;
/// Elements per block. Each block has Huffman codes of its own, whose cost is small at this size.
const BLOCK: usize = 1 << 15;
/// Slots of the hash table of last positions.
const SLOTS: usize = 1 << 13;
/// Most occurrences that are compared. Frequent words have some 30 in the window; with 4 the output
/// is 2 % larger.
const MAX_TRIES: usize = 64;

const END_OF_BLOCK: usize = 256;
/// Order in which the lengths of the code length codes are written (RFC 1951, 3.2.7).
const LENGTH_ORDER: [usize; 19] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Element of the LZ77 stage: a literal number, or a match of earlier numbers.
#[derive(Clone, Copy)]
enum Element {
    Literal(u64),
    /// Length and distance, in numbers.
    Match(u16, u16),
}

/// Compresses rows of `width` numbers, as little-endian bytes. The output ends on a whole byte with
/// the stream open, so another stream can follow.
pub(super) fn deflate(numbers: &[u64], width: usize) -> Vec<u8> {
    let mut out = BitWriter::default();
    let mut elements = Vec::with_capacity(BLOCK);
    let mut occurrences = Occurrences::new();
    let mut last_back = None;
    let mut at = 0;
    while at < numbers.len() {
        let mut best = Run { len: 0, back: width };
        if (1..=at.min(WINDOW)).contains(&width) {
            best = best.or_longer(numbers, at, width);
        }
        if numbers[at] != 0 {
            best = occurrences.longest(numbers, at, best);
        }
        // The longest match may have ended within a row.
        if let Some(back) = last_back {
            best = best.or_longer(numbers, at, back);
        }
        let len = best.len.max(1);
        // Zeros are matched with the row above.
        for i in (at..at + len).filter(|i| numbers[*i] != 0) {
            occurrences.enter(numbers[i], i);
        }
        if best.len == 0 {
            elements.push(Element::Literal(numbers[at]));
        } else {
            elements.push(Element::Match(narrow16(best.len), narrow16(best.back)));
            last_back = Some(best.back);
        }
        at += len;
        if elements.len() == BLOCK {
            write_block(&mut out, &elements);
            elements.clear();
        }
    }
    if !elements.is_empty() {
        write_block(&mut out, &elements);
    }
    // An empty stored block ends on a whole byte.
    out.put(0, 3);
    let mut out = out.into_bytes();
    out.extend([0, 0, 0xff, 0xff]);
    out
}

/// Numbers that equal those so many places before.
#[derive(Clone, Copy)]
struct Run {
    len: usize,
    back: usize,
}

impl Run {
    /// Returns the run from `at` on that equals what lies `back` before, if it is longer.
    #[inline]
    fn or_longer(self, numbers: &[u64], at: usize, back: usize) -> Run {
        let len = match_length(numbers, at - back, at);
        if len > self.len { Run { len, back } } else { self }
    }
}

/// The places of numbers in the window, by their hashes.
struct Occurrences {
    /// The last place of a hash, plus one; 0 for none.
    last: Vec<u32>,
    /// For each place, by its remainder, the place before it that has the same hash, plus one.
    before: Vec<u32>,
}

impl Occurrences {
    fn new() -> Occurrences {
        Occurrences { last: vec![0; SLOTS], before: vec![0; WINDOW] }
    }

    /// Adds the next place of a number. Places beyond 32 bits are not added.
    #[inline]
    fn enter(&mut self, number: u64, at: usize) {
        let last = &mut self.last[slot_of(number)];
        self.before[at % WINDOW] = std::mem::replace(last, u32::try_from(at + 1).unwrap_or(0));
    }

    /// Returns the longest run from a place on, if it is longer than `best`. Of runs of one length
    /// the nearest is taken, since small distances have short codes.
    fn longest(&self, numbers: &[u64], at: usize, mut best: Run) -> Run {
        let mut place = self.last[slot_of(numbers[at])];
        for _ in 0..MAX_TRIES {
            let Some(from) = (place as usize).checked_sub(1) else { break };
            if at - from > WINDOW || best.len == MAX_MATCH {
                break;
            }
            // A longer run has this number too.
            if numbers.get(at + best.len) == Some(&numbers[from + best.len]) {
                best = best.or_longer(numbers, at, at - from);
            }
            // No later place in the window has the same remainder.
            place = self.before[from % WINDOW];
        }
        best
    }
}

fn narrow16(count: usize) -> u16 {
    u16::try_from(count).expect("within the window")
}

fn slot_of(number: u64) -> usize {
    // Ids are hashes already; the multiplication spreads small numbers.
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize
}

/// Returns the number of equal numbers from `from` and from `at` on.
fn match_length(numbers: &[u64], from: usize, at: usize) -> usize {
    let pairs = numbers[from..].iter().zip(&numbers[at..]).take(MAX_MATCH);
    pairs.take_while(|(before, now)| before == now).count()
}

/// Symbol of deflate with its extra bits.
#[derive(Clone, Copy, Default)]
struct Symbol {
    number: usize,
    extra: u32,
    extra_len: u32,
}

/// Returns the symbol of a match length, given in numbers.
fn length_symbol(numbers: u16) -> Symbol {
    // At least 8 bytes; deflate's lengths start at 3.
    let len = u32::from(numbers) * 8 - 3;
    let extra_len = len.ilog2() - 2;
    let number = 257 + 4 * extra_len + (len >> extra_len);
    Symbol { number: number as usize, extra: len & ((1 << extra_len) - 1), extra_len }
}

/// Returns the symbol of a match distance, given in numbers.
fn distance_symbol(numbers: u16) -> Symbol {
    let distance = u32::from(numbers) * 8 - 1;
    let extra_len = distance.ilog2() - 1;
    let number = 2 * extra_len + (distance >> extra_len);
    Symbol { number: number as usize, extra: distance & ((1 << extra_len) - 1), extra_len }
}

/// Converts a count of symbols or codes.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("there are at most 286 symbols")
}

fn write_block(out: &mut BitWriter, elements: &[Element]) {
    let mut counts = [0_u32; 286];
    let mut distance_counts = [0_u32; 30];
    counts[END_OF_BLOCK] = 1;
    for element in elements {
        match *element {
            Element::Literal(number) => {
                number.to_le_bytes().into_iter().for_each(|byte| counts[usize::from(byte)] += 1);
            }
            Element::Match(len, back) => {
                counts[length_symbol(len).number] += 1;
                distance_counts[distance_symbol(back).number] += 1;
            }
        }
    }
    let lengths = code_lengths(&counts, 15);
    let distance_lengths = code_lengths(&distance_counts, 15);
    // Not the last block; dynamic Huffman codes.
    out.put(0b100, 3);
    write_lengths(out, &lengths, &distance_lengths);
    let (codes, distance_codes) = (codes(&lengths), codes(&distance_lengths));
    let put = |out: &mut BitWriter, codes: &[Code], symbol: Symbol| {
        out.code(codes[symbol.number]);
        out.put(symbol.extra, symbol.extra_len);
    };
    for element in elements {
        match *element {
            Element::Literal(number) => {
                number
                    .to_le_bytes()
                    .into_iter()
                    .for_each(|byte| out.code(codes[usize::from(byte)]));
            }
            Element::Match(len, back) => {
                put(out, &codes, length_symbol(len));
                put(out, &distance_codes, distance_symbol(back));
            }
        }
    }
    out.code(codes[END_OF_BLOCK]);
}

/// Writes the code lengths, run-length encoded, with Huffman codes of their own (RFC 1951, 3.2.7).
fn write_lengths(out: &mut BitWriter, lengths: &[u8], distance_lengths: &[u8]) {
    let used = |lengths: &[u8], least: usize| {
        let last = lengths.iter().rposition(|len| *len > 0);
        last.map_or(least, |last| least.max(last + 1))
    };
    let (n, m) = (used(lengths, 257), used(distance_lengths, 1));
    let all = [&lengths[..n], &distance_lengths[..m]].concat();
    let runs: Vec<Symbol> = all.chunk_by(|a, b| a == b).flat_map(shortened).collect();
    let mut counts = [0_u32; 19];
    // At least two codes: decoders require a complete code.
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

/// Run-length encodes equal lengths: 18 and 17 stand for zeros, 16 repeats the length before.
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
    fn repeated_rows_take_few_bytes() {
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
