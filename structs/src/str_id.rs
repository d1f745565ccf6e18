//! Ids of strings, computed as spaCy computes them.

use core::fmt;

use crate::murmur2::hash_string;
use crate::symbol_hashes;
use crate::symbols::SYMBOLS;

/// The id of a string: equal in every process, on every machine, and in spaCy.
///
/// The empty string is 0, a symbol (`"nsubj"`, `"ORTH"`, ...) its small number, any other string
/// its [`hash64`](crate::hash64) with seed 1. A string has an id whether or not a store holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct StrId(u64);

impl StrId {
    /// The id of the empty string.
    pub const EMPTY: StrId = StrId(0);

    /// Makes an id of its number; every number is valid.
    #[inline]
    pub const fn new(id: u64) -> StrId {
        StrId(id)
    }

    /// Computes the id of a string. Cost: one pass over its bytes.
    ///
    /// ```
    /// use lexpool_structs::StrId;
    /// assert_eq!(StrId::of("apple").get(), 8566208034543834098);
    /// assert_eq!(StrId::of("nsubj").get(), 429);
    /// assert_eq!(StrId::of(""), StrId::EMPTY);
    /// ```
    pub fn of(string: &str) -> StrId {
        if string.is_empty() {
            return StrId::EMPTY;
        }
        let hash = hash_string(string);
        StrId(symbol_hashes::by_hash(hash, string).unwrap_or(hash))
    }

    /// The number.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for StrId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<StrId> for u64 {
    fn from(id: StrId) -> u64 {
        id.0
    }
}

/// Returns the name of a symbol, `""` for 0, or `None` if the id is not a symbol's.
pub fn symbol_name(id: StrId) -> Option<&'static str> {
    usize::try_from(id.get()).ok().and_then(|number| SYMBOLS.get(number).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn an_id_is_shown_and_given_as_its_number() {
        let id = StrId::of("apple");
        assert_eq!(id.to_string(), "8566208034543834098");
        assert_eq!(u64::from(id), 8_566_208_034_543_834_098);
    }

    #[test]
    fn the_empty_string_and_symbols_have_small_ids() {
        assert_eq!(StrId::of("").get(), 0);
        assert_eq!(StrId::of("ORTH").get(), 65);
        assert_eq!(StrId::of("_").get(), 456);
        assert_eq!(StrId::of("nsub"), StrId::new(hash_string("nsub")));
    }

    #[test]
    fn every_symbol_is_found_by_its_name_and_by_its_number() {
        assert_eq!(SYMBOLS.len(), 457);
        for (number, symbol) in SYMBOLS.iter().enumerate() {
            assert_eq!(StrId::of(symbol), StrId::new(number as u64), "{symbol}");
            assert_eq!(symbol_name(StrId::new(number as u64)), Some(*symbol));
        }
        assert_eq!(symbol_name(StrId::new(457)), None);
        assert_eq!(symbol_name(StrId::new(u64::MAX)), None);
    }
}
