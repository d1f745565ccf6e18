//! Norms that special cases give to single tokens, numbered so that a token can hold them.

use std::sync::{Arc, Mutex};

use ahash::AHashMap;
use lexpool_pool::SegmentedVec;

use super::image::MappedVocab;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// The number of a norm in its vocab; 0 means "the lexeme's own norm".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NormIx(u32);

impl NormIx {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

/// The norms of a vocab's special cases: few, and never forgotten while the vocab lives.
///
/// A token has 24 bits for the number, so that a document of a hundred contractions need not
/// write a 40-byte annotation record for each of its tokens.
pub(super) struct Norms {
    ids: SegmentedVec<StrId>,
    /// None until it is asked for: an image may have brought norms.
    numbers: Mutex<Option<AHashMap<StrId, u32>>>,
}

impl Norms {
    const MOST: u32 = (1 << 24) - 1;

    pub(super) fn new() -> Norms {
        Norms { ids: SegmentedVec::new(), numbers: Mutex::default() }
    }

    /// The norms of an image, and room for others.
    pub(super) fn over(image: &Arc<MappedVocab>) -> Result<Norms> {
        Ok(Norms { ids: image.norm_pages()?, numbers: Mutex::default() })
    }

    /// The norms in the order of their numbers; 0 where there is none.
    pub(super) fn iter(&self) -> impl Iterator<Item = StrId> {
        (0..self.ids.len()).map(|at| self.ids.get(at).copied().unwrap_or_default())
    }

    pub(super) fn number(&self, norm: StrId) -> Result<NormIx> {
        let mut numbers = self.numbers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let numbers = numbers.get_or_insert_with(|| (1..).zip(self.iter()).map(swap).collect());
        if let Some(&number) = numbers.get(&norm) {
            return Ok(NormIx(number));
        }
        if self.ids.len() >= Norms::MOST {
            let most = Norms::MOST;
            let text = format!("special cases gave more than {most} different norms");
            return Err(Error::new(ErrorKind::Overflow, "too-many-norms", text));
        }
        let number = self.ids.push(norm)? + 1;
        numbers.insert(norm, number);
        Ok(NormIx(number))
    }

    /// Where the addresses of the segments of norms lie; the norm of number `n` is item `n - 1`.
    pub(super) fn segment_table(&self) -> *const *const u64 {
        self.ids.segment_table().cast()
    }

    /// The norm with a number that a token holds; none for 0.
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
        let norms = Norms::new();
        let not = norms.number(StrId::of("not")).unwrap();
        let will = norms.number(StrId::of("will")).unwrap();
        assert_eq!(norms.number(StrId::of("not")).unwrap(), not);
        assert_eq!(norms.get(not.get()), Some(StrId::of("not")));
        assert_eq!(norms.get(will.get()), Some(StrId::of("will")));
        assert_eq!(norms.get(NormIx::default().get()), None);
    }
}
