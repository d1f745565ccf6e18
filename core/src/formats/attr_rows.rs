//! Rows of token attributes as bytes, and checks of their values.

use std::borrow::Cow;

use lexpool_structs::{AttrId, Pos};

use crate::codes;
use crate::fallible;
use crate::strings::StrId;
use crate::tokens::ID_ATTRS;
use crate::vocab::VocabSnapshot;
use crate::{Error, Result};

/// Converts numbers to little-endian bytes, without a copy on little-endian machines.
pub(super) fn to_le(numbers: &[u64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(numbers));
    }
    Cow::Owned(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// Converts little-endian bytes, eight per number.
pub(super) fn from_le(bytes: &[u8]) -> Result<Vec<u64>> {
    let mut numbers = fallible::list(bytes.len() / 8)?;
    let words = bytes.chunks_exact(8);
    numbers.extend(
        words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes a chunk"))),
    );
    Ok(numbers)
}

/// Direct-mapped cache of the ids that have a string in a snapshot.
pub(super) struct KnownIds<'a> {
    snapshot: &'a VocabSnapshot,
    /// A power of two of slots, by the low bits of the id; 0 marks a free one.
    recent: Box<[u64]>,
}

impl<'a> KnownIds<'a> {
    /// Returns an empty cache for rows of about this many tokens.
    pub(super) fn new(snapshot: &'a VocabSnapshot, tokens: usize) -> Result<KnownIds<'a>> {
        let slots = tokens.next_power_of_two().clamp(16, 1 << 14);
        Ok(KnownIds { snapshot, recent: fallible::zeros(slots)?.into() })
    }

    /// Checks that all ids in rows of these attributes have strings.
    ///
    /// # Errors
    ///
    /// `unknown-id` with the first id that has none.
    pub(super) fn check(&mut self, attrs: &[AttrId], rows: &[u64]) -> Result<()> {
        for (at, attr) in attrs.iter().enumerate().filter(|(_, attr)| ID_ATTRS.contains(attr)) {
            let mut before = 0;
            for (i, id) in rows.iter().skip(at).step_by(attrs.len()).enumerate() {
                if *id != before && *id != 0 && !self.contains(*id) {
                    let attr = attr.name().unwrap_or_default();
                    let text = format!(
                        "{attr} of token {i} is {id}, but neither the bytes nor the vocab have a \
                         string for this id"
                    );
                    return Err(Error::value(codes::UNKNOWN_ID, text));
                }
                before = *id;
            }
        }
        Ok(())
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits choose the slot")]
    fn contains(&mut self, id: u64) -> bool {
        let slot = id as usize & (self.recent.len() - 1);
        if self.recent[slot] == id {
            return true;
        }
        let has_string = self.snapshot.string(StrId::new(id)).is_some();
        if has_string {
            self.recent[slot] = id;
        }
        has_string
    }
}

/// Adds the morphological analyses that rows refer to to the vocab.
///
/// # Errors
///
/// An error if a string is not a valid analysis, or if memory runs out.
pub(super) fn enter_morphs(snapshot: &VocabSnapshot, attrs: &[AttrId], rows: &[u64]) -> Result<()> {
    let Some(at) = attrs.iter().position(|attr| *attr == AttrId::MORPH) else { return Ok(()) };
    let morphology = snapshot.vocab().morphology();
    let mut before = 0;
    for id in rows.iter().skip(at).step_by(attrs.len()) {
        if *id != before && *id != 0 && morphology.get(StrId::new(*id)).is_none() {
            if let Some(feats) = snapshot.string(StrId::new(*id)) {
                morphology.add(feats)?;
            }
        }
        before = *id;
    }
    Ok(())
}

/// Checks the values of one document's rows that do not depend on a vocab. Stricter than
/// [`TokenAttrsMut::set_array`](crate::tokens::TokenAttrsMut::set_array), which reinterprets some
/// invalid values.
///
/// # Errors
///
/// `attribute-value` for a head outside the document, an `ENT_IOB` above 3, an unknown part of
/// speech, a sentence start other than -1, 0 or 1, and a space other than 0 or 1.
pub(super) fn check_values(attrs: &[AttrId], rows: &[u64]) -> Result<()> {
    let len = (rows.len() / attrs.len()) as u64;
    for (at, attr) in attrs.iter().enumerate() {
        let is_valid: fn(u64, u64, u64) -> bool = match *attr {
            AttrId::SENT_START => |value, _, _| value.wrapping_add(1) <= 2,
            AttrId::SPACY => |value, _, _| value <= 1,
            AttrId::ENT_IOB => |value, _, _| value <= 3,
            AttrId::HEAD => |value, i, len| i.wrapping_add(value) < len,
            AttrId::POS => |value, _, _| {
                u32::try_from(value).is_ok_and(|value| Pos::from_number(value).is_some())
            },
            _ => continue,
        };
        let mut values = (0..).zip(rows.iter().skip(at).step_by(attrs.len()));
        if let Some((i, value)) = values.find(|(i, value)| !is_valid(**value, *i, len)) {
            let value = i64::from_ne_bytes(value.to_ne_bytes());
            let attr = attr.name().unwrap_or_default();
            let text = format!("{attr} of token {i} is {value}, which is out of range");
            return Err(Error::value(codes::ATTRIBUTE_VALUE, text));
        }
    }
    Ok(())
}
