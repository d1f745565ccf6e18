//! Symbols: the strings whose ids are small numbers, found by the hash that was computed anyway.

use lexpool_structs::symbols::SYMBOLS;

use super::id::{StrId, hash_string};

/// Twice the number of symbols, rounded up to a power of two.
const SLOTS: usize = 1024;

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

/// The number of the symbol that this string is, given the string's [`hash_string`].
#[expect(clippy::cast_possible_truncation, reason = "what is cut off chooses no slot")]
pub(super) fn by_hash(hash: u64, string: &str) -> Option<StrId> {
    let mut slot = hash as usize % SLOTS;
    loop {
        let number = usize::from(BY_HASH[slot]);
        if number == 0 {
            return None;
        }
        if SYMBOLS[number] == string {
            return Some(StrId::new(number as u64));
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// The name of a symbol, `""` for 0, and nothing for an id that is no symbol's.
pub fn name(id: StrId) -> Option<&'static str> {
    usize::try_from(id.get()).ok().and_then(|number| SYMBOLS.get(number).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_is_found_by_its_name_and_by_its_number() {
        assert_eq!(SYMBOLS.len(), 457);
        for (number, symbol) in SYMBOLS.iter().enumerate() {
            assert_eq!(StrId::of(symbol), StrId::new(number as u64), "{symbol}");
            assert_eq!(name(StrId::new(number as u64)), Some(*symbol));
        }
        assert_eq!(name(StrId::new(457)), None);
        assert_eq!(name(StrId::new(u64::MAX)), None);
    }
}
