//! The functions that store an attribute in a record, by the column of the attribute.

use lexpool_structs::{AttrId, EntityC, SyntaxC, TagC, TokenC};

use super::values::low;

pub(super) fn token_writer(attr: AttrId) -> Option<fn(&mut TokenC, u64)> {
    Some(match attr {
        AttrId::ENT_IOB => {
            |record, value| record.set_ent_iob(u8::try_from(value).unwrap_or_default())
        }
        AttrId::SENT_START => |record, value| {
            let start = low(value).signum();
            record.set_sent_start(i8::try_from(start).unwrap_or_default());
        },
        _ => return None,
    })
}

pub(super) fn tag_writer(attr: AttrId) -> Option<fn(&mut TagC, u64)> {
    Some(match attr {
        AttrId::TAG => |record, value| record.tag = value,
        AttrId::LEMMA => |record, value| record.lemma = value,
        AttrId::MORPH => |record, value| record.morph = value,
        AttrId::POS => |record, value| record.pos = u32::try_from(value).unwrap_or_default(),
        _ => return None,
    })
}

pub(super) fn syntax_writer(attr: AttrId) -> Option<fn(&mut SyntaxC, u64)> {
    Some(match attr {
        AttrId::DEP => |record, value| record.dep = value,
        AttrId::HEAD => |record, value| record.head = low(value),
        _ => return None,
    })
}

pub(super) fn entity_writer(attr: AttrId) -> Option<fn(&mut EntityC, u64)> {
    Some(match attr {
        AttrId::ENT_TYPE => |record, value| record.ent_type = value,
        AttrId::ENT_KB_ID => |record, value| record.ent_kb_id = value,
        AttrId::ENT_ID => |record, value| record.ent_id = value,
        _ => return None,
    })
}
