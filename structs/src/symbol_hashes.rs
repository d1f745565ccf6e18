//! Hash table of the symbols, searched by the hash that becomes the id of any other string.

use crate::murmur2::hash_string;
use crate::symbols::SYMBOLS;

/// Nearly nine times the number of symbols: most other strings meet a free slot, and no comparison.
const SLOTS: usize = 4096;

/// Open addressing from a name's hash to its number; 0, the empty string, marks a free slot.
static BY_HASH: [u16; SLOTS] = build();

#[expect(clippy::cast_possible_truncation, reason = "there are 457 symbols, and slots are masked")]
const fn build() -> [u16; SLOTS] {
    let mut slots = [0; SLOTS];
    let mut number = 1;
    while number < SYMBOLS.len() {
        let mut slot = hash_string(SYMBOLS[number]) as usize % SLOTS;
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = number as u16;
        number += 1;
    }
    slots
}

/// Returns the number of the symbol with this name, given the name's [`hash_string`].
#[expect(clippy::cast_possible_truncation, reason = "only the low bits choose a slot")]
pub(crate) fn by_hash(hash: u64, string: &str) -> Option<u64> {
    let mut slot = hash as usize % SLOTS;
    loop {
        let number = usize::from(BY_HASH[slot]);
        if number == 0 {
            return None;
        }
        if SYMBOLS[number] == string {
            return Some(number as u64);
        }
        slot = (slot + 1) % SLOTS;
    }
}
