//! The norms of special cases, numbered so that a token record can refer to them in 24 bits.

use std::sync::{Arc, Mutex};

use ahash::AHashMap;
use lexpool_pool::SegmentedVec;

use super::image::mapped::MappedVocab;
use crate::codes;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// The number of a norm in its vocab; 0 stands for the norm of the lexeme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NormIx(u32);

impl NormIx {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

/// The norms of a vocab's special cases. They are few, and are kept while the vocab lives.
///
/// With a number in the token record, a document with contractions needs no tag records of 40 bytes
/// a token.
pub(super) struct NormTable {
    ids: SegmentedVec<StrId>,
    /// The inverse of `ids`, built at the first use, as an image may begin with norms.
    numbers: Mutex<Option<AHashMap<StrId, u32>>>,
}

impl NormTable {
    const MAX_NORMS: u32 = (1 << 24) - 1;

    pub(super) fn new() -> NormTable {
        NormTable { ids: SegmentedVec::new(), numbers: Mutex::default() }
    }

    /// Creates a table that begins with the norms of an image.
    pub(super) fn with_image(image: &Arc<MappedVocab>) -> Result<NormTable> {
        Ok(NormTable { ids: image.norm_vec()?, numbers: Mutex::default() })
    }

    /// Returns the norms in the order of their numbers; 0 in the gap after those of an image.
    pub(super) fn iter(&self) -> impl Iterator<Item = StrId> {
        (0..self.ids.len()).map(|at| self.ids.get(at).copied().unwrap_or_default())
    }

    pub(super) fn number(&self, norm: StrId) -> Result<NormIx> {
        let mut numbers = self.numbers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let numbers = numbers.get_or_insert_with(|| (1..).zip(self.iter()).map(swap).collect());
        if let Some(&number) = numbers.get(&norm) {
            return Ok(NormIx(number));
        }
        if self.ids.len() >= NormTable::MAX_NORMS {
            let max = NormTable::MAX_NORMS;
            let text = format!("special cases gave more than {max} different norms");
            return Err(Error::new(ErrorKind::Overflow, codes::TOO_MANY_NORMS, text));
        }
        let number = self.ids.push(norm)? + 1;
        numbers.insert(norm, number);
        Ok(NormIx(number))
    }

    /// Returns the address of the table of segment addresses; the norm of number `n` is item `n -
    /// 1`.
    pub(super) fn segment_table(&self) -> *const *const u64 {
        self.ids.segment_table().cast()
    }

    /// Returns the norm of a number, or `None` for 0.
    pub(super) fn get(&self, number: u32) -> Option<StrId> {
        self.ids.get(number.checked_sub(1)?).copied()
    }
}

fn swap((number, norm): (u32, StrId)) -> (StrId, u32) {
    (norm, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_norm_keeps_its_number() {
        let norms = NormTable::new();
        let not = norms.number(StrId::of("not")).unwrap();
        let will = norms.number(StrId::of("will")).unwrap();
        assert_eq!(norms.number(StrId::of("not")).unwrap(), not);
        assert_eq!(norms.get(not.get()), Some(StrId::of("not")));
        assert_eq!(norms.get(will.get()), Some(StrId::of("will")));
        assert_eq!(norms.get(NormIx::default().get()), None);
    }
}
