//! Attributes of all tokens, written column by column.

use lexpool_structs::{AttrId, EntityC, SyntaxC, TagC, TokenC};

use super::Doc;
use crate::Result;

impl Doc {
    /// Sets one attribute of all tokens from values that were checked; attributes that a token does
    /// not have of its own are left alone, and `SPACY` as well. `is_set` says whether any is not 0: an
    /// array is not made to hold nothing.
    pub(super) fn put_column(
        &mut self,
        attr: AttrId,
        is_set: bool,
        values: impl Iterator<Item = u64>,
    ) -> Result<()> {
        if let Some(write) = tag_writer(attr) {
            if is_set || self.tags().is_some() {
                self.tags_mut()?.iter_mut().zip(values).for_each(|(tag, value)| write(tag, value));
            }
        } else if let Some(write) = syntax_writer(attr) {
            if is_set || self.syntax().is_some() {
                let syntax = self.syntax_mut()?.iter_mut();
                syntax.zip(values).for_each(|(syntax, value)| write(syntax, value));
            }
        } else if let Some(write) = entity_writer(attr) {
            if is_set || self.entities().is_some() {
                let entities = self.entities_mut()?.iter_mut();
                entities.zip(values).for_each(|(entity, value)| write(entity, value));
            }
        } else if let Some(write) = token_writer(attr) {
            let tokens = self.tokens_mut()?.iter_mut();
            tokens.zip(values).for_each(|(token, value)| write(token, value));
        } else if attr == AttrId::NORM {
            let own = self.iter().map(|token| token.norm().get());
            let changed = own.zip(values).enumerate().filter(|(_, (own, value))| own != value);
            let changed: Vec<_> = changed.map(|(i, (_, value))| (i, value)).collect();
            for (i, value) in changed {
                self.put(i, attr, value)?;
            }
        }
        Ok(())
    }
}

fn token_writer(attr: AttrId) -> Option<fn(&mut TokenC, u64)> {
    Some(match attr {
        AttrId::ENT_IOB => {
            |record, value| record.set_ent_iob(u8::try_from(value).unwrap_or_default())
        }
        AttrId::SENT_START => |record, value| {
            let start = super::attrs::low(value).signum();
            record.set_sent_start(i8::try_from(start).unwrap_or_default());
        },
        _ => return None,
    })
}

fn tag_writer(attr: AttrId) -> Option<fn(&mut TagC, u64)> {
    Some(match attr {
        AttrId::TAG => |record, value| record.tag = value,
        AttrId::LEMMA => |record, value| record.lemma = value,
        AttrId::MORPH => |record, value| record.morph = value,
        AttrId::POS => |record, value| record.pos = u32::try_from(value).unwrap_or_default(),
        _ => return None,
    })
}

fn syntax_writer(attr: AttrId) -> Option<fn(&mut SyntaxC, u64)> {
    Some(match attr {
        AttrId::DEP => |record, value| record.dep = value,
        AttrId::HEAD => |record, value| record.head = super::attrs::low(value),
        _ => return None,
    })
}

fn entity_writer(attr: AttrId) -> Option<fn(&mut EntityC, u64)> {
    Some(match attr {
        AttrId::ENT_TYPE => |record, value| record.ent_type = value,
        AttrId::ENT_KB_ID => |record, value| record.ent_kb_id = value,
        AttrId::ENT_ID => |record, value| record.ent_id = value,
        _ => return None,
    })
}
