//! Attributes of tokens by number, as spaCy numbers them.

#![forbid(unsafe_code)]

mod read;
#[cfg(test)]
mod tests;
mod values;
mod write;
mod writers;

use lexpool_structs::AttrId;

pub use read::TokenAttrs;
pub use values::signed;
pub use values::{AttrColumn, check_value, low};
pub use write::TokenAttrsMut;
pub(super) use write::{no_token, settable};

/// The attributes that `to_bytes` and the copying operations keep, in spaCy's order.
pub const ARRAY_ATTRS: [AttrId; 15] = [
    AttrId::LENGTH,
    AttrId::SPACY,
    AttrId::ORTH,
    AttrId::NORM,
    AttrId::TAG,
    AttrId::HEAD,
    AttrId::DEP,
    AttrId::ENT_IOB,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
    AttrId::LEMMA,
    AttrId::MORPH,
    AttrId::POS,
    AttrId::SENT_START,
];

/// The attributes of tokens whose values are string ids, apart from `ORTH`.
pub(crate) const ID_ATTRS: [AttrId; 8] = [
    AttrId::NORM,
    AttrId::TAG,
    AttrId::DEP,
    AttrId::ENT_TYPE,
    AttrId::ENT_KB_ID,
    AttrId::ENT_ID,
    AttrId::LEMMA,
    AttrId::MORPH,
];
