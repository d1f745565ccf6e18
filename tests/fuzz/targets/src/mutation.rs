//! Deterministic changes of inputs, for toolchains without a fuzzer.

/// A source of changes; the same seed gives the same ones.
pub struct Mutator(u64);

/// Numbers at which lengths and offsets go wrong.
const EDGES: [u64; 12] =
    [0, 1, 2, 7, 8, 64, 255, 0x7fff, 0x7fff_ffff, 0xffff_ffff, u64::MAX, 1 << 63];

impl Mutator {
    /// Creates a mutator.
    pub fn new(seed: u64) -> Mutator {
        Mutator(seed | 1)
    }

    /// Returns the next number (xorshift, by Marsaglia).
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap_or(0) % end.max(1)
    }

    /// Makes one to four changes of bytes. `other` is another input, from which parts are taken.
    pub fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(8) {
                0 => self.flip(bytes, at),
                1 | 2 => self.put_number(bytes, at),
                3 => bytes.truncate(at),
                4 => {
                    let len = self.below(16);
                    bytes.drain(at..(at + len).min(bytes.len()));
                }
                5 => self.take(bytes, at, other),
                6 => {
                    let own = bytes.clone();
                    self.take(bytes, at, &own);
                }
                _ => {
                    let any = self.next().to_le_bytes();
                    let len = 1 + self.below(8);
                    bytes.splice(at..at, any[..len].iter().copied());
                }
            }
        }
    }

    fn flip(&mut self, bytes: &mut [u8], at: usize) {
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << self.below(8);
        }
    }

    /// Replaces a number by a neighbour, or by one of the edges.
    fn put_number(&mut self, bytes: &mut [u8], at: usize) {
        let width = [1, 2, 4, 8][self.below(4)];
        let Some(place) = bytes.get_mut(at..at + width) else { return };
        let mut number = [0; 8];
        number[..width].copy_from_slice(place);
        let before = u64::from_le_bytes(number);
        let after = match self.below(3) {
            0 => before.wrapping_add(1 << self.below(4)),
            1 => before.wrapping_sub(1 << self.below(4)),
            _ => EDGES[self.below(EDGES.len())],
        };
        place.copy_from_slice(&after.to_le_bytes()[..width]);
    }

    /// Inserts a part of other bytes, or writes it over what is there.
    fn take(&mut self, bytes: &mut Vec<u8>, at: usize, other: &[u8]) {
        let from = self.below(other.len());
        let len = self.below(32).min(other.len() - from);
        let end = if self.below(2) == 0 { at } else { (at + len).min(bytes.len()) };
        bytes.splice(at..end, other[from..from + len].iter().copied());
    }
}
