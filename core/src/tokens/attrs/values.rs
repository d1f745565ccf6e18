//! The column of each attribute, and the values that attributes may have.

use lexpool_structs::{AttrId, EntityC, Pos, SyntaxC, TagC};

use crate::codes;
use crate::{Error, Result};

/// The annotation column that holds an attribute of tokens, with the function that reads it.
#[derive(Clone, Copy)]
pub enum AttrColumn {
    /// A field of the records of tags.
    Tag(fn(&TagC) -> u64),
    /// A field of the records of the tree.
    Syntax(fn(&SyntaxC) -> u64),
    /// A field of the records of entities.
    Entity(fn(&EntityC) -> u64),
    /// No column: the attribute is in the token record or the lexeme, or is computed.
    None,
}

impl AttrColumn {
    /// Returns the column of an attribute.
    #[inline]
    pub fn of(attr: AttrId) -> AttrColumn {
        match attr {
            AttrId::TAG => AttrColumn::Tag(|record| record.tag),
            AttrId::LEMMA => AttrColumn::Tag(|record| record.lemma),
            AttrId::MORPH => AttrColumn::Tag(|record| record.morph),
            AttrId::POS => AttrColumn::Tag(|record| u64::from(record.pos)),
            AttrId::DEP => AttrColumn::Syntax(|record| record.dep),
            AttrId::HEAD => AttrColumn::Syntax(|record| signed(record.head)),
            AttrId::ENT_TYPE => AttrColumn::Entity(|record| record.ent_type),
            AttrId::ENT_KB_ID => AttrColumn::Entity(|record| record.ent_kb_id),
            AttrId::ENT_ID => AttrColumn::Entity(|record| record.ent_id),
            _ => AttrColumn::None,
        }
    }
}

/// Converts a signed number to an attribute value: two's complement, as in spaCy.
#[expect(clippy::cast_sign_loss, reason = "as documented")]
pub fn signed(number: i32) -> u64 {
    i64::from(number) as u64
}

/// Returns the low half of a value as a signed number, as the records hold heads and sentence
/// starts.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "as documented")]
pub fn low(value: u64) -> i32 {
    value as u32 as i32
}

/// Returns whether some values are invalid for the attribute.
pub(super) fn is_limited(attr: AttrId) -> bool {
    matches!(attr, AttrId::HEAD | AttrId::ENT_IOB | AttrId::POS)
}

/// Validates a value for the token at a position among `len` tokens.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `E982` for an unknown IOB value, `E1021` for an unknown
/// part of speech.
pub fn check_value(attr: AttrId, i: usize, len: usize, value: u64) -> Result<()> {
    match attr {
        AttrId::HEAD => {
            let head = i.checked_add_signed(low(value) as isize);
            if head.is_none_or(|head| head >= len) {
                let offset = low(value);
                let text = format!("the head of token {i}, {offset:+}, is outside of {len} tokens");
                return Err(Error::value(codes::E190, text));
            }
        }
        AttrId::ENT_IOB if value > 3 => {
            let text =
                format!("ENT_IOB {value} of token {i}; it is 0 (unset), 1 (I), 2 (O) or 3 (B)");
            return Err(Error::value(codes::E982, text));
        }
        AttrId::POS => {
            let pos = u32::try_from(value).ok().and_then(Pos::from_number);
            if pos.is_none() {
                let text = format!("{value} of token {i} is not the number of a part of speech");
                return Err(Error::value(codes::E1021, text));
            }
        }
        _ => {}
    }
    Ok(())
}
