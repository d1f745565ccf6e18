//! Rows of attributes as bytes, and what has to hold of their values.

use std::borrow::Cow;

use lexpool_structs::{AttrId, Pos};

use crate::seeded::IdSet;
use crate::strings::StrId;
use crate::tokens::ID_ATTRS;
use crate::vocab::VocabSnapshot;
use crate::{Error, Result};

/// Numbers as little-endian bytes; on most machines, as they lie.
pub(super) fn to_le(numbers: &[u64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(numbers));
    }
    Cow::Owned(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// Numbers from little-endian bytes, which are eight for each.
pub(super) fn from_le(bytes: &[u8]) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    if numbers.try_reserve_exact(bytes.len() / 8).is_err() {
        let text = format!("no memory for {} bytes of attributes", bytes.len());
        return Err(Error::new(crate::ErrorKind::Memory, "out-of-memory", text));
    }
    for word in bytes.chunks_exact(8) {
        numbers.push(u64::from_le_bytes(word.try_into().expect("eight bytes a chunk")));
    }
    Ok(numbers)
}

/// Remembers which ids have strings in a snapshot.
pub(super) struct KnownIds<'a> {
    snapshot: &'a VocabSnapshot,
    known: IdSet,
}

impl<'a> KnownIds<'a> {
    pub(super) fn new(snapshot: &'a VocabSnapshot) -> KnownIds<'a> {
        KnownIds { snapshot, known: IdSet::default() }
    }

    /// Whether all ids in rows of these attributes have strings.
    ///
    /// # Errors
    ///
    /// `unknown-id`, with the first that has none.
    pub(super) fn check(&mut self, attrs: &[AttrId], rows: &[u64]) -> Result<()> {
        for (at, attr) in attrs.iter().enumerate().filter(|(_, attr)| ID_ATTRS.contains(attr)) {
            let mut before = 0;
            for (i, id) in rows.iter().skip(at).step_by(attrs.len()).enumerate() {
                if *id != before && *id != 0 && !self.knows(*id) {
                    let attr = attr.name().unwrap_or_default();
                    let text = format!(
                        "{attr} of token {i} is {id}, for which neither the bytes nor the vocab \
                         have a string"
                    );
                    return Err(Error::value("unknown-id", text));
                }
                before = *id;
            }
        }
        Ok(())
    }

    fn knows(&mut self, id: u64) -> bool {
        if self.known.contains(&id) {
            return true;
        }
        let knows = self.snapshot.string(StrId::new(id)).is_some();
        if knows {
            self.known.insert(id);
        }
        knows
    }
}

/// Enters the morphological analyses that rows refer to into the vocab.
///
/// # Errors
///
/// When a string is no analysis, or memory runs out.
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

/// Checks the values of one document's rows that do not depend on a vocab, more strictly than
/// [`Doc::from_array`](crate::tokens::Doc::from_array), which takes some in another sense.
///
/// # Errors
///
/// `attribute-value` for a head outside of the document, an `ENT_IOB` above 3, an unknown part of
/// speech, a sentence start that is not -1, 0 or 1, and a space that is not 0 or 1.
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
            let text = format!("{attr} of token {i} is {value}, which it cannot be");
            return Err(Error::value("attribute-value", text));
        }
    }
    Ok(())
}
